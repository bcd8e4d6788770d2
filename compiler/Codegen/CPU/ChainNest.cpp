// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/CPU/ChainNest.h"

#include "compiler/Codegen/CPU/ContractionSpace.h"
#include "compiler/Codegen/IR/KernelOps.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

//===--- Plan ----------------------------------------------------------------------------------------------------===//

std::optional<ChainMatch> mlir::heddle::codegen::matchChain(Value value, const NestAnalysis &analysis,
                                                            const DenseSet<Operation *> &staged) {
  ChainMatch match;
  for (const NeededOp &needed : analysis.ops)
    if (needed.isReduction && needed.readers.contains(nullptr)) {
      if (match.product || !analysis.getPosition(needed))
        return std::nullopt;
      match.product = needed.op;
    }
  if (!match.product)
    return std::nullopt;
  for (OpOperand *input : match.product.getDpsInputOperands()) {
    auto producer = input->get().getDefiningOp<linalg::GenericOp>();
    if (!producer || staged.contains(producer) || producer.getNumReductionLoops() > 0 ||
        !analyze(input->get(), staged).hasReductions())
      continue;
    if (match.weights)
      return std::nullopt;
    match.weights = input->get();
  }
  if (!match.weights)
    return std::nullopt;
  NestAnalysis rows = analyze(match.weights, staged);
  for (const NeededOp &needed : rows.ops)
    if (needed.isReduction && !rows.getPosition(needed)) {
      if (match.scores)
        return std::nullopt;
      match.scores = needed.op;
    }
  if (!match.scores || match.scores.getNumResults() != 1 || match.product.getNumResults() != 1)
    return std::nullopt;
  return match;
}

namespace {

using Dims = SmallVector<int64_t>;

// The dimension of the chain's value that each dimension of its weights is; -1: reduced.
std::optional<Dims> dimsOfWeights(const ChainMatch &match, const Nest &product) {
  linalg::GenericOp op = match.product;
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  auto operand =
      llvm::find_if(op.getDpsInputOperands(), [&](OpOperand *input) { return input->get() == match.weights; });
  if (llvm::count(op.getOperands(), match.weights) != 1)
    return std::nullopt;
  Dims dims;
  for (AffineExpr expr : op.getMatchingIndexingMap(*operand).getResults()) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop)
      return std::nullopt;
    std::optional<unsigned> at = result.getResultPosition(loop);
    dims.push_back(at ? product.steps.front().position[*at] : -1);
  }
  return dims;
}

// The same for its scores: what all their readers in a row agree on.
std::optional<Dims> dimsOfScores(const ChainMatch &match, const Dims &weights) {
  NestAnalysis rows = analyze(match.weights, {});
  const NeededOp *needed = llvm::find_if(rows.ops, [&](const NeededOp &op) { return op.op == match.scores; });
  Dims dims;
  for (size_t i = 0; i < needed->accesses.front().size(); ++i) {
    AffineExpr first = needed->accesses.front()[i];
    bool agreed = llvm::all_of(needed->accesses, [&](ArrayRef<AffineExpr> access) { return access[i] == first; });
    auto dim = dyn_cast<AffineDimExpr>(first);
    if (agreed && dim && dim.getPosition() < weights.size())
      dims.push_back(weights[dim.getPosition()]);
    else if (llvm::any_of(needed->accesses, [](ArrayRef<AffineExpr> access) {
               return llvm::any_of(access, [](AffineExpr expr) { return expr.isFunctionOfSymbol(0); });
             }))
      return std::nullopt;
    else
      dims.push_back(-1);
  }
  return dims;
}

// Only the last dimension is whole; each other one is one of the value's.
bool walksRows(const Dims &dims) {
  return !dims.empty() && dims.back() < 0 && llvm::all_of(ArrayRef(dims).drop_back(), [](int64_t d) { return d >= 0; });
}

// How the value's rows are cut into blocks: along `rowDim`, and whole along `groupDim`.
struct ChainRows {
  std::optional<unsigned> rowDim, groupDim;
  int64_t tile = 1, groups = 1; // rows of a register tile along each
  int64_t block = 1;
};

Size sizeOf(const Nest &nest, unsigned dim) {
  auto type = cast<RankedTensorType>(nest.value.getType());
  return type.isDynamicDim(dim) ? Size() : Size(type.getDimSize(dim));
}

