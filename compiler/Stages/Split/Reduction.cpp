#include "compiler/Stages/Split/Reduction.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::heddle;

// Whether each operand is cut by a slice where the loop is.
static bool isSliceable(linalg::LinalgOp op, unsigned loop) {
  bool isRead = false;
  for (OpOperand &operand : op->getOpOperands()) {
    for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults()) {
      if (auto dim = dyn_cast<AffineDimExpr>(expr); dim && dim.getPosition() == loop)
        isRead = true;
      else if (expr.isFunctionOfDim(loop))
        return false;
    }
  }
  return isRead;
}

static std::optional<unsigned> chooseLoop(linalg::LinalgOp op) {
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  // Of a size that only the call knows nothing says how long it is: it may be the one that matters.
  auto length = [&](unsigned loop) {
    return ShapedType::isDynamic(sizes[loop]) ? std::numeric_limits<int64_t>::max() : sizes[loop];
  };
  std::optional<unsigned> best;
  for (unsigned loop : reductions)
    if (isSliceable(op, loop) && (!best || length(loop) > length(*best)))
      best = loop;
  return best;
}

std::variant<split::Reduction, std::string> split::findReduction(linalg::LinalgOp op) {
  if (op.getNumReductionLoops() == 0 || !op.hasPureTensorSemantics())
    return "it reduces nothing";
  if (op.getNumDpsInits() != 1)
    return "it has several results";
  bool usesPosition = op->walk([](linalg::IndexOp) { return WalkResult::interrupt(); }).wasInterrupted();
  bool readsElsewhere = op->walk([](tensor::ExtractOp) { return WalkResult::interrupt(); }).wasInterrupted();
  if (usesPosition || readsElsewhere)
    return "its elements depend on their positions";
  SmallVector<Operation *> combiners;
  if (!matchReduction(op.getRegionOutputArgs(), 0, combiners) || combiners.size() != 1)
    return "its elements are not combined by one associative operation";
  std::optional<TypedAttr> neutral = arith::getNeutralElement(combiners.front());
  if (!neutral)
    return ("nothing is neutral to " + combiners.front()->getName().getStringRef()).str();
  for (Type type : op->getOperandTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type); tensor && tensor.getEncoding())
      return "an operand is laid out for another use";
  std::optional<unsigned> loop = chooseLoop(op);
  if (!loop)
    return "no loop of it cuts its operands into slices";
  return Reduction{op, *loop, combiners.front(), *neutral};
}

static split::KnownSize multiply(linalg::LinalgOp op, utils::IteratorType kind) {
  split::KnownSize size;
  for (auto [length, type] : llvm::zip_equal(op.getStaticLoopRanges(), op.getIteratorTypesArray())) {
    if (type != kind)
      continue;
    if (ShapedType::isDynamic(length))
      size.isWhole = false;
    else
      size.product *= length;
  }
  return size;
}

split::KnownSize split::countResults(linalg::LinalgOp op) { return multiply(op, utils::IteratorType::parallel); }

split::KnownSize split::countReduced(const Reduction &reduction) {
  return multiply(reduction.op, utils::IteratorType::reduction);
}
