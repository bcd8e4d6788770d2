// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Plan/ElementsPlanner.h"

#include "compiler/Analysis/StorageBytes.h"
#include "compiler/Codegen/Plan/Sizes.h"

#include <numeric>

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

SmallVector<unsigned> mlir::heddle::codegen::joinOpenDims(const PlanCommon &nest, const NestAnalysis &analysis,
                                                          unsigned base, function_ref<bool(unsigned)> isEnd) {
  auto type = cast<RankedTensorType>(nest.value.getType());
  SmallVector<unsigned> joined;
  std::optional<Walks> walks;
  for (unsigned dim = base; dim-- > 0;) {
    bool isOpen = type.isDynamicDim(dim) || type.isDynamicDim(dim + 1);
    if (!isOpen || nest.apart.test(dim) || dim == nest.laneDim || isEnd(dim))
      break;
    if (!walks)
      walks = collectWalks(nest.value, analysis);
    if (!walks || !areOne(*walks, dim))
      break;
    joined.push_back(dim);
  }
  return joined;
}

namespace {

class ElementsPlanner {
public:
  ElementsPlanner(const PlanCommon &common, const NestAnalysis &analysis, const cpu::CpuFeatures &features,
                  bool vectorizable)
      : analysis(analysis), features(features), vectorizable(vectorizable),
        type(cast<RankedTensorType>(common.value.getType())) {
    static_cast<PlanCommon &>(nest) = common;
  }

