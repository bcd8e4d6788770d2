// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/HideStreams.h"

#include "compiler/Dialect/Flow/IR/FlowRows.h"
#include "compiler/Dialect/Flow/Transforms/StreamMarks.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Dialect/Intent/Transforms/Passes.h"
#include "compiler/Stages/Import/KeepAffinities.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::heddle;

// The key under which a location holds marks.
static constexpr StringLiteral kStreamKey = "heddle.stream_of_op";

SmallVector<Location> mlir::heddle::hideStreams(ModuleOp module) {
  MLIRContext *context = module.getContext();
  SmallVector<Location> locations;
  module.walk([&](Operation *op) {
    Attribute mark = op->getAttr(kStreamAttr);
    if (!mark || isa_and_nonnull<linalg::LinalgDialect, tensor::TensorDialect>(op->getDialect()))
      return;
    // Two marked ops may be of one line and of equal marks: the number keeps them apart.
    Attribute number = IntegerAttr::get(IndexType::get(context), locations.size());
    locations.push_back(op->getLoc());
    hideInLocation(op, kStreamKey, ArrayAttr::get(context, {number, mark}));
    op->removeAttr(kStreamAttr);
  });
  return locations;
}

// On ops of TOSA and StableHLO a number is a dimension of the result.
static SmallVector<flow::StreamAxisAttr> readAxes(Attribute mark) {
  SmallVector<flow::StreamAxisAttr> axes;
  if (auto several = dyn_cast<ArrayAttr>(mark))
    llvm::append_range(axes, several.getAsRange<flow::StreamAxisAttr>());
  else
    axes.push_back(cast<flow::StreamAxisAttr>(mark));
  return axes;
}

LogicalResult mlir::heddle::restoreStreams(ModuleOp module, ArrayRef<Location> marked) {
  if (marked.empty())
    return success();
  struct Node {
    Attribute mark;
    SmallVector<Operation *> ops;
  };
  // What is streamed has loops.
  intent::decomposeLists(module, {}, [](Operation *op) {
    Location plain = op->getLoc();
    return isa_and_present<ArrayAttr>(takeFromLocation(op->getLoc(), kStreamKey, plain));
  });
  // Of each marked op in each function: calls are inlined by some lowerings.
  llvm::MapVector<std::pair<int64_t, Operation *>, Node> nodes;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments()) {
        Location plain = argument.getLoc();
        if (takeFromLocation(argument.getLoc(), kStreamKey, plain))
          argument.setLoc(plain);
      }
    Location plain = op->getLoc();
    auto held = dyn_cast_if_present<ArrayAttr>(takeFromLocation(op->getLoc(), kStreamKey, plain));
    if (!held)
      return;
    op->setLoc(plain);
    bool computes = !op->hasTrait<OpTrait::IsTerminator>() && !op->getParentOfType<linalg::LinalgOp>() &&
                    !op->getParentOfType<flow::RowsOp>() &&
                    llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
    if (!computes)
      return;
    Node &node = nodes[{cast<IntegerAttr>(held[0]).getInt(), op->getParentOp()}];
    node.mark = held[1];
    node.ops.push_back(op);
  });
  LogicalResult result = success();
  llvm::SmallDenseSet<int64_t> found;
  for (auto &[key, node] : nodes) {
    found.insert(key.first);
    if (failed(flow::markNode(marked[key.first], node.ops, readAxes(node.mark))))
      result = failure();
  }
  for (auto [number, location] : llvm::enumerate(marked))
    if (!found.contains(number)) {
      emitError(location) << "has heddle.stream, but nothing is left of the op that could be "
                             "streamed: it is computed at compile time, or moves no element";
      result = failure();
    }
  return result;
}
