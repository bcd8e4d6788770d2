// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Split/Reduction.h"

#include "compiler/Analysis/Structure.h"
#include "compiler/Dialect/Encoding/IR/EncodingOps.h"
#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Dialect/Flow/Transforms/Parts.h"
#include "compiler/Evaluation/Evaluator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::heddle;

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
    if (flow::isSliceable(op, loop) && (!best || length(loop) > length(*best)))
      best = loop;
  return best;
}

// "" or why the loop cannot be cut.
static std::string refuseLoop(linalg::LinalgOp op, unsigned loop) {
  if (loop >= op.getNumLoops())
    return "it has " + std::to_string(op.getNumLoops()) + " loops, counted from 0, and no loop " + std::to_string(loop);
  if (op.getIteratorTypesArray()[loop] != utils::IteratorType::reduction)
    return "its loop " + std::to_string(loop) + " is none that is reduced";
  return flow::isSliceable(op, loop) ? ""
                                     : "its loop " + std::to_string(loop) + " does not cut its operands into slices";
}

std::variant<split::Reduction, std::string> split::findReduction(linalg::LinalgOp op, std::optional<unsigned> asked) {
  auto combination = findCombination(op);
  if (auto *reason = std::get_if<std::string>(&combination))
    return *reason;
  if (std::string reason = asked ? refuseLoop(op, *asked) : ""; !reason.empty())
    return reason;
  std::optional<unsigned> loop = asked ? asked : chooseLoop(op);
  if (!loop)
    return "no loop of it cuts its operands into slices";
  return Reduction{op, *loop, std::get<Combination>(combination)};
}

bool split::isProduct(linalg::LinalgOp op) {
  std::optional<Arithmetic> arithmetic = Structure::of(op).arithmetic;
  return arithmetic && arithmetic != Arithmetic::Complex;
}

// Whether neighbours of the result, not of what is reduced, lie in one vector.
static bool isAlongVectors(linalg::LinalgOp op) {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
  if (map.getNumResults() == 0)
    return false;
  auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
  return last && op.getIteratorTypesArray()[last.getPosition()] == utils::IteratorType::parallel;
}

// The rows of a product: results along loops that the operand which walks the result's last dimension does not read.
// None where only the call knows.
static std::optional<int64_t> countRows(linalg::LinalgOp op) {
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (result.getNumResults() == 0 || !result.isProjectedPermutation())
    return 1;
  unsigned lane = result.getDimPosition(result.getNumResults() - 1);
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  int64_t rows = 1;
  for (unsigned i = 0; i + 1 < result.getNumResults(); ++i) {
    unsigned loop = result.getDimPosition(i);
    bool isOfColumns = llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
      AffineMap map = op.getMatchingIndexingMap(input);
      return map.isFunctionOfDim(lane) && map.isFunctionOfDim(loop);
    });
    if (isOfColumns)
      continue;
    if (ShapedType::isDynamic(sizes[loop]))
      return std::nullopt;
    rows *= sizes[loop];
  }
  return rows;
}

int64_t split::countTogether(linalg::LinalgOp op) {
  constexpr int64_t kBlock = 2048, kColumns = 128, kVectors = 64;
  if (!isProduct(op))
    return isAlongVectors(op) ? kVectors : 1;
  return std::min(countRows(op).value_or(kBlock) * kColumns, kBlock);
}

namespace {

// The product of the sizes of one kind of loops that are known, and whether all are.
struct KnownSize {
  int64_t product = 1;
  bool isWhole = true;
};

} // namespace

static KnownSize multiply(linalg::LinalgOp op, utils::IteratorType kind) {
  KnownSize size;
  for (auto [length, type] : llvm::zip_equal(op.getStaticLoopRanges(), op.getIteratorTypesArray())) {
    if (type != kind)
      continue;
    if (ShapedType::isDynamic(length))
      size.isWhole = false;
    else if (llvm::MulOverflow(size.product, length, size.product))
      size.product = std::numeric_limits<int64_t>::max();
  }
  return size;
}

// Below it a merge costs more than it gains.
static constexpr int64_t kLeastReduced = 1 << 12;
// More workgroups than the results of any processor or GPU need, at two for each of its units.
static constexpr int64_t kMostWorkgroups = 512;

bool split::isCandidate(linalg::LinalgOp op) {
  KnownSize reduced = multiply(op, utils::IteratorType::reduction);
  return op.getNumReductionLoops() > 0 && reduced.isWhole && reduced.product >= kLeastReduced;
}

bool split::isKeptWhole(linalg::LinalgOp op) {
  std::optional<SplitRequest> request = getSplitRequest(op);
  return request && request->isWhole();
}

std::string split::refusalOf(const SplitRequest &request) {
  return request.by.empty() ? "has heddle.split, but cannot be split: "
                            : "cannot be split, as " + request.by.str() + " asks: ";
}

std::string split::refuseStrictly(const Reduction &reduction) {
  for (const flow::Combiner &combiner : reduction.combination.each)
    if (std::string reason = flow::refuseStrictly(combiner.op); !reason.empty())
      return reason;
  return "";
}

// Of constants, but not one that data tiling lays out.
static bool isComputedWeight(Value value) {
  Value stored = value;
  if (auto unset = value.getDefiningOp<encoding::UnsetOp>())
    stored = unset.getSource();
  return evaluation::isConstantExpression(stored) && !matchPattern(stored, m_Constant()) &&
         !isa_and_present<flow::ParameterLoadOp>(stored.getDefiningOp());
}

std::string split::refuseByDefault(linalg::LinalgOp op, bool strictFloat) {
  auto found = findReduction(op);
  if (auto *reason = std::get_if<std::string>(&found))
    return *reason;
  KnownSize reduced = multiply(op, utils::IteratorType::reduction);
  if (reduced.isWhole && reduced.product < kLeastReduced)
    return "it is short";
  KnownSize results = multiply(op, utils::IteratorType::parallel);
  if (!results.isWhole && !reduced.isWhole && !isProduct(op))
    return "how many results it has and how long it is is known in the call only";
  if (int64_t groups = llvm::divideCeil(results.product, countTogether(op)); groups > kMostWorkgroups)
    return "its results are " + std::to_string(groups) + " workgroups";
  if (std::string reason = refuseStrictly(std::get<Reduction>(found)); strictFloat && !reason.empty())
    return reason;
  if (isProduct(op) && llvm::any_of(op.getDpsInputs(), isComputedWeight))
    return "a constant operand is taken apart in its dispatch";
  return "";
}
