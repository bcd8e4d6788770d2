// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Plan/ContractionPlanner.h"

#include "compiler/Codegen/CPU/DepthBlocks.h"
#include "compiler/Codegen/CPU/DotOperands.h"
#include "compiler/Codegen/CPU/RowCopy.h"
#include "compiler/Codegen/Plan/ContractionOperands.h"
#include "compiler/Codegen/Plan/NestPlanner.h"
#include "compiler/Codegen/Plan/Window.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

namespace {

class ContractionPlanner {
public:
  ContractionPlanner(Nest &nest, RankedTensorType type, const NestAnalysis &analysis, const cpu::CpuFeatures &features,
                     const ContractionOverride &tile, std::string &refused)
      : nest(nest), type(type), analysis(analysis), features(features), tile(tile), refused(refused) {}

  bool run() {
    RowStep &step = nest.steps.front();
    std::optional<unsigned> lane = getLoopOf(step, *nest.laneDim);
    if (!lane || !type.getElementType().isIntOrFloat() || step.op.getNumDpsInits() != 1)
      return false;
    SmallVector<OpOperand *> columns, others;
    for (OpOperand *input : step.op.getDpsInputOperands())
      if (!step.op.getMatchingBlockArgument(input).use_empty()) // a pool's operand that only gives the window's size
        (dependsOn(step.op.getMatchingIndexingMap(input), *lane) ? columns : others).push_back(input);
    if (columns.empty() || others.empty())
      return false;
    auto mapOf = [&](OpOperand *input) { return step.op.getMatchingIndexingMap(input); };
    int64_t panel = columns.size() == 1 ? panelOf(mapOf(columns.front()), *lane) : 0;
    bool contiguous =
        panel > 0 || llvm::all_of(columns, [&](OpOperand *input) { return isContiguous(mapOf(input), *lane); });
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      std::optional<unsigned> loop = getLoopOf(step, dim);
      auto uses = [&](OpOperand *input) { return dependsOn(step.op.getMatchingIndexingMap(input), *loop); };
      if (!loop || dim == *nest.laneDim)
        continue;
      if (llvm::any_of(columns, uses))
        nest.batchDims.push_back(dim);
      else if (type.getDimSize(dim) != 1)
        nest.tileDims.push_back(dim);
    }
    nest.integer = matchIntegerContraction(step.op, *lane, features.dot);
    if (nest.tileDims.empty() && !contiguous && !nest.integer)
      return false;
    Type element = cast<RankedTensorType>(step.op->getResult(0).getType()).getElementType();
    if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() < 8)
      return false;
    ContractionShape shape;
    for (unsigned dim : nest.tileDims)
      shape.m.push_back(sizeOf(type, dim));
    shape.n = sizeOf(type, *nest.laneDim);
    shape.elementBytes = elementBytes(element);
    shape.columnsContiguous = nest.integer ? nest.integer->panel > 0 : contiguous; // else they are packed
    shape.k = staticReduction(step.op);
    shape.blocks = !nest.integer && canSumInBlocks(step.op);
    shape.functions = llvm::any_of(analysis.ops, [](const NeededOp &needed) { return !needed.isReduction; });
    shape.panel = panel;
    shape.integer = nest.integer.has_value();
    shape.rowsCopied = nest.integer && DotOperands::mustPackRows(nest);
    auto columnType = cast<RankedTensorType>(columns.front()->get().getType());
    if (columnType.getRank() > 0 && !columnType.isDynamicDim(columnType.getRank() - 1))
      shape.columnStride = columnType.getShape().back() * elementBytes(columnType.getElementType());
    if (others.size() == 1 && !nest.tileDims.empty())
      setRows(shape, *others.front(), step);
    if (!nest.integer)
      shape.body = describeBody(step.op, *lane);
    refused = explainRefused(shape, features, tile);
    configure(nest, shape, columns, others);
    planFewRows(shape, columns, others);
    planFewColumns(shape, columns, others);
    return true;
  }

