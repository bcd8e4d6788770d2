#include "compiler/Dialect/Flow/Transforms/Updates.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle;

bool flow::isUpdate(tensor::InsertSliceOp op) {
  auto carried = dyn_cast<BlockArgument>(op.getDest());
  auto loop = carried ? dyn_cast<scf::ForOp>(carried.getOwner()->getParentOp()) : scf::ForOp();
  if (!loop || carried == loop.getInductionVar() || !carried.hasOneUse() || !op->hasOneUse())
    return false;
  OpOperand &use = *op.getResult().use_begin();
  if (use.getOwner() != loop.getBody()->getTerminator() || use.getOperandNumber() + 1 != carried.getArgNumber())
    return false;
  // Whole rows: only the first dimension is cut.
  for (int64_t d = 1; d < op.getDestType().getRank(); ++d)
    if (!isConstantIntValue(op.getMixedOffsets()[d], 0) || op.getStaticSizes()[d] != op.getDestType().getDimSize(d))
      return false;
  return op.getDestType().getRank() > 0 && op.hasUnitStride();
}
