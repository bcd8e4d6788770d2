// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Emit/VectorLoops.h"

#include <numeric>

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

Value mlir::heddle::codegen::maskBelow(ElementEmitter &emitter, Value count, int64_t width) {
  OpBuilder &builder = emitter.lanes.builder;
  Location loc = emitter.lanes.loc;
  auto type = VectorType::get({width}, builder.getI32Type());
  SmallVector<int32_t> steps = llvm::to_vector(llvm::seq<int32_t>(0, width));
  Value lane = arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, ArrayRef<int32_t>(steps)));
  // 32 bits suffice once the count is no more than the width; it may be negative.
  Value clamped = builder.createOrFold<arith::MinSIOp>(loc, count, emitter.lanes.index(width));
  clamped = builder.createOrFold<arith::MaxSIOp>(loc, clamped, emitter.lanes.index(0));
  clamped = arith::IndexCastOp::create(builder, loc, builder.getI32Type(), clamped);
  Value bound = vector::BroadcastOp::create(builder, loc, type, clamped);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, lane, bound);
}

void mlir::heddle::codegen::forEachVector(ElementEmitter &emitter, Value begin, Value end, int64_t width, bool masks,
                                          function_ref<void(LaneValue)> body, int64_t together) {
  LaneBuilder &lanes = emitter.lanes;
  OpBuilder &builder = lanes.builder;
  Location loc = lanes.loc;
  if (together > 1 && width > 1 && getConstant(begin) == 0) {
    int64_t step = width * together;
    Value rest = builder.createOrFold<arith::RemUIOp>(loc, end, lanes.index(step));
    Value full = builder.createOrFold<arith::SubIOp>(loc, end, rest);
    emitter.loop(begin, full, step, {}, [&](Value i, ValueRange) -> SmallVector<Value> {
      lanes.width = width;
      for (int64_t phase = 0; phase < step; phase += width)
        body(LaneValue::affine(builder.createOrFold<arith::AddIOp>(loc, i, lanes.index(phase)), 1, step, phase));
      lanes.width = 1;
      return {};
    });
    return forEachVector(emitter, full, end, width, masks, body);
  }
  auto run = [&](Value from, Value to, int64_t step, bool masked) {
    // What begins where only the call knows begins whole vectors behind `begin`.
    std::optional<int64_t> known = getConstant(getConstant(from) ? from : begin);
    int64_t multiple = known ? std::gcd(*known, step) : 1;
    emitter.loop(from, to, step, {}, [&](Value i, ValueRange) -> SmallVector<Value> {
      lanes.width = step;
      lanes.mask = masked ? maskBelow(emitter, builder.createOrFold<arith::SubIOp>(loc, to, i), step) : Value();
      body(LaneValue::affine(i, step == 1 ? 0 : 1, multiple));
      lanes.width = 1;
      lanes.mask = {};
      return {};
    });
  };
  if (width == 1)
    return run(begin, end, 1, false);
  std::optional<int64_t> first = getConstant(begin), last = getConstant(end);
  if (first && last && (*last - *first) % width == 0)
    return run(begin, end, width, false);
  if (masks && first && last && *last - *first < width)
    return run(begin, end, width, true);
  Value size = builder.createOrFold<arith::SubIOp>(loc, end, begin);
  Value rest = builder.createOrFold<arith::RemUIOp>(loc, size, lanes.index(width));
  Value full = builder.createOrFold<arith::SubIOp>(loc, end, rest);
  run(begin, full, width, false);
  masks ? run(full, end, width, true) : run(full, end, 1, false);
}

void mlir::heddle::codegen::forOneVector(ElementEmitter &emitter, Value end, int64_t width,
                                         function_ref<void(LaneValue)> body) {
  LaneBuilder &lanes = emitter.lanes;
  lanes.width = width;
  lanes.mask = maskBelow(emitter, end, width);
  body(LaneValue::affine(lanes.index(0), 1));
  lanes.width = 1;
  lanes.mask = {};
}

SmallVector<Value> mlir::heddle::codegen::delinearize(ElementEmitter &emitter, Value linear, ArrayRef<Value> sizes) {
  LaneBuilder &lanes = emitter.lanes;
  SmallVector<Value> index(sizes.size());
  LaneValue rest = LaneValue::uniform(linear);
  auto outermost = llvm::find_if(sizes, [](Value size) { return getConstant(size) != 1; });
  for (size_t i = sizes.size(); i-- > 0;) {
    if (getConstant(sizes[i]) == 1) {
      index[i] = lanes.index(0);
    } else if (sizes.begin() + i == outermost) {
      index[i] = rest.base;
    } else {
      index[i] = lanes.mod(rest, LaneValue::uniform(sizes[i])).base;
      rest = lanes.floorDiv(rest, LaneValue::uniform(sizes[i]));
    }
  }
  return index;
}
