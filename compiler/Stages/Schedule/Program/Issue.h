// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a host program issues work: devices by affinities, a stream for each queue.
//
// What runs on a device is issued on the stream of its queue: queue q is `host.stream on @d q`; of the module's default
// device queue 0 is the call's stream and q is `host.stream on @d q-1`. What names no queue goes to queue 0. Nothing is
// ordered between streams yet (schedule-synchronize-streams).
#ifndef HEDDLE_COMPILER_STAGES_SCHEDULE_PROGRAM_ISSUE_H
#define HEDDLE_COMPILER_STAGES_SCHEDULE_PROGRAM_ISSUE_H

#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Dialect/Flow/Analysis/Topology.h"
#include "compiler/Stages/Schedule/Program/HostScalars.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::heddle {

class Issue {
public:
  Issue(func::FuncOp source, device::GlobalOp device, HostScalars &scalars)
      : defaultDevice(FlatSymbolRefAttr::get(device.getSymNameAttr())),
        topology(flow::Topology::of(source->getParentOfType<ModuleOp>())), scalars(scalars) {}
  // The program whose streams these are, once there is one.
  void setProgram(host::FuncOp func) { program = func; }

  FlatSymbolRefAttr getDefaultDevice() const { return defaultDevice; }
  // The device that an affinity names; the default one without an affinity. Fails with a diagnostic at `op`.
  FailureOr<FlatSymbolRefAttr> deviceFrom(Operation *op, Attribute affinity) const;
  // The queue that an affinity names; stage `place` leaves one at most.
  static int64_t queueOf(Attribute affinity);
  // The stream of a device's queue. Extra ones are named at the start, so that every region can use them. In a loop
  // over streams of the device: that of the iteration.
  Value stream(FlatSymbolRefAttr device, int64_t queue = 0);
  // That of the collectives.
  Value commStream();
  // From here on, until the loop is left, work of the device is issued on the stream of an iteration. `streams`: how
  // many the loop has, 0 where only the device knows.
  void enterLoop(FlatSymbolRefAttr device, Value mine, int64_t streams) { loops.push_back({device, mine, streams}); }
  void leaveLoop() { loops.pop_back(); }
  // The number of the first extra stream of a device for the loop over streams that begins here: one that is neither
  // the device's own nor one of the loops around, whose iterations would else wait for one another in it.
  uint32_t firstLoopStream(FlatSymbolRefAttr device) const;

  // A parameter's bytes lie on each device that reads them; any other buffer is where it is.
  Value parameterOn(Value buffer, FlatSymbolRefAttr device);
  // Whether work on a device may read another's memory where it is, by the module's topology.
  bool readsInPlace(FlatSymbolRefAttr owner, FlatSymbolRefAttr reader) const;

private:
  FlatSymbolRefAttr defaultDevice;
  flow::Topology topology;
  HostScalars &scalars;
  host::FuncOp program;
  llvm::DenseMap<std::pair<Attribute, int64_t>, Value> streams; // but the call's
  Value collectives;                                            // the stream they run on; null: none so far
  struct Loop {
    FlatSymbolRefAttr device;
    Value mine;
    int64_t streams;
  };
  SmallVector<Loop> loops; // over streams, from outside in
};

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_SCHEDULE_PROGRAM_ISSUE_H
