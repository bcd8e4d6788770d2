// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/CPU/Contraction/Microkernels.h"

#include "compiler/Analysis/ProductFactors.h"
#include "compiler/Codegen/CPU/Contraction/NextColumns.h"
#include "compiler/Codegen/IR/KernelOps.h"
#include "compiler/Codegen/Plan/ContractionOperands.h"
#include "compiler/Codegen/Plan/Panels.h"
#include "compiler/Codegen/Plan/Sizes.h"
#include "compiler/Codegen/Plan/Window.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

namespace {

// The operands of a contraction's one multiply-add.
struct Factors {
  OpOperand *rows, *columns;
};

// `sum + row * column`, of floats, as they are or widened.
std::optional<Factors> findFactors(linalg::GenericOp op, unsigned lane) {
  const Structure structure = Structure::of(op);
  auto both = factorsOf(structure);
  if (!both || structure.arithmetic != Arithmetic::Float)
    return std::nullopt;
  Factors factors{};
  for (const ProductFactor &factor : *both) {
    if (factor.conversion && !isa<arith::ExtFOp>(factor.conversion))
      return std::nullopt;
    (dependsOn(factor.operand, lane) ? factors.columns : factors.rows) = factor.operand;
  }
  return factors.rows && factors.columns ? std::optional(factors) : std::nullopt;
}

bool startsFromZero(linalg::GenericOp op) {
  auto isZero = [](Value value) { return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero()); };
  Value init = op.getDpsInitOperand(0)->get();
  if (isZero(init))
    return true;
  Value element;
  if (auto fill = init.getDefiningOp<linalg::FillOp>())
    element = fill.getInputs().front();
  else if (auto generic = init.getDefiningOp<linalg::GenericOp>())
    element = generic.getBody()->getTerminator()->getOperand(0);
  if (auto argument = dyn_cast_or_null<BlockArgument>(element))
    if (auto generic = dyn_cast<linalg::GenericOp>(argument.getOwner()->getParentOp());
        generic && argument.getArgNumber() < generic.getNumDpsInputs())
      element = generic.getDpsInputOperand(argument.getArgNumber())->get();
  return element && isZero(element);
}

// Neighbours along the innermost of the loops are neighbours in memory, and from step to step of each other one the
// elements are as far apart.
bool isStridedAlong(AffineMap map, ArrayRef<unsigned> loops) {
  bool isLinear = true;
  for (AffineExpr index : map.getResults())
    index.walk([&](AffineExpr inner) {
      isLinear &= !llvm::is_contained({AffineExprKind::Mod, AffineExprKind::FloorDiv, AffineExprKind::CeilDiv},
                                      inner.getKind());
    });
  return isLinear && isContiguous(map, loops.back());
}

bool areWhole(const ContractionPlan &nest, int64_t panel) {
  int64_t tile = tileColumns(nest);
  return panel % nest.contraction.width == 0 && (tile % panel == 0 || panel % tile == 0);
}

// Products of floats.
bool isShareable(const ContractionPlan &nest, ArrayRef<unsigned> loops, unsigned lane) {
  linalg::GenericOp op = nest.step.op;
  std::optional<Factors> factors = findFactors(op, lane);
  if (!nest.contraction.paddedColumns || !factors || !isa<BlockArgument>(factors->rows->get()) ||
      !isa<BlockArgument>(factors->columns->get()))
    return false;
  Panels panels = panelsOf(*factors->columns, lane);
  return isStridedAlong(op.getMatchingIndexingMap(factors->rows), loops) && panels.arePlain() &&
         panels.endWith(lane, loops) && areWhole(nest, panels.columns);
}

