// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Host/Analysis/Variance.h"
#include "compiler/Dialect/Host/Analysis/Verifier.h"

using namespace mlir;
using namespace mlir::heddle::host;

static LogicalResult refuse(CollectiveOp op, const Twine &what, const Variance &variance, Operation *other) {
  InFlightDiagnostic diagnostic = op.emitOpError()
                                  << what << " may differ " << variance.describe(op)
                                  << ", so that not all ranks it joins would meet it alike; compute that from what all "
                                     "of them know, or broadcast it first";
  if (other)
    diagnostic.attachNote(other->getLoc()) << "it depends on this";
  return diagnostic;
}

static StringRef choiceOf(Operation *op) {
  return isa<scf::IfOp, scf::IndexSwitchOp>(op) ? "is under a condition that" : "is in a loop whose number of trips";
}

// In a loop over streams, too: the host issues its iterations one after the other, so that their collectives come in
// that order on the one stream, whatever streams the rest of them runs on.
static LogicalResult verifyCollective(CollectiveOp op, FuncOp func, const Variances &variances) {
  for (Operation *parent = op->getParentOp(); parent != func; parent = parent->getParentOp()) {
    if (Variance variance = variances.ofRegions(parent); !variance.fits(op))
      return refuse(op, choiceOf(parent), variance, parent);
  }
  if (Variance variance = variances.of(op.getCount()); !variance.fits(op))
    return refuse(op, "moves a number of elements that", variance, op.getCount().getDefiningOp());
  for (Value value : op.getCut())
    if (Variance variance = variances.of(value); !variance.fits(op))
      return refuse(op, "is cut by a number that", variance, value.getDefiningOp());
  return success();
}

LogicalResult mlir::heddle::host::verifyRanks(FuncOp func) {
  SmallVector<CollectiveOp> collectives;
  WalkResult walk = func.walk([&](HostOpInterface op) {
    if (auto collective = dyn_cast<CollectiveOp>(op.getOperation())) {
      collectives.push_back(collective);
      return WalkResult::advance();
    }
    Value queue = op.getAccesses().empty() ? Value() : op.getQueue();
    if (!queue || !queue.getDefiningOp<CommStreamOp>())
      return WalkResult::advance();
    op->emitOpError() << "runs on the stream of collectives, which has no device";
    return WalkResult::interrupt();
  });
  if (walk.wasInterrupted())
    return failure();
  if (collectives.empty())
    return success();
  Variances variances(func);
  for (CollectiveOp op : collectives)
    if (failed(verifyCollective(op, func, variances)) || failed(verifyLengths(func, op)))
      return failure();
  return success();
}
