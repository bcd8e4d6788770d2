// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Plan/NestPlanner.h"

#include "compiler/Analysis/StorageBytes.h"
#include "compiler/Codegen/Plan/Combiner.h"
#include "compiler/Codegen/Plan/ContractionOperands.h"
#include "compiler/Codegen/Plan/ContractionPlanner.h"
#include "compiler/Codegen/Plan/ElementsPlanner.h"
#include "compiler/Codegen/Plan/ShortRows.h"
#include "compiler/Codegen/Plan/Sizes.h"
#include "compiler/Codegen/Plan/Strides.h"
#include "compiler/Codegen/Plan/Window.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

namespace {

// Bodies of elementwise ops, and of loops of such, can be computed in vectors.
bool isVectorizable(Operation *op) {
  bool vectorizable = true;
  op->walk([&](linalg::GenericOp generic) {
    generic.getBody()->walk(
        [&](Operation *inner) { vectorizable &= inner->getNumRegions() == 0 || isa<scf::ForOp>(inner); });
  });
  return vectorizable;
}

class NestPlanner {
public:
  NestPlanner(Value value, const NestAnalysis &analysis, const cpu::CpuFeatures &features,
              const ContractionOverride &tile, llvm::SmallBitVector apart)
      : analysis(analysis), features(features), tile(tile), type(cast<RankedTensorType>(value.getType())) {
    common.value = value;
    common.apart = std::move(apart);
    common.apart.resize(type.getRank());
    common.masks = features.masks;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.getDimSize(dim) != 1)
        common.laneDim = dim;
  }

  FailureOr<Nest> run() {
    collectSteps();
    Operation *def = common.value.getDefiningOp();
    simpleBodies = !def || (isVectorizable(def->getParentOfType<func::FuncOp>()) && !loopsByLane());
    vectorizable = simpleBodies && !choosesByLane();
    Nest nest = choose();
    if (!refused.empty())
      return steps.front().op.emitError("kernel.tile needs " + refused), failure();
    if (nest.fewer.empty())
      nest.fewer = planShortRows(nest.plan);
    return nest;
  }

private:
  void collectSteps() {
    for (const NeededOp &needed : analysis.ops) {
      if (needed.isReduction) {
        if (auto position = analysis.getPosition(needed)) {
          steps.push_back({needed.op, true, *position});
          for (int64_t dim : *position)
            if (dim >= 0)
              rows.insert(dim);
        }
      } else if (needed.readers.size() > 1) {
        steps.push_back({needed.op, false, {}});
      }
    }
  }

  Nest choose() {
    common.width = widthOf();
    if (!llvm::any_of(steps, [](const RowStep &step) { return step.isReduction; }))
      return {planElements(common, analysis, features, vectorizable), {}, {}};
    if (!common.laneDim || !rows.contains(*common.laneDim) || !simpleBodies)
      return {planRows(), {}, {}};
    bool oneValue = steps.size() == 1 && rows.size() == static_cast<size_t>(numDims());
    if (!vectorizable) {
      if (oneValue && countChoicesByLane() <= 1)
        if (std::optional<WindowsPlan> window = planWindow(/*alongPositions=*/true))
          return {std::move(*window), {}, {}};
      return {planRows(), {}, {}};
    }
    if (oneValue)
      if (std::optional<Nest> nest = planTiles())
        return std::move(*nest);
    if (static_cast<int64_t>(rows.size()) < type.getRank() || isReadAlongLanes() || gathersTerms())
      return {planColumns(), {}, {}};
    return {planRows(), {}, {}};
  }

  int64_t widthOf() const {
    if (!vectorizable || !common.laneDim)
      return 1;
    return configureWidth(sizeOf(type, *common.laneDim), storageBytes(type.getElementType()), features);
  }

  // Of one reduction with a result for each element. Where rows of a contraction do not read what others read, windows
  // that lie over each other share more, also of bytes: each column would be copied to scratch for one row.
  std::optional<Nest> planTiles() {
    std::optional<WindowsPlan> window;
    if (auto contraction = planContraction(common, steps.front(), analysis, features, tile)) {
      if (contraction->plan.tileDims.empty() && !tile.isSet())
        window = planWindow(/*alongPositions=*/true);
      if (!window) {
        refused = std::move(contraction->refused);
        return Nest{std::move(contraction->plan), std::move(contraction->fewer), {}};
      }
    } else if (!(window = planWindow(/*alongPositions=*/false))) {
      window = planWindow(/*alongPositions=*/true);
    }
    return window ? std::optional(Nest{std::move(*window), {}, {}}) : std::nullopt;
  }

