#include "compiler/Stages/Encode/Passes.h"
#include "compiler/Stages/Encode/Permutation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_GROUPCOLUMNS
#include "compiler/Stages/Encode/Passes.h.inc"
} // namespace mlir::heddle

// A panel's columns times a group is a cache line: one vector of AVX-512, two of AVX2.
static constexpr int64_t kPanel = 16, kGroup = 4;

// Whether a value is an extension of this argument of the op's body from 8 bits.
static bool widens(Value value, BlockArgument argument) {
  Operation *def = value.getDefiningOp();
  return isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(def) && def->getOperand(0) == argument &&
         argument.getType().isInteger(8);
}

// Whether the op sums products of its two 8-bit operands in 32 bits.
static bool isByteContraction(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0)
    return false;
  Block &body = *op.getBody();
  auto sum = body.getTerminator()->getOperand(0).getDefiningOp<arith::AddIOp>();
  if (!sum || !sum.getType().isInteger(32) || sum.getLhs() != body.getArgument(2))
    return false;
  auto product = sum.getRhs().getDefiningOp<arith::MulIOp>();
  return product && widens(product.getLhs(), body.getArgument(0)) && widens(product.getRhs(), body.getArgument(1));
}

// The constant operand [batch…, k…, n] whose n is the result's last dimension and whose last k is the innermost
// reduction; the other operand does not walk n and reads k as an index of its own, which tells the loop's length once
// the columns' is split. Null: none.
static OpOperand *findColumns(linalg::GenericOp op) {
  if (!isByteContraction(op))
    return nullptr;
  AffineMap write = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (write.getNumResults() == 0 || !isa<AffineDimExpr>(write.getResults().back()))
    return nullptr;
  auto lane = cast<AffineDimExpr>(write.getResults().back());
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  for (OpOperand *columns : op.getDpsInputOperands()) {
    OpOperand *other = op.getDpsInputOperand(1 - columns->getOperandNumber());
    AffineMap read = op.getMatchingIndexingMap(columns);
    auto type = cast<RankedTensorType>(columns->get().getType());
    int64_t rank = type.getRank();
    if (type.hasStaticShape() && rank >= 2 && read.isProjectedPermutation() && read.getResults().back() == lane &&
        read.getDimPosition(rank - 2) == reductions.back() &&
        !op.getMatchingIndexingMap(other).isFunctionOfDim(lane.getPosition()) &&
        llvm::is_contained(op.getMatchingIndexingMap(other).getResults(), read.getResult(rank - 2)) &&
        encode::isConstant(columns->get()))
      return columns;
  }
  return nullptr;
}

static Value padTo(OpBuilder &builder, Value value, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  Location loc = value.getLoc();
  SmallVector<OpFoldResult> low(type.getRank(), builder.getIndexAttr(0)), high;
  for (auto [size, to] : llvm::zip(type.getShape(), shape))
    high.push_back(builder.getIndexAttr(to - size));
  Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type.getElementType()));
  return tensor::PadOp::create(builder, loc, RankedTensorType::get(shape, type.getElementType()), value, low, high,
                               zero);
}

// [batch…, k…, n] to [batch…, n / 16, k…, last k / 4, 16, 4].
static Value groupColumns(OpBuilder &builder, Value columns, int64_t batch) {
  Location loc = columns.getLoc();
  auto type = cast<RankedTensorType>(columns.getType());
  int64_t rank = type.getRank();
  SmallVector<int64_t> padded(type.getShape());
  padded[rank - 1] = llvm::alignTo(padded[rank - 1], kPanel);
  padded[rank - 2] = llvm::alignTo(padded[rank - 2], kGroup);
  columns = padTo(builder, columns, padded);
  SmallVector<int64_t> split(ArrayRef(padded).drop_back(2));
  split.append({padded[rank - 2] / kGroup, kGroup, padded[rank - 1] / kPanel, kPanel});
  SmallVector<ReassociationIndices> parts;
  for (int64_t d = 0; d + 2 < rank; ++d)
    parts.push_back({d});
  parts.push_back({rank - 2, rank - 1});
  parts.push_back({rank, rank + 1});
  Value apart =
      tensor::ExpandShapeOp::create(builder, loc, RankedTensorType::get(split, type.getElementType()), columns, parts);
  SmallVector<int64_t> permutation = llvm::to_vector(llvm::seq<int64_t>(0, batch));
  permutation.push_back(rank);
  llvm::append_range(permutation, llvm::seq<int64_t>(batch, rank - 1));
  permutation.append({rank + 1, rank - 1});
  SmallVector<int64_t> shape = llvm::map_to_vector(permutation, [&](int64_t d) { return split[d]; });
  Value empty = tensor::EmptyOp::create(builder, loc, shape, type.getElementType());
  return linalg::TransposeOp::create(builder, loc, apart, empty, permutation)->getResult(0);
}

namespace {

struct GroupColumns : heddle::impl::GroupColumnsBase<GroupColumns> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> found;
    getOperation().walk([&](linalg::GenericOp op) {
      if (findColumns(op))
        found.push_back(op);
    });
    OpBuilder builder(&getContext());
    for (linalg::GenericOp op : found)
      group(builder, op);
  }

  static void group(OpBuilder &builder, linalg::GenericOp op) {
    OpOperand *columns = findColumns(op);
    AffineMap read = op.getMatchingIndexingMap(columns);
    SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
    int64_t batch = 0, rank = read.getNumResults();
    while (batch < rank - 1 && kinds[read.getDimPosition(batch)] == utils::IteratorType::parallel)
      ++batch;
    AffineExpr n = read.getResult(rank - 1), k = read.getResult(rank - 2);
    SmallVector<AffineExpr> exprs(read.getResults().take_front(batch));
    exprs.push_back(n.floorDiv(kPanel));
    llvm::append_range(exprs, read.getResults().slice(batch, rank - 2 - batch));
    exprs.append({k.floorDiv(kGroup), n % kPanel, k % kGroup});
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    maps[columns->getOperandNumber()] = AffineMap::get(read.getNumDims(), 0, exprs, op.getContext());
    builder.setInsertionPoint(op);
    op->setOperand(columns->getOperandNumber(), groupColumns(builder, columns->get(), batch));
    op.setIndexingMapsAttr(builder.getAffineMapArrayAttr(maps));
  }
};

} // namespace
