// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes what crosses from device to device explicit: flow.transfers and copies of constants, as affinity analysis asks
// for them. Used twice: before rewrites of the graph, so that these see which ops belong together (insertTransfers),
// and by stage `place`, which also removes what is not needed (placeOps).
#ifndef HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_CROSSINGS_H
#define HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_CROSSINGS_H

#include "compiler/Dialect/Flow/Analysis/Affinities.h"

namespace mlir::heddle::flow {

// Whether a use on device `to` reads a value of device `from` where it is: over a unified or transparent link.
// Branches, loops, calls and returns hand on memory of their own device, which is that of both only if the link is
// unified both ways.
bool readsInPlace(const Topology &topology, unsigned from, unsigned to, OpOperand &use);

// Gives every use that is on another device than its value a flow.transfer, one for each value and device, right after
// the value. Existing transfers and constants stay as they are.
void insertTransfers(ModuleOp module, const Affinities &affinities);

// The same, and: each op that gives tensors, each argument and each result of a function gets its `heddle.affinity`,
// and `heddle.placed_by`, why it is there; constants are copied, one for each device that reads them; of transfers to
// the same device one stays, and none whose value is there anyway or may be read in place.
// Sizes that a transfer needs and nothing knows appear as tensor.dim; whether there are any is the result.
bool placeOps(ModuleOp module, const Affinities &affinities);

} // namespace mlir::heddle::flow

#endif // HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_CROSSINGS_H