  // Where elements of one vector come from different sources. Without masks LLVM 22 splits a masked load into an
  // unmasked one where it knows half of the mask.
  bool choosesByLane() const { return !features.masks && countChoicesByLane() > 0; }
  int64_t countChoicesByLane() const {
    return llvm::count_if(analysis.choices, [&](AffineExpr choice) {
      return choice.isFunctionOfSymbol(0) || (common.laneDim && choice.isFunctionOfDim(*common.laneDim));
    });
  }
  // Whether loops of bodies run differently often for the elements of one vector, or may do so.
  bool loopsByLane() const {
    return llvm::any_of(analysis.bounds, [&](AffineExpr bound) {
      bool varies = bound.isFunctionOfSymbol(0) || (common.laneDim && bound.isFunctionOfDim(*common.laneDim));
      bound.walk([&](AffineExpr part) {
        auto dim = dyn_cast<AffineDimExpr>(part);
        varies |= dim && dim.getPosition() >= type.getRank();
      });
      return varies;
    });
  }
  bool choosesByReduction() const {
    return !features.masks && llvm::any_of(analysis.choices, [&](AffineExpr choice) {
      bool reduces = false;
      choice.walk([&](AffineExpr part) {
        auto dim = dyn_cast<AffineDimExpr>(part);
        reduces |= dim && dim.getPosition() >= type.getRank();
      });
      return reduces;
    });
  }

  // Dimensions that are not 1 by type.
  int64_t numDims() const {
    return llvm::count_if(llvm::seq<int64_t>(0, type.getRank()),
                          [&](int64_t dim) { return type.getDimSize(dim) != 1 || rows.contains(dim); });
  }

  // Whether neighbours along the loop are up to as many elements apart as vectors are loaded from.
  static bool isFewApart(AffineMap map, unsigned loop) {
    AffineExpr last = map.getResults().back();
    if (auto sum = dyn_cast<AffineBinaryOpExpr>(last); sum && sum.getKind() == AffineExprKind::Add)
      last = sum.getLHS().isFunctionOfDim(loop) ? sum.getLHS() : sum.getRHS();
    auto scaled = dyn_cast<AffineBinaryOpExpr>(last);
    auto stride = scaled ? dyn_cast<AffineConstantExpr>(scaled.getRHS()) : AffineConstantExpr();
    return stride && scaled.getKind() == AffineExprKind::Mul && stride.getValue() >= 1 &&
           stride.getValue() <= kMostLoadStride && scaled.getLHS() == getAffineDimExpr(loop, map.getContext()) &&
           llvm::none_of(map.getResults().drop_back(), [&](AffineExpr expr) { return expr.isFunctionOfDim(loop); });
  }

  // What is read once for an element, not once for each term, does not count. Terms that are combined by more than one
  // operation have no partial results: vectors of rows are all that there is.
  bool isReadAlongLanes() {
    for (RowStep &step : steps)
      if (std::optional<unsigned> loop = step.isReduction ? getLoopOf(step, *common.laneDim) : std::nullopt) {
        SmallVector<unsigned> reductions;
        step.op.getReductionDims(reductions);
        for (OpOperand *input : step.op.getDpsInputOperands()) {
          AffineMap map = step.op.getMatchingIndexingMap(input);
          bool isTerm = llvm::any_of(reductions, [&](unsigned dim) { return dependsOn(map, dim); });
          if (isTerm && (isContiguous(map, *loop) || (!getCombiners(step.op) && isFewApart(map, *loop))))
            return true;
        }
      }
    return false;
  }

  // Whether a reduction of a length that only the call knows reads at places that are computed. Vectors along it would
  // gather, too, as few elements as it has, and add across lanes.
  bool gathersTerms() {
    return llvm::any_of(steps, [](RowStep &step) {
      if (!step.isReduction || staticReduction(step.op))
        return false;
      SmallVector<unsigned> reductions;
      step.op.getReductionDims(reductions);
      auto reads = step.op.getBody()->getOps<tensor::ExtractOp>();
      return !reads.empty() && llvm::none_of(reads, [&](tensor::ExtractOp read) {
        auto loop =
            read.getIndices().empty() ? linalg::IndexOp() : read.getIndices().back().getDefiningOp<linalg::IndexOp>();
        return loop && loop.getDim() == reductions.back();
      });
    });
  }

  // In its last dimension, which vectors along positions walk.
  static bool isPaddedAlong(tensor::PadOp pad) {
    return pad && (!isConstantIntValue(pad.getMixedLowPad().back(), 0) ||
                   !isConstantIntValue(pad.getMixedHighPad().back(), 0));
  }

  // Along positions the border of the padding is not in vectors, so without masks that one choice by lane may be.
  std::optional<WindowsPlan> planWindow(bool alongPositions) {
    SmallVector<unsigned> positions;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if ((alongPositions || dim != *common.laneDim) && rows.contains(dim))
        positions.push_back(dim);
    SmallVector<unsigned> tileDims(positions);
    if (tileDims.size() > 2)
      tileDims.erase(tileDims.begin(), tileDims.end() - 2);
    RowStep &step = steps.front();
    std::optional<WindowShape> shape = matchWindow(step, type, tileDims, *common.laneDim);
    if (!shape || (!vectorizable && !isPaddedAlong(getWindowInput(step, tileDims).pad)))
      return std::nullopt;
    vectorizable = true;
    WindowsPlan nest;
    static_cast<PlanCommon &>(nest) = common;
    // Independent work enough: its positions.
    nest.width = std::min(widthOf(), features.vectorBytes / std::max<int64_t>(storageBytes(type.getElementType()), 4));
    nest.step = step;
    nest.tileDims = tileDims;
    nest.batchDims.assign(positions.begin(), positions.end() - tileDims.size());
    nest.window = alongPositions ? configurePositionWindow(*shape, features) : configureWindow(*shape, features);
    return nest;
  }

