// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Ranks/Pieces/PiecePlan.h"

#include "compiler/Stages/Ranks/Pieces/PieceSlices.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::pieces;

std::optional<int64_t> pieces::findDim(AffineMap map, unsigned loop) {
  for (auto [dim, expr] : llvm::enumerate(map.getResults()))
    if (auto walk = dyn_cast<AffineDimExpr>(expr); walk && walk.getPosition() == loop)
      return dim;
  return std::nullopt;
}

int64_t PiecePlan::ownDim() const {
  auto along = collective->getAttrOfType<IntegerAttr>("dim");
  return along ? along.getInt() : -1;
}

bool PiecePlan::isWork(Operation *op) const {
  return llvm::any_of(works, [&](const PieceWork &work) { return work.op == op; });
}

SmallVector<Value> PiecePlan::findJoined() const {
  if (!feeds)
    return {collective.getResult()};
  SmallVector<Value> joined;
  for (const PieceWork &work : works)
    for (Value result : work.op->getResults())
      if (!llvm::all_of(result.getUsers(), [&](Operation *user) { return isWork(user); }))
        joined.push_back(result);
  return joined;
}

std::optional<int64_t> PiecePlan::dimOf(Value value) const {
  auto found = cutValues.find(value);
  return found == cutValues.end() ? std::nullopt : std::optional(found->second);
}

bool PiecePlan::copiesParts() const { return isFree() && (byMember || !fillsInPlace()); }

bool PiecePlan::fillsInPlace() const {
  return llvm::all_of(findJoined(), [&](Value joined) {
    int64_t at = feeds ? *dimOf(joined) : dim;
    return typeOf(joined).getNumDynamicDims() == int64_t(typeOf(joined).isDynamicDim(at));
  });
}
