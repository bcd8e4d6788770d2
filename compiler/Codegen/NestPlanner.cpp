// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/NestPlanner.h"

#include "compiler/Analysis/StorageBytes.h"
#include "compiler/Codegen/ContractionOperands.h"
#include "compiler/Codegen/ContractionPlanner.h"
#include "compiler/Codegen/RowClasses.h"
#include "compiler/Codegen/StridedLoad.h"
#include "compiler/Codegen/Window.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <numeric>

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

Size mlir::heddle::codegen::staticReduction(linalg::GenericOp op) {
  int64_t elements = 1;
  for (auto [size, kind] : llvm::zip(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction) {
      if (ShapedType::isDynamic(size))
        return std::nullopt;
      elements *= size;
    }
  return elements;
}

Size mlir::heddle::codegen::sizeOf(RankedTensorType type, int64_t dim) {
  return type.isDynamicDim(dim) ? Size() : Size(type.getDimSize(dim));
}

int64_t mlir::heddle::codegen::elementBytes(Type type) { return storageBytes(type); }

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
    nest.value = value;
    nest.apart = std::move(apart);
    nest.apart.resize(type.getRank());
    nest.masks = features.masks;
  }

  FailureOr<Nest> run() {
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.getDimSize(dim) != 1)
        nest.laneDim = dim;
    collectSteps();
    Operation *def = nest.value.getDefiningOp();
    simpleBodies = !def || (isVectorizable(def->getParentOfType<func::FuncOp>()) && !loopsByLane());
    vectorizable = simpleBodies && !choosesByLane();
    chooseKind();
    vectorizable &= nest.kind != NestKind::Rows || !choosesByReduction();
    chooseDims();
    if (vectorizable && nest.laneDim)
      nest.width = configureWidth(sizeOf(type, *nest.laneDim), elementBytes(type.getElementType()), features);
    if (vectorizable && nest.kind == NestKind::Rows && nest.innerDims.empty())
      nest.width = configureWidth(std::nullopt, elementBytes(type.getElementType()), features);
    if (nest.kind == NestKind::Windows) // independent work enough: its positions
      nest.width =
          std::min(nest.width, features.vectorBytes / std::max<int64_t>(elementBytes(type.getElementType()), 4));
    if (nest.kind == NestKind::Rows && vectorizable)
      collectRowLoads();
    if (nest.kind == NestKind::Columns)
      nest.joined = joinOpen(*nest.laneDim);
    llvm::erase_if(nest.rowDims, [&](unsigned dim) { return llvm::is_contained(nest.joined, dim); });
    if (nest.kind == NestKind::Elements && !planTranspose()) {
      collapse();
      nest.together = countTogether();
    }
    if (!refused.empty())
      return nest.steps.front().op.emitError("kernel.tile needs " + refused), failure();
    finishRowClasses(nest);
    planShortRows(nest, type);
    return nest;
  }

