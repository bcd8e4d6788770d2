// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Simplify/ScaleChain.h"

#include "compiler/Evaluation/Evaluator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::heddle;

ScaleChain::ScaleChain(linalg::GenericOp op, BlockArgument start, ArrayRef<unsigned> channels)
    : op(op), channels(channels), last(start) {
  while (extend()) {
  }
  for (unsigned operand : operands)
    for (AffineExpr expr : op.getMatchingIndexingMap(&op->getOpOperand(operand)).getResults())
      varying.push_back(cast<AffineDimExpr>(expr).getPosition());
  llvm::sort(varying);
  varying.erase(llvm::unique(varying), varying.end());
}

bool ScaleChain::hasScale() const {
  return llvm::any_of(links, [](const Link &link) { return isa<arith::MulFOp, arith::DivFOp>(link.op); });
}

bool ScaleChain::extend() {
  if (!last.hasOneUse())
    return false;
  OpOperand &use = *last.use_begin();
  Link link{use.getOwner(), Value(), use.getOperandNumber() == 0};
  SmallVector<unsigned> needed;
  if (!isa<arith::NegFOp>(link.op)) {
    bool fits =
        isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(link.op) || (isa<arith::DivFOp>(link.op) && link.isFirst);
    if (!fits)
      return false;
    link.known = link.op->getOperand(link.isFirst ? 1 : 0);
    if (!isKnown(link.known, needed))
      return false;
  }
  for (unsigned operand : needed)
    if (!llvm::is_contained(operands, operand))
      operands.push_back(operand);
  links.push_back(link);
  last = link.op->getResult(0);
  return true;
}

// Adds the op's operands that the value is computed from to `needed`.
bool ScaleChain::isKnown(Value value, SmallVectorImpl<unsigned> &needed) {
  if (matchPattern(value, m_Constant()))
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != op.getBody())
      return false;
    OpOperand &operand = op->getOpOperand(argument.getArgNumber());
    AffineMap map = op.getMatchingIndexingMap(&operand);
    auto isChannel = [&](AffineExpr expr) {
      return llvm::is_contained(channels, cast<AffineDimExpr>(expr).getPosition());
    };
    needed.push_back(argument.getArgNumber());
    return op.isDpsInput(&operand) && map.isProjectedPermutation() && llvm::all_of(map.getResults(), isChannel) &&
           evaluation::isConstantExpression(operand.get());
  }
  Operation *def = value.getDefiningOp();
  return def->getBlock() == op.getBody() && isPure(def) && def->getNumRegions() == 0 && def->getNumOperands() != 0 &&
         !isa<tensor::ExtractOp>(def) &&
         llvm::all_of(def->getOperands(), [&](Value operand) { return isKnown(operand, needed); });
}

//===--- Emission ------------------------------------------------------------------------------------------------===//

Value ScaleChain::emitKnown(OpBuilder &builder, Value value, IRMapping &mapping) {
  Operation *def = value.getDefiningOp();
  if (!def || def->getBlock() != op.getBody() || mapping.contains(value))
    return mapping.lookupOrDefault(value);
  for (Value operand : def->getOperands())
    emitKnown(builder, operand, mapping);
  return builder.clone(*def, mapping)->getResult(0);
}

namespace {

// Scale and offset while the chain is followed; null stands for 1 and 0.
struct Factors {
  OpBuilder &b;
  Location loc;
  Type type;
  Value scale, offset;

  template <typename Op> Value make(Value lhs, Value rhs) { return Op::create(b, loc, lhs, rhs); }
  Value number(double value) { return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value)); }
  Value negated(Value value) { return arith::NegFOp::create(b, loc, value); }

  void negate() {
    scale = negated(scale ? scale : number(1));
    offset = offset ? negated(offset) : offset;
  }
  void add(Value known) { offset = offset ? make<arith::AddFOp>(offset, known) : known; }
  void subtract(Value known) { offset = offset ? make<arith::SubFOp>(offset, known) : negated(known); }
  void multiply(Value known) {
    scale = scale ? make<arith::MulFOp>(scale, known) : known;
    offset = offset ? make<arith::MulFOp>(offset, known) : offset;
  }
  void divide(Value known) {
    scale = make<arith::DivFOp>(scale ? scale : number(1), known);
    offset = offset ? make<arith::DivFOp>(offset, known) : offset;
  }
};

} // namespace

SmallVector<Value> ScaleChain::emitBody(OpBuilder &builder, Location loc, ValueRange arguments) {
  IRMapping mapping;
  for (auto [operand, argument] : llvm::zip(operands, arguments))
    mapping.map(op.getBody()->getArgument(operand), argument);
  Factors factors{builder, loc, last.getType(), {}, {}};
  for (const Link &link : links) {
    Value known = link.known ? emitKnown(builder, link.known, mapping) : Value();
    if (isa<arith::AddFOp>(link.op)) {
      factors.add(known);
    } else if (isa<arith::MulFOp>(link.op)) {
      factors.multiply(known);
    } else if (isa<arith::DivFOp>(link.op)) {
      factors.divide(known);
    } else if (isa<arith::NegFOp>(link.op)) {
      factors.negate();
    } else if (link.isFirst) {
      factors.subtract(known);
    } else {
      factors.negate();
      factors.add(known);
    }
  }
  return {factors.scale ? factors.scale : factors.number(1), factors.offset ? factors.offset : factors.number(0)};
}

linalg::GenericOp ScaleChain::emit(OpBuilder &builder) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges(), shape;
  SmallVector<AffineExpr> dims(op.getNumLoops(), builder.getAffineConstantExpr(0));
  for (auto [i, loop] : llvm::enumerate(varying)) {
    dims[loop] = builder.getAffineDimExpr(i);
    shape.push_back(ranges[loop]);
  }
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (unsigned operand : operands) {
    AffineMap map = op.getMatchingIndexingMap(&op->getOpOperand(operand));
    inputs.push_back(op->getOperand(operand));
    maps.push_back(map.replaceDimsAndSymbols(dims, {}, varying.size(), 0));
  }
  maps.append(2, builder.getMultiDimIdentityMap(varying.size()));
  Value empty = tensor::EmptyOp::create(builder, op.getLoc(), shape, last.getType());
  SmallVector<utils::IteratorType> iterators(varying.size(), utils::IteratorType::parallel);
  return linalg::GenericOp::create(builder, op.getLoc(), TypeRange{empty.getType(), empty.getType()}, inputs,
                                   ValueRange{empty, empty}, maps, iterators,
                                   [&](OpBuilder &b, Location loc, ValueRange arguments) {
                                     linalg::YieldOp::create(b, loc, emitBody(b, loc, arguments));
                                   });
}