// Rows of a register tile of both contractions.
int64_t commonTile(const Nest &scores, const Nest &product, Size rows, const cpu::CpuFeatures &features) {
  int64_t tile = features.contractionRows;
  for (const Nest *nest : {&scores, &product}) {
    int64_t vectors = nest->contraction.vectors;
    tile = std::min(tile, std::max<int64_t>((features.vectorRegisters - 1 - vectors) / vectors, 1));
  }
  return rows ? std::min(tile, std::max<int64_t>(*rows, 1)) : tile;
}

// The dimensions of rows that `isShared` are walked with the same columns: the longest in blocks, a short one beside it
// whole, so that its rows (heads of queries that share keys) are in the block that read the columns.
ChainRows chooseRows(const Nest &scores, const Nest &product, function_ref<bool(unsigned)> isShared,
                     const cpu::CpuFeatures &features) {
  ChainRows rows;
  auto size = [&](unsigned dim) { return sizeOf(product, dim).value_or(INT64_MAX); };
  SmallVector<unsigned> dims = llvm::filter_to_vector(product.tileDims, isShared);
  for (unsigned dim : dims)
    if (!rows.rowDim || size(dim) >= size(*rows.rowDim))
      rows.rowDim = dim;
  Size count = rows.rowDim ? sizeOf(product, *rows.rowDim) : Size(1);
  rows.tile = commonTile(scores, product, count, features);
  int64_t most = commonTile(scores, product, std::nullopt, features);
  for (unsigned dim : dims)
    if (dim != rows.rowDim && size(dim) <= most)
      rows.groupDim = dim;
  if (rows.groupDim) {
    rows.groups = size(*rows.groupDim);
    rows.tile = std::min(rows.tile, std::max<int64_t>(most / rows.groups, 1));
  }
  rows.block = configureChainRows(count, rows.tile, rows.groups);
  return rows;
}

// One row of each outer dimension, blocks of those that are the chain's rows.
void setBlocks(Nest &nest, const Dims &dims, const ChainRows &rows) {
  for (auto [i, dim] : llvm::enumerate(nest.tileDims)) {
    bool isRow = rows.rowDim && dims[dim] == static_cast<int64_t>(*rows.rowDim);
    bool isGroup = rows.groupDim && dims[dim] == static_cast<int64_t>(*rows.groupDim);
    nest.contraction.tile[i] = isRow ? rows.tile : isGroup ? rows.groups : 1;
    nest.contraction.block[i] = isRow ? rows.block : isGroup ? rows.groups : 1;
  }
  // Scores lie in scratch, and queries are read for a block of rows alone.
  nest.contraction.copiesRows = nest.contraction.prefetchResult = false;
  if (std::exchange(nest.contraction.depthOutside, false))
    nest.contraction.prefetchNext = false;
  nest.copied.reset();
  // Copying columns does not pay for so few rows.
  if (nest.contraction.packing == Packing::ManyRows) {
    nest.contraction.packing = Packing::Never;
    nest.packed.clear();
  }
  nest.fewer.clear(); // blocks are those of the chain
}

std::vector<Nest> ofFewRows(ArrayRef<Nest> classes) {
  std::vector<Nest> few;
  llvm::copy_if(classes, std::back_inserter(few), [](const Nest &nest) { return nest.mostColumns == 0; });
  return few;
}

// Few rows are a class of the chain's where they are one of both contractions; what is between them is the same.
void addFewRows(Nest &chain, std::vector<Nest> scores, std::vector<Nest> product, ChainRows rows) {
  if (!rows.rowDim || rows.groupDim || scores.empty() || product.empty())
    return;
  Nest few = chain;
  few.mostRows = rows.tile = std::min(scores.front().mostRows, product.front().mostRows);
  few.chainRows = rows.block = configureChainRows(rows.tile, rows.tile);
  setBlocks(scores.front(), chain.stageDims.front(), rows);
  setBlocks(product.front(), chain.stageDims.back(), rows);
  few.stages.front() = std::move(scores.front());
  few.stages.back() = std::move(product.front());
  chain.fewer.push_back(std::move(few));
}

} // namespace