  void chooseDims(SmallVector<unsigned> &rowDims, SmallVector<unsigned> &innerDims) const {
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      (rows.contains(dim) ? rowDims : innerDims).push_back(dim);
  }

  RowsPlan planRows() {
    vectorizable &= !choosesByReduction();
    RowsPlan nest;
    static_cast<PlanCommon &>(nest) = common;
    chooseDims(nest.rowDims, nest.innerDims);
    nest.steps = steps;
    for (RowStep &step : nest.steps)
      if (!step.isReduction)
        step.position = rowPosition(step.op);
    nest.width = widthOf();
    if (vectorizable && nest.innerDims.empty())
      nest.width = configureWidth(std::nullopt, storageBytes(type.getElementType()), features);
    if (vectorizable)
      collectRowLoads(nest);
    return nest;
  }

  ColumnsPlan planColumns() const {
    ColumnsPlan nest;
    static_cast<PlanCommon &>(nest) = common;
    chooseDims(nest.rowDims, nest.innerDims);
    llvm::copy_if(steps, std::back_inserter(nest.steps), [](const RowStep &step) { return step.isReduction; });
    nest.joined = joinOpenDims(nest, analysis, *nest.laneDim, [&](unsigned dim) { return !rows.contains(dim); });
    llvm::erase_if(nest.rowDims, [&](unsigned dim) { return llvm::is_contained(nest.joined, dim); });
    nest.together = countTogether(nest);
    return nest;
  }

  // A loop whose end only the call knows is left by a wrong guess, so that the sums of one vector do not overlap the
  // next one's: then several vectors have one loop.
  int64_t countTogether(const ColumnsPlan &nest) const {
    if (nest.width == 1 || nest.steps.size() != 1 || !nest.innerDims.empty() || staticReduction(nest.steps.front().op))
      return 1;
    int64_t bytes = 0, together = 2;
    linalg::GenericOp op = nest.steps.front().op;
    if (!op.getBody()->getOps<tensor::ExtractOp>().empty()) // offsets are vectors, too
      return 1;
    for (Value result : op->getResults())
      bytes += storageBytes(cast<RankedTensorType>(result.getType()).getElementType());
    bool fits = together * nest.width * bytes * 4 <= features.vectorRegisters * features.vectorBytes;
    return fits ? together : 1;
  }

  // Where all readers of an elementwise op agree that its index is the row's.
  SmallVector<int64_t> rowPosition(linalg::GenericOp op) {
    const NeededOp &needed = *llvm::find_if(analysis.ops, [&](const NeededOp &other) { return other.op == op; });
    SmallVector<int64_t> position;
    for (size_t i = 0; i < needed.accesses.front().size(); ++i) {
      auto dim = dyn_cast<AffineDimExpr>(needed.accesses.front()[i]);
      bool agreed = dim && rows.contains(dim.getPosition()) &&
                    llvm::all_of(needed.accesses, [&](ArrayRef<AffineExpr> access) { return access[i] == dim; });
      position.push_back(agreed ? static_cast<int64_t>(dim.getPosition()) : -1);
    }
    return position;
  }

  void collectRowLoads(RowsPlan &nest) const {
    for (const Load &load : analysis.loads) {
      bool identity = static_cast<int64_t>(load.index.size()) == type.getRank();
      for (auto [i, expr] : llvm::enumerate(load.index))
        identity &= expr == getAffineDimExpr(i, expr.getContext());
      if (identity && isa<BlockArgument>(load.tensor) && !llvm::is_contained(nest.rowLoads, load.tensor))
        nest.rowLoads.push_back(load.tensor);
    }
  }

  const NestAnalysis &analysis;
  const cpu::CpuFeatures &features;
  const ContractionOverride &tile;
  std::string refused; // why the tile cannot be as it says
  RankedTensorType type;
  PlanCommon common;
  SmallVector<RowStep> steps; // in the order to compute them
  llvm::SmallSetVector<int64_t, 6> rows;
  bool simpleBodies = true, vectorizable = true;
};

} // namespace

FailureOr<Nest> mlir::heddle::codegen::planNest(Value value, const NestAnalysis &analysis,
                                                const cpu::CpuFeatures &features, const ContractionOverride &tile,
                                                llvm::SmallBitVector apart) {
  return NestPlanner(value, analysis, features, tile, std::move(apart)).run();
}
