// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Target/Vulkan/Backend/SpirvPreparation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVAttributes.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::heddle;

static Type asInteger(Type type) {
  if (type.isBF16())
    return IntegerType::get(type.getContext(), 16);
  if (auto memory = dyn_cast<MemRefType>(type); memory && memory.getElementType().isBF16())
    return MemRefType::get(memory.getShape(), asInteger(memory.getElementType()), memory.getLayout(),
                           memory.getMemorySpace());
  return type;
}

static void moveBfloatAsIntegers(func::FuncOp kernel) {
  kernel.walk([](Operation *op) {
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        argument.setType(asInteger(argument.getType()));
    for (OpResult result : op->getResults())
      result.setType(asInteger(result.getType()));
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      if (auto value = dyn_cast<FloatAttr>(constant.getValue()); value && value.getType().isBF16())
        constant.setValueAttr(
            IntegerAttr::get(IntegerType::get(op->getContext(), 16), value.getValue().bitcastToAPInt()));
    if (auto cast = dyn_cast<arith::BitcastOp>(op); cast && cast.getIn().getType() == cast.getType()) {
      cast.replaceAllUsesWith(cast.getIn());
      cast.erase();
    }
  });
}

static void splitLeadingZeros(math::CountLeadingZerosOp op) {
  if (!op.getType().isInteger(64))
    return;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Type word = builder.getI32Type();
  auto constant = [&](int64_t value, Type type) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, value));
  };
  Value low = arith::TruncIOp::create(builder, loc, word, op.getOperand());
  Value shifted = arith::ShRUIOp::create(builder, loc, op.getOperand(), constant(32, op.getType()));
  Value high = arith::TruncIOp::create(builder, loc, word, shifted);
  Value none = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, high, constant(0, word));
  Value ofLow =
      arith::AddIOp::create(builder, loc, math::CountLeadingZerosOp::create(builder, loc, low), constant(32, word));
  Value ofHigh = math::CountLeadingZerosOp::create(builder, loc, high);
  Value zeros = arith::SelectOp::create(builder, loc, none, ofLow, ofHigh);
  op.replaceAllUsesWith(Value(arith::ExtUIOp::create(builder, loc, op.getType(), zeros)));
  op.erase();
}

// By magnitudes, with the sign of the dividend: OpSRem does not say what it makes of negative numbers, and upstream's
// conversion takes the least one for a positive.
static void divideMagnitudes(arith::RemSIOp op) {
  Type type = op.getType();
  if (type.isIndex())
    return;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value zero = arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, 0));
  auto isNegative = [&](Value x) -> Value {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, x, zero);
  };
  auto negatedWhere = [&](Value condition, Value x) -> Value {
    return arith::SelectOp::create(builder, loc, condition, arith::SubIOp::create(builder, loc, zero, x), x);
  };
  Value x = op.getLhs(), y = op.getRhs(), sign = isNegative(x);
  Value rest = arith::RemUIOp::create(builder, loc, negatedWhere(sign, x), negatedWhere(isNegative(y), y));
  op.replaceAllUsesWith(negatedWhere(sign, rest));
  op.erase();
}

// Lavapipe makes 0 of a product with a constant 0, whatever the module asks it to preserve: the product by the other
// factor's bits. A finite one has its sign and that of the 0.
static void multiplyByZero(arith::MulFOp op) {
  Value x = op.getLhs();
  FloatAttr zero;
  if (!matchPattern(op.getRhs(), m_Constant(&zero))) {
    x = op.getRhs();
    if (!matchPattern(op.getLhs(), m_Constant(&zero)))
      return;
  }
  if (!zero.getValue().isZero())
    return;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  const llvm::fltSemantics &kind = zero.getValue().getSemantics();
  Type integer = builder.getIntegerType(op.getType().getIntOrFloatBitWidth());
  auto constant = [&](const APInt &bits) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(integer, bits));
  };
  APInt sign = APFloat::getZero(kind, true).bitcastToAPInt();
  Value bits = arith::BitcastOp::create(builder, loc, integer, x);
  Value magnitude = arith::AndIOp::create(builder, loc, bits, constant(~sign));
  Value isFinite = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, magnitude,
                                         constant(APFloat::getInf(kind).bitcastToAPInt()));
  Value signs = arith::XOrIOp::create(builder, loc, bits, constant(zero.getValue().bitcastToAPInt()));
  Value product = arith::AndIOp::create(builder, loc, signs, constant(sign));
  Value result =
      arith::SelectOp::create(builder, loc, isFinite, product, constant(APFloat::getQNaN(kind).bitcastToAPInt()));
  op.replaceAllUsesWith(Value(arith::BitcastOp::create(builder, loc, op.getType(), result)));
  op.erase();
}

