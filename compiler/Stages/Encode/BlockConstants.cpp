// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Encode/Passes.h"

#include "compiler/Dialect/Flow/IR/FlowShardings.h"
#include "compiler/Dialect/Flow/Transforms/RankSlices.h"
#include "compiler/Evaluation/Evaluator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_BLOCKCONSTANTS
#include "compiler/Stages/Encode/Passes.h.inc"
} // namespace mlir::heddle

namespace {

// A dimension that is cut into equal parts: how many, and which one is taken.
struct Cut {
  int64_t dim, count;
  Value place;
};

} // namespace

static int64_t countOf(flow::BlockOp op) { return cast<RankedTensorType>(op.getSource().getType()).getDimSize(0); }

// `offset` as a number of sizes, made in front of the op; null where it is no multiple.
static Value placeOf(tensor::ExtractSliceOp op, Value offset, int64_t size) {
  if (!flow::dependsOnCoordinate(offset))
    return {};
  if (size == 1)
    return offset;
  auto product = offset.getDefiningOp<arith::MulIOp>();
  APInt scale;
  if (!product || !matchPattern(product.getRhs(), m_ConstantInt(&scale)) || scale.getSExtValue() % size != 0)
    return {};
  OpBuilder builder(op);
  Value times = arith::ConstantIndexOp::create(builder, op.getLoc(), scale.getSExtValue() / size);
  return builder.createOrFold<arith::MulIOp>(op.getLoc(), product.getLhs(), times);
}

// Whether the op takes something of a constant that has bytes.
static bool isOfConstant(tensor::ExtractSliceOp op) {
  bool isStored = isa_and_nonnull<flow::ParameterLoadOp>(op.getSource().getDefiningOp()) ||
                  (matchPattern(op.getSource(), m_Constant()) &&
                   !matchPattern(op.getSource(), m_Constant<SplatElementsAttr>(nullptr)));
  return isStored && !op.getSourceType().getEncoding() && op.hasUnitStride() && op.getDroppedDims().none() &&
         op.getSourceType().getNumElements() != 0;
}

// The dimensions that the op cuts; none where it takes anything but one of equal parts.
static SmallVector<Cut> findCuts(tensor::ExtractSliceOp op) {
  RankedTensorType source = op.getSourceType();
  if (!op.getType().hasStaticShape())
    return {};
  SmallVector<Cut> cuts;
  for (auto [dim, offset] : llvm::enumerate(op.getMixedOffsets())) {
    int64_t all = source.getDimSize(dim), size = op.getType().getDimSize(dim);
    if (size == all && isConstantIntValue(offset, 0))
      continue;
    auto begin = dyn_cast<Value>(offset);
    Value place = begin && size != 0 && all % size == 0 ? placeOf(op, begin, size) : Value();
    if (!place)
      return {};
    cuts.push_back({static_cast<int64_t>(dim), all / size, place});
  }
  return cuts;
}

// The blocks that an op on constants and blocks at one place reads; none where it reads something else, too.
static std::optional<SmallVector<flow::BlockOp>> findBlocks(linalg::LinalgOp op) {
  if (!evaluation::isComputable(op) || op->getNumResults() == 0)
    return std::nullopt;
  SmallVector<flow::BlockOp> blocks;
  for (OpOperand *input : op.getDpsInputOperands()) {
    auto block = input->get().getDefiningOp<flow::BlockOp>();
    if (!block && !evaluation::isConstantExpression(input->get()))
      return std::nullopt;
    if (block && !blocks.empty() && (block.getBlock() != blocks[0].getBlock() || countOf(block) != countOf(blocks[0])))
      return std::nullopt;
    if (block)
      blocks.push_back(block);
  }
  for (Value init : op.getDpsInits())
    if (!isa_and_nonnull<tensor::EmptyOp, linalg::FillOp>(init.getDefiningOp()) ||
        !evaluation::isConstantExpression(init))
      return std::nullopt;
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  bool isConstant = llvm::all_of(captured, evaluation::isConstantExpression);
  return blocks.empty() || !isConstant ? std::nullopt : std::optional(blocks);
}

// `init` of so many blocks.
static Value makeInit(OpBuilder &builder, Location loc, Value init, int64_t count) {
  auto type = cast<RankedTensorType>(init.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin(), count);
  Value all = tensor::EmptyOp::create(builder, loc, shape, type.getElementType());
  if (auto fill = init.getDefiningOp<linalg::FillOp>())
    all = linalg::FillOp::create(builder, loc, fill.getInputs(), all).getResult(0);
  return all;
}

namespace {

struct BlockConstants : mlir::heddle::impl::BlockConstantsBase<BlockConstants> {
  void runOnOperation() override {
    SmallVector<tensor::ExtractSliceOp> slices;
    getOperation().walk([&](tensor::ExtractSliceOp op) { slices.push_back(op); });
    for (tensor::ExtractSliceOp op : slices) {
      if (!isOfConstant(op))
        continue;
      if (SmallVector<Cut> cuts = findCuts(op); !cuts.empty())
        takeBlock(op, cuts);
      else if (std::optional<int64_t> dim = findOther(op))
        takeRows(op, *dim);
    }
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    for (linalg::LinalgOp op : ops)
      if (std::optional<SmallVector<flow::BlockOp>> blocks = findBlocks(op))
        computeAll(op, blocks->front());
  }