std::optional<Nest> mlir::heddle::codegen::makeChain(const ChainMatch &match, Nest scores, Nest weights, Nest product,
                                                     const cpu::CpuFeatures &features) {
  if (scores.kind != NestKind::Contraction || weights.kind != NestKind::Rows || product.kind != NestKind::Contraction ||
      scores.integer || product.integer || weights.innerDims.size() != 1 || weights.collapsed > 0)
    return std::nullopt;
  std::optional<Dims> weightDims = dimsOfWeights(match, product);
  if (!weightDims || !walksRows(*weightDims))
    return std::nullopt;
  std::optional<Dims> scoreDims = dimsOfScores(match, *weightDims);
  if (!scoreDims || !walksRows(*scoreDims) || scoreDims->size() - 1 != *scores.laneDim)
    return std::nullopt;
  Nest chain;
  chain.kind = NestKind::Chain;
  chain.value = product.value;
  chain.laneDim = product.laneDim;
  int64_t rank = cast<RankedTensorType>(product.value.getType()).getRank();
  Dims own = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  // Every position of the value but the columns has weights of its own.
  for (int64_t dim : own)
    if (dim != *product.laneDim && sizeOf(product, dim) != 1 && !llvm::is_contained(*weightDims, dim))
      return std::nullopt;
  // The scores' rows are walked in the same blocks: not along a dimension that their columns depend on.
  auto isBatchOfScores = [&](unsigned dim) {
    return llvm::any_of(scores.batchDims, [&](unsigned own) { return (*scoreDims)[own] == static_cast<int64_t>(dim); });
  };
  ChainRows rows = chooseRows(scores, product, [&](unsigned dim) { return !isBatchOfScores(dim); }, features);
  chain.rowDim = rows.rowDim;
  chain.groupDim = rows.groupDim;
  chain.chainRows = rows.block;
  chain.groupRows = rows.groups;
  std::vector<Nest> fewScores = ofFewRows(scores.fewer), fewProduct = ofFewRows(product.fewer);
  setBlocks(scores, *scoreDims, rows);
  setBlocks(product, own, rows);
  chain.stages = {std::move(scores), std::move(weights), std::move(product)};
  chain.stageDims = {*scoreDims, *weightDims, own};
  addFewRows(chain, std::move(fewScores), std::move(fewProduct), rows);
  return chain;
}

//===--- How many ------------------------------------------------------------------------------------------------===//

namespace {

// The workgroups: the value's dimensions but those of rows and columns, then blocks of rows.
struct ChainSpace {
  ChainSpace(const Nest &nest, FunctionScalars &scalars) : sizes(scalars.sizes(nest.value)) {
    for (unsigned dim = 0; dim < sizes.size(); ++dim)
      if (dim != *nest.laneDim && dim != nest.rowDim && dim != nest.groupDim) {
        outerDims.push_back(dim);
        grid.push_back(sizes[dim]);
      }
    rows = nest.rowDim ? sizes[*nest.rowDim] : scalars.constant(1);
    grid.push_back(scalars.ceilDiv(rows, nest.chainRows));
  }

  SmallVector<Value> sizes, grid;
  SmallVector<unsigned> outerDims;
  Value rows;
};

int64_t bytesOf(const Nest &stage) {
  Type element = cast<RankedTensorType>(stage.value.getType()).getElementType();
  return std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8);
}

// Elements from one row of a stage's block to the next: lines of their own, and not a power of two apart.
Value rowStride(const Nest &stage, FunctionScalars &scalars) {
  int64_t line = 64 / bytesOf(stage);
  Value elements = scalars.size(stage.value, *stage.laneDim);
  return scalars.mul(scalars.add(scalars.ceilDiv(elements, line), scalars.constant(1)), scalars.constant(line));
}

Value blockBytes(const Nest &chain, const Nest &stage, FunctionScalars &scalars) {
  return scalars.mul(rowStride(stage, scalars), scalars.constant(bytesOf(stage) * chain.chainRows * chain.groupRows));
}

} // namespace

Value mlir::heddle::codegen::countChainWorkgroups(const Nest &nest, FunctionScalars &scalars) {
  return scalars.product(ChainSpace(nest, scalars).grid);
}

Value mlir::heddle::codegen::countChainScratch(const Nest &nest, FunctionScalars &scalars) {
  Value shared = scalars.constant(0), kept = scalars.constant(0);
  for (const Nest &stage : nest.stages)
    shared = scalars.max(shared, countScratch(stage, scalars));
  for (const Nest &stage : ArrayRef(nest.stages).drop_back())
    kept = scalars.add(kept, blockBytes(nest, stage, scalars));
  return scalars.add(kept, shared);
}

//===--- Emission ------------------------------------------------------------------------------------------------===//

namespace {

class ChainEmitter {
public:
  ChainEmitter(const Nest &nest, ElementEmitter &emitter, const Buffer &output, Value scratch)
      : nest(nest), emitter(emitter), output(output), lanes(emitter.lanes), builder(lanes.builder), loc(lanes.loc),
        space(nest, emitter.scalars), blocks{scratch} {
    for (const Nest &stage : ArrayRef(nest.stages).drop_back())
      blocks.push_back(
          builder.createOrFold<arith::AddIOp>(loc, blocks.back(), blockBytes(nest, stage, emitter.scalars)));
  }