// Products of bytes. The last tile of columns has no vectors past the last column.
bool areDotsShareable(const ContractionPlan &nest, ArrayRef<unsigned> loops, unsigned lane) {
  constexpr int64_t kGroup = 4;
  linalg::GenericOp op = nest.step.op;
  const IntegerContraction &form = *nest.integer;
  const ContractionConfig &config = nest.contraction;
  int64_t columns = cast<RankedTensorType>(nest.value.getType()).getDimSize(*nest.laneDim),
          vectors = llvm::divideCeil(columns, config.width);
  if (form.dot != cpu::IntegerDot::Quads || DotOperands::mustPackColumns(nest) || !nest.masks ||
      vectors % config.vectors != config.lastVectors ||
      (!config.copiesRows && !isStridedAlong(op.getMatchingIndexingMap(&op->getOpOperand(form.row)), loops)))
    return false;
  Panels panels = panelsOf(op->getOpOperand(form.column), lane);
  return panels.areGroups(kGroup, loops.back()) && panels.endWith(lane, loops) && areWhole(nest, form.panel);
}

// Products of columns that are decoded into scratch memory first.
bool areDecodedShareable(const ContractionPlan &nest) {
  linalg::GenericOp op = nest.step.op;
  std::optional<unsigned> run = nest.decoding->run;
  return run && isa<BlockArgument>(op->getOperand(*run)) && nest.contraction.packing == Packing::Always;
}

bool isOfWords(Value tensor) { // no bits that a conversion would move (codegen-move-as-integers)
  Type element = getElementTypeOrSelf(tensor.getType());
  return element.isF32() || element.isF64();
}

} // namespace

std::optional<int64_t> mlir::heddle::codegen::countEpilogue(Value value, linalg::GenericOp contraction) {
  Operation *def = value.getDefiningOp();
  if (!def || def == contraction || isa<tensor::EmptyOp>(def))
    return 0;
  auto generic = dyn_cast<linalg::GenericOp>(def);
  if (!generic || generic.getNumReductionLoops() > 0)
    return std::nullopt;
  int64_t ops = 0;
  for (Operation &inner : generic.getBody()->without_terminator()) {
    if (inner.getDialect() != contraction->getContext()->getLoadedDialect<arith::ArithDialect>())
      return std::nullopt;
    ops += !inner.hasTrait<OpTrait::ConstantLike>();
  }
  for (Value input : generic.getDpsInputs()) {
    std::optional<int64_t> more = isa<RankedTensorType>(input.getType()) ? countEpilogue(input, contraction) : 0;
    if (!more)
      return std::nullopt;
    ops += *more;
  }
  return ops;
}

// Whether a function may have it, for each vector of sums.
static bool isShortEpilogue(const ContractionPlan &nest, linalg::GenericOp contraction) {
  constexpr int64_t kMostOps = 8;
  std::optional<int64_t> ops = countEpilogue(nest.value, contraction);
  return ops && *ops <= kMostOps && isOfWords(nest.value) && isOfWords(contraction.getResult(0));
}

bool mlir::heddle::codegen::mayUseMicrokernel(const ContractionPlan &nest) {
  const ContractionConfig &config = nest.contraction;
  auto type = cast<RankedTensorType>(nest.value.getType());
  if (nest.tileDims.empty() || !config.sharesCode || (config.depth > 0 && !config.depthOutside) ||
      (!nest.packed.empty() && !nest.decoding) || nest.copied || config.prefetchResult || config.width < 2 ||
      config.rows() != config.tile.back() || config.rows() > kMostSharedRows || type.isDynamicDim(*nest.laneDim))
    return false;
  linalg::GenericOp op = nest.step.op;
  SmallVector<unsigned> loops;
  op.getReductionDims(loops);
  Size steps = staticReduction(op);
  bool isKnown = !type.isDynamicDim(nest.tileDims.back()); // then other code has bytes' sums in registers
  int64_t leastSteps = nest.integer && isKnown     ? kLeastStepsOfKnownRows
                       : config.rows() == 1        ? kLeastStepsOfOneRow
                       : nest.integer              ? kLeastSharedSteps
                       : isShortEpilogue(nest, op) ? kLeastSharedSteps
                                                   : kLeastStepsThroughMemory;
  if (loops.empty() || loops.size() > kMostSharedLoops || !startsFromZero(op) || (steps && *steps < leastSteps))
    return false;
  if (nest.decoding)
    return areDecodedShareable(nest);
  unsigned lane = *getLoopOf(nest.step, *nest.laneDim);
  return nest.integer ? areDotsShareable(nest, loops, lane) : isShareable(nest, loops, lane);
}

