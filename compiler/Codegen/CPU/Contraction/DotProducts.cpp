// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/CPU/Contraction/DotProducts.h"
#include "compiler/Codegen/IR/KernelOps.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

DotProducts::DotProducts(const ContractionPlan &nest, ElementEmitter &emitter, Value scratch)
    : config(nest.contraction), form(*nest.integer), emitter(emitter), lanes(emitter.lanes), operands(nest, emitter) {
  operands.setScratch(scratch);
}

VectorType DotProducts::accumulatorType() const {
  OpBuilder &builder = lanes.builder;
  return VectorType::get({config.width}, form.isFloat ? Type(builder.getF32Type()) : Type(builder.getI32Type()));
}

void DotProducts::prepare(DotColumns tile) {
  columns = std::move(tile);
  if (operands.packsColumns())
    operands.packColumns(columns);
  if (form.shiftsRows())
    computeCorrection();
}

Value DotProducts::dot(Value accumulator, Value row, Value column) {
  return kernel::DotOp::create(lanes.builder, lanes.loc, accumulator.getType(), accumulator, row, column,
                               form.rowPartsAreSigned(), form.columnPartsAreSigned());
}

void DotProducts::computeCorrection() {
  OpBuilder &builder = lanes.builder, &entry = emitter.scalars.getEntry();
  Location loc = lanes.loc;
  Type i32 = builder.getI32Type();
  auto type = MemRefType::get({config.vectors * config.width}, i32);
  Value memory = memref::AllocaOp::create(entry, loc, type, entry.getI64IntegerAttr(64));
  correction = memref::CastOp::create(entry, loc, MemRefType::get({ShapedType::kDynamic}, i32), memory);
  Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(accumulatorType()));
  Value row = operands.shiftRow();
  SmallVector<Value> none(columns.vectors, zero);
  SmallVector<Value> sums = operands.forEachGroup(none, [&](const GroupIndex &at, ValueRange carried) {
    SmallVector<Value> next;
    for (int64_t vector = 0; vector < columns.vectors; ++vector)
      next.push_back(dot(carried[vector], row, operands.loadColumns(columns, vector, at)));
    return next;
  });
  for (auto [vector, sum] : llvm::enumerate(sums))
    vector::StoreOp::create(builder, loc, arith::SubIOp::create(builder, loc, zero, sum), correction,
                            ValueRange{lanes.index(static_cast<int64_t>(vector) * config.width)});
}

DotProducts::Places DotProducts::locate(ArrayRef<LaneValue> first, ArrayRef<LaneValue> second, Value slot) {
  return {operands.rowsFrom(first, second, slot), operands.columnMatrix(columns, 0, operands.start()),
          operands.walkRows(first), correction};
}

SmallVector<Value> DotProducts::accumulate(ArrayRef<SmallVector<LaneValue>> rows, ArrayRef<Value> slots,
                                           SmallVector<Value> initial, DotOperands::Loops loops) {
  OpBuilder &builder = lanes.builder;
  Location loc = lanes.loc;
  int64_t vectors = columns.vectors, numRows = static_cast<int64_t>(rows.size());
  for (Value &value : initial)
    if (!isa<VectorType>(value.getType()))
      value = vector::BroadcastOp::create(builder, loc, accumulatorType(), value);
  if (form.shiftsRows())
    for (int64_t i = 0; i < numRows * vectors; ++i) {
      Value extra = vector::LoadOp::create(builder, loc, accumulatorType(), correction,
                                           ValueRange{lanes.index(i % vectors * config.width)});
      initial[i] = builder.createOrFold<arith::AddIOp>(loc, initial[i], extra);
    }
  return operands.forEachGroup(initial, loops, [&](const GroupIndex &at, ValueRange carried) {
    SmallVector<Value> loaded, next;
    for (int64_t vector = 0; vector < vectors; ++vector) {
      loaded.push_back(operands.loadColumns(columns, vector, at));
      operands.prefetchColumns(columns, vector, at);
    }
    for (int64_t i = 0; i < numRows; ++i) {
      Value row = operands.loadRow(rows[i], slots[i], at);
      for (int64_t vector = 0; vector < vectors; ++vector)
        next.push_back(dot(carried[i * vectors + vector], row, loaded[vector]));
    }
    return next;
  });
}
