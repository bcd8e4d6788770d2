// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Transforms/Factors/IndexWalks.h"

#include "mlir/Analysis/FlatLinearValueConstraints.h"

using namespace mlir;
using namespace mlir::heddle;

std::optional<flow::Walk> flow::walkOf(AffineExpr expr, unsigned loops) {
  SmallVector<int64_t> flat;
  // With a quotient there are more columns.
  if (failed(getFlattenedAffineExpr(expr, loops, 0, &flat)) || flat.size() != loops + 1 ||
      llvm::any_of(flat, [](int64_t scale) { return scale < 0; }))
    return std::nullopt;
  int64_t first = flat.pop_back_val();
  return Walk{std::move(flat), first};
}

std::optional<unsigned> flow::loopOf(Operation *op, Value index) {
  if (auto rows = dyn_cast<RowsOp>(op))
    return index == rows.getRow() ? std::optional(0u) : std::nullopt;
  auto loop = index.getDefiningOp<linalg::IndexOp>();
  return loop && loop->getParentOp() == op ? std::optional<unsigned>(loop.getDim()) : std::nullopt;
}

bool flow::isFromOutside(Operation *op, Value value) { return !op->isAncestor(value.getParentRegion()->getParentOp()); }

std::optional<SmallVector<tensor::ExtractOp>> flow::findReads(Operation *op, Value captured) {
  SmallVector<tensor::ExtractOp> reads;
  for (Operation *user : captured.getUsers()) {
    if (!op->isProperAncestor(user))
      continue;
    auto read = dyn_cast<tensor::ExtractOp>(user);
    if (!read)
      return std::nullopt;
    reads.push_back(read);
  }
  return reads;
}

SmallVector<std::optional<unsigned>> flow::findWalkedLoops(Operation *op, Value captured) {
  SmallVector<std::optional<unsigned>> loops(cast<RankedTensorType>(captured.getType()).getRank());
  std::optional<SmallVector<tensor::ExtractOp>> reads = findReads(op, captured);
  if (!reads || reads->empty())
    return loops;
  llvm::SmallDenseSet<unsigned> seen;
  for (auto [dim, loop] : llvm::enumerate(loops)) {
    std::optional<unsigned> alone = loopOf(op, reads->front().getIndices()[dim]);
    bool isAlone = alone && llvm::all_of(*reads, [&, dim = dim](tensor::ExtractOp read) {
                     return loopOf(op, read.getIndices()[dim]) == alone;
                   });
    if (isAlone && seen.insert(*alone).second)
      loop = alone;
  }
  return loops;
}

tensor::ExtractOp flow::findLookUp(linalg::LinalgOp op) {
  if (op.getNumReductionLoops() != 0 || op->getNumResults() != 1)
    return {};
  auto read = op.getBlock()->getTerminator()->getOperand(0).getDefiningOp<tensor::ExtractOp>();
  bool isCaptured = read && read->getParentOp() == op && isFromOutside(op, read.getTensor());
  std::optional<SmallVector<tensor::ExtractOp>> reads = isCaptured ? findReads(op, read.getTensor()) : std::nullopt;
  return reads && reads->size() == 1 ? read : tensor::ExtractOp();
}

bool flow::writesByRow(RowsOp op) {
  auto isOwn = [&](ValueRange indices) { return !indices.empty() && indices.front() == op.getRow(); };
  WalkResult result = op.getBody().walk([&](Operation *inner) {
    if (auto write = dyn_cast<tensor::InsertOp>(inner); write && !isOwn(write.getIndices()))
      return WalkResult::interrupt();
    auto read = dyn_cast<tensor::ExtractOp>(inner);
    if (read && !isFromOutside(op, read.getTensor()) && !isOwn(read.getIndices()))
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return !result.wasInterrupted();
}