Microkernels::Microkernels(const ContractionIndex &place, const Buffer &output)
    : place(place), output(output), sums(linalg::GenericOp(place.op).getResult(0)),
      mayUse(mayUseMicrokernel(place.nest)) {
  const ContractionPlan &nest = place.nest;
  unsigned rank = cast<RankedTensorType>(nest.value.getType()).getRank();
  if (!mayUse || nest.integer || nest.decoding || nest.contraction.depth > 0 || !isShortEpilogue(nest, place.op) ||
      !collect(nest.value, AffineMap::getMultiDimIdentityMap(rank, nest.value.getContext())))
    return;
  auto lanes = llvm::find(output.dims, *nest.laneDim);
  if (lanes == output.dims.end() || getConstant(output.strides[lanes - output.dims.begin()]) != 1)
    return;
  isStored = nest.value == sums;
  if (!isStored) {
    function = emitEpilogue();
    isStored = function != nullptr;
  }
}

// The operands of the ops between the contraction and `value`, which is read at `map` of the nest's dimensions. Fails
// where one is read in another way than row by row, or in two ways.
bool Microkernels::collect(Value value, AffineMap map) {
  if (value == sums)
    return map.isIdentity();
  if (isa<BlockArgument>(value)) {
    bool isRow =
        map.getNumResults() > 0 && map.getResults().back() == getAffineDimExpr(*place.nest.laneDim, map.getContext());
    for (AffineExpr index : map.getResults().drop_back(isRow))
      isRow &= isa<AffineDimExpr, AffineConstantExpr>(index) && !index.isFunctionOfDim(*place.nest.laneDim);
    for (const Operand &operand : operands)
      if (operand.tensor == value)
        return isRow && operand.map == map;
    operands.push_back({value, map});
    return isRow && isOfWords(value);
  }
  auto generic = value.getDefiningOp<linalg::GenericOp>();
  if (!generic || generic.getNumResults() != 1 || generic.hasIndexSemantics() ||
      !generic.getIndexingMapsArray().back().isIdentity())
    return false;
  return llvm::all_of(generic.getDpsInputOperands(), [&](OpOperand *input) {
    return !isa<RankedTensorType>(input->get().getType()) ||
           collect(input->get(), generic.getMatchingIndexingMap(input).compose(map));
  });
}

