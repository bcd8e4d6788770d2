// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Plan/BorderPlanner.h"
#include "compiler/Codegen/Plan/ChainPlanner.h"
#include "compiler/Codegen/Plan/NestPlanner.h"
#include "compiler/Codegen/Plan/Sizes.h"
#include "compiler/Codegen/Plan/WinogradPlanner.h"
#include "compiler/Dialect/Flow/IR/Pitch.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

namespace {

// A window so small that computing it again costs less than memory for it.
bool isCheap(linalg::GenericOp op) {
  Size elements = staticReduction(op);
  return elements && *elements <= 64;
}

// The first reduction the nest of `value` needs but cannot compute on its way.
linalg::GenericOp findStaged(const NestAnalysis &analysis) {
  for (const NeededOp &needed : analysis.ops)
    if (needed.isReduction && !analysis.getPosition(needed) && !isCheap(needed.op))
      return needed.op;
  return nullptr;
}

// Dimensions of a result that are not one with the next in its memory.
llvm::SmallBitVector findApart(Value value, llvm::SmallBitVector apart, tensor::PadOp pad) {
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  apart.resize(rank);
  for (int64_t dim = 1; pad && dim < rank; ++dim)
    if (!isConstantIntValue(pad.getMixedLowPad()[dim], 0) || !isConstantIntValue(pad.getMixedHighPad()[dim], 0))
      apart.set(dim - 1);
  return apart;
}

// The nest of `value` as a chain; none where it is no chain.
std::optional<Nest> planChain(Value value, const NestAnalysis &analysis, DenseSet<Operation *> staged,
                              const cpu::CpuFeatures &features) {
  std::optional<ChainMatch> match = matchChain(value, analysis, staged);
  if (!match)
    return std::nullopt;
  ContractionOverride none;
  auto plan = [&](Value stage) { return planNest(stage, analyze(stage, staged), features, none); };
  FailureOr<Nest> scores = plan(match->scores.getResult(0));
  staged.insert(match->scores);
  FailureOr<Nest> weights = plan(match->weights);
  staged.insert(match->weights.getDefiningOp());
  FailureOr<Nest> product = plan(value);
  if (failed(scores) || failed(weights) || failed(product))
    return std::nullopt;
  return makeChain(*match, std::move(*scores), std::move(*weights), std::move(*product), features);
}

// What computes several ops a block at a time: a convolution by fewer products, or a chain unless tiles are given.
std::optional<Nest> planWhole(Value value, const NestAnalysis &analysis, const DenseSet<Operation *> &staged,
                              const cpu::CpuFeatures &features, const ContractionOverride &tile) {
  std::optional<Nest> winograd = planWinograd(value, analysis, staged, features);
  return winograd || tile.isSet() ? std::move(winograd) : planChain(value, analysis, staged, features);
}

void setBinding(Nest &nest, int64_t binding) {
  nest.forEach([&](PlanCommon &plan) { plan.binding = binding; });
}

std::optional<flow::Pitch> pitchOf(Value result, unsigned position) {
  return flow::getPitch(cast<func::FuncOp>(result.getParentRegion()->getParentOp()), position);
}

llvm::SmallBitVector toApart(const std::optional<flow::Pitch> &pitch) {
  llvm::SmallBitVector apart;
  if (pitch) {
    apart.resize(pitch->outer);
    apart.set(pitch->outer - 1);
  }
  return apart;
}

// The border of a pad and the nest that computes its source; none where nothing but elements stand in it, or what it
// needs has memory of its own.
FailureOr<std::vector<Nest>> planWithBorder(tensor::PadOp pad, int64_t binding, const llvm::SmallBitVector &apart,
                                            const DenseSet<Operation *> &staged, const cpu::CpuFeatures &features,
                                            const ContractionOverride &tile) {
  std::vector<Nest> nests;
  NestAnalysis analysis = analyze(pad.getSource(), staged);
  llvm::SmallBitVector places = findApart(pad.getSource(), apart, pad);
  std::optional<Nest> winograd = planWinograd(pad.getSource(), analysis, staged, features);
  if (winograd)
    commonOf(winograd->plan).apart = places;
  else if (findStaged(analysis))
    return nests;
  FailureOr<Nest> inside =
      winograd ? FailureOr<Nest>(std::move(*winograd)) : planNest(pad.getSource(), analysis, features, tile, places);
  if (failed(inside))
    return failure();
  if (std::holds_alternative<ElementsPlan>(inside->plan))
    return nests;
  inside->inside = pad;
  nests = {Nest{planBorder(pad, features), {}, {}}, std::move(*inside)};
  for (Nest &nest : nests)
    setBinding(nest, binding);
  return nests;
}

} // namespace

FailureOr<std::vector<Nest>> mlir::heddle::codegen::planNests(ValueRange results, int64_t firstBinding,
                                                              const cpu::CpuFeatures &features,
                                                              const ContractionOverride &tile,
                                                              const FindApart &readApart) {
  DenseSet<Operation *> staged;
  std::vector<Nest> nests;
  auto add = [&](auto &self, Value value, int64_t binding, const llvm::SmallBitVector &apart) -> LogicalResult {
    NestAnalysis analysis = analyze(value, staged);
    if (std::optional<Nest> whole = planWhole(value, analysis, staged, features, tile)) {
      nests.push_back(std::move(*whole));
      setBinding(nests.back(), binding);
      commonOf(nests.back().plan).apart = findApart(value, apart, {});
      return success();
    }
    while (linalg::GenericOp op = findStaged(analysis)) {
      for (Value result : op.getResults())
        if (failed(self(self, result, -1, {})))
          return failure();
      staged.insert(op);
      analysis = analyze(value, staged);
    }
    // Weights of staged scores are staged: the contraction would compute them again for each column.
    if (Value weights = staged.empty() ? Value() : findWeights(value, analysis, staged)) {
      if (failed(self(self, weights, -1, {})))
        return failure();
      staged.insert(weights.getDefiningOp());
      analysis = analyze(value, staged);
    }
    FailureOr<Nest> nest = planNest(value, analysis, features, tile, findApart(value, apart, {}));
    if (succeeded(nest)) {
      nests.push_back(std::move(*nest));
      setBinding(nests.back(), binding);
    }
    return failure(failed(nest));
  };
  // Scores that several results are computed from, a part of attention and its sums, are computed once.
  for (Value result : results.size() > 1 ? results : ValueRange())
    if (std::optional<ChainMatch> match = matchChain(result, analyze(result, staged), staged)) {
      if (failed(add(add, match->scores.getResult(0), -1, {})))
        return failure();
      staged.insert(match->scores);
    }
  for (auto [position, result] : llvm::enumerate(results)) {
    llvm::SmallBitVector apart = readApart ? readApart(position) : toApart(pitchOf(result, position));
    if (tensor::PadOp pad = matchBorder(result)) {
      FailureOr<std::vector<Nest>> parts = planWithBorder(pad, firstBinding + position, apart, staged, features, tile);
      if (failed(parts))
        return failure();
      nests.insert(nests.end(), parts->begin(), parts->end());
      if (!parts->empty())
        continue;
    }
    if (failed(add(add, result, firstBinding + position, apart)))
      return failure();
    // One workgroup computes all: what follows reads the result (KernelEmitter).
    if (!staged.empty() && apart.none() && result.getDefiningOp())
      staged.insert(result.getDefiningOp());
  }
  return nests;
}
