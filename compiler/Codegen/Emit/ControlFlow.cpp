// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Emit/ControlFlow.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::heddle::codegen;

void ControlFlow::inside(Block *block, function_ref<void()> emit) {
  auto saved = known;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(block);
  emit();
  known = std::move(saved);
}

SmallVector<Value> ControlFlow::loop(Value begin, Value end, int64_t step, ValueRange carried, LoopBody body) {
  std::optional<int64_t> first = getConstant(begin), last = getConstant(end);
  if (first && last && *last <= *first)
    return SmallVector<Value>(carried);
  if (first && last && *last - *first <= step)
    return body(begin, carried);
  auto loop = scf::ForOp::create(builder, loc, begin, end, lanes.index(step), carried);
  inside(loop.getBody(), [&] {
    SmallVector<Value> next = body(loop.getInductionVar(), loop.getRegionIterArgs());
    if (carried.empty())
      return;
    builder.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(builder, loc, next);
  });
  return SmallVector<Value>(loop.getResults());
}

void ControlFlow::strided(Value begin, Value end, Value step, function_ref<void(Value index)> body) {
  auto loop = scf::ForOp::create(builder, loc, begin, end, step);
  inside(loop.getBody(), [&] { body(loop.getInductionVar()); });
}

SmallVector<Value> ControlFlow::loops(ArrayRef<Value> sizes, ValueRange carried,
                                      function_ref<SmallVector<Value>(ArrayRef<Value>, ValueRange)> body) {
  SmallVector<Value> index;
  std::function<SmallVector<Value>(ValueRange)> nest = [&](ValueRange values) -> SmallVector<Value> {
    if (index.size() == sizes.size())
      return body(index, values);
    return loop(lanes.index(0), sizes[index.size()], 1, values, [&](Value i, ValueRange inner) {
      index.push_back(i);
      SmallVector<Value> next = nest(inner);
      index.pop_back();
      return next;
    });
  };
  return nest(carried);
}

void ControlFlow::when(Value condition, function_ref<void()> body) {
  if (std::optional<int64_t> constant = getConstant(condition)) {
    if (*constant)
      body();
    return;
  }
  auto ifOp = scf::IfOp::create(builder, loc, condition, /*withElseRegion=*/false);
  inside(ifOp.thenBlock(), body);
}

void ControlFlow::either(Value condition, function_ref<void()> then, function_ref<void()> otherwise) {
  if (std::optional<int64_t> constant = getConstant(condition))
    return *constant ? then() : otherwise();
  auto ifOp = scf::IfOp::create(builder, loc, condition, true);
  inside(ifOp.thenBlock(), then);
  inside(ifOp.elseBlock(), otherwise);
}

LaneValue ControlFlow::branch(Value condition, Type type, function_ref<LaneValue()> then,
                              function_ref<LaneValue()> otherwise) {
  if (std::optional<int64_t> constant = getConstant(condition))
    return *constant ? then() : otherwise();
  auto asVector = [&](function_ref<LaneValue()> make) -> SmallVector<Value> {
    LaneValue value = make();
    return {isa<VectorType>(type) ? lanes.toVector(value) : value.base};
  };
  Value result = branches(condition, type, [&] { return asVector(then); }, [&] { return asVector(otherwise); })[0];
  return isa<VectorType>(type) ? LaneValue::any(result) : LaneValue::uniform(result);
}

SmallVector<Value> ControlFlow::branches(Value condition, TypeRange types, function_ref<SmallVector<Value>()> then,
                                         function_ref<SmallVector<Value>()> otherwise) {
  if (std::optional<int64_t> constant = getConstant(condition))
    return *constant ? then() : otherwise();
  auto ifOp = scf::IfOp::create(builder, loc, types, condition, true);
  auto fill = [&](Block *block, function_ref<SmallVector<Value>()> make) {
    inside(block, [&] { scf::YieldOp::create(builder, loc, make()); });
  };
  fill(ifOp.thenBlock(), then);
  fill(ifOp.elseBlock(), otherwise);
  return SmallVector<Value>(ifOp.getResults());
}

LaneValue ControlFlow::choose(LaneValue condition, Type element, function_ref<LaneValue()> inside,
                              function_ref<LaneValue()> outside) {
  if (condition.isUniform()) {
    Type type = lanes.width == 1 ? element : Type(lanes.vectorOf(element));
    return branch(condition.base, type, inside, outside);
  }
  Value saved = lanes.mask;
  auto under = [&](Value condition, function_ref<LaneValue()> make) {
    lanes.mask = saved ? builder.createOrFold<arith::AndIOp>(loc, saved, condition) : condition;
    return make();
  };
  LaneValue yes = under(condition.vector, inside);
  Value all = arith::ConstantOp::create(builder, loc,
                                        DenseElementsAttr::get(cast<VectorType>(condition.vector.getType()), true));
  LaneValue no = under(arith::XOrIOp::create(builder, loc, condition.vector, all), outside);
  lanes.mask = saved;
  return lanes.select(condition, yes, no);
}