// A function of vectors, named by what it computes.
func::FuncOp Microkernels::emitEpilogue() const {
  const ContractionPlan &nest = place.nest;
  int64_t width = nest.contraction.width;
  auto source = place.op->getParentOfType<func::FuncOp>();
  auto program = source->getParentOfType<kernel::ProgramOp>();
  if (!program)
    return nullptr;
  OpBuilder builder(source);
  Location loc = source.getLoc();
  auto vectorOf = [&](Value tensor) { return VectorType::get({width}, getElementTypeOrSelf(tensor.getType())); };
  SmallVector<Type> types{vectorOf(sums)};
  for (const Operand &operand : operands)
    types.push_back(vectorOf(operand.tensor));
  auto made = func::FuncOp::create(builder, loc, "epilogue", builder.getFunctionType(types, {vectorOf(nest.value)}));
  made.setPrivate();
  Block *block = made.addEntryBlock();
  builder.setInsertionPointToStart(block);
  ElementEmitter emitter(builder, loc, place.emitter.scalars);
  emitter.hasFma = place.emitter.hasFma;
  emitter.bind(sums, LaneValue::any(block->getArgument(0)));
  for (auto [operand, argument] : llvm::zip_equal(operands, block->getArguments().drop_front()))
    emitter.bind(operand.tensor, LaneValue::any(argument));
  emitter.lanes.width = width;
  SmallVector<LaneValue> index(cast<RankedTensorType>(nest.value.getType()).getRank(), emitter.lanes.constant(0));
  index[*nest.laneDim] = LaneValue::affine(index[*nest.laneDim].base, 1, width);
  Value result = emitter.lanes.toVector(emitter.evaluate(nest.value, index));
  func::ReturnOp::create(builder, loc, result);
  bool isWhole = !emitter.failed() && result.getType() == made.getResultTypes().front();
  made.walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      isWhole &= operand.getParentRegion() == &made.getBody();
  });
  if (!isWhole) {
    made.erase();
    return nullptr;
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  made->print(stream, OpPrintingFlags().printGenericOpForm().useLocalScope());
  std::string name = "epilogue_" + llvm::utohexstr(llvm::xxh3_64bits(text), /*LowerCase=*/true);
  if (auto same = program.lookupSymbol<func::FuncOp>(name)) {
    made.erase();
    return same;
  }
  made.setName(name);
  return made;
}

bool Microkernels::storesResult() const { return isStored && (!place.ragged || place.nest.masks); }

bool Microkernels::storesSums() const {
  Size steps = staticReduction(place.op);
  int64_t least = place.nest.integer ? kLeastSharedSteps : kLeastStepsThroughMemory;
  return mayUse && (!steps || *steps >= least);
}

SmallVector<LaneValue> Microkernels::indexAt(ArrayRef<Value> row) const {
  SmallVector<LaneValue> at = place.index;
  for (auto [dim, i] : llvm::zip_equal(place.nest.tileDims, row))
    at[dim] = LaneValue::uniform(i);
  at[*place.nest.laneDim] = LaneValue::uniform(place.firstColumn);
  return at;
}

void Microkernels::emitRows(const RowTile &tile, int64_t vectors) const {
  OpBuilder &builder = place.lanes.builder;
  SmallVector<Value> second(tile.begin);
  second.back() = builder.createOrFold<arith::AddIOp>(place.lanes.loc, second.back(), place.lanes.index(1));
  Target target{output.memory, place.emitter.locateIn(output, indexAt(tile.begin)), {}, {}};
  target.stride = builder.createOrFold<arith::SubIOp>(place.lanes.loc, place.emitter.locateIn(output, indexAt(second)),
                                                      target.offset);
  if (place.ragged)
    target.last = builder.createOrFold<arith::SubIOp>(place.lanes.loc, place.columnsLeft,
                                                      place.lanes.index((vectors - 1) * place.nest.contraction.width));
  emit(tile, vectors, target, /*epilogue=*/true);
}

void Microkernels::emitSums(const RowTile &tile, int64_t vectors, Value memory, DotProducts *products,
                            Value panel) const {
  Target target{memory, place.lanes.index(0), place.lanes.index(vectors * place.nest.contraction.width), {}};
  if (place.nest.decoding)
    return emitDecoded(tile, vectors, target, panel);
  products ? emitDots(tile, vectors, target, *products) : emit(tile, vectors, target, /*epilogue=*/false);
}

// What is left of known rows behind full tiles.
IntegerAttr Microkernels::restOf() const {
  std::optional<int64_t> rows = getConstant(place.space.rowSizes.back());
  return rows ? place.lanes.builder.getI64IntegerAttr(*rows % place.nest.contraction.rows()) : nullptr;
}

