// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Form/ProgramLoop.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

LogicalResult mlir::heddle::parts::verifyProgramLoop(scf::ForallOp loop) {
  if (std::optional<ArrayAttr> mapping = loop.getMapping(); mapping && !mapping->empty())
    return loop.emitError("says with a mapping what runs each part, which is the compiler's choice; leave the mapping "
                          "out, and name the device by device.affinity");
  if (loop.getNumResults() == 0)
    return loop.emitError("has no results, and a loop's parts write into its results only; give it shared_outs and "
                          "insert what each part computes (tensor.parallel_insert_slice)");
  SmallVector<unsigned> inserted(loop.getNumResults());
  for (Operation &op : loop.getTerminator().getYieldingOps()) {
    auto insert = dyn_cast<tensor::ParallelInsertSliceOp>(op);
    if (!insert)
      return op.emitError("is not supported at the end of scf.forall; parts are inserted by "
                          "tensor.parallel_insert_slice");
    auto place = dyn_cast<BlockArgument>(insert.getDest());
    if (!place || place.getOwner() != loop.getBody())
      return insert.emitError("writes into a tensor that is none of its loop's shared_outs; name it there");
    if (++inserted[place.getArgNumber() - loop.getRank()] > 1)
      return insert.emitError("inserts into a result that the part has written already; give each insertion a result "
                              "of its own");
  }
  for (auto [result, count] : llvm::enumerate(inserted))
    if (count == 0)
      return loop.emitError() << "inserts nothing into result " << result << "; leave it out of shared_outs";
  WalkResult walk = loop.getBody()->walk([&](Operation *op) {
    if (isa<scf::InParallelOp, tensor::ParallelInsertSliceOp, linalg::LinalgOp>(op) || isMemoryEffectFree(op) ||
        op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
      return WalkResult::advance();
    return WalkResult(op->emitError("does more than computing a value, in the body of an scf.forall, whose parts run "
                                    "in any order and at the same time; write scf.for"));
  });
  return failure(walk.wasInterrupted());
}
