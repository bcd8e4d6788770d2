// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Emit/Rows/RowCode.h"

#include "compiler/Dialect/Flow/IR/FlowRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::heddle::importer;

Tensor mlir::heddle::importer::describeResult(Type elementType, ArrayRef<OpFoldResult> sizes) {
  Tensor tensor;
  tensor.elementType = elementType;
  tensor.sizes.assign(sizes.begin(), sizes.end());
  return tensor;
}

OpFoldResult mlir::heddle::importer::readSize(Emitter &emitter, Tensor &count, OpFoldResult most) {
  Sizes &sizes = emitter.sizes;
  Tensor scalar = emitter.reshape(count, {});
  if (!emitter.readContents(scalar))
    llvm::report_fatal_error("a size is one integer");
  return sizes.min(sizes.max(sizes.constant(0), scalar.contents->front()), most);
}

SmallVector<Tensor> mlir::heddle::importer::emitRows(Emitter &emitter, OpFoldResult count, ArrayRef<Tensor> results,
                                                     RowBody body) {
  OpBuilder &builder = emitter.builder;
  SmallVector<Type> types, arguments{builder.getIndexType()};
  SmallVector<Value> dims;
  for (const Tensor &result : results) {
    types.push_back(result.type());
    for (OpFoldResult size : result.sizes)
      if (!getConstantIntValue(size))
        dims.push_back(emitter.sizes.value(size));
  }
  llvm::append_range(arguments, types);
  auto op = flow::RowsOp::create(builder, emitter.loc, types, emitter.sizes.value(count), dims);
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *block =
        builder.createBlock(&op.getBody(), {}, arguments, SmallVector<Location>(arguments.size(), emitter.loc));
    auto given = block->getArguments();
    SmallVector<Value> made = body(builder, emitter.loc, given.front(), given.drop_front());
    flow::YieldOp::create(builder, emitter.loc, made);
  }
  SmallVector<Tensor> tensors;
  for (auto [value, result] : llvm::zip_equal(op.getOutputs(), results))
    tensors.push_back(emitter.fromValue(value, result.sizes, result.elementType));
  return tensors;
}

Value RowCode::index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
Value RowCode::i64(int64_t value) { return arith::ConstantIntOp::create(b, loc, value, 64); }
Value RowCode::toI64(Value index) { return arith::IndexCastOp::create(b, loc, b.getI64Type(), index); }
Value RowCode::toIndex(Value integer) { return arith::IndexCastOp::create(b, loc, b.getIndexType(), integer); }
Value RowCode::add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
Value RowCode::sub(Value x, Value y) { return arith::SubIOp::create(b, loc, x, y); }
Value RowCode::mul(Value x, Value y) { return arith::MulIOp::create(b, loc, x, y); }

Value RowCode::half(Value x) {
  Value one = arith::ConstantOp::create(b, loc, b.getIntegerAttr(x.getType(), 1));
  return arith::ShRUIOp::create(b, loc, x, one);
}

Value RowCode::quotient(Value x, Value y) { return arith::DivUIOp::create(b, loc, x, y); }
Value RowCode::remainder(Value x, Value y) { return arith::RemUIOp::create(b, loc, x, y); }
Value RowCode::min(Value x, Value y) { return arith::MinSIOp::create(b, loc, x, y); }

Value RowCode::less(Value x, Value y) { return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, x, y); }

Value RowCode::equal(Value x, Value y) { return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, x, y); }
Value RowCode::both(Value p, Value q) { return arith::AndIOp::create(b, loc, p, q); }
Value RowCode::either(Value p, Value q) { return arith::OrIOp::create(b, loc, p, q); }

Value RowCode::isNot(Value p) {
  Value yes = arith::ConstantIntOp::create(b, loc, 1, 1);
  return arith::XOrIOp::create(b, loc, p, yes);
}

Value RowCode::select(Value condition, Value x, Value y) { return arith::SelectOp::create(b, loc, condition, x, y); }
Value RowCode::read(Value tensor, ValueRange at) { return tensor::ExtractOp::create(b, loc, tensor, at); }

Value RowCode::write(Value element, Value tensor, ValueRange at) {
  return tensor::InsertOp::create(b, loc, element, tensor, at);
}

RowCode::Values RowCode::loop(Value begin, Value end, ValueRange carried, Step step) {
  Value one = index(1);
  auto op =
      scf::ForOp::create(b, loc, begin, end, one, carried, [&](OpBuilder &, Location, Value i, ValueRange arguments) {
        scf::YieldOp::create(b, loc, step(i, arguments));
      });
  return Values(op.getResults());
}

RowCode::Values RowCode::repeat(ValueRange carried, llvm::function_ref<Value(ValueRange)> condition, Change change) {
  auto op = scf::WhileOp::create(
      b, loc, carried.getTypes(), carried,
      [&](OpBuilder &, Location, ValueRange arguments) {
        Value holds = condition(arguments);
        scf::ConditionOp::create(b, loc, holds, arguments);
      },
      [&](OpBuilder &, Location, ValueRange arguments) { scf::YieldOp::create(b, loc, change(arguments)); });
  return Values(op.getResults());
}

RowCode::Values RowCode::choose(Value condition, llvm::function_ref<Values()> then,
                                llvm::function_ref<Values()> otherwise) {
  auto op = scf::IfOp::create(
      b, loc, condition, [&](OpBuilder &, Location) { scf::YieldOp::create(b, loc, then()); },
      [&](OpBuilder &, Location) { scf::YieldOp::create(b, loc, otherwise()); });
  return Values(op.getResults());
}
