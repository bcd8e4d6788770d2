// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands that are read at an index of their own (a size that only the call tells is 1 or not) are values of the body,
// which no fusion of whole operands sees.
#include "compiler/Evaluation/Evaluator.h"
#include "compiler/Stages/Simplify/Passes.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_INLINEREADS
#include "compiler/Stages/Simplify/Passes.h.inc"
} // namespace mlir::heddle

// Whether the index of a read in `op` is one of its loops', 0, or one of both for all elements alike.
static bool isLoopOrZero(linalg::GenericOp op, Value index) {
  if (auto loop = index.getDefiningOp<linalg::IndexOp>())
    return loop->getBlock() == op.getBody();
  if (auto choice = index.getDefiningOp<arith::SelectOp>(); choice && choice->getBlock() == op.getBody())
    return !op->isAncestor(choice.getCondition().getParentBlock()->getParentOp()) &&
           isLoopOrZero(op, choice.getTrueValue()) && isLoopOrZero(op, choice.getFalseValue());
  return matchPattern(index, m_Zero());
}

// Whether no element is read more than once for one of the op's, so that computing it there costs nothing more.
static bool readsOnce(linalg::GenericOp op, tensor::ExtractOp read) {
  return op.getNumReductionLoops() == 0 && read->getBlock() == op.getBody() &&
         llvm::all_of(read.getIndices(), [&](Value index) { return isLoopOrZero(op, index); });
}

// An elementwise op of a few cheap instructions.
static bool isCheap(linalg::GenericOp op) {
  constexpr int64_t kMostOps = 16;
  auto isCheapOp = [](Operation &inner) {
    return isa<linalg::IndexOp, linalg::YieldOp>(inner) ||
           (isa<arith::ArithDialect>(inner.getDialect()) && !isa<arith::RemFOp>(inner));
  };
  return static_cast<int64_t>(op.getBody()->getOperations().size()) <= kMostOps + 1 &&
         llvm::all_of(*op.getBody(), isCheapOp);
}

static bool isPosition(AffineExpr expr) { return isa<AffineDimExpr, AffineConstantExpr>(expr); }

// The op whose element `read` can compute for itself.
static linalg::GenericOp findProducer(tensor::ExtractOp read) {
  auto op = read.getTensor().getDefiningOp<linalg::GenericOp>();
  if (!op || op->getNumResults() != 1 || !op->hasOneUse() || op.getNumReductionLoops() > 0 ||
      !op.getIndexingMapsArray().back().isIdentity() || !isCheap(op) ||
      llvm::any_of(op.getRegionOutputArgs(), [](Value argument) { return !argument.use_empty(); }) ||
      evaluation::isConstantExpression(op->getResult(0)))
    return {};
  for (OpOperand *input : op.getDpsInputOperands())
    if (!llvm::all_of(op.getMatchingIndexingMap(input).getResults(), isPosition))
      return {};
  return op;
}

// Computes what `read` reads where it stands. The producer is left without users.
static void inlineProducer(tensor::ExtractOp read, linalg::GenericOp producer) {
  OpBuilder builder(read);
  Location loc = producer.getLoc();
  IRMapping mapping;
  SmallVector<Value> at(read.getIndices());
  for (OpOperand *input : producer.getDpsInputOperands()) {
    Value element = input->get();
    if (isa<RankedTensorType>(element.getType())) {
      SmallVector<Value> index;
      for (AffineExpr expr : producer.getMatchingIndexingMap(input).getResults()) {
        auto dim = dyn_cast<AffineDimExpr>(expr);
        index.push_back(dim ? at[dim.getPosition()]
                            : arith::ConstantIndexOp::create(builder, loc, cast<AffineConstantExpr>(expr).getValue()));
      }
      element = tensor::ExtractOp::create(builder, loc, element, index);
    }
    mapping.map(producer.getMatchingBlockArgument(input), element);
  }
  for (Operation &inner : producer.getBody()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      mapping.map(index.getResult(), at[index.getDim()]);
    else
      builder.clone(inner, mapping);
  }
  read.replaceAllUsesWith(mapping.lookupOrDefault(producer.getBody()->getTerminator()->getOperand(0)));
  read.erase();
}

namespace {

struct InlineReads : mlir::heddle::impl::InlineReadsBase<InlineReads> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) { ops.push_back(op); });
    llvm::DenseSet<Operation *> erased;
    for (linalg::GenericOp op : ops)
      if (!erased.contains(op))
        inlineInto(op, erased);
  }

private:
  void inlineInto(linalg::GenericOp op, llvm::DenseSet<Operation *> &erased) {
    SmallVector<tensor::ExtractOp> reads(op.getBody()->getOps<tensor::ExtractOp>());
    for (tensor::ExtractOp read : reads)
      if (linalg::GenericOp producer = readsOnce(op, read) ? findProducer(read) : linalg::GenericOp()) {
        inlineProducer(read, producer);
        erased.insert(producer);
        producer.erase();
      }
  }
};

} // namespace