void Microkernels::emitDots(const RowTile &tile, int64_t vectors, const Target &target, DotProducts &products) const {
  LaneBuilder &lanes = place.lanes;
  const IntegerContraction &form = *place.nest.integer;
  SmallVector<Value> second(tile.begin);
  second.back() = lanes.builder.createOrFold<arith::AddIOp>(lanes.loc, second.back(), lanes.index(1));
  auto [rows, columns, walk, first] =
      products.locate(place.tileDims(tile.begin), place.tileDims(second), place.slotOf(tile.begin));
  Value panelStride = panelStrideOf(place.op->getOpOperand(form.column));
  kernel::MicrokernelOp::create(lanes.builder, lanes.loc, tile.count.back(), rows.memory, rows.offset, rows.stride,
                                columns.memory, columns.offset, panelStride, walk.sizes, walk.strides, ValueRange(),
                                first, target.memory, target.offset, target.stride, target.last, ValueRange(),
                                ValueRange(), ValueRange(), FlatSymbolRefAttr(), form.rowPartsAreSigned(),
                                form.columnPartsAreSigned(), restOf(), place.nest.contraction.rows(), vectors,
                                place.nest.contraction.width, form.panel);
}

Value Microkernels::addAddress(OpOperand &operand, ArrayRef<LaneValue> dims, Value &memory) const {
  linalg::GenericOp op = place.op;
  auto found = place.emitter.locate(operand.get(), place.applyMap(op.getMatchingIndexingMap(&operand), dims));
  memory = found->first;
  return found->second;
}

// Of all that memory holds, which may be more than is reduced here.
Value Microkernels::panelStrideOf(OpOperand &columns) const {
  linalg::GenericOp op = place.op;
  AffineMap map = op.getMatchingIndexingMap(&columns);
  std::optional<Buffer> buffer = place.emitter.findBuffer(columns.get());
  for (auto [dim, stride] : llvm::zip_equal(buffer->dims, buffer->strides))
    if (map.getResult(dim).isFunctionOfDim(place.laneLoop()))
      return stride; // the first such dimension counts panels
  llvm_unreachable("columns are in panels");
}

// Of the first row of the tile, where the place's depth begins.
Microkernels::Rows Microkernels::locateRows(OpOperand &operand, const RowTile &tile) const {
  LaneBuilder &lanes = place.lanes;
  OpBuilder &builder = lanes.builder;
  auto sub = [&](Value a, Value b) { return builder.createOrFold<arith::SubIOp>(lanes.loc, a, b); };
  SmallVector<Value> second(tile.begin);
  second.back() = builder.createOrFold<arith::AddIOp>(lanes.loc, second.back(), lanes.index(1));
  SmallVector<LaneValue> first = place.tileDims(tile.begin);
  Rows rows;
  rows.offset = addAddress(operand, first, rows.memory);
  rows.stride = sub(addAddress(operand, place.tileDims(second), rows.memory), rows.offset);
  for (unsigned loop : ArrayRef(place.reductions).drop_back()) {
    SmallVector<LaneValue> after(first);
    after[loop] = lanes.add(after[loop], lanes.constant(1));
    rows.strides.push_back(sub(addAddress(operand, after, rows.memory), rows.offset));
  }
  return rows;
}

// The panel has a row for each term, and a row's elements for them follow one another: each is a step.
void Microkernels::emitDecoded(const RowTile &tile, int64_t vectors, const Target &target, Value panel) const {
  LaneBuilder &lanes = place.lanes;
  const ContractionPlan &nest = place.nest;
  linalg::GenericOp op = place.op;
  Rows rows = locateRows(op->getOpOperand(*nest.decoding->run), tile);
  SmallVector<Value> steps(place.depthExtents);
  steps.back() =
      lanes.builder.createOrFold<arith::MulIOp>(lanes.loc, steps.back(), lanes.index(nest.decoding->terms.size()));
  Value none = lanes.index(0);
  kernel::MicrokernelOp::create(lanes.builder, lanes.loc, tile.count.back(), rows.memory, rows.offset, rows.stride,
                                panel, none, /*panel_stride=*/none, steps, rows.strides, ValueRange(),
                                /*first=*/Value(), target.memory, target.offset, target.stride, target.last,
                                ValueRange(), ValueRange(), ValueRange(), FlatSymbolRefAttr(), /*row_signed=*/false,
                                /*column_signed=*/false, restOf(), nest.contraction.rows(), vectors,
                                nest.contraction.width, tileColumns(nest));
}