private:
  void collectSteps() {
    for (const NeededOp &needed : analysis.ops) {
      if (needed.isReduction) {
        if (auto position = analysis.getPosition(needed)) {
          nest.steps.push_back({needed.op, true, *position});
          for (int64_t dim : *position)
            if (dim >= 0)
              rows.insert(dim);
        }
      } else if (needed.readers.size() > 1) {
        nest.steps.push_back({needed.op, false, {}});
      }
    }
  }

  void chooseKind() {
    if (!llvm::any_of(nest.steps, [](const RowStep &step) { return step.isReduction; })) {
      nest.kind = NestKind::Elements;
      nest.steps.clear();
      return;
    }
    nest.kind = NestKind::Rows;
    if (!nest.laneDim || !rows.contains(*nest.laneDim) || !simpleBodies)
      return;
    bool oneValue = nest.steps.size() == 1 && rows.size() == static_cast<size_t>(numDims());
    if (!vectorizable) {
      vectorizable = oneValue && countChoicesByLane() <= 1 && planWindow(/*alongPositions=*/true);
      if (vectorizable)
        nest.kind = NestKind::Windows;
      return;
    }
    if (oneValue && planContraction(nest, type, analysis, features, tile, refused)) {
      nest.kind = sharesColumns() || !planWindow(/*alongPositions=*/true) ? NestKind::Contraction : NestKind::Windows;
      if (nest.kind == NestKind::Windows)
        nest.integer.reset();
    } else if (oneValue && (planWindow(/*alongPositions=*/false) || planWindow(/*alongPositions=*/true)))
      nest.kind = NestKind::Windows;
    else if (static_cast<int64_t>(rows.size()) < type.getRank() || isReadAlongLanes() || gathersTerms())
      nest.kind = NestKind::Columns;
  }

  // Whether rows of the contraction read what others read; else windows that lie over each other share more, also of
  // bytes: each column would be copied to scratch for one row.
  bool sharesColumns() const { return !nest.tileDims.empty() || tile.isSet(); }

  // Where elements of one vector come from different sources. Without masks LLVM 22 splits a masked load into an
  // unmasked one where it knows half of the mask.
  bool choosesByLane() const { return !features.masks && countChoicesByLane() > 0; }
  int64_t countChoicesByLane() const {
    return llvm::count_if(analysis.choices, [&](AffineExpr choice) {
      return choice.isFunctionOfSymbol(0) || (nest.laneDim && choice.isFunctionOfDim(*nest.laneDim));
    });
  }
  // Whether loops of bodies run differently often for the elements of one vector, or may do so.
  bool loopsByLane() const {
    return llvm::any_of(analysis.bounds, [&](AffineExpr bound) {
      bool varies = bound.isFunctionOfSymbol(0) || (nest.laneDim && bound.isFunctionOfDim(*nest.laneDim));
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
    for (RowStep &step : nest.steps)
      if (std::optional<unsigned> loop = step.isReduction ? getLoopOf(step, *nest.laneDim) : std::nullopt) {
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
    return llvm::any_of(nest.steps, [](RowStep &step) {
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
  bool planWindow(bool alongPositions) {
    SmallVector<unsigned> positions;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if ((alongPositions || dim != *nest.laneDim) && rows.contains(dim))
        positions.push_back(dim);
    SmallVector<unsigned> tileDims(positions);
    if (tileDims.size() > 2)
      tileDims.erase(tileDims.begin(), tileDims.end() - 2);
    RowStep &step = nest.steps.front();
    std::optional<WindowShape> shape = matchWindow(step, type, tileDims, *nest.laneDim);
    if (!shape || (!vectorizable && !isPaddedAlong(getWindowInput(step, tileDims).pad)))
      return false;
    nest.tileDims = tileDims;
    nest.batchDims.assign(positions.begin(), positions.end() - tileDims.size());
    nest.window = alongPositions ? configurePositionWindow(*shape, features) : configureWindow(*shape, features);
    return true;
  }

  void chooseDims() {
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      bool isRow = rows.contains(dim);
      if (nest.kind == NestKind::Elements)
        isRow = nest.laneDim != static_cast<unsigned>(dim);
      (isRow ? nest.rowDims : nest.innerDims).push_back(dim);
    }
    for (RowStep &step : nest.steps)
      if (!step.isReduction)
        step.position = rowPosition(step.op);
    if (nest.kind != NestKind::Rows)
      llvm::erase_if(nest.steps, [](const RowStep &step) { return !step.isReduction; });
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

  void collectRowLoads() {
    for (const Load &load : analysis.loads) {
      bool identity = static_cast<int64_t>(load.index.size()) == type.getRank();
      for (auto [i, expr] : llvm::enumerate(load.index))
        identity &= expr == getAffineDimExpr(i, expr.getContext());
      if (identity && isa<BlockArgument>(load.tensor) && !llvm::is_contained(nest.rowLoads, load.tensor))
        nest.rowLoads.push_back(load.tensor);
    }
  }

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

  bool planTranspose() {
    if (!vectorizable || !nest.laneDim)
      return false;
    for (const Load &load : analysis.loads) {
      std::optional<unsigned> dim = turnedDim(load);
      if (!dim || (!nest.turned.empty() && *dim != nest.turnedDim))
        continue;
      nest.turnedDim = *dim;
      nest.turned.push_back(load);
    }
    if (nest.turned.empty())
      return false;
    int64_t bytes = elementBytes(type.getElementType());
    for (const Load &load : nest.turned)
      bytes = std::max(bytes, elementBytes(cast<RankedTensorType>(load.tensor.getType()).getElementType()));
    SmallVector<unsigned> along = joinOpen(*nest.laneDim), turned = joinOpen(nest.turnedDim);
    nest.transpose = configureTranspose(turned.empty() ? sizeOf(type, nest.turnedDim) : Size(),
                                        along.empty() ? sizeOf(type, *nest.laneDim) : Size(), bytes, features);
    if (nest.transpose.tile == 0)
      return false;
    nest.joined = std::move(along);
    nest.turnedJoined = std::move(turned);
    nest.kind = NestKind::Transpose;
    return true;
  }

  // Dimensions before `base` whose sizes only the call knows, but which every operand walks alike.
  SmallVector<unsigned> joinOpen(unsigned base) const {
    SmallVector<unsigned> joined;
    std::optional<Walks> walks;
    for (unsigned dim = base; dim-- > 0;) {
      bool isOpen = type.isDynamicDim(dim) || type.isDynamicDim(dim + 1);
      bool isRow = nest.kind != NestKind::Columns || rows.contains(dim);
      if (!isOpen || !isRow || nest.apart.test(dim) || dim == nest.laneDim ||
          (!nest.turned.empty() && dim == nest.turnedDim))
        break;
      if (!walks)
        walks = collectWalks(nest.value, analysis);
      if (!walks || !areOne(*walks, dim))
        break;
      joined.push_back(dim);
    }
    return joined;
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
      nest.width = configureWidth(std::nullopt, elementBytes(type.getElementType()), features);
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
                                  elementBytes(type.getElementType()), features);
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
      nest.width = configureWidth(elements, elementBytes(type.getElementType()), features);
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
  const ContractionOverride &tile;
  std::string refused; // why the tile cannot be as it says
  RankedTensorType type;
  Nest nest;
  llvm::SmallSetVector<int64_t, 6> rows;
  bool simpleBodies = true, vectorizable = true;
};

} // namespace

FailureOr<Nest> mlir::heddle::codegen::planNest(Value value, const NestAnalysis &analysis,
                                                const cpu::CpuFeatures &features, const ContractionOverride &tile,
                                                llvm::SmallBitVector apart) {
  return NestPlanner(value, analysis, features, tile, std::move(apart)).run();
}
