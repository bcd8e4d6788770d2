// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dot_general and convolution, in the forms that the ONNX importer gives products.
#include "compiler/Stages/Import/Emit/Contraction.h"
#include "compiler/Stages/Import/Emit/Convolve.h"
#include "compiler/Stages/Import/Emit/NarrowProduct.h"
#include "compiler/Stages/Import/StableHlo/Converter.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;

static bool isNumber(Type type) { return !type.isInteger(1); }

// Narrow floats are summed in f32.
static Type sumType(OpContext &op) {
  Type result = op.resultType(0).getElementType();
  return isa<FloatType>(result) && result.getIntOrFloatBitWidth() < 32 ? op.emitter.builder.getF32Type() : result;
}

static Tensor finishSum(OpContext &op, Tensor sum) {
  Type from = sum.elementType, to = op.resultType(0).getElementType();
  if (from == to)
    return sum;
  return op.emitter.elementwise({&sum}, sum.sizes, to, [&](OpBuilder &b, Location loc, ValueRange v) {
    return convertElement({b, loc}, v[0], from, to);
  });
}

//===--- dot_general ---------------------------------------------------------------------------------------------===//

namespace {

// One operand of a product: its dimensions by what they are for.
struct Side {
  SmallVector<int64_t> batch, contracted, free;

  static Side of(int64_t rank, ArrayRef<int64_t> batch, ArrayRef<int64_t> contracted) {
    Side side{SmallVector<int64_t>(batch), SmallVector<int64_t>(contracted), {}};
    for (int64_t d = 0; d < rank; ++d)
      if (!llvm::is_contained(batch, d) && !llvm::is_contained(contracted, d))
        side.free.push_back(d);
    return side;
  }
};

} // namespace

static int64_t countOf(ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
  int64_t count = 1;
  for (int64_t d : dims)
    count *= shape[d];
  return count;
}

// [b, m, k] x [b, k, n], or without the batch; summed in `sum`.
static Tensor multiply(Emitter &emitter, Tensor &lhs, Tensor &rhs, Type sum) {
  bool batched = lhs.rank() == 3;
  SizeList shape(lhs.sizes);
  shape.back() = rhs.sizes.back();
  if (!batched && sum == lhs.elementType && sum == rhs.elementType)
    return importer::matmul(emitter, lhs, rhs);
  Value init = emitter.filled(sum, shape, makeAttribute(sum, 0)).value, a = emitter.value(lhs), b = emitter.value(rhs);
  if (sum == lhs.elementType && sum == rhs.elementType) {
    auto op = linalg::BatchMatmulOp::create(emitter.builder, emitter.loc, TypeRange{init.getType()}, ValueRange{a, b},
                                            ValueRange{init});
    return emitter.fromValue(op.getResult(0), shape, sum);
  }
  Builder &builder = emitter.builder;
  int64_t loops = lhs.rank() + 1;
  AffineExpr m = builder.getAffineDimExpr(loops - 3), n = builder.getAffineDimExpr(loops - 2),
             k = builder.getAffineDimExpr(loops - 1);
  auto map = [&](AffineExpr x, AffineExpr y) {
    SmallVector<AffineExpr> exprs;
    if (batched)
      exprs.push_back(builder.getAffineDimExpr(0));
    exprs.append({x, y});
    return AffineMap::get(loops, 0, exprs, builder.getContext());
  };
  SmallVector<utils::IteratorType> iterators(loops, utils::IteratorType::parallel);
  iterators.back() = utils::IteratorType::reduction;
  return emitter.generic({a, b}, {map(m, k), map(k, n), map(m, n)}, iterators, shape, sum, init,
                         [&](OpBuilder &b, Location loc, ValueRange v) {
                           return importer::multiplyAdd({b, loc}, v[2], v[0], lhs.elementType, v[1], rhs.elementType,
                                                        sum);
                         });
}

