#include "compiler/Stages/Encode/Passes.h"
#include "compiler/Stages/Encode/Permutation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_PACKCOLUMNS
#include "compiler/Stages/Encode/Passes.h.inc"
} // namespace mlir::heddle

// A cache line of f32: one vector of AVX-512, two of AVX2, four of NEON.
static constexpr int64_t kPanel = 16;

// The operand whose last dimension alone walks the result's last one, constant, with no dimension of its own to
// reorder; the other operand does not walk that dimension. Null: none.
static OpOperand *findColumns(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0 ||
      !op.hasPureTensorSemantics())
    return nullptr;
  AffineMap write = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (write.getNumResults() == 0 || !isa<AffineDimExpr>(write.getResults().back()))
    return nullptr;
  auto lane = cast<AffineDimExpr>(write.getResults().back());
  for (OpOperand *columns : op.getDpsInputOperands()) {
    OpOperand *other = op.getDpsInputOperand(1 - columns->getOperandNumber());
    AffineMap read = op.getMatchingIndexingMap(columns);
    auto type = dyn_cast<RankedTensorType>(columns->get().getType());
    if (type && type.hasStaticShape() && type.getElementType().isF32() && type.getRank() >= 2 &&
        read.isProjectedPermutation() && read.getResults().back() == lane &&
        !op.getMatchingIndexingMap(other).isFunctionOfDim(lane.getPosition()) && type.getShape().back() > kPanel &&
        encode::isConstant(columns->get()))
      return columns;
  }
  return nullptr;
}

// [batch…, k…, n] to [batch…, n / P, k…, P], padded with zeros; `batch` leading dimensions stay.
static Value packColumns(OpBuilder &builder, Value columns, int64_t batch) {
  Location loc = columns.getLoc();
  auto type = cast<RankedTensorType>(columns.getType());
  int64_t rank = type.getRank(), size = type.getShape().back(), panels = llvm::divideCeil(size, kPanel);
  if (size % kPanel != 0) {
    SmallVector<OpFoldResult> low(rank, builder.getIndexAttr(0)), high = low;
    high.back() = builder.getIndexAttr(panels * kPanel - size);
    SmallVector<int64_t> shape(type.getShape());
    shape.back() = panels * kPanel;
    type = RankedTensorType::get(shape, type.getElementType());
    Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type.getElementType()));
    columns = tensor::PadOp::create(builder, loc, type, columns, low, high, zero);
  }
  SmallVector<int64_t> split(type.getShape().drop_back());
  split.append({panels, kPanel});
  SmallVector<ReassociationIndices> groups;
  for (int64_t d = 0; d + 1 < rank; ++d)
    groups.push_back({d});
  groups.push_back({rank - 1, rank});
  Value apart =
      tensor::ExpandShapeOp::create(builder, loc, RankedTensorType::get(split, type.getElementType()), columns, groups);
  SmallVector<int64_t> permutation = llvm::to_vector(llvm::seq<int64_t>(0, batch));
  permutation.push_back(rank - 1);
  llvm::append_range(permutation, llvm::seq<int64_t>(batch, rank - 1));
  permutation.push_back(rank);
  SmallVector<int64_t> shape = llvm::map_to_vector(permutation, [&](int64_t d) { return split[d]; });
  Value empty = tensor::EmptyOp::create(builder, loc, shape, type.getElementType());
  return linalg::TransposeOp::create(builder, loc, apart, empty, permutation)->getResult(0);
}

namespace {

struct PackColumns : heddle::impl::PackColumnsBase<PackColumns> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> found;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (findColumns(op))
        found.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : found)
      if (failed(pack(rewriter, op)))
        return signalPassFailure();
  }

  static LogicalResult pack(IRRewriter &rewriter, linalg::LinalgOp op) {
    rewriter.setInsertionPoint(op);
    auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
    if (!generic) {
      FailureOr<linalg::GenericOp> made = linalg::generalizeNamedOp(rewriter, op);
      if (failed(made))
        return op->emitError("cannot be written as a linalg.generic");
      generic = *made;
    }
    OpOperand *columns = findColumns(generic);
    AffineMap read = generic.getMatchingIndexingMap(columns);
    SmallVector<utils::IteratorType> kinds = generic.getIteratorTypesArray();
    int64_t batch = 0, last = read.getNumResults() - 1;
    while (batch < last && kinds[read.getDimPosition(batch)] == utils::IteratorType::parallel)
      ++batch;
    AffineExpr column = read.getResults().back();
    SmallVector<AffineExpr> exprs(read.getResults().take_front(batch));
    exprs.push_back(column.floorDiv(kPanel));
    llvm::append_range(exprs, read.getResults().slice(batch, last - batch));
    exprs.push_back(column % kPanel);
    SmallVector<AffineMap> maps = generic.getIndexingMapsArray();
    maps[columns->getOperandNumber()] = AffineMap::get(read.getNumDims(), 0, exprs, rewriter.getContext());
    rewriter.setInsertionPoint(generic);
    Value packed = packColumns(rewriter, columns->get(), batch);
    rewriter.modifyOpInPlace(generic, [&] {
      generic->setOperand(columns->getOperandNumber(), packed);
      generic.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
    });
    return success();
  }
};

} // namespace
