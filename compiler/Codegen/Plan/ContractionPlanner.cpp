// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Plan/ContractionPlanner.h"

#include "compiler/Analysis/StorageBytes.h"
#include "compiler/Codegen/Plan/Combiner.h"
#include "compiler/Codegen/Plan/ContractionOperands.h"
#include "compiler/Codegen/Plan/DotRows.h"
#include "compiler/Codegen/Plan/Panels.h"
#include "compiler/Codegen/Plan/Sizes.h"
#include "compiler/Codegen/Plan/Window.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

namespace {

class ContractionPlanner {
public:
  ContractionPlanner(const PlanCommon &common, const RowStep &step, const NestAnalysis &analysis,
                     const cpu::CpuFeatures &features, const ContractionOverride &tile)
      : type(cast<RankedTensorType>(common.value.getType())), analysis(analysis), features(features), tile(tile) {
    static_cast<PlanCommon &>(nest) = common;
    nest.step = step;
  }

  std::optional<PlannedContraction> run() {
    if (!plan())
      return std::nullopt;
    return PlannedContraction{std::move(nest), std::move(fewer), std::move(refused)};
  }

private:
  bool plan() {
    RowStep &step = nest.step;
    std::optional<unsigned> lane = getLoopOf(step, *nest.laneDim);
    if (!lane || !type.getElementType().isIntOrFloat() || step.op.getNumDpsInits() != 1)
      return false;
    std::optional<SplitOperands> split = splitOperands(step.op, *lane);
    if (!split)
      return false;
    ArrayRef<OpOperand *> columns = split->columns, others = split->others;
    auto mapOf = [&](OpOperand *input) { return step.op.getMatchingIndexingMap(input); };
    int64_t panel = panelOfAll(columns, *lane);
    bool contiguous =
        panel > 0 || llvm::all_of(columns, [&](OpOperand *input) { return isContiguous(mapOf(input), *lane); });
    sortDims(columns);
    nest.rounded = findRoundedProduct(step.op, *lane, features);
    nest.integer = findIntegerContraction(step.op, *lane, features);
    if (nest.integer && nest.integer->isFloat && nest.integer->panel == 0 && panel > 0 && hasFewRows())
      nest.integer.reset(); // widened as they are read
    if (nest.rounded) {
      panel = nest.rounded->panel;
      contiguous = true;
    }
    if (nest.tileDims.empty() && !contiguous && !nest.integer)
      return false;
    Type element = cast<RankedTensorType>(step.op->getResult(0).getType()).getElementType();
    if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() < 8)
      return false;
    ContractionShape shape;
    for (unsigned dim : nest.tileDims)
      shape.m.push_back(sizeOf(type, dim));
    shape.n = sizeOf(type, *nest.laneDim);
    shape.elementBytes = storageBytes(element);
    shape.columnsContiguous = nest.integer ? nest.integer->panel > 0 : contiguous; // else they are packed
    shape.k = staticReduction(step.op);
    shape.blocks = !nest.integer && canSumInBlocks(step.op);
    shape.functions = llvm::any_of(analysis.ops, [](const NeededOp &needed) { return !needed.isReduction; });
    shape.panel = panel;
    shape.integer = nest.integer.has_value();
    shape.dotGroup = nest.integer ? nest.integer->storedGroup() : 1;
    shape.rowsCopied = nest.integer && mustPackRows(nest);
    auto columnType = cast<RankedTensorType>(columns.front()->get().getType());
    if (columnType.getRank() > 0 && !columnType.isDynamicDim(columnType.getRank() - 1))
      shape.columnStride = columnType.getShape().back() * storageBytes(columnType.getElementType());
    bool isOneTensor = llvm::all_of(others, [&](OpOperand *input) { return input->get() == others.front()->get(); });
    if (isOneTensor && !nest.tileDims.empty())
      setRows(shape, *others.front(), step);
    if (nest.rounded) {
      shape.blocks = false;
      shape.columnStride = {};
      configureRoundedRows(shape);
      return true;
    }
    if (!nest.integer)
      shape.body = describeBody(step.op, *lane);
    configureAll(shape, *lane, columns, others);
    return true;
  }