void Microkernels::emit(const RowTile &tile, int64_t vectors, const Target &target, bool epilogue) const {
  LaneBuilder &lanes = place.lanes;
  OpBuilder &builder = lanes.builder;
  linalg::GenericOp op = place.op;
  const ContractionConfig &config = place.nest.contraction;
  Factors factors = *findFactors(op, place.laneLoop());
  int64_t panel = panelsOf(*factors.columns, place.laneLoop()).columns;
  auto sub = [&](Value a, Value b) { return builder.createOrFold<arith::SubIOp>(lanes.loc, a, b); };
  auto add = [&](Value a, Value b) { return builder.createOrFold<arith::AddIOp>(lanes.loc, a, b); };
  SmallVector<Value> second(tile.begin);
  second.back() = add(second.back(), lanes.index(1));
  SmallVector<LaneValue> first = place.tileDims(tile.begin);
  Rows rows = locateRows(*factors.rows, tile);
  Value columns;
  SmallVector<Value> next, memories, offsets, rowStrides;
  auto columnAt = [&](int64_t column) {
    first[place.laneLoop()] = LaneValue::affine(add(place.firstColumn, lanes.index(column)), 0, config.width);
    return addAddress(*factors.columns, first, columns);
  };
  Value columnOffset = columnAt(0);
  FunctionScalars &scalars = place.emitter.scalars;
  Value steps = scalars.product(place.extents);
  Value panelStride = panelStrideOf(*factors.columns);
  if (config.depthOutside) {
    NextColumns block(place);
    int64_t lines = block.linesOfBlock() * panel;
    first[place.laneLoop()] = LaneValue::affine(block.firstOfBlock(tile), 0, config.width);
    unsigned cut = place.reductions[place.depthCut];
    first[cut] = lanes.add(first[cut], LaneValue::uniform(place.depthExtents[place.depthCut]));
    next = {addAddress(*factors.columns, first, columns), lanes.index(lines)};
  } else if (config.prefetchNext) {
    int64_t share = llvm::divideCeil(config.rows() * tileColumns(place.nest), config.blockRows());
    Value done = sub(tile.begin.back(), place.blockBegin.back());
    Value skipped = builder.createOrFold<arith::DivUIOp>(lanes.loc, done, lanes.index(config.rows()));
    skipped = builder.createOrFold<arith::MulIOp>(lanes.loc, skipped, steps);
    skipped = builder.createOrFold<arith::MulIOp>(lanes.loc, skipped, lanes.index(share));
    next = {add(columnAt(tileColumns(place.nest)), skipped), lanes.index(share)};
  }
  if (epilogue)
    for (const Operand &operand : operands) {
      auto at = place.emitter.locate(operand.tensor, place.applyMap(operand.map, indexAt(tile.begin)));
      auto after = place.emitter.locate(operand.tensor, place.applyMap(operand.map, indexAt(second)));
      memories.push_back(at->first);
      offsets.push_back(at->second);
      rowStrides.push_back(sub(after->second, at->second));
    }
  FlatSymbolRefAttr name =
      epilogue && function ? FlatSymbolRefAttr::get(place.op->getContext(), func::FuncOp(function).getName()) : nullptr;
  kernel::MicrokernelOp::create(builder, lanes.loc, tile.count.back(), rows.memory, rows.offset, rows.stride, columns,
                                columnOffset, panelStride, place.depthExtents, rows.strides, next, /*first=*/Value(),
                                target.memory, target.offset, target.stride, target.last, memories, offsets, rowStrides,
                                name, /*row_signed=*/false, /*column_signed=*/false, restOf(), config.rows(), vectors,
                                config.width, panel);
}
