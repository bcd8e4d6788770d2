// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The emitter's values that are known only at the call: elements of tensors, and choices between sizes.
#include "compiler/Stages/Import/Emit/Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle::importer;

// A shape, a list of axes or of paddings is no longer than this.
static constexpr int64_t kMaximumReads = 64;

bool Emitter::readContents(Tensor &tensor) {
  if (tensor.contents)
    return true;
  std::optional<int64_t> count = tensor.staticCount();
  if (!tensor.isInteger() || !count || *count > kMaximumReads || tensor.rank() > 1)
    return false;
  Value source = value(tensor);
  SizeList contents;
  for (int64_t i = 0; i < *count; ++i) {
    SmallVector<Value> at(tensor.rank(), sizes.value(sizes.constant(i)));
    Value element = tensor::ExtractOp::create(builder, loc, source, at);
    Value index = tensor.isUnsigned() || tensor.elementType.isInteger(1)
                      ? Value(arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(), element))
                      : Value(arith::IndexCastOp::create(builder, loc, builder.getIndexType(), element));
    contents.push_back(sizes.integer(index, Sizes::rangeOf(tensor.elementType)));
  }
  tensor.contents = std::move(contents);
  return true;
}

void Emitter::requireSizes(SizeList &list, const Twine &message) {
  for (OpFoldResult &size : list) {
    checkLessEqual(sizes.constant(0), size, message);
    size = sizes.max(sizes.constant(0), size);
  }
}

OpFoldResult Emitter::narrow(OpFoldResult size, Type elementType) {
  unsigned width = elementType.getIntOrFloatBitWidth();
  if (width == 1 || width >= 64)
    return size;
  if (getConstantIntValue(size) || !sizes.isExtent(size))
    return sizes.wrap(size, width);
  std::string message = "arithmetic on sizes gives a number that an integer of " + std::to_string(width) +
                        " bits cannot hold; let the model compute it in int64";
  checkLessEqual(sizes.constant(llvm::minIntN(width)), size, message);
  checkLessEqual(size, sizes.constant(llvm::maxIntN(width)), message);
  return size;
}

OpFoldResult Emitter::choose(OpFoldResult a, OpFoldResult b, OpFoldResult whenEqual, OpFoldResult otherwise) {
  if (sizes.equal(a, b) || sizes.equal(whenEqual, otherwise))
    return whenEqual;
  if (sizes.different(a, b))
    return otherwise;
  Value same = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, sizes.value(a), sizes.value(b));
  Value chosen = arith::SelectOp::create(builder, loc, same, sizes.value(whenEqual), sizes.value(otherwise));
  return sizes.atom(chosen, sizes.isNonNegative(whenEqual) && sizes.isNonNegative(otherwise));
}

OpFoldResult Emitter::fromFront(OpFoldResult index, OpFoldResult size) {
  if (sizes.isNonNegative(index))
    return index;
  OpFoldResult shifted = sizes.add(index, size);
  std::optional<int64_t> fixed = getConstantIntValue(index);
  if (fixed)
    return shifted;
  Value isNegative = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, sizes.value(index),
                                           sizes.value(sizes.constant(0)));
  Value chosen = arith::SelectOp::create(builder, loc, isNegative, sizes.value(shifted), sizes.value(index));
  return sizes.atom(chosen, /*nonNegative=*/false);
}

SizeList Emitter::marked(ArrayRef<OpFoldResult> axes, int64_t rank) {
  SizeList marks(rank, sizes.constant(0));
  for (OpFoldResult axis : axes) {
    OpFoldResult normal = fromFront(axis, sizes.constant(rank));
    checkLessEqual(sizes.constant(0), normal, "an axis is outside the tensor");
    checkLessEqual(normal, sizes.constant(rank - 1), "an axis is outside the tensor");
    for (int64_t d = 0; d < rank; ++d)
      marks[d] = choose(normal, sizes.constant(d), sizes.constant(1), marks[d]);
  }
  return marks;
}

SizeList Emitter::withoutMarked(ArrayRef<OpFoldResult> from, ArrayRef<OpFoldResult> marks, int64_t rank) {
  SizeList result(rank, sizes.constant(1));
  OpFoldResult position = sizes.constant(0), one = sizes.constant(1);
  for (auto [size, mark] : llvm::zip(from, marks)) {
    OpFoldResult place = choose(mark, one, sizes.constant(-1), position);
    for (int64_t p = 0; p < rank; ++p)
      result[p] = choose(place, sizes.constant(p), size, result[p]);
    position = sizes.sub(sizes.add(position, one), mark);
  }
  return result;
}

SizeList Emitter::withMarked(ArrayRef<OpFoldResult> from, ArrayRef<OpFoldResult> marks) {
  SizeList result;
  OpFoldResult position = sizes.constant(0), one = sizes.constant(1);
  for (OpFoldResult mark : marks) {
    OpFoldResult size = one;
    for (auto [d, candidate] : llvm::enumerate(from))
      size = choose(position, sizes.constant(d), candidate, size);
    result.push_back(choose(mark, one, one, size));
    position = sizes.sub(sizes.add(position, one), mark);
  }
  return result;
}