  // The columns of a panel; 0 where there are none. Operands that are read together, as quantised weights with their
  // scales, are in panels if these are equal.
  static int64_t panelOfAll(ArrayRef<OpOperand *> columns, unsigned lane) {
    int64_t panel = panelsOf(*columns.front(), lane).columns;
    bool areEqual = llvm::all_of(columns, [&](OpOperand *input) {
      Panels panels = panelsOf(*input, lane);
      return panels.arePlain() && panels.columns == panel;
    });
    return areEqual ? panel : 0;
  }

  // The result's dimensions but the lanes': those that the columns have, and those that tiles have.
  void sortDims(ArrayRef<OpOperand *> columns) {
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      std::optional<unsigned> loop = getLoopOf(nest.step, dim);
      auto uses = [&](OpOperand *input) { return dependsOn(input, *loop); };
      if (!loop || dim == *nest.laneDim)
        continue;
      if (llvm::any_of(columns, uses))
        nest.batchDims.push_back(dim);
      else if (type.getDimSize(dim) != 1)
        nest.tileDims.push_back(dim);
    }
  }

  // Whether copying columns of bf16 in pairs, for dot products, takes longer than these spare: rows that are known.
  bool hasFewRows() const {
    constexpr int64_t kFewestToCopy = 64;
    int64_t rows = 1;
    for (unsigned dim : nest.tileDims)
      rows *= type.isDynamicDim(dim) ? kFewestToCopy : type.getDimSize(dim);
    return rows < kFewestToCopy;
  }

  // Tiles of rounded rows; of one row, where only the call knows how many there are.
  void configureRoundedRows(ContractionShape shape) {
    auto configureFor = [&](ContractionPlan &target, const ContractionShape &of) {
      ContractionOverride chosen = tile.isSet() ? tile : configureRounded(*target.rounded, of, features);
      target.contraction = configureContraction(of, features, chosen);
      target.contraction.sharesCode = target.contraction.prefetchNext = false;
    };
    refused = explainRefused(shape, features, tile);
    configureFor(nest, shape);
    if (shape.m.empty() || tile.isSet() || llvm::any_of(shape.m, [](Size size) { return size.has_value(); }))
      return;
    shape.m.assign(shape.m.size(), 1);
    ContractionPlan few = likeNest();
    configureFor(few, shape);
    fewer.push_back({1, 0, std::move(few)});
  }

  // The tiles of the nest and of its classes.
  void configureAll(ContractionShape shape, unsigned lane, ArrayRef<OpOperand *> columns,
                    ArrayRef<OpOperand *> others) {
    auto decoding = nest.integer ? std::nullopt : findDecodedColumns(nest.step.op, lane);
    const ContractionShape decoded = decoding ? decodedShape(shape, *decoding) : shape;
    shape.blocks &= !decoding; // sums of columns decoded where they are read have blocks of their own
    bool decodes = decoding && paysToDecode(decoded);
    refused = explainRefused(decodes ? decoded : shape, features, tile);
    configure(nest, decodes ? decoded : shape, columns, others);
    if (decodes)
      decodeBlocks(*decoding);
    else if (decoding)
      sumBlocks(nest, *decoding);
    planFewRows(shape, columns, others, decoding);
    planFewColumns(shape, columns, others);
  }

  void configure(ContractionPlan &target, const ContractionShape &shape, ArrayRef<OpOperand *> columns,
                 ArrayRef<OpOperand *> others) const {
    target.contraction = configureContraction(shape, features, refused.empty() ? tile : ContractionOverride());
    if (target.integer && tile.tile.empty() && tile.vectors == 0 && tile.block.empty())
      chooseTileRegisters(target, shape);
    auto isHalf = [](OpOperand *input) { return getElementTypeOrSelf(input->get()).isF16(); };
    target.contraction.sharesCode =
        features.halfConversions || !llvm::any_of(llvm::concat<OpOperand *const>(columns, others), isHalf);
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
      ContractionPlan few = likeNest();
      if (few.integer)
        few.integer->dot = few.integer->isFloat ? cpu::IntegerDot::Pairs : features.dot;
      configure(few, shape, columns, others);
      bool usesTiles = few.integer && few.integer->dot == cpu::IntegerDot::Tiles;
      bool avoidsTiles = nest.integer && nest.integer->dot == cpu::IntegerDot::Tiles && !usesTiles;
      if (decoding)
        sumBlocks(few, *decoding);
      bool isClass = nest.decoding
                         ? rows < kDecodedRows
                         : avoidsTiles || isCheaperForRows(rows, shape.body, few.contraction, nest.contraction);
      if (usesTiles || !isClass)
        break;
      if (!fewer.empty() && std::get<ContractionPlan>(fewer.back().plan).contraction.vectors == few.contraction.vectors)
        fewer.pop_back();
      fewer.push_back({rows, 0, std::move(few)});
    }
    if (nest.decoding)
      planSeveralRows(open, columns, others, *decoding);
  }

  // More rows than few, which do not pay to decode a tile's columns first.
  void planSeveralRows(const ContractionShape &shape, ArrayRef<OpOperand *> columns, ArrayRef<OpOperand *> others,
                       const DecodedColumns &decoding) {
    ContractionPlan several = likeNest();
    configure(several, shape, columns, others);
    sumBlocks(several, decoding);
    fewer.push_back({kFewestToDecode - 1, 0, std::move(several)});
  }

  // The nest before its tiles are chosen.
  ContractionPlan likeNest() const {
    ContractionPlan few = nest;
    few.packed.clear();
    few.copied.reset();
    few.decoding.reset();
    return few;
  }

  // The class of at most one vector of columns, where only the call knows their number: of a tile of several vectors
  // all but the first would be masked. Of plain products, and where the last vector has a mask.
  void planFewColumns(ContractionShape shape, ArrayRef<OpOperand *> columns, ArrayRef<OpOperand *> others) {
    linalg::GenericOp op = nest.step.op;
    auto isPlain = [&](OpOperand *input) { return op.getMatchingIndexingMap(input).isProjectedPermutation(); };
    if (shape.n || shape.m.empty() || tile.isSet() || nest.integer || !features.masks || nest.contraction.vectors < 2 ||
        op.getNumReductionLoops() != 1 || !llvm::all_of(op.getDpsInputOperands(), isPlain))
      return;
    shape.n = nest.contraction.width;
    ContractionPlan few = likeNest();
    configure(few, shape, columns, others);
    fewer.insert(fewer.begin(), {0, *shape.n, std::move(few)});
  }

  // Of the product once its columns are decoded: floats in scratch.
  static ContractionShape decodedShape(ContractionShape shape, const DecodedColumns &decoding) {
    shape.k = shape.k ? Size(*shape.k * static_cast<int64_t>(decoding.terms.size())) : shape.k;
    shape.columnsContiguous = false;
    shape.columnStride = {};
    shape.panel = 0;
    shape.body = {};
    shape.decoded = true;
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

  // A tile's columns are decoded first, a block of the reduction at a time: its steps are those of the op's loops.
  void decodeBlocks(const DecodedColumns &decoding) {
    nest.decoding = decoding;
    nest.contraction.depth /= static_cast<int64_t>(decoding.terms.size());
  }

  // Where columns are decoded as they are read: blocks are summed by themselves if there are registers for it; those of
  // the whole sums are free while a block is summed.
  void sumBlocks(ContractionPlan &target, const DecodedColumns &decoding) const {
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

  void chooseTileRegisters(ContractionPlan &target, ContractionShape shape) const {
    shape.k = innermostReduction(target.step.op);
    if (auto config = configureByteTiles(shape, features)) {
      target.contraction = *config;
      target.integer->dot = cpu::IntegerDot::Tiles;
    }
  }

  ContractionPlan nest;
  std::vector<RowClass> fewer;
  std::string refused;
  RankedTensorType type;
  const NestAnalysis &analysis;
  const cpu::CpuFeatures &features;
  const ContractionOverride &tile;
};

} // namespace

std::optional<PlannedContraction> mlir::heddle::codegen::planContraction(const PlanCommon &common, const RowStep &step,
                                                                         const NestAnalysis &analysis,
                                                                         const cpu::CpuFeatures &features,
                                                                         const ContractionOverride &tile) {
  return ContractionPlanner(common, step, analysis, features, tile).run();
}
