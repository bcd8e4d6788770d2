// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a collective's pieces are: declared in PiecePlan.h.
#include "compiler/Stages/Ranks/Pieces/MoveReshapes.h"
#include "compiler/Stages/Ranks/Pieces/PiecePlan.h"
#include "compiler/Stages/Ranks/Pieces/PieceSlices.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::pieces;
using ::heddle::contract::OverlapAccount;

// The loop that walks a dimension of an operand alone.
static std::optional<unsigned> loopAt(linalg::LinalgOp op, OpOperand &operand, int64_t dim) {
  auto walk = dyn_cast<AffineDimExpr>(op.getMatchingIndexingMap(&operand).getResult(dim));
  return walk ? std::optional(walk.getPosition()) : std::nullopt;
}

// Whether the op can be computed for some positions of the loop only, from slices of its operands.
static bool isCuttable(linalg::LinalgOp op, unsigned loop) {
  if (!op.hasPureTensorSemantics() || op.hasIndexSemantics() ||
      op.getIteratorTypesArray()[loop] != utils::IteratorType::parallel)
    return false;
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned walks = 0;
    for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults()) {
      if (!expr.isFunctionOfDim(loop))
        continue;
      if (!isa<AffineDimExpr>(expr) || ++walks > 1)
        return false;
    }
    if (op.isDpsInit(&operand) && walks != 1)
      return false;
  }
  return true;
}

namespace {

class Finder {
public:
  Finder(flow::CollectiveOpInterface collective, int64_t dim);

  PiecePlan run() {
    find();
    return std::move(plan);
  }

private:
  // Keeps the reason; false.
  bool refuse(std::string reason);
  bool find();
  bool findReaders();
  bool findBehind();
  bool findMakers();
  bool addMaker(Value made, int64_t at);
  bool addWork(linalg::LinalgOp op, unsigned loop);
  bool addChain(linalg::LinalgOp op, unsigned loop);
  bool readsPieces(const PieceWork &work) const;

  PiecePlan plan;
};

} // namespace

Finder::Finder(flow::CollectiveOpInterface collective, int64_t dim) {
  plan.collective = collective;
  plan.dim = dim;
  plan.feeds = isa<flow::AllGatherOp>(collective);
  plan.byMember = plan.ownDim() == dim;
  int64_t size = flow::getGroupSize(collective, flow::getMesh(collective, collective.getMeshAttr()));
  Value between = plan.feeds ? collective.getResult() : collective.getOperand();
  plan.members = size == device::MeshOp::kFree ? OverlapAccount::kFree : size;
  plan.extent = typeOf(between).getDimSize(dim);
  plan.cutValues[between] = dim;
}

bool Finder::refuse(std::string reason) {
  if (plan.why.empty())
    plan.why = std::move(reason);
  return false;
}

bool Finder::find() {
  if (plan.members == OverlapAccount::kFree && plan.byMember)
    return refuse("parts of each rank's rows are of a size that the mesh's free size decides");
  if (plan.members != OverlapAccount::kFree && plan.members < 2)
    return refuse("a rank meets nobody");
  if (plan.byMember && (plan.isFree() ? plan.collective.isCut() : !hasEqualPieces(plan.collective)))
    return refuse("ranks have rows of several sizes");
  if (plan.byMember && !plan.isFree())
    plan.extent /= plan.members;
  if (!plan.isFree() && plan.extent < 2)
    return refuse("each rank has one row");
  if (!(plan.feeds ? findReaders() : findMakers()))
    return refuse("no product next to it can be cut along dimension " + std::to_string(plan.dim));
  if (llvm::none_of(plan.works, [](const PieceWork &work) { return work.op.getNumReductionLoops() > 0; }))
    return refuse("no product is next to it");
  if (!llvm::all_of(plan.works, [&](const PieceWork &work) { return readsPieces(work); }))
    return refuse("one product reads all that another one makes");
  return true;
}

// Whether a piece of the work reads pieces only, where others make its operands in pieces; and has parts by member only
// of what is known to have as many rows: by its type, or as all that a loop walks does.
bool Finder::readsPieces(const PieceWork &work) const {
  return llvm::all_of(work.op->getOpOperands(), [&](OpOperand &operand) {
    std::optional<int64_t> walked = findDim(work.op.getMatchingIndexingMap(&operand), work.loop);
    if (std::optional<int64_t> made = plan.dimOf(operand.get()))
      return walked == made;
    return !walked || !plan.byMember || typeOf(operand.get()).isDynamicDim(*walked) == plan.isFree();
  });
}