static LogicalResult readSides(OpContext &op, Side &left, Side &right) {
  FailureOr<Fields> fields = op.fields("dot_dimension_numbers", "dot",
                                       {"lhs_batching_dimensions", "rhs_batching_dimensions",
                                        "lhs_contracting_dimensions", "rhs_contracting_dimensions"});
  if (failed(fields))
    return failure();
  RankedTensorType lhs = op.operandType(0), rhs = op.operandType(1);
  SmallVector<int64_t> leftBatch = fields->list("lhs_batching_dimensions"),
                       rightBatch = fields->list("rhs_batching_dimensions"),
                       leftInner = fields->list("lhs_contracting_dimensions"),
                       rightInner = fields->list("rhs_contracting_dimensions");
  SmallVector<int64_t> leftAll(leftBatch), rightAll(rightBatch);
  llvm::append_range(leftAll, leftInner);
  llvm::append_range(rightAll, rightInner);
  if (failed(op.requireDims(leftAll, lhs.getRank(), "dot_dimension_numbers")) ||
      failed(op.requireDims(rightAll, rhs.getRank(), "dot_dimension_numbers")))
    return failure();
  if (leftBatch.size() != rightBatch.size() || leftInner.size() != rightInner.size())
    return op.refuse("dot_dimension_numbers must name as many dimensions of both operands");
  for (auto [l, r] : llvm::zip(leftAll, rightAll))
    if (lhs.getDimSize(l) != rhs.getDimSize(r))
      return op.refuse("dimension " + Twine(l) + " of the left operand and dimension " + Twine(r) +
                       " of the right one differ in size");
  left = Side::of(lhs.getRank(), leftBatch, leftInner);
  right = Side::of(rhs.getRank(), rightBatch, rightInner);
  return success();
}

// Of the op's operands; `swapped`: with the right operand's rows before the left one's.
static Tensor product(OpContext &op, Side left, Side right, bool swapped) {
  Emitter &emitter = op.emitter;
  unsigned first = swapped ? 1 : 0, second = 1 - first;
  if (swapped)
    std::swap(left, right);
  ArrayRef<int64_t> lhs = op.operandType(first).getShape(), rhs = op.operandType(second).getShape();
  int64_t batch = countOf(lhs, left.batch), m = countOf(lhs, left.free), k = countOf(lhs, left.contracted),
          n = countOf(rhs, right.free);
  SmallVector<int64_t> leftOrder(left.batch), rightOrder(right.batch), leftShape, rightShape, shape;
  llvm::append_range(leftOrder, left.free);
  llvm::append_range(leftOrder, left.contracted);
  llvm::append_range(rightOrder, right.contracted);
  llvm::append_range(rightOrder, right.free);
  if (batch != 1) {
    leftShape.push_back(batch);
    rightShape.push_back(batch);
  }
  leftShape.append({m, k});
  rightShape.append({k, n});
  for (int64_t d : left.batch)
    shape.push_back(lhs[d]);
  for (int64_t d : left.free)
    shape.push_back(lhs[d]);
  for (int64_t d : right.free)
    shape.push_back(rhs[d]);
  Tensor a = emitter.transpose(op.operand(first), leftOrder), b = emitter.transpose(op.operand(second), rightOrder);
  a = emitter.reshape(a, op.sizesOf(leftShape));
  b = emitter.reshape(b, op.sizesOf(rightShape));
  bool isNarrow =
      batch == 1 && op.resultType(0).getElementType().isF32() && importer::isNarrowWeight(emitter.forms, a, b);
  Tensor sum = isNarrow ? importer::multiplyNarrow(emitter, a, b, "dot_general") : multiply(emitter, a, b, sumType(op));
  return finishSum(op, emitter.reshape(sum, op.sizesOf(shape)));
}

static LogicalResult lowerDot(OpContext &op) {
  Side left, right;
  if (failed(op.requireOperands(2)) || failed(op.requireResults(1)) || failed(readSides(op, left, right)))
    return failure();
  Type sum = sumType(op);
  if (!isNumber(sum) || !isNumber(op.operandType(0).getElementType()) || !isNumber(op.operandType(1).getElementType()))
    return op.refuse("products of i1 are not supported");
  // Weights that are kept narrow are the right operand.
  bool swapped = op.narrow(0).quantized && !op.narrow(1).quantized && left.batch.empty();
  Tensor result = product(op, left, right, swapped);
  if (!swapped)
    return op.setResult(0, std::move(result));
  int64_t rows = right.free.size(), columns = left.free.size();
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(rows, rows + columns));
  llvm::append_range(order, llvm::seq<int64_t>(0, rows));
  return op.setResult(0, op.emitter.transpose(result, order));
}

std::optional<Tensor> mlir::heddle::hlo::turnedProduct(OpContext &transpose, ArrayRef<int64_t> permutation) {
  Value operand = transpose.op->getOperand(0);
  Operation *made = operand.getDefiningOp();
  if (!made || made->getBlock() != transpose.op->getBlock() ||
      made->getName().getStringRef() != "stablehlo.dot_general" || !operand.hasOneUse())
    return std::nullopt;
  OpContext dot(transpose.converter, made);
  Side left, right;
  if (failed(readSides(dot, left, right)))
    return std::nullopt;
  // Dimensions of the product are those of the batch, the left operand's, the right operand's.
  int64_t batch = left.batch.size(), rows = left.free.size(), columns = right.free.size();
  SmallVector<int64_t> swapped = llvm::to_vector(llvm::seq<int64_t>(0, batch));
  llvm::append_range(swapped, llvm::seq<int64_t>(batch + rows, batch + rows + columns));
  llvm::append_range(swapped, llvm::seq<int64_t>(batch, batch + rows));
  if (permutation != ArrayRef<int64_t>(swapped))
    return std::nullopt;
  return product(dot, left, right, /*swapped=*/true);
}

