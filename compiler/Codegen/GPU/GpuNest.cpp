// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/GPU/GpuNest.h"

#include "compiler/Codegen/Plan/Sizes.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

std::optional<SmallVector<Combiner>> mlir::heddle::codegen::getSharedCombiners(linalg::GenericOp op) {
  std::optional<SmallVector<Combiner>> combiners = getCombiners(op);
  auto isBoolean = [](const Combiner &combiner) { return combiner.neutral.getType().isInteger(1); };
  return combiners && llvm::any_of(*combiners, isBoolean) ? std::nullopt : combiners;
}

namespace {

class GpuPlanner {
public:
  GpuPlanner(Value value, const gpu::GpuFeatures &features, bool isAlone)
      : analysis(analyze(value, {})), type(cast<RankedTensorType>(value.getType())), features(features),
        isAlone(isAlone) {}

  GpuPlan run(Value value) {
    chooseRows();
    if (rows.empty() && !sharesAll) {
      if (isAlone)
        if (std::optional<GpuPanels> panels = planGpuPanels(value, analysis, features))
          return std::move(*panels);
      if (std::optional<GpuTile> tile = planGpuTile(value, analysis))
        return std::move(*tile);
      if (wholes.empty() || !choosesRowsAtCall())
        return GpuElements();
    }
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      (rows.contains(dim) ? plan.rowDims : plan.innerDims).push_back(dim);
    for (const NeededOp &needed : analysis.ops)
      addStep(needed);
    return std::move(plan);
  }

private:
  // Rows are what a reduction depends on that does not depend on all of an element's position.
  void chooseRows() {
    for (const NeededOp &needed : analysis.ops) {
      if (!needed.isReduction)
        continue;
      std::optional<SmallVector<int64_t>> position = analysis.getPosition(needed);
      if (!position)
        continue;
      if (dependsOnAll(*position)) {
        if (isLong(needed.op) && getSharedCombiners(needed.op))
          wholes.push_back(needed.op);
        continue;
      }
      sharesAll |= llvm::all_of(*position, [](int64_t dim) { return dim < 0; });
      for (int64_t dim : *position)
        if (dim >= 0)
          rows.insert(dim);
    }
    if (rows.empty() && !sharesAll && !wholes.empty() && type.hasStaticShape() &&
        type.getNumElements() <= kFewResults) {
      sharesAll = true;
      takeAllDims();
    }
  }

  // Where sizes that only the call tells decide between rows and elements, or known ones ask for rows.
  bool choosesRowsAtCall() {
    bool isKnown = type.hasStaticShape(), isEndless = false;
    for (linalg::GenericOp op : wholes) {
      std::optional<int64_t> length = staticReduction(op);
      isKnown &= length.has_value();
      isEndless |= length && *length >= kEndlessReduction;
    }
    if (isKnown && !isEndless)
      return false;
    if (!isEndless)
      plan.longReductions = wholes;
    takeAllDims();
    return true;
  }

  void takeAllDims() {
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      rows.insert(dim);
  }

  bool dependsOnAll(ArrayRef<int64_t> position) const {
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.getDimSize(dim) != 1 && !llvm::is_contained(position, dim))
        return false;
    return true;
  }

  static bool isLong(linalg::GenericOp op) { return staticReduction(op).value_or(kLongReduction) >= kLongReduction; }

  void addStep(const NeededOp &needed) {
    std::optional<SmallVector<int64_t>> position = analysis.getPosition(needed);
    auto isOfRow = [&](int64_t dim) { return dim < 0 || rows.contains(dim); };
    if (needed.isReduction && position && llvm::all_of(*position, isOfRow)) {
      plan.steps.push_back({needed.op, *position, std::nullopt});
      return;
    }
    bool readAgain = needed.readers.size() > 1 || (needed.isReduction && !position);
    if (readAgain)
      addRowStep(needed);
  }

  // A row of the op's result, where all of its readers are in the row and walk one dimension.
  void addRowStep(const NeededOp &needed) {
    GpuStep step{needed.op, {}, std::nullopt};
    for (size_t i = 0; i < needed.accesses.front().size(); ++i) {
      AffineExpr first = needed.accesses.front()[i];
      auto dim = dyn_cast<AffineDimExpr>(first);
      auto constant = dyn_cast<AffineConstantExpr>(first);
      bool agreed = llvm::all_of(needed.accesses, [&](ArrayRef<AffineExpr> access) { return access[i] == first; });
      if (agreed && dim && rows.contains(dim.getPosition())) {
        step.position.push_back(dim.getPosition());
      } else if (agreed && constant && constant.getValue() == 0) {
        step.position.push_back(-1);
      } else if (!step.walked) {
        step.walked = i;
        step.position.push_back(-1);
      } else {
        return;
      }
    }
    if (step.walked && !getElementTypeOrSelf(needed.op->getResult(0).getType()).isIndex())
      plan.steps.push_back(step);
  }

  NestAnalysis analysis;
  RankedTensorType type;
  const gpu::GpuFeatures &features;
  bool isAlone;
  GpuRows plan;
  llvm::SmallSetVector<int64_t, 6> rows;
  bool sharesAll = false;                // some reduction is the same for all elements
  SmallVector<linalg::GenericOp> wholes; // long reductions of which each element has its own
};

} // namespace

GpuNest mlir::heddle::codegen::planGpuNest(Value value, int64_t binding, const gpu::GpuFeatures &features,
                                           bool isAlone) {
  return {value, binding, {}, GpuPlanner(value, features, isAlone).run(value)};
}