private:
  void configure(Nest &target, const ContractionShape &shape, ArrayRef<OpOperand *> columns,
                 ArrayRef<OpOperand *> others) const {
    target.contraction = configureContraction(shape, features, refused.empty() ? tile : ContractionOverride());
    if (target.integer && tile.tile.empty() && tile.vectors == 0 && tile.block.empty())
      chooseTileRegisters(target, shape);
    if (target.contraction.copiesRows && !target.integer)
      target.copied = others.front()->getOperandNumber();
    if (target.contraction.packing != Packing::Never && !target.integer)
      for (OpOperand *input : columns)
        target.packed.push_back(input->getOperandNumber());
  }

  // The row classes, where no number of rows is known: numbers from one row on, as long as tiles made for them are
  // clearly better. `shape`: that of many rows, for which the nest is configured.
  void planFewRows(ContractionShape shape, ArrayRef<OpOperand *> columns, ArrayRef<OpOperand *> others) {
    if (shape.m.empty() || tile.isSet() || llvm::any_of(shape.m, [](Size size) { return size.has_value(); }))
      return;
    for (int64_t rows = 1; rows < nest.contraction.rows(); ++rows) {
      shape.m.assign(shape.m.size(), 1);
      shape.m.back() = rows;
      Nest few; // the rest of it is the nest's: finishRowClasses
      few.steps = nest.steps;
      few.integer = nest.integer;
      if (few.integer)
        few.integer->dot = features.dot;
      configure(few, shape, columns, others);
      few.mostRows = rows;
      bool usesTiles = few.integer && few.integer->dot == cpu::IntegerDot::Tiles;
      bool avoidsTiles = nest.integer && nest.integer->dot == cpu::IntegerDot::Tiles && !usesTiles;
      if (usesTiles || (!avoidsTiles && !isCheaperForRows(rows, shape.body, few.contraction, nest.contraction)))
        return;
      if (!nest.fewer.empty() && nest.fewer.back().contraction.vectors == few.contraction.vectors)
        nest.fewer.back() = std::move(few);
      else
        nest.fewer.push_back(std::move(few));
    }
  }

  // The class of at most one vector of columns, where only the call knows their number: of a tile of several vectors
  // all but the first would be masked. Of plain products, and where the last vector has a mask.
  void planFewColumns(ContractionShape shape, ArrayRef<OpOperand *> columns, ArrayRef<OpOperand *> others) {
    linalg::GenericOp op = nest.steps.front().op;
    auto isPlain = [&](OpOperand *input) { return op.getMatchingIndexingMap(input).isProjectedPermutation(); };
    if (shape.n || shape.m.empty() || tile.isSet() || nest.integer || !features.masks || nest.contraction.vectors < 2 ||
        op.getNumReductionLoops() != 1 || !llvm::all_of(op.getDpsInputOperands(), isPlain))
      return;
    shape.n = nest.contraction.width;
    Nest few; // the rest of it is the nest's: finishRowClasses
    few.steps = nest.steps;
    configure(few, shape, columns, others);
    few.mostColumns = *shape.n;
    nest.fewer.insert(nest.fewer.begin(), std::move(few));
  }

  void setRows(ContractionShape &shape, OpOperand &rows, const RowStep &step) {
    SmallVector<unsigned> loops;
    for (unsigned dim : nest.tileDims)
      loops.push_back(*getLoopOf(step, dim));
    shape.rowStride = getByteStride(rows, loops.back());
    shape.rowBytes = copyableRowBytes(rows, loops);
  }

  void chooseTileRegisters(Nest &target, ContractionShape shape) const {
    shape.k = innermostReduction(target.steps.front().op);
    if (auto config = configureByteTiles(shape, features)) {
      target.contraction = *config;
      target.integer->dot = cpu::IntegerDot::Tiles;
    }
  }

  Nest &nest;
  RankedTensorType type;
  const NestAnalysis &analysis;
  const cpu::CpuFeatures &features;
  const ContractionOverride &tile;
  std::string &refused;
};

} // namespace

bool mlir::heddle::codegen::planContraction(Nest &nest, RankedTensorType type, const NestAnalysis &analysis,
                                            const cpu::CpuFeatures &features, const ContractionOverride &tile,
                                            std::string &refused) {
  return ContractionPlanner(nest, type, analysis, features, tile, refused).run();
}