  // What is computed of a block of a constant is a block of what is computed of all.
  static void computeAll(linalg::LinalgOp op, flow::BlockOp first) {
    OpBuilder builder(op);
    AffineExpr number = builder.getAffineDimExpr(op.getNumLoops());
    SmallVector<Value> inputs, inits;
    SmallVector<AffineMap> maps;
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      map = AffineMap::get(map.getNumDims() + 1, 0, map.getResults(), op.getContext());
      auto block = operand.get().getDefiningOp<flow::BlockOp>();
      bool isInit = op.isDpsInit(&operand);
      maps.push_back(block || isInit ? map.insertResult(number, 0) : map);
      if (isInit)
        inits.push_back(makeInit(builder, op.getLoc(), operand.get(), countOf(first)));
      else
        inputs.push_back(block ? block.getSource() : operand.get());
    }
    SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
    kinds.push_back(utils::IteratorType::parallel);
    auto all =
        linalg::GenericOp::create(builder, op.getLoc(), TypeRange(ValueRange(inits)), inputs, inits, maps, kinds);
    IRMapping mapping;
    op->getRegion(0).cloneInto(&all.getRegion(), mapping);
    for (auto [result, value] : llvm::zip_equal(op->getResults(), all.getResults()))
      result.replaceAllUsesWith(
          flow::BlockOp::create(builder, op.getLoc(), result.getType(), value, first.getBlock()).getResult());
    op->erase();
  }

  // The first dimension that parts of other sizes cut, if they are no rows already.
  static std::optional<int64_t> findOther(tensor::ExtractSliceOp op) {
    for (auto [dim, offset] : llvm::enumerate(op.getMixedOffsets()))
      if (auto begin = dyn_cast<Value>(offset); begin && flow::dependsOnCoordinate(begin))
        return flow::isRankSlice(op) ? std::nullopt : std::optional<int64_t>(dim);
    return std::nullopt;
  }

  // Makes rows of the dimension, which are one piece of memory whatever their number.
  static void takeRows(tensor::ExtractSliceOp op, int64_t dim) {
    Location loc = op.getLoc();
    OpBuilder builder(op);
    builder.setInsertionPointAfterValue(op.getSource());
    SmallVector<int64_t> permutation{dim};
    for (int64_t other = 0; other < op.getType().getRank(); ++other)
      if (other != dim)
        permutation.push_back(other);
    Value turned = transpose(builder, loc, op.getSource(), permutation);
    builder.setInsertionPoint(op);
    SmallVector<OpFoldResult> offsets(permutation.size(), builder.getIndexAttr(0)),
        strides(offsets.size(), builder.getIndexAttr(1));
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, turned);
    offsets[0] = op.getMixedOffsets()[dim];
    sizes[0] = op.getMixedSizes()[dim];
    Value rows = tensor::ExtractSliceOp::create(builder, loc, turned, offsets, sizes, strides);
    Value back = transpose(builder, loc, rows, invertPermutationVector(permutation));
    offsets = op.getMixedOffsets();
    offsets[dim] = builder.getIndexAttr(0);
    if (back.getType() != op.getType())
      back = tensor::ExtractSliceOp::create(builder, loc, back, offsets, op.getMixedSizes(), strides);
    op.replaceAllUsesWith(back);
    op.erase();
  }

  static Value transpose(OpBuilder &builder, Location loc, Value value, ArrayRef<int64_t> permutation) {
    if (llvm::is_sorted(permutation))
      return value;
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, value);
    Value empty = tensor::EmptyOp::create(builder, loc, applyPermutation(sizes, permutation),
                                          getElementTypeOrSelf(value.getType()));
    return linalg::TransposeOp::create(builder, loc, value, empty, permutation)->getResult(0);
  }

  static void takeBlock(tensor::ExtractSliceOp op, ArrayRef<Cut> cuts) {
    Location loc = op.getLoc();
    OpBuilder builder(op);
    Value number = cuts.front().place;
    int64_t count = cuts.front().count;
    for (const Cut &cut : cuts.drop_front()) {
      Value parts = arith::ConstantIndexOp::create(builder, loc, cut.count);
      Value before = builder.createOrFold<arith::MulIOp>(loc, number, parts);
      number = builder.createOrFold<arith::AddIOp>(loc, before, cut.place);
      count *= cut.count;
    }
    builder.setInsertionPointAfterValue(op.getSource());
    Value blocks = order(builder, loc, op, cuts, count);
    builder.setInsertionPoint(op);
    op.replaceAllUsesWith(flow::BlockOp::create(builder, loc, op.getType(), blocks, number).getResult());
    op.erase();
  }

  // The constant with its blocks behind one another.
  static Value order(OpBuilder &builder, Location loc, tensor::ExtractSliceOp op, ArrayRef<Cut> cuts, int64_t count) {
    SmallVector<int64_t> split, permutation, kept;
    SmallVector<ReassociationIndices> groups(op.getType().getRank());
    for (auto [dim, size] : llvm::enumerate(op.getType().getShape())) {
      const Cut *cut =
          llvm::find_if(cuts, [&, dim = dim](const Cut &one) { return one.dim == static_cast<int64_t>(dim); });
      if (cut != cuts.end()) {
        permutation.push_back(split.size());
        groups[dim].push_back(split.size());
        split.push_back(cut->count);
      }
      kept.push_back(split.size());
      groups[dim].push_back(split.size());
      split.push_back(size);
    }
    llvm::append_range(permutation, kept);
    Type element = op.getType().getElementType();
    Value value =
        tensor::ExpandShapeOp::create(builder, loc, RankedTensorType::get(split, element), op.getSource(), groups);
    value = transpose(builder, loc, value, permutation);
    if (cuts.size() == 1)
      return value;
    SmallVector<ReassociationIndices> merged(1, llvm::to_vector<2>(llvm::seq<int64_t>(0, cuts.size())));
    for (size_t dim = cuts.size(); dim < split.size(); ++dim)
      merged.push_back({static_cast<int64_t>(dim)});
    return tensor::CollapseShapeOp::create(builder, loc, value, merged);
  }
};

} // namespace
