// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fft, by the ONNX importer's transforms. Complex tensors have their parts in the last dimension (SplitComplex.h).
#include "compiler/Stages/Import/Emit/Numerics/Fourier.h"
#include "compiler/Stages/Import/StableHlo/Converter.h"
#include "compiler/Stages/Import/StableHlo/SplitComplex.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;
using importer::FourierTransform;

// Along dimension `dim` of a tensor of `rank` dimensions, behind which there is one of parts if it is complex.
static Tensor transformAlong(Emitter &emitter, Tensor &x, int64_t dim, int64_t rank,
                             const FourierTransform &transform) {
  importer::Sizes &sizes = emitter.sizes;
  ArrayRef<OpFoldResult> shape(x.sizes);
  OpFoldResult parts = x.rank() > rank ? shape.back() : sizes.constant(1);
  Tensor flat = emitter.reshape(x, {sizes.product(shape.take_front(dim)), shape[dim],
                                    sizes.product(shape.slice(dim + 1, rank - dim - 1)), parts});
  Tensor result = importer::fourier(emitter, flat, transform);
  SizeList out(shape.take_front(rank));
  out[dim] = result.sizes[1];
  if (!transform.givesReal())
    out.push_back(sizes.constant(2));
  return emitter.reshape(result, out);
}

namespace {

// What the attributes say. Shapes are without the dimension of parts.
struct Plan {
  bool inverse, real;
  SmallVector<int64_t> lengths;
  int64_t rank;
};

} // namespace

static FailureOr<Plan> readPlan(OpContext &op) {
  if (failed(op.requireOperands(1)) || failed(op.requireResults(1)))
    return failure();
  FailureOr<std::string> kind = op.word("fft_type");
  FailureOr<SmallVector<int64_t>> lengths = op.ints("fft_length");
  if (failed(kind) || failed(lengths))
    return failure();
  if (!llvm::is_contained({"FFT", "IFFT", "RFFT", "IRFFT"}, StringRef(*kind)))
    return op.refuse("the attribute fft_type must be one of FFT, IFFT, RFFT, IRFFT");
  Plan plan{StringRef(*kind).contains("IFFT") || *kind == "IRFFT", StringRef(*kind).contains("RFFT"), *lengths, 0};
  if (!op.op->hasAttr(kPartsAttr))
    return op.refuse("needs a complex operand or result");
  bool realIn = plan.real && !plan.inverse, realOut = plan.real && plan.inverse;
  plan.rank = op.operandType(0).getRank() - (realIn ? 0 : 1);
  if (plan.lengths.empty() || static_cast<int64_t>(plan.lengths.size()) > std::min<int64_t>(plan.rank, 3))
    return op.refuse("transforms one to three dimensions of the operand, fft_length names " +
                     Twine(plan.lengths.size()));
  SmallVector<int64_t> in(op.operandType(0).getShape().take_front(plan.rank)), out(in);
  for (auto [i, length] : llvm::enumerate(plan.lengths)) {
    size_t dim = plan.rank - plan.lengths.size() + i;
    bool isHalf = plan.real && dim + 1 == in.size();
    if (length < 1 || in[dim] != (isHalf && realOut ? length / 2 + 1 : length))
      return op.refuse("dimension " + Twine(dim) + " of the operand does not have the length that fft_length names");
    out[dim] = isHalf && realIn ? length / 2 + 1 : length;
    if (!FourierTransform::isSupported(length, op.emitter.forms))
      return op.refuse("a transform of length " + Twine(length) +
                       " is not supported: at most 2^24, and none with "
                       "large prime factors from about 2^21 on; pad the signal to a power of two");
  }
  if (!realOut)
    out.push_back(2);
  Type element = op.operandType(0).getElementType();
  if ((!element.isF32() && !element.isF64()) || op.resultType(0) != RankedTensorType::get(out, element))
    return op.refuse("the result does not have the type of such a transform");
  return plan;
}

static LogicalResult lowerTransform(OpContext &op) {
  FailureOr<Plan> plan = readPlan(op);
  if (failed(plan))
    return failure();
  Emitter &emitter = op.emitter;
  RankedTensorType type = op.resultType(0);
  if (type.getNumElements() == 0)
    return op.setResult(
        0, emitter.filled(type.getElementType(), op.sizesOf(type.getShape()), makeAttribute(type.getElementType(), 0)));
  Tensor x = op.operand(0);
  int64_t first = plan->rank - plan->lengths.size(), last = plan->rank - 1;
  auto along = [&](int64_t dim, bool oneSided) {
    FourierTransform transform{emitter.sizes.constant(plan->lengths[dim - first]), plan->inverse, oneSided};
    x = transformAlong(emitter, x, dim, plan->rank, transform);
  };
  // Half of the bins along the last dimension: first of all to them, and last of all from them.
  if (plan->real && !plan->inverse)
    along(last, true);
  for (int64_t dim = first; dim < plan->rank - (plan->real ? 1 : 0); ++dim)
    along(dim, false);
  if (plan->real && plan->inverse)
    along(last, true);
  return op.setResult(0, x);
}

void mlir::heddle::hlo::registerTransform(LoweringTable &table) { table["stablehlo.fft"] = lowerTransform; }
