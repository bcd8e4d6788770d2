// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Plan/ChainPlanner.h"

#include "compiler/Analysis/Structure.h"
#include "compiler/Codegen/Plan/Sizes.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

// The product and its weights, of a match: an operand that `isWeights` of what its elements need.
static bool findProduct(ChainMatch &match, const NestAnalysis &analysis, const DenseSet<Operation *> &staged,
                        function_ref<bool(const NestAnalysis &)> isWeights) {
  for (const NeededOp &needed : analysis.ops)
    if (needed.isReduction && needed.readers.contains(nullptr)) {
      if (match.product || !analysis.getPosition(needed))
        return false;
      match.product = needed.op;
    }
  if (!match.product)
    return false;
  for (OpOperand *input : match.product.getDpsInputOperands()) {
    auto producer = input->get().getDefiningOp<linalg::GenericOp>();
    if (!producer || staged.contains(producer) || producer.getNumReductionLoops() > 0 ||
        !isWeights(analyze(input->get(), staged)))
      continue;
    if (match.weights)
      return false;
    match.weights = input->get();
  }
  return static_cast<bool>(match.weights);
}

// Whether columns are used for several rows.
static bool hasRows(linalg::GenericOp product) {
  std::optional<ProductSides> sides = findSides(product);
  AffineMap columns = sides ? product.getMatchingIndexingMap(sides->columns) : AffineMap();
  SmallVector<int64_t> sizes = product.getStaticLoopRanges();
  return sides && llvm::any_of(llvm::enumerate(product.getIteratorTypesArray()), [&](auto it) {
           return it.value() == utils::IteratorType::parallel && !columns.isFunctionOfDim(it.index()) &&
                  sizes[it.index()] != 1;
         });
}

Value mlir::heddle::codegen::findWeights(Value value, const NestAnalysis &analysis,
                                         const DenseSet<Operation *> &staged) {
  ChainMatch match;
  auto isCostly = [](const NestAnalysis &operand) { return !operand.ops.empty(); };
  return findProduct(match, analysis, staged, isCostly) && hasRows(match.product) ? match.weights : Value();
}