//===--- Convolution ---------------------------------------------------------------------------------------------===//

namespace {

struct ConvolutionOptions {
  ConvolutionNumbers numbers;
  SmallVector<int64_t> strides, padding, inputDilation, kernelDilation, reversed;
  int64_t featureGroups, batchGroups;
};

} // namespace

static FailureOr<ConvolutionOptions> readOptions(OpContext &op) {
  std::optional<ConvolutionNumbers> numbers =
      op.op->hasAttr("dimension_numbers") ? readConvolution(op.op->getAttr("dimension_numbers")) : std::nullopt;
  if (!numbers)
    return op.refuse("needs the attribute dimension_numbers, such as #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>");
  int64_t rank = numbers->input.spatial.size();
  for (RankedTensorType type : {op.operandType(0), op.operandType(1), op.resultType(0)})
    if (type.getRank() != rank + 2)
      return op.refuse("operands and result must have the rank that dimension_numbers name");
  SmallVector<int64_t> ones(rank, 1), zeros(rank, 0), noPadding(2 * rank, 0);
  auto strides = op.ints("window_strides", ones), padding = op.ints("padding", noPadding),
       input = op.ints("lhs_dilation", ones), kernel = op.ints("rhs_dilation", ones),
       reversed = op.ints("window_reversal", zeros);
  FailureOr<int64_t> features = op.integer("feature_group_count", 1), batches = op.integer("batch_group_count", 1);
  if (failed(strides) || failed(padding) || failed(input) || failed(kernel) || failed(reversed) || failed(features) ||
      failed(batches) || failed(op.requireLength(*strides, rank, "window_strides")) ||
      failed(op.requireLength(*padding, 2 * rank, "padding")) ||
      failed(op.requireLength(*input, rank, "lhs_dilation")) ||
      failed(op.requireLength(*kernel, rank, "rhs_dilation")) ||
      failed(op.requireLength(*reversed, rank, "window_reversal")))
    return failure();
  static constexpr int64_t kLimit = 1 << 24;
  for (auto *list : {&*strides, &*input, &*kernel})
    for (int64_t entry : *list)
      if (entry < 1 || entry > kLimit)
        return op.refuse("strides and dilations must be positive, got " + Twine(entry));
  for (int64_t entry : *padding)
    if (entry < -kLimit || entry > kLimit)
      return op.refuse("padding " + Twine(entry) + " is out of range");
  if (*features < 1 || *batches < 1 || (*features > 1 && *batches > 1))
    return op.refuse("group counts must be positive, and one of them 1");
  return ConvolutionOptions{*numbers, *strides, *padding, *input, *kernel, *reversed, *features, *batches};
}

// Dimensions of `side` as [first, second, spatial…].
static SmallVector<int64_t> orderOf(const ConvolutionSide &side) {
  SmallVector<int64_t> order{side.first, side.second};
  llvm::append_range(order, side.spatial);
  return order;
}

// Batch groups are feature groups whose channels lie in the batch: [g * n, c, …] becomes [n, g * c, …].
static Tensor batchToFeatures(OpContext &op, Tensor &x, int64_t groups) {
  Emitter &emitter = op.emitter;
  SmallVector<int64_t> shape = importer::shapeOf(x.sizes), split{groups, shape[0] / groups}, order{1, 0},
                       joined{shape[0] / groups, groups * shape[1]};
  llvm::append_range(split, ArrayRef<int64_t>(shape).drop_front());
  for (size_t d = 2; d < split.size(); ++d)
    order.push_back(d);
  llvm::append_range(joined, ArrayRef<int64_t>(shape).drop_front(2));
  Tensor parts = emitter.reshape(x, op.sizesOf(split));
  Tensor moved = emitter.transpose(parts, order);
  return emitter.reshape(moved, op.sizesOf(joined));
}

static LogicalResult checkChannels(OpContext &op, const ConvolutionOptions &options, const Tensor &x, const Tensor &w) {
  int64_t groups = std::max(options.featureGroups, options.batchGroups);
  int64_t filters = *w.staticSize(0), channels = *w.staticSize(1);
  if (filters % groups != 0 || *x.staticSize(0) % options.batchGroups != 0)
    return op.refuse("filters and batch must be multiples of the group counts");
  if (channels * options.featureGroups != *x.staticSize(1))
    return op.refuse("the operand has " + Twine(*x.staticSize(1)) + " features, the kernel is for " +
                     Twine(channels * options.featureGroups));
  return success();
}