bool Finder::addWork(linalg::LinalgOp op, unsigned loop) {
  for (const PieceWork &work : plan.works)
    if (work.op == op)
      return work.loop == loop;
  if (op->getBlock() != plan.collective->getBlock() || !isCuttable(op, loop))
    return false;
  plan.works.push_back({op, loop});
  for (OpResult result : op->getResults())
    plan.cutValues[result] = *findDim(op.getIndexingMapMatchingResult(result), loop);
  return true;
}

// With what alone reads its results one after the other, as far as that is element by element: it is fused with it.
bool Finder::addChain(linalg::LinalgOp op, unsigned loop) {
  if (!addWork(op, loop))
    return false;
  while (op->getNumResults() == 1 && op->getResult(0).hasOneUse()) {
    OpOperand &use = *op->getResult(0).use_begin();
    auto next = dyn_cast<linalg::LinalgOp>(use.getOwner());
    if (!next || next.getNumReductionLoops() > 0 || next.isDpsInit(&use))
      break;
    std::optional<unsigned> walk = loopAt(next, use, plan.cutValues[op->getResult(0)]);
    if (!walk || !addWork(next, *walk))
      break;
    op = next;
  }
  return true;
}

bool Finder::findReaders() {
  for (OpOperand &use : plan.collective.getResult().getUses()) {
    if (auto size = dyn_cast<tensor::DimOp>(use.getOwner()); size && size.getConstantIndex())
      continue;
    auto op = dyn_cast<linalg::LinalgOp>(use.getOwner());
    std::optional<unsigned> loop = op && !op.isDpsInit(&use) ? loopAt(op, use, plan.dim) : std::nullopt;
    if (!loop || !addChain(op, *loop))
      return false;
  }
  if (plan.works.empty())
    return false;
  llvm::sort(plan.works, [](const PieceWork &a, const PieceWork &b) { return a.op->isBeforeInBlock(b.op); });
  return findBehind();
}

// Results are whole behind the last of the works: what reads them in front of it can stand there, too, unless a work
// needs it.
bool Finder::findBehind() {
  llvm::SmallPtrSet<Operation *, 8> moved;
  Block *block = plan.collective->getBlock();
  for (Operation *op = plan.works.front().op; op != plan.works.back().op->getNextNode(); op = op->getNextNode()) {
    bool readsWork = false, readsMoved = false;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        Operation *made = operand.getDefiningOp() ? block->findAncestorOpInBlock(*operand.getDefiningOp()) : nullptr;
        readsWork |= made && plan.isWork(made);
        readsMoved |= made && moved.contains(made);
      }
    });
    if (plan.isWork(op) && readsMoved)
      return false;
    if (plan.isWork(op) || !(readsWork || readsMoved))
      continue;
    if (!isMemoryEffectFree(op) && !isa<flow::CollectiveOpInterface>(op))
      return false;
    moved.insert(op);
    plan.behind.push_back(op);
  }
  return true;
}

bool Finder::findMakers() {
  if (!addMaker(plan.collective.getOperand(), plan.dim))
    return false;
  llvm::sort(plan.works, [](const PieceWork &a, const PieceWork &b) { return a.op->isBeforeInBlock(b.op); });
  return true;
}

// With what makes it: a contraction, or what is element by element of one or more of them. What leads to none stays
// whole.
bool Finder::addMaker(Value made, int64_t at) {
  auto op = made.getDefiningOp<linalg::LinalgOp>();
  if (!op || op->getNumResults() != 1 || !made.hasOneUse())
    return false;
  std::optional<unsigned> loop = loopAt(op, *op.getDpsInitOperand(0), at);
  if (!loop || !addWork(op, *loop))
    return false;
  bool isMade = op.getNumReductionLoops() > 0;
  if (!isMade)
    for (OpOperand *input : op.getDpsInputOperands())
      if (std::optional<int64_t> walked = findDim(op.getMatchingIndexingMap(input), *loop))
        isMade |= addMaker(input->get(), *walked);
  if (isMade)
    return true;
  plan.works.pop_back(); // those in front of it have gone
  plan.cutValues.erase(made);
  return false;
}

PiecePlan pieces::planPieces(flow::CollectiveOpInterface collective, int64_t dim) {
  return Finder(collective, dim).run();
}