  Plan run() {
    if (std::optional<TransposePlan> transpose = planTranspose())
      return std::move(*transpose);
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (nest.laneDim != static_cast<unsigned>(dim))
        nest.rowDims.push_back(dim);
    collapse();
    nest.together = countTogether();
    return std::move(nest);
  }

private:
  // The dimension of the value along which the load's elements are neighbours, where the lanes' dimension is another
  // one of its indices.
  std::optional<unsigned> turnedDim(const Load &load) const {
    std::optional<unsigned> turned;
    for (auto [i, expr] : llvm::enumerate(load.index)) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim && expr.isFunctionOfDim(*nest.laneDim))
        return std::nullopt;
      if (dim && i + 1 == load.index.size() && dim.getPosition() != *nest.laneDim)
        turned = dim.getPosition();
    }
    auto uses = [&](unsigned dim) {
      return llvm::count_if(load.index, [&](AffineExpr expr) { return expr.isFunctionOfDim(dim); });
    };
    bool once = llvm::count_if(analysis.loads, [&](const Load &other) { return other.tensor == load.tensor; }) == 1;
    return turned && uses(*turned) == 1 && uses(*nest.laneDim) == 1 && once ? turned : std::nullopt;
  }

  std::optional<TransposePlan> planTranspose() const {
    if (!vectorizable || !nest.laneDim)
      return std::nullopt;
    TransposePlan plan;
    static_cast<PlanCommon &>(plan) = nest;
    for (const Load &load : analysis.loads) {
      std::optional<unsigned> dim = turnedDim(load);
      if (!dim || (!plan.turned.empty() && *dim != plan.turnedDim))
        continue;
      plan.turnedDim = *dim;
      plan.turned.push_back(load);
    }
    if (plan.turned.empty())
      return std::nullopt;
    int64_t bytes = storageBytes(type.getElementType());
    for (const Load &load : plan.turned)
      bytes = std::max(bytes, storageBytes(cast<RankedTensorType>(load.tensor.getType()).getElementType()));
    auto isTurned = [&](unsigned dim) { return dim == plan.turnedDim; };
    plan.joined = joinOpenDims(nest, analysis, *nest.laneDim, isTurned);
    plan.turnedJoined = joinOpenDims(nest, analysis, plan.turnedDim, isTurned);
    plan.transpose = configureTranspose(plan.turnedJoined.empty() ? sizeOf(type, plan.turnedDim) : Size(),
                                        plan.joined.empty() ? sizeOf(type, *nest.laneDim) : Size(), bytes, features);
    return plan.transpose.tile > 0 ? std::optional(std::move(plan)) : std::nullopt;
  }

  // Vectors until elements of several rows that are interleaved along the lanes (d mod 3) are so again as in the first
  // one: then it is known which element each lane has. Few of them.
  int64_t countTogether() const {
    constexpr int64_t kMost = 7;
    int64_t step = nest.width;
    for (const Load &load : analysis.loads)
      for (AffineExpr index : load.index)
        index.walk([&](AffineExpr part) {
          auto mod = dyn_cast<AffineBinaryOpExpr>(part);
          if (!mod || mod.getKind() != AffineExprKind::Mod || !nest.laneDim ||
              mod.getLHS() != getAffineDimExpr(*nest.laneDim, part.getContext()))
            return;
          if (auto rows = dyn_cast<AffineConstantExpr>(mod.getRHS()); rows && rows.getValue() > 0)
            step = std::lcm(step, std::min<int64_t>(rows.getValue(), 1 << 16));
        });
    return step <= kMost * nest.width ? step / nest.width : 1;
  }

  // Dimensions that every operand walks in the same way are one: by their types, else where the call says so.
  void collapse() {
    if (!nest.laneDim || static_cast<int64_t>(*nest.laneDim) != type.getRank() - 1)
      return;
    if (!analysis.usesIndices)
      collapseKnown();
    bool isOpen = llvm::any_of(analysis.loads, [](const Load &load) {
      return !cast<RankedTensorType>(load.tensor.getType()).hasStaticShape();
    });
    if (nest.collapsed == 0 && nest.joined.empty() && isOpen)
      nest.joins = matchRowJoins(nest.value, analysis, nest.apart);
    if (!nest.joins.dims.empty() && vectorizable)
      nest.width = configureWidth(std::nullopt, storageBytes(type.getElementType()), features);
  }

  void collapseKnown() {
    bool flat = true, leading = true;
    for (const Load &read : analysis.loads) {
      ArrayRef<AffineExpr> load = read.index;
      bool identity = static_cast<int64_t>(load.size()) == type.getRank(), laneOnly = true;
      for (auto [i, expr] : llvm::enumerate(load)) {
        auto dim = dyn_cast<AffineDimExpr>(expr);
        identity &= dim && dim.getPosition() == i;
        laneOnly &= isa<AffineConstantExpr>(expr) || (dim && dim.getPosition() == *nest.laneDim);
      }
      flat &= identity;
      leading &= identity || laneOnly;
    }
    int64_t rank = type.getRank();
    if (flat && haveEqualSteps(rank))
      nest.collapsed = rank;
    else if (leading && haveEqualSteps(rank - 1))
      nest.collapsed = rank - 1;
    else
      joinRows();
    if (nest.collapsed == rank && vectorizable)
      nest.width = configureWidth(type.hasStaticShape() ? Size(type.getNumElements()) : Size(),
                                  storageBytes(type.getElementType()), features);
  }

  // Whether the first `dims` dimensions have equal steps in the result's memory.
  bool haveEqualSteps(int64_t dims) const {
    int first = nest.apart.find_first();
    return first < 0 || first + 1 >= dims;
  }

  // Rows that every operand walks to their ends, or has one element of, are one longer row: positions of a channel that
  // has a scale. Not longer than what one core is worth.
  void joinRows() {
    Size elements = sizeOf(type, *nest.laneDim);
    for (int64_t dim = *nest.laneDim; elements && dim-- > 0 && !nest.apart.test(dim) && endsAlike(dim);) {
      Size size = sizeOf(type, dim);
      if (!size || *size * *elements > kElementsPerWorkgroup)
        break;
      elements = *size * *elements;
      nest.joined.push_back(dim);
      llvm::erase(nest.rowDims, static_cast<unsigned>(dim));
    }
    if (!nest.joined.empty() && vectorizable)
      nest.width = configureWidth(elements, storageBytes(type.getElementType()), features);
  }

  // Whether `dim` and the dimensions behind it are the last ones of each operand, or none of its.
  bool endsAlike(int64_t dim) const {
    int64_t rank = type.getRank();
    return llvm::all_of(analysis.loads, [&](const Load &load) {
      int64_t size = load.index.size();
      bool alike = size >= rank - dim, absent = true;
      for (auto [i, expr] : llvm::enumerate(load.index)) {
        int64_t own = static_cast<int64_t>(i) + rank - size;
        bool walked = expr.isFunctionOfSymbol(0) ||
                      llvm::any_of(llvm::seq(dim, rank), [&](int64_t d) { return expr.isFunctionOfDim(d); });
        alike &= own < dim ? !walked : expr == getAffineDimExpr(own, expr.getContext());
        absent &= !walked;
      }
      return alike || absent;
    });
  }

  const NestAnalysis &analysis;
  const cpu::CpuFeatures &features;
  bool vectorizable;
  RankedTensorType type;
  ElementsPlan nest;
};

} // namespace

Plan mlir::heddle::codegen::planElements(const PlanCommon &nest, const NestAnalysis &analysis,
                                         const cpu::CpuFeatures &features, bool vectorizable) {
  return ElementsPlanner(nest, analysis, features, vectorizable).run();
}
