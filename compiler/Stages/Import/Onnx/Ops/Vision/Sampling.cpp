// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Onnx/Ops/Vision/Sampling.h"

#include "compiler/Stages/Import/Onnx/Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <limits>

using namespace mlir;
using namespace mlir::heddle::importer;

// In 32 bits where the float has no more: offsets of one vector's elements then are 32-bit numbers, too.
Value Sampler::toIndex(Value real, Value size) {
  Type integer = s.type.isF64() ? s.b.getI64Type() : s.b.getI32Type();
  auto index = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(s.b, s.loc, value); };
  Scalar i{s.b, s.loc};
  Value last = i.sub(size, index(1));
  if (integer.isInteger(32))
    last = i.min(last, index(std::numeric_limits<int32_t>::max()));
  Value limit = arith::IndexCastOp::create(s.b, s.loc, integer, last), whole = convert(s, real, s.type, integer);
  Value inside = i.max(i.min(whole, limit), i.constant(integer, 0));
  return arith::IndexCastOp::create(s.b, s.loc, s.b.getIndexType(), inside);
}

Value Sampler::floor(Value x) { return math::FloorOp::create(s.b, s.loc, x); }

SmallVector<Tap> Sampler::linearTaps(Value x) {
  Value before = floor(x), share = s.sub(x, before);
  return {{before, s.sub(number(1), share)}, {s.add(before, number(1)), share}};
}

SmallVector<Tap> Sampler::cubicTaps(Value x) {
  constexpr double a = -0.75;
  Value before = floor(x), share = s.sub(x, before);
  // Of an element at a distance up to 1, and from 1 to 2.
  auto near = [&](Value d) {
    Value inner = s.sub(s.mul(number(a + 2), d), number(a + 3));
    return s.add(s.mul(inner, s.mul(d, d)), number(1));
  };
  auto far = [&](Value d) {
    Value inner = s.sub(s.mul(number(a), d), number(5 * a));
    return s.sub(s.mul(s.add(s.mul(inner, d), number(8 * a)), d), number(4 * a));
  };
  Value rest = s.sub(number(1), share);
  return {{s.sub(before, number(1)), far(s.add(share, number(1)))},
          {before, near(share)},
          {s.add(before, number(1)), near(rest)},
          {s.add(before, number(2)), far(s.add(rest, number(1)))}};
}

Value Sampler::sum(ArrayRef<Value> front, ArrayRef<SmallVector<Tap>> taps, ArrayRef<Value> sizes,
                   ArrayRef<Value> back) {
  if (taps.empty()) {
    SmallVector<Value> indices(front);
    llvm::append_range(indices, back);
    return tensor::ExtractOp::create(s.b, s.loc, source, indices);
  }
  Value total, last = s.sub(s.real(sizes.front()), number(1));
  for (const Tap &tap : taps.front()) {
    SmallVector<Value> indices(front);
    indices.push_back(toIndex(tap.at, sizes.front()));
    Value inside = arith::AndIOp::create(s.b, s.loc, s.lessEqual(number(0), tap.at), s.lessEqual(tap.at, last));
    Value element = s.select(inside, sum(indices, taps.drop_front(), sizes.drop_front(), back), number(0));
    Value part = tap.weight ? s.mul(tap.weight, element) : element;
    total = total ? s.add(total, part) : part;
  }
  return total;
}

LogicalResult mlir::heddle::importer::requireElements(NodeContext &node, ArrayRef<OpFoldResult> image) {
  OpFoldResult one = node.emitter.sizes.constant(1);
  for (OpFoldResult size : image) {
    if (getConstantIntValue(size) == 0)
      return node.refuse("needs an image with elements, got one of size 0");
    node.emitter.checkLessEqual(one, size, node.op() + " needs an image with elements");
  }
  return success();
}
