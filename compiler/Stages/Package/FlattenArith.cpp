// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer arithmetic of FunctionFlattener. A register holds an integer of N bits extended by its sign to 64, and i1 as
// 0 or 1; arithmetic of fewer than 64 bits would have to wrap and is refused.
#include "compiler/Stages/Package/FunctionFlattener.h"

using namespace mlir;
using namespace mlir::heddle;
using Opcode = ::heddle::contract::Opcode;

static bool isWide(Type type) { return type.isIndex() || type.isInteger(64); }

static std::optional<Opcode> wideOpcode(Operation &op) {
  return llvm::TypeSwitch<Operation &, std::optional<Opcode>>(op)
      .Case([](arith::AddIOp) { return Opcode::Add; })
      .Case([](arith::SubIOp) { return Opcode::Sub; })
      .Case([](arith::MulIOp op) {
        bool wraps = op.getOverflowFlags() == arith::IntegerOverflowFlags::none;
        return wraps ? Opcode::Mul : Opcode::MulSize; // a size that does not fit is none
      })
      .Case([](arith::DivSIOp) { return Opcode::DivS; })
      .Case([](arith::RemSIOp) { return Opcode::RemS; })
      .Case([](arith::FloorDivSIOp) { return Opcode::FloorDivS; })
      .Case([](arith::CeilDivSIOp) { return Opcode::CeilDivS; })
      .Case([](arith::MinSIOp) { return Opcode::MinS; })
      .Case([](arith::MaxSIOp) { return Opcode::MaxS; })
      .Default([](Operation &) { return std::nullopt; });
}

static std::optional<Opcode> bitOpcode(Operation &op) {
  return llvm::TypeSwitch<Operation &, std::optional<Opcode>>(op)
      .Case([](arith::AndIOp) { return Opcode::And; })
      .Case([](arith::OrIOp) { return Opcode::Or; })
      .Case([](arith::XOrIOp) { return Opcode::Xor; })
      .Default([](Operation &) { return std::nullopt; });
}

LogicalResult FunctionFlattener::flattenArith(Operation &op) {
  if (auto known = dyn_cast<arith::ConstantOp>(op)) {
    auto value = dyn_cast<IntegerAttr>(known.getValue());
    if (!value || value.getValue().getBitWidth() > 64)
      return op.emitOpError() << "has no place in a register, which holds 64-bit integers";
    bool isBool = value.getType().isInteger(1);
    registers[known.getResult()] =
        registerOf(isBool ? value.getValue().getZExtValue() : value.getValue().getSExtValue());
    return success();
  }
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return flattenCompare(compare);
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return flattenSelect(select);
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op))
    return flattenCast(op);
  std::optional<Opcode> opcode = bitOpcode(op);
  if (!opcode && op.getNumResults() == 1 && isWide(op.getResult(0).getType()))
    opcode = wideOpcode(op);
  if (!opcode)
    return op.emitOpError() << "on " << (op.getNumResults() ? op.getResult(0).getType() : Type())
                            << " has no instruction in an artifact";
  emit(*opcode, {of(op.getResult(0)), of(op.getOperand(0)), of(op.getOperand(1))});
  return success();
}

LogicalResult FunctionFlattener::flattenCompare(arith::CmpIOp op) {
  using Predicate = arith::CmpIPredicate;
  Register lhs = reg(op.getLhs()), rhs = reg(op.getRhs());
  Predicate predicate = op.getPredicate();
  bool isEquality = predicate == Predicate::eq || predicate == Predicate::ne;
  bool isUnsigned = predicate == Predicate::ult || predicate == Predicate::ule || predicate == Predicate::ugt ||
                    predicate == Predicate::uge;
  if (op.getLhs().getType().isInteger(1) && !isEquality)
    return op.emitOpError() << "orders truth values, for which an artifact has no instruction";
  if (isUnsigned) {
    // Order without sign is order with sign after the sign bits are flipped.
    Register flip = registerOf(INT64_MIN), left = fresh(op.getType()), right = fresh(op.getType());
    emit(Opcode::Xor, {word(left), word(lhs), word(flip)});
    emit(Opcode::Xor, {word(right), word(rhs), word(flip)});
    lhs = left;
    rhs = right;
  }
  bool isSwapped = predicate == Predicate::sgt || predicate == Predicate::sge || predicate == Predicate::ugt ||
                   predicate == Predicate::uge;
  if (isSwapped)
    std::swap(lhs, rhs);
  Opcode opcode = predicate == Predicate::eq   ? Opcode::CmpEq
                  : predicate == Predicate::ne ? Opcode::CmpNe
                  : predicate == Predicate::slt || predicate == Predicate::sgt || predicate == Predicate::ult ||
                          predicate == Predicate::ugt
                      ? Opcode::CmpLt
                      : Opcode::CmpLe;
  emit(opcode, {of(op.getResult()), word(lhs), word(rhs)});
  return success();
}

LogicalResult FunctionFlattener::flattenSelect(arith::SelectOp op) {
  if (!op.getCondition().getType().isInteger(1))
    return op.emitOpError() << "needs one condition, got " << op.getCondition().getType();
  if (op.getType().isIntOrIndex()) {
    emit(Opcode::Select, {of(op.getResult()), of(op.getCondition()), of(op.getTrueValue()), of(op.getFalseValue())});
    return success();
  }
  Register result = reg(op.getResult());
  Label whenTrue = newLabel(), whenFalse = newLabel(), end = newLabel();
  emit(Opcode::BranchIf, {of(op.getCondition()), target(whenTrue), target(whenFalse)});
  place(whenTrue);
  move(result, op.getTrueValue());
  emit(Opcode::Branch, {target(end)});
  place(whenFalse);
  move(result, op.getFalseValue());
  place(end);
  return success();
}

LogicalResult FunctionFlattener::flattenCast(Operation &op) {
  Value from = op.getOperand(0);
  Type source = from.getType(), result = op.getResult(0).getType();
  unsigned sourceBits = source.isIndex() ? 64 : source.getIntOrFloatBitWidth();
  unsigned resultBits = result.isIndex() ? 64 : result.getIntOrFloatBitWidth();
  bool isUnsigned = isa<arith::ExtUIOp, arith::IndexCastUIOp>(op);
  Register value = reg(from);
  if (resultBits == 1 && sourceBits > 1) {
    emit(Opcode::And, {of(op.getResult(0)), word(value), constant(1)});
  } else if (resultBits < sourceBits) {
    // Shifts up and down again, which extends the sign of the bits that stay.
    Register scale = registerOf(int64_t{1} << (64 - resultBits)), shifted = fresh(result);
    emit(Opcode::Mul, {word(shifted), word(value), word(scale)});
    emit(Opcode::FloorDivS, {of(op.getResult(0)), word(shifted), word(scale)});
  } else if (sourceBits == 1 && !isUnsigned && resultBits > 1) {
    emit(Opcode::Sub, {of(op.getResult(0)), constant(0), word(value)});
  } else if (sourceBits > 1 && sourceBits < resultBits && isUnsigned) {
    emit(Opcode::And, {of(op.getResult(0)), word(value), constant((int64_t{1} << sourceBits) - 1)});
  } else {
    registers[op.getResult(0)] = value;
  }
  return success();
}
