// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Plan/ContractionPlanner.h"

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
    // Operands that are read together, as quantised weights with their scales: panels are theirs if they have equal
    // ones.
    int64_t panel = panelOf(mapOf(columns.front()), *lane);
    if (!llvm::all_of(columns, [&](OpOperand *input) { return panelOf(mapOf(input), *lane) == panel; }))
      panel = 0;
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
    shape.functions = llvm::any_of(analysis.ops, [](const NeededOp &needed) { return !needed.isReduction; });
    shape.panel = panel;
    shape.integer = nest.integer.has_value();
    shape.rowsCopied = nest.integer && DotOperands::mustPackRows(nest);
    auto columnType = cast<RankedTensorType>(columns.front()->get().getType());
    if (columnType.getRank() > 0 && !columnType.isDynamicDim(columnType.getRank() - 1))
      shape.columnStride = columnType.getShape().back() * elementBytes(columnType.getElementType());
    bool isOneTensor = llvm::all_of(others, [&](OpOperand *input) { return input->get() == others.front()->get(); });
    if (isOneTensor && !nest.tileDims.empty())
      setRows(shape, *others.front(), step);
    if (!nest.integer)
      shape.body = describeBody(step.op, *lane);
    configureAll(shape, *lane, columns, others);
    return true;
  }

private:
  // The tiles of the nest and of its classes.
  void configureAll(const ContractionShape &shape, unsigned lane, ArrayRef<OpOperand *> columns,
                    ArrayRef<OpOperand *> others) {
    auto decoding = nest.integer ? std::nullopt : matchDecodedColumns(nest.steps.front().op, lane);
    const ContractionShape decoded = decoding ? decodedShape(shape, *decoding) : shape;
    bool decodes = decoding && paysToDecode(decoded);
    refused = explainRefused(decodes ? decoded : shape, features, tile);
    configure(nest, decodes ? decoded : shape, columns, others);
    if (decodes)
      nest.decoding = *decoding;
    else if (decoding)
      sumBlocks(nest, *decoding);
    planFewRows(shape, columns, others, decoding);
    planFewColumns(shape, columns, others);
  }

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
  void planFewRows(ContractionShape shape, ArrayRef<OpOperand *> columns, ArrayRef<OpOperand *> others,
                   const std::optional<DecodedColumns> &decoding) {
    if (shape.m.empty() || tile.isSet() || llvm::any_of(shape.m, [](Size size) { return size.has_value(); }))
      return;
    const ContractionShape open = shape;
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
      if (decoding)
        sumBlocks(few, *decoding);
      bool isClass = nest.decoding
                         ? rows < kDecodedRows
                         : avoidsTiles || isCheaperForRows(rows, shape.body, few.contraction, nest.contraction);
      if (usesTiles || !isClass)
        break;
      if (!nest.fewer.empty() && nest.fewer.back().contraction.vectors == few.contraction.vectors)
        nest.fewer.back() = std::move(few);
      else
        nest.fewer.push_back(std::move(few));
    }
    if (nest.decoding)
      planSeveralRows(open, columns, others, *decoding);
  }

  // More rows than few, which do not pay to decode a tile's columns first.
  void planSeveralRows(const ContractionShape &shape, ArrayRef<OpOperand *> columns, ArrayRef<OpOperand *> others,
                       const DecodedColumns &decoding) {
    Nest several; // the rest of it is the nest's: finishRowClasses
    several.steps = nest.steps;
    configure(several, shape, columns, others);
    sumBlocks(several, decoding);
    several.mostRows = kFewestToDecode - 1;
    nest.fewer.push_back(std::move(several));
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

  // Of the product once its columns are decoded: floats in scratch.
  static ContractionShape decodedShape(ContractionShape shape, const DecodedColumns &decoding) {
    shape.k = shape.k ? Size(*shape.k * static_cast<int64_t>(decoding.terms.size())) : shape.k;
    shape.columnsContiguous = false;
    shape.columnStride = {};
    shape.panel = 0;
    shape.body = {};
    return shape;
  }

  // Rows from which on a tile's columns are decoded into scratch first.
  static constexpr int64_t kFewestToDecode = 32;

  // Without masks tiles have to end with
  // the columns.
  bool paysToDecode(const ContractionShape &decoded) const {
    int64_t rows = 1;
    for (Size size : decoded.m)
      rows = !size || rows < 0 ? -1 : rows * *size;
    ContractionConfig config = configureContraction(decoded, features, tile);
    bool ends = decoded.n && *decoded.n % (config.width * config.vectors) == 0;
    return !nest.tileDims.empty() && (rows < 0 || rows >= kFewestToDecode) && (features.masks || ends);
  }

  // Where columns are decoded as they are read: blocks are summed by themselves if there are registers for it; those of
  // the whole sums are free while a block is summed.
  void sumBlocks(Nest &target, const DecodedColumns &decoding) const {
    const ContractionConfig &config = target.contraction;
    int64_t terms = decoding.terms.size(), sums = config.rows() * config.vectors;
    if (decoding.scaleOfBlocks && config.packing == Packing::Never &&
        sums + (config.rows() + 1) * terms + 2 <= features.vectorRegisters)
      target.decoding = decoding;
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