std::optional<ChainMatch> mlir::heddle::codegen::matchChain(Value value, const NestAnalysis &analysis,
                                                            const DenseSet<Operation *> &staged) {
  ChainMatch match;
  if (!findProduct(match, analysis, staged, [](const NestAnalysis &operand) { return operand.hasReductions(); }))
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
std::optional<Dims> dimsOfWeights(const ChainMatch &match, const ContractionPlan &product) {
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
    dims.push_back(at ? product.step.position[*at] : -1);
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

Size knownSize(const PlanCommon &nest, unsigned dim) {
  return codegen::sizeOf(cast<RankedTensorType>(nest.value.getType()), dim);
}

// Rows of a register tile of both contractions.
int64_t commonTile(const ContractionPlan &scores, const ContractionPlan &product, Size rows,
                   const cpu::CpuFeatures &features) {
  int64_t tile = features.contractionRows;
  for (const ContractionPlan *nest : {&scores, &product}) {
    int64_t vectors = nest->contraction.vectors;
    tile = std::min(tile, std::max<int64_t>((features.vectorRegisters - 1 - vectors) / vectors, 1));
  }
  return rows ? std::min(tile, std::max<int64_t>(*rows, 1)) : tile;
}

// The dimensions of rows that `isShared` are walked with the same columns: the longest in blocks, a short one beside it
// whole, so that its rows (heads of queries that share keys) are in the block that read the columns.
ChainRows chooseRows(const ContractionPlan &scores, const ContractionPlan &product,
                     function_ref<bool(unsigned)> isShared, const cpu::CpuFeatures &features) {
  ChainRows rows;
  auto size = [&](unsigned dim) { return knownSize(product, dim).value_or(INT64_MAX); };
  SmallVector<unsigned> dims = llvm::filter_to_vector(product.tileDims, isShared);
  for (unsigned dim : dims)
    if (!rows.rowDim || size(dim) >= size(*rows.rowDim))
      rows.rowDim = dim;
  Size count = rows.rowDim ? knownSize(product, *rows.rowDim) : Size(1);
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
void setBlocks(ContractionPlan &nest, ArrayRef<int64_t> dims, const ChainRows &rows) {
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
}

// The first class of a contraction that is for few rows.
const RowClass *fewestRows(const Nest &nest) {
  auto found = llvm::find_if(nest.fewer, [](const RowClass &few) { return few.mostColumns == 0; });
  return found == nest.fewer.end() ? nullptr : &*found;
}

// Few rows are a class of the chain's where they are one of both contractions; what is between them is the same. Blocks
// are those of the chain.
std::vector<RowClass> planFewRows(const ChainPlan &chain, const RowClass *scores, const RowClass *product,
                                  ArrayRef<int64_t> productDims, ChainRows rows) {
  if (!rows.rowDim || rows.groupDim || !scores || !product)
    return {};
  ChainPlan few = chain;
  rows.tile = std::min(scores->mostRows, product->mostRows);
  few.blockRows = rows.block = configureChainRows(rows.tile, rows.tile);
  few.scores = std::get<ContractionPlan>(scores->plan);
  few.product = std::get<ContractionPlan>(product->plan);
  setBlocks(few.scores, chain.scoreDims, rows);
  setBlocks(few.product, productDims, rows);
  std::vector<RowClass> classes;
  classes.push_back({rows.tile, 0, std::move(few)});
  return classes;
}

} // namespace

std::optional<Nest> mlir::heddle::codegen::makeChain(const ChainMatch &match, Nest scoreNest, Nest weightNest,
                                                     Nest productNest, const cpu::CpuFeatures &features) {
  auto *scores = std::get_if<ContractionPlan>(&scoreNest.plan),
       *product = std::get_if<ContractionPlan>(&productNest.plan);
  auto *weights = std::get_if<RowsPlan>(&weightNest.plan);
  if (!scores || !weights || !product || scores->integer || product->integer || weights->innerDims.size() != 1)
    return std::nullopt;
  std::optional<Dims> weightDims = dimsOfWeights(match, *product);
  if (!weightDims || !walksRows(*weightDims))
    return std::nullopt;
  std::optional<Dims> scoreDims = dimsOfScores(match, *weightDims);
  if (!scoreDims || !walksRows(*scoreDims) || scoreDims->size() - 1 != *scores->laneDim)
    return std::nullopt;
  int64_t rank = cast<RankedTensorType>(product->value.getType()).getRank();
  Dims own = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  // Every position of the value but the columns has weights of its own.
  for (int64_t dim : own)
    if (dim != *product->laneDim && knownSize(*product, dim) != 1 && !llvm::is_contained(*weightDims, dim))
      return std::nullopt;
  // The scores' rows are walked in the same blocks: not along a dimension that their columns depend on.
  auto isBatchOfScores = [&](unsigned dim) {
    return llvm::any_of(scores->batchDims,
                        [&](unsigned own) { return (*scoreDims)[own] == static_cast<int64_t>(dim); });
  };
  ChainRows rows = chooseRows(*scores, *product, [&](unsigned dim) { return !isBatchOfScores(dim); }, features);
  ChainPlan chain;
  chain.value = product->value;
  chain.laneDim = product->laneDim;
  chain.scores = std::move(*scores);
  chain.weights = std::move(*weights);
  chain.product = std::move(*product);
  chain.scoreDims = *scoreDims;
  chain.weightDims = *weightDims;
  chain.rowDim = rows.rowDim;
  chain.groupDim = rows.groupDim;
  chain.blockRows = rows.block;
  chain.groupRows = rows.groups;
  setBlocks(chain.scores, chain.scoreDims, rows);
  setBlocks(chain.product, own, rows);
  std::vector<RowClass> fewer = planFewRows(chain, fewestRows(scoreNest), fewestRows(productNest), own, rows);
  return Nest{std::move(chain), std::move(fewer), {}};
}