// `x` padded and dilated for the window, whose sizes this finds.
static FailureOr<Tensor> prepareInput(OpContext &op, const ConvolutionOptions &options, Tensor &x, const Tensor &w,
                                      importer::Window &window) {
  Emitter &emitter = op.emitter;
  SmallVector<int64_t> low{0, 0}, high{0, 0}, between{0, 0}, extents{*x.staticSize(0), *x.staticSize(1)},
      lengths(extents);
  window.strides = options.strides;
  window.dilations = options.kernelDilation;
  for (size_t d = 0; d < options.strides.size(); ++d) {
    window.kernel.push_back(*w.staticSize(d + 2));
    low.push_back(options.padding[2 * d]);
    high.push_back(options.padding[2 * d + 1]);
    between.push_back(options.inputDilation[d] - 1);
    std::optional<int64_t> padded = paddedLength(*x.staticSize(d + 2), low.back(), high.back(), between.back());
    lengths.push_back(padded.value_or(INT64_MAX));
    if (window.kernel.back() < 1 || lengths.back() < 1 ||
        (lengths.back() - 1) / window.dilations[d] < window.kernel.back() - 1)
      return op.refuse("the window is larger than the padded operand in spatial dimension " + Twine(d));
    if (!fitsMemory(lengths))
      return op.refuse("the padded operand is larger than any memory");
    int64_t count = (lengths.back() - window.span(d)) / window.strides[d] + 1;
    window.output.push_back(emitter.sizes.constant(count));
    extents.push_back(count == 1 ? window.span(d) : lengths.back());
  }
  Tensor zero = importer::makeScalar(emitter, x.elementType, 0);
  Tensor padded = padTensor(emitter, x, zero, low, high, between);
  // A single window reads no more than its span.
  return emitter.slice(padded, SizeList(padded.rank(), emitter.sizes.constant(0)), op.sizesOf(extents),
                       SmallVector<int64_t>(padded.rank(), 1));
}

static LogicalResult lowerConvolution(OpContext &op) {
  if (failed(op.requireOperands(2)) || failed(op.requireResults(1)))
    return failure();
  FailureOr<ConvolutionOptions> options = readOptions(op);
  if (failed(options))
    return failure();
  Type sum = sumType(op);
  if (!isNumber(sum) || op.operandType(0).getElementType() != op.operandType(1).getElementType() ||
      !isNumber(op.operandType(0).getElementType()))
    return op.refuse("needs operands of one type of numbers");
  if (isFloat8(op.operandType(0).getElementType()))
    return op.refuse("convolutions of floats of 8 bits are not supported; convert the operands to bf16");
  if (op.operandType(0).getNumElements() == 0 || op.resultType(0).getNumElements() == 0 ||
      op.operandType(1).getNumElements() == 0)
    return op.refuse("empty operands and results are not supported");
  Emitter &emitter = op.emitter;
  const ConvolutionNumbers &numbers = options->numbers;
  SmallVector<int64_t> kernelOrder{numbers.kernel.second, numbers.kernel.first};
  llvm::append_range(kernelOrder, numbers.kernel.spatial);
  Tensor x = emitter.transpose(op.operand(0), orderOf(numbers.input)),
         w = emitter.transpose(op.operand(1), kernelOrder);
  SmallVector<int64_t> flipped;
  for (auto [d, reversed] : llvm::enumerate(options->reversed))
    if (reversed)
      flipped.push_back(d + 2);
  if (!flipped.empty())
    w = reverse(emitter, w, flipped);
  if (failed(checkChannels(op, *options, x, w)))
    return failure();
  if (options->batchGroups > 1)
    x = batchToFeatures(op, x, options->batchGroups);
  importer::Window window;
  FailureOr<Tensor> padded = prepareInput(op, *options, x, w, window);
  if (failed(padded))
    return failure();
  importer::Convolution conv =
      importer::splitGroups(emitter, *padded, w, std::max(options->featureGroups, options->batchGroups));
  Tensor product = importer::convolve(emitter, conv, window, sum);
  SizeList shape{x.sizes[0], w.sizes[0]};
  llvm::append_range(shape, window.output);
  Tensor result = emitter.reshape(product, shape);
  return op.setResult(0, finishSum(op, emitter.transpose(result, invertPermutationVector(orderOf(numbers.output)))));
}

void mlir::heddle::hlo::registerContraction(LoweringTable &table) {
  table["stablehlo.convolution"] = lowerConvolution;
  table["stablehlo.dot_general"] = lowerDot;
}
