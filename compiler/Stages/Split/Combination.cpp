// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Split/Combination.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::split;

// Whether the value depends on what the op has so far, but for `except`.
static bool readsResults(linalg::LinalgOp op, Value value, Value except = {}) {
  SetVector<Operation *> before;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *inner) { return inner->getBlock() == op.getBlock(); };
  auto isResult = [&](Value read) { return read != except && llvm::is_contained(op.getRegionOutputArgs(), read); };
  if (isResult(value))
    return true;
  if (value.getParentBlock() != op.getBlock() || !value.getDefiningOp() ||
      failed(getBackwardSlice(value.getDefiningOp(), &before, options)))
    return false;
  return llvm::any_of(before, [&](Operation *inner) { return llvm::any_of(inner->getOperands(), isResult); });
}

// Each result by itself; none where one of them is combined in another way.
static std::optional<Combination> findEach(linalg::LinalgOp op) {
  Combination found;
  for (auto [i, yielded] : llvm::enumerate(op.getBlock()->getTerminator()->getOperands())) {
    SmallVector<Operation *> combiners;
    if (!matchReduction(op.getRegionOutputArgs(), i, combiners) || combiners.size() != 1 ||
        readsResults(op, yielded, op.getRegionOutputArgs()[i]))
      return std::nullopt;
    std::optional<TypedAttr> neutral = arith::getNeutralElement(combiners.front());
    if (!neutral)
      return std::nullopt;
    found.each.push_back({combiners.front(), *neutral});
  }
  return found;
}

// Whether an element wins only where it is greater, or less, than the result.
static bool isStrict(const Choice &choice) {
  if (auto floats = dyn_cast<arith::CmpFOp>(choice.comparison)) // where it keeps the result, a NaN would win
    return choice.elementIsTrue &&
           (floats.getPredicate() == arith::CmpFPredicate::OGT || floats.getPredicate() == arith::CmpFPredicate::OLT);
  switch (cast<arith::CmpIOp>(choice.comparison).getPredicate()) {
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::ugt:
  case arith::CmpIPredicate::ult: return choice.elementIsTrue;
  case arith::CmpIPredicate::sge:
  case arith::CmpIPredicate::sle:
  case arith::CmpIPredicate::uge:
  case arith::CmpIPredicate::ule: return !choice.elementIsTrue;
  default: return false;
  }
}

// All results by one comparison.
static std::optional<Combination> findChoice(linalg::LinalgOp op) {
  Operation *comparison = nullptr;
  SmallVector<Value> elements;
  std::optional<bool> elementIsTrue;
  for (auto [result, yielded] :
       llvm::zip_equal(op.getRegionOutputArgs(), op.getBlock()->getTerminator()->getOperands())) {
    auto select = yielded.getDefiningOp<arith::SelectOp>();
    Operation *decides = select ? select.getCondition().getDefiningOp() : nullptr;
    if (!isa_and_present<arith::CmpFOp, arith::CmpIOp>(decides) || (comparison && comparison != decides))
      return std::nullopt;
    comparison = decides;
    bool isTrue = select.getFalseValue() == result;
    if ((!isTrue && select.getTrueValue() != result) || elementIsTrue.value_or(isTrue) != isTrue)
      return std::nullopt;
    elementIsTrue = isTrue;
    elements.push_back(isTrue ? select.getTrueValue() : select.getFalseValue());
    if (readsResults(op, elements.back()))
      return std::nullopt;
  }
  for (auto [i, result] : llvm::enumerate(op.getRegionOutputArgs())) {
    Value left = comparison->getOperand(0), right = comparison->getOperand(1);
    bool isLeft = left == elements[i] && right == result, isRight = right == elements[i] && left == result;
    Choice choice{comparison, static_cast<unsigned>(i), isLeft, *elementIsTrue};
    if ((isLeft || isRight) && isStrict(choice))
      return Combination{{}, choice};
  }
  return std::nullopt;
}

std::variant<Combination, std::string> split::findCombination(linalg::LinalgOp op) {
  if (op.getNumDpsInits() == 1) {
    auto combiner = flow::findCombiner(op);
    if (auto *reason = std::get_if<std::string>(&combiner))
      return *reason;
    return Combination{{std::get<flow::Combiner>(combiner)}, {}};
  }
  if (op.getNumReductionLoops() == 0 || !op.hasPureTensorSemantics())
    return "it reduces nothing";
  if (op->walk([](tensor::ExtractOp) { return WalkResult::interrupt(); }).wasInterrupted())
    return "it reads elements at positions that it computes";
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (OpOperand &init : op.getDpsInitsMutable())
    if (op.getMatchingIndexingMap(&init) != map)
      return "its results have several shapes";
  if (std::optional<Combination> each = findEach(op))
    return *each;
  if (std::optional<Combination> choice = findChoice(op))
    return *choice;
  return "it has several results, which are neither combined by an associative operation each nor chosen by one "
         "comparison that keeps the first of equal ones";
}

static SmallVector<Value> mergeChoice(OpBuilder &builder, Location loc, const Choice &choice, ValueRange parts,
                                      ValueRange inits) {
  int64_t rank = cast<RankedTensorType>(inits.front().getType()).getRank();
  SmallVector<AffineExpr> all{builder.getAffineDimExpr(rank)};
  for (int64_t dim = 0; dim < rank; ++dim)
    all.push_back(builder.getAffineDimExpr(dim));
  SmallVector<utils::IteratorType> kinds(rank, utils::IteratorType::parallel);
  kinds.push_back(utils::IteratorType::reduction);
  SmallVector<AffineMap> maps(parts.size(), AffineMap::get(rank + 1, 0, all, builder.getContext()));
  maps.append(inits.size(), AffineMap::get(rank + 1, 0, ArrayRef(all).drop_front(), builder.getContext()));
  auto merge = linalg::GenericOp::create(
      builder, loc, inits.getTypes(), parts, inits, maps, kinds, [&](OpBuilder &inner, Location, ValueRange arguments) {
        ValueRange elements = arguments.take_front(parts.size()), results = arguments.drop_front(parts.size());
        Value left = elements[choice.compared], right = results[choice.compared];
        if (!choice.elementIsLeft)
          std::swap(left, right);
        Operation *comparison = inner.clone(*choice.comparison);
        comparison->setOperands({left, right});
        SmallVector<Value> chosen;
        for (auto [element, result] : llvm::zip_equal(elements, results))
          chosen.push_back(arith::SelectOp::create(inner, loc, comparison->getResult(0),
                                                   choice.elementIsTrue ? element : result,
                                                   choice.elementIsTrue ? result : element));
        linalg::YieldOp::create(inner, loc, chosen);
      });
  return llvm::to_vector_of<Value>(merge.getResults());
}

SmallVector<Value> split::mergeParts(OpBuilder &builder, Location loc, const Combination &combination, ValueRange parts,
                                     ValueRange inits) {
  if (combination.choice)
    return mergeChoice(builder, loc, *combination.choice, parts, inits);
  SmallVector<Value> merged;
  for (auto [combiner, part, init] : llvm::zip_equal(combination.each, parts, inits))
    merged.push_back(flow::mergeParts(builder, loc, combiner.op, part, init));
  return merged;
}
