// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is gathered as one piece from each member, sent to this one as it is: no piece is cut, and the first is here.
#include "compiler/Dialect/Flow/Transforms/Updates.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Stages/Ranks/PieceCut.h"
#include "compiler/Stages/Ranks/PieceSlices.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::pieces;

bool PieceCut::canGoAround() const {
  return why.empty() && feeds && byMember && !isFree() && members >= 2 &&
         members <= int64_t(::heddle::contract::kMostPieces) && collective.getAxes().size() == 1 &&
         !collective.getGroupsAttr();
}

// The operand of the member so many places behind this one.
Value PieceCut::fetch(OpBuilder &builder, int64_t distance) const {
  if (distance == 0)
    return collective.getOperand();
  OperationState state(collective.getLoc(), flow::PermuteOp::getOperationName());
  SmallVector<OpFoldResult> sizes =
      getMixedValues(collective.getOperandType().getShape(), collective.getOperandDims(), builder.getContext());
  state.addOperands(collective.getOperand());
  state.addOperands(dynamicOf(sizes));
  state.addTypes(collective.getOperand().getType());
  state.addAttribute("shift", builder.getI64IntegerAttr(members - distance));
  state.addAttribute("mesh", collective.getMeshAttr());
  state.addAttribute("axes", collective.getAxes());
  if (Attribute affinity = collective->getAttr(kAffinityAttr))
    state.addAttribute(kAffinityAttr, affinity);
  return builder.create(state)->getResult(0);
}

SmallVector<Value> PieceCut::buildAround(OpBuilder &builder) {
  Location loc = collective.getLoc();
  SmallVector<Value> joined = findJoined(), filled;
  auto number = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(builder, loc, value); };
  int64_t next = flow::nextFilled(collective->getParentOfType<ModuleOp>());
  for (Value value : joined) {
    auto memory = tensor::EmptyOp::create(builder, loc, typeOf(value).getShape(), typeOf(value).getElementType());
    memory->setAttr(flow::kFilledAttr, builder.getI64IntegerAttr(next++));
    filled.push_back(memory);
  }
  Value place = flow::CoordinateOp::create(builder, loc, builder.getIndexType(), collective.getMeshAttr(),
                                           cast<StringAttr>(collective.getAxes()[0]));
  llvm::SaveAndRestore ofOne(byMember, false); // a piece is the rows of one
  for (int64_t distance = 0; distance < members; ++distance) {
    Value member = place;
    if (distance) {
      Value far = arith::AddIOp::create(builder, loc, place, number(distance));
      member = arith::RemSIOp::create(builder, loc, far, number(members));
    }
    OpFoldResult begin = arith::MulIOp::create(builder, loc, member, number(extent)).getResult();
    IRMapping mapping;
    mapping.map(collective.getResult(), fetch(builder, distance));
    for (const Work &each : works)
      work(builder, each, {begin, builder.getIndexAttr(extent)}, mapping);
    for (auto [value, into] : llvm::zip_equal(joined, filled)) {
      Value part = mapping.lookup(value);
      SmallVector<OpFoldResult> sizes = sizesOf(builder, part), steps(sizes.size(), builder.getIndexAttr(1));
      SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0));
      offsets[*dimOf(value)] = begin;
      into = tensor::InsertSliceOp::create(builder, loc, part, into, offsets, sizes, steps);
    }
  }
  return filled;
}
