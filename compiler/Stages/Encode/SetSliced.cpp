// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Analysis/StorageBytes.h"
#include "compiler/Stages/Encode/Passes.h"
#include "compiler/Stages/Encode/ProductUse.h"
#include "compiler/Stages/Encode/Stored.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_SETSLICED
#include "compiler/Stages/Encode/Passes.h.inc"
} // namespace mlir::heddle

// The slice of a constant that an operand of a product in a loop over parts is; null where it is none, or is read
// elsewhere, too.
static tensor::ExtractSliceOp findSlice(OpOperand &operand) {
  auto slice = operand.get().getDefiningOp<tensor::ExtractSliceOp>();
  if (!slice || !slice.hasUnitStride() || !slice->hasOneUse() || !encode::isStored(slice.getSource()) ||
      !slice.getSourceType().hasStaticShape())
    return {};
  auto loop = slice->getParentOfType<scf::ForallOp>();
  return loop && !loop->isAncestor(slice.getSource().getDefiningOp()) ? slice : tensor::ExtractSliceOp();
}

// What all of the constant is for the loop's parts together: the dimensions that each part has one element of are loops
// of the result and of this operand. None where a part may begin inside of a tile.
static std::optional<encoding::AbstractEncoding> describeAll(tensor::ExtractSliceOp slice, linalg::LinalgOp op,
                                                             encoding::AbstractEncoding use) {
  MLIRContext *context = op.getContext();
  const AffineMap part = use.maps[use.role];
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  const unsigned parts = dropped.count(), loops = part.getNumDims();
  SmallVector<AffineExpr> all, numbers;
  unsigned kept = 0;
  for (auto [dim, size] : llvm::enumerate(slice.getSourceType().getShape())) {
    if (dropped.test(dim)) {
      if (dim != numbers.size()) // the first ones
        return std::nullopt;
      numbers.push_back(getAffineDimExpr(loops + numbers.size(), context));
      use.sizes.push_back(size);
      continue;
    }
    auto loop = dyn_cast<AffineDimExpr>(part.getResult(kept++));
    if (!loop)
      return std::nullopt;
    bool isReduced = op.getIteratorTypesArray()[loop.getPosition()] == utils::IteratorType::reduction;
    // Elements of less than a word may lie in groups.
    bool mayBegin = isConstantIntValue(slice.getMixedOffsets()[dim], 0) ||
                    (isReduced && storageBytes(slice.getSourceType().getElementType()) >= 4);
    if (!mayBegin)
      return std::nullopt;
    use.sizes[loop.getPosition()] = size;
  }
  for (auto [role, map] : llvm::enumerate(use.maps)) {
    all = role == use.role || role == 2 ? numbers : SmallVector<AffineExpr>();
    llvm::append_range(all, map.getResults());
    map = AffineMap::get(loops + parts, 0, all, context);
  }
  use.constant = true;
  return use;
}

namespace {

struct SetSliced : mlir::heddle::impl::SetSlicedBase<SetSliced> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> products;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (op->getParentOfType<scf::ForallOp>() && op.getNumDpsInputs() == 2)
        products.push_back(op);
    });
    for (linalg::LinalgOp op : products)
      if (std::optional<encoding::AbstractEncoding> use = encode::describeProduct(op); use && !use->isConvolution)
        for (OpOperand *operand : op.getDpsInputOperands())
          if (tensor::ExtractSliceOp slice = findSlice(*operand)) {
            use->role = operand->getOperandNumber();
            if (std::optional<encoding::AbstractEncoding> all = describeAll(slice, op, *use))
              set(slice, *all);
          }
  }

  // The constant is laid out, and a slice of it is read as any other.
  static void set(tensor::ExtractSliceOp slice, const encoding::AbstractEncoding &use) {
    Value source = slice.getSource();
    OpBuilder builder(slice.getContext());
    builder.setInsertionPointAfterValue(source);
    auto plain = cast<RankedTensorType>(source.getType());
    RankedTensorType type = encoding::withEncoding(plain, encoding::getAttribute(slice.getContext(), use));
    Value laidOut = encoding::SetOp::create(builder, source.getLoc(), type, source);
    Value rows = encoding::UnsetOp::create(builder, source.getLoc(), plain, laidOut);
    slice.getSourceMutable().set(rows);
  }
};

} // namespace
