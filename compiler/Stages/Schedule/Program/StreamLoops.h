// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over streams: an scf.for with `heddle.streams` becomes a host.stream_for.
//
// What the loop carries lies in one buffer for all iterations, that of the loop's result; each iteration writes its
// part there. A part that a dispatch of the body computes is written in place, in a view, where its bytes lie side by
// side, or where the executable's result has a pitch; any other part is copied there.
//
//   if (op->hasAttr(kStreamsAttr))
//     return StreamLoopBuilder(op, scalars, issue, storages, buildBlock).build();
#ifndef HEDDLE_COMPILER_STAGES_SCHEDULE_PROGRAM_STREAMLOOPS_H
#define HEDDLE_COMPILER_STAGES_SCHEDULE_PROGRAM_STREAMLOOPS_H

#include "compiler/Stages/Schedule/Program/Storages.h"

#include <functional>

namespace mlir::heddle {

class StreamLoopBuilder {
public:
  StreamLoopBuilder(scf::ForOp op, HostScalars &scalars, Issue &issue, Storages &storages,
                    const std::function<LogicalResult(Block &)> &buildBlock)
      : op(op), scalars(scalars), issue(issue), storages(storages), buildBlock(buildBlock), builder(scalars.builder),
        loc(scalars.loc) {}

  // Failure: a diagnostic at the op that cannot run on streams.
  LogicalResult build();

private:
  // Of a carried tensor: where it lies, and what writes its parts; null where an inner loop over streams does.
  struct Carried {
    Storage whole;
    tensor::InsertSliceOp insertion;
    host::FillOp zeros = {}; // of memory that nobody has written
  };

  LogicalResult findInsertions();
  FailureOr<FlatSymbolRefAttr> findDevice();
  void findTargets(FlatSymbolRefAttr device);
  Value countTrips();
  Value countStreams(FlatSymbolRefAttr device);
  void placeParts(Block &body);
  bool buildSizes(tensor::InsertSliceOp insertion);
  Value placePart(const Carried &entry);
  bool coversAll(const Carried &carried, host::StreamForOp loop);

  scf::ForOp op;
  HostScalars &scalars;
  Issue &issue;
  Storages &storages;
  const std::function<LogicalResult(Block &)> &buildBlock;
  OpBuilder &builder;
  Location &loc;
  SmallVector<Carried> carried; // in the order of the loop's results
};

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_SCHEDULE_PROGRAM_STREAMLOOPS_H