static void clampIndex(arith::IndexCastOp op) {
  if (!op.getIn().getType().isInteger(64))
    return;
  OpBuilder builder(op);
  auto limit = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, op.getLoc(), builder.getI64IntegerAttr(value));
  };
  Value above = arith::MaxSIOp::create(builder, op.getLoc(), op.getIn(), limit(INT32_MIN));
  op.setOperand(arith::MinSIOp::create(builder, op.getLoc(), above, limit(INT32_MAX)));
}

// Memory of the invocation for one value.
static Value makeVariable(func::FuncOp kernel, Type type, Location loc) {
  OpBuilder top = OpBuilder::atBlockBegin(&kernel.getBody().front());
  Type stored = type.isInteger(1) || type.isIndex() ? top.getI32Type() : type; // index values have 32 bits
  auto storage = spirv::StorageClassAttr::get(type.getContext(), spirv::StorageClass::Function);
  return memref::AllocaOp::create(top, loc, MemRefType::get({1}, stored, MemRefLayoutAttrInterface(), storage));
}

static void writeVariable(OpBuilder &builder, Location loc, Value variable, Value value) {
  if (value.getType().isInteger(1))
    value = arith::ExtUIOp::create(builder, loc, builder.getI32Type(), value);
  else if (value.getType().isIndex())
    value = arith::IndexCastOp::create(builder, loc, builder.getI32Type(), value);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  memref::StoreOp::create(builder, loc, value, variable, zero);
}

static Value readVariable(OpBuilder &builder, Location loc, Value variable, Type type) {
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value value = memref::LoadOp::create(builder, loc, variable, zero);
  if (type.isIndex())
    return arith::IndexCastOp::create(builder, loc, type, value);
  if (!type.isInteger(1))
    return value;
  Value none = arith::ConstantIntOp::create(builder, loc, 0, 32);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value, none);
}

static void keepInMemory(func::FuncOp kernel, scf::ForOp loop) {
  if (loop.getNumResults() == 0)
    return;
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  SmallVector<Value> variables;
  for (Value initial : loop.getInitArgs()) {
    variables.push_back(makeVariable(kernel, initial.getType(), loc));
    writeVariable(builder, loc, variables.back(), initial);
  }
  auto plain = scf::ForOp::create(builder, loc, loop.getLowerBound(), loop.getUpperBound(), loop.getStep());
  for (auto [result, variable] : llvm::zip(loop.getResults(), variables))
    result.replaceAllUsesWith(readVariable(builder, loc, variable, result.getType()));
  Block *body = loop.getBody(), *target = plain.getBody();
  builder.setInsertionPointToStart(target);
  loop.getInductionVar().replaceAllUsesWith(plain.getInductionVar());
  for (auto [argument, variable] : llvm::zip(loop.getRegionIterArgs(), variables))
    argument.replaceAllUsesWith(readVariable(builder, loc, variable, argument.getType()));
  auto yield = cast<scf::YieldOp>(body->getTerminator());
  builder.setInsertionPoint(target->getTerminator());
  target->getOperations().splice(target->getTerminator()->getIterator(), body->getOperations(), body->begin(),
                                 yield->getIterator());
  for (auto [value, variable] : llvm::zip(yield.getOperands(), variables))
    writeVariable(builder, loc, variable, value);
  loop.erase();
}

void vulkan::prepareForSpirv(func::FuncOp kernel) {
  moveBfloatAsIntegers(kernel);
  kernel.walk([](math::CountLeadingZerosOp op) { splitLeadingZeros(op); });
  kernel.walk([](arith::MulFOp op) { multiplyByZero(op); });
  kernel.walk([](arith::RemSIOp op) { divideMagnitudes(op); });
  kernel.walk([](arith::IndexCastOp op) { clampIndex(op); });
  kernel.walk([&](scf::ForOp loop) { keepInMemory(kernel, loop); });
}
