// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Form/ProgramLoop.h"

#include "compiler/Dialect/Encoding/IR/EncodingOps.h"
#include "compiler/Dialect/Flow/IR/FlowOps.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::heddle;

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

// A load of the value in rows in place of `unset`, of whose parameter values are still written so.
static void loadPlain(encoding::UnsetOp unset, flow::ParameterLoadOp load, SymbolTable &symbols) {
  auto laidOut = symbols.lookup<flow::ParameterOp>(load.getParameter());
  OpBuilder builder(laidOut);
  builder.setInsertionPointAfter(laidOut);
  auto plain = cast<flow::ParameterOp>(builder.clone(*laidOut));
  plain.setPrivate();
  plain.setType(unset.getType());
  symbols.insert(plain);
  builder.setInsertionPoint(load);
  Value rows = flow::ParameterLoadOp::create(builder, load.getLoc(), unset.getType(), plain.getSymName());
  unset.getResult().replaceUsesWithIf(rows,
                                      [](OpOperand &use) { return !use.getOwner()->getParentOfType<scf::ForallOp>(); });
  if (unset->use_empty())
    unset.erase();
  if (load->use_empty())
    load.erase();
  if (laidOut.isPrivate() && SymbolTable::symbolKnownUseEmpty(laidOut, laidOut->getParentOp()))
    symbols.erase(laidOut);
}

void parts::keepConstantsPlain(ModuleOp module) {
  SmallVector<encoding::UnsetOp> unsets;
  module.walk([&](encoding::UnsetOp unset) {
    bool isTurned = llvm::any_of(unset->getUsers(), [](Operation *user) {
      return isa<tensor::ExtractSliceOp>(user) && !user->getParentOfType<scf::ForallOp>();
    });
    if (isTurned && unset.getSource().getDefiningOp<flow::ParameterLoadOp>())
      unsets.push_back(unset);
  });
  if (unsets.empty())
    return;
  SymbolTable symbols(module);
  for (encoding::UnsetOp unset : unsets)
    loadPlain(unset, unset.getSource().getDefiningOp<flow::ParameterLoadOp>(), symbols);
}