  void run(Value workgroup) {
    SmallVector<Value> at = delinearize(emitter, workgroup, space.grid);
    index.assign(space.sizes.size(), lanes.index(0));
    for (auto [dim, i] : llvm::zip(space.outerDims, at))
      index[dim] = i;
    block = at.back();
    begin = builder.createOrFold<arith::MulIOp>(loc, block, lanes.index(nest.chainRows));
    Value after = builder.createOrFold<arith::AddIOp>(loc, begin, lanes.index(nest.chainRows));
    end = builder.createOrFold<arith::MinSIOp>(loc, after, space.rows);
    const Nest &scores = nest.stages[0], &weights = nest.stages[1], &product = nest.stages[2];
    Buffer scoreBlock = makeBlock(0), weightBlock = makeBlock(1);
    emitContractionBlock(scores, emitter, gridOf(0), scoreBlock, blocks.back());
    emitter.bind(scores.value, scoreBlock);
    emitter.loop(lanes.index(0), lanes.index(nest.groupRows), 1, {},
                 [&](Value member, ValueRange) -> SmallVector<Value> {
                   if (nest.groupDim)
                     index[*nest.groupDim] = member;
                   emitter.loop(begin, end, 1, {}, [&](Value row, ValueRange) -> SmallVector<Value> {
                     emitRow(weights, emitter, indexOf(1, row), weightBlock, blocks.back());
                     return {};
                   });
                   return {};
                 });
    if (nest.groupDim)
      index[*nest.groupDim] = lanes.index(0);
    emitter.unbind(scores.value);
    emitter.bind(weights.value, weightBlock);
    emitContractionBlock(product, emitter, gridOf(2), output, blocks.back());
    emitter.unbind(weights.value);
  }

private:
  bool isGroup(int64_t dim) const { return nest.groupDim && dim == static_cast<int64_t>(*nest.groupDim); }
  bool isRow(int64_t dim) const { return nest.rowDim && dim == static_cast<int64_t>(*nest.rowDim); }

  // The block of a stage's value in scratch; the outer dimensions are those of the workgroup.
  Buffer makeBlock(size_t stage) {
    const Nest &source = nest.stages[stage];
    Type element = cast<RankedTensorType>(source.value.getType()).getElementType();
    auto type = MemRefType::get({ShapedType::kDynamic}, emitter.memoryType(element));
    Buffer buffer{kernel::ScratchOp::create(builder, loc, type, blocks[stage]), element, {}, {}, {}};
    auto add = [&](unsigned dim, Value stride, Value origin) {
      buffer.dims.push_back(dim);
      buffer.strides.push_back(stride);
      buffer.origin.push_back(origin);
    };
    Value stride = rowStride(source, emitter.scalars);
    for (auto [dim, position] : llvm::enumerate(nest.stageDims[stage]))
      if (isRow(position))
        add(dim, stride, begin);
      else if (isGroup(position))
        add(dim, builder.createOrFold<arith::MulIOp>(loc, stride, lanes.index(nest.chainRows)), Value());
    add(*source.laneDim, lanes.index(1), Value());
    return buffer;
  }

  SmallVector<LaneValue> indexOf(size_t stage, Value row) {
    return llvm::map_to_vector(nest.stageDims[stage], [&](int64_t dim) {
      return dim < 0 ? lanes.constant(0) : LaneValue::uniform(isRow(dim) ? row : index[dim]);
    });
  }

  // Where the workgroup lies in the contraction's own: batch dimensions, blocks of rows.
  SmallVector<Value> gridOf(size_t stage) {
    const Nest &contraction = nest.stages[stage];
    SmallVector<Value> at;
    for (ArrayRef<unsigned> dims : {ArrayRef(contraction.batchDims), ArrayRef(contraction.tileDims)})
      for (unsigned dim : dims) {
        int64_t position = nest.stageDims[stage][dim];
        at.push_back(isRow(position) ? block : index[position]);
      }
    return at;
  }

  const Nest &nest;
  ElementEmitter &emitter;
  const Buffer &output;
  LaneBuilder &lanes;
  OpBuilder &builder;
  Location loc;
  ChainSpace space;
  SmallVector<Value> blocks; // where scores, weights and the stages' own scratch begin
  SmallVector<Value> index;  // of the value; rows and columns 0
  Value block, begin, end;   // of rows
};

} // namespace

void mlir::heddle::codegen::emitChain(const Nest &nest, ElementEmitter &emitter, Value workgroup, const Buffer &output,
                                      Value scratch) {
  ChainEmitter(nest, emitter, output, scratch).run(workgroup);
}
