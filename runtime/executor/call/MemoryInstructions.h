// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What instructions do with memory, streams and events: operands from the frame, their checks, and the noun that does
// the work. With CallDevices and Boundary the only place that knows what a stream, an event and an address are.
//
// A failure says what is wrong with the operands, without the instruction's location, which the interpreter adds.
// Whatever a verified program names is checked here before it is touched. One thread.
//
//   MemoryInstructions memory({frame, devices, callMemory, transfers, results, boundary, clock, statistics});
//   HEDDLE_RETURN_IF_ERROR(memory.run(head));
#ifndef HEDDLE_RUNTIME_EXECUTOR_CALL_MEMORYINSTRUCTIONS_H
#define HEDDLE_RUNTIME_EXECUTOR_CALL_MEMORYINSTRUCTIONS_H

#include "heddle/contract/Collectives.h"
#include "runtime/executor/call/Boundary.h"
#include "runtime/executor/call/CallMemory.h"
#include "runtime/executor/call/Transfers.h"

namespace heddle {

struct Binding;
class Communicator;

// What instructions work on. Borrowed.
struct CallParts {
  Frame &frame;
  CallDevices &devices;
  CallMemory &memory;
  Transfers &transfers;
  Results &results;
  Boundary &boundary;
  Clock &clock;
  CallStatistics &statistics;
};

class MemoryInstructions {
public:
  explicit MemoryInstructions(const CallParts &parts)
      : frame_(parts.frame), devices_(parts.devices), memory_(parts.memory), transfers_(parts.transfers),
        results_(parts.results), boundary_(parts.boundary), clock_(parts.clock), statistics_(parts.statistics) {}
  // Where bind functions read and write; null: bind instructions are refused.
  void bindTo(Binding *binding) { binding_ = binding; }
  // Who does collectives; null: they are refused.
  void meetBy(Communicator *communicator) { communicator_ = communicator; }

  // Any instruction but control flow, scalars and dispatches.
  Status run(const Head &head);
  // The same for the one that programs of free sizes are full of.
  Status view(const ViewOp &op);

  // Unsupported: what a program does that was compiled for devices which share memory. `what` is that the program does
  // not stage memory, which it says only of such devices.
  static Status cannotUse(std::string what);

private:
  Status result(const ResultOp &op);
  Status allocate(const StorageOp &op, bool slab);
  Status plan(const PlanOp &op);
  Status bind(const BindOp &op);
  Status pack(const PackOp &op);
  Status slice(const SliceOp &op);
  Status copy(const CopyOp &op);
  Status fill(const FillOp &op);
  Status read(const ReadOp &op);
  Status streamAt(const StreamOp &op);
  Status record(const EventOp &op);
  Status wait(const EventOp &op);
  Status collective(const CollectiveOp &op, std::span<const contract::Cut> cuts);
  // The bytes [offset, offset + bytes) of a buffer register that has the `needed` flags; nothing with `failure` set.
  PlacedBuffer range(uint32_t buffer, uint32_t offset, int64_t bytes, uint32_t needed, Status &failure) const;
  // The stream of a register; null with `failure` set.
  const StreamRegister *stream(uint32_t index, Status &failure) const;

  Frame &frame_;
  CallDevices &devices_;
  CallMemory &memory_;
  Transfers &transfers_;
  Results &results_;
  Boundary &boundary_;
  Clock &clock_;
  CallStatistics &statistics_;
  Communicator *communicator_ = nullptr;
  Binding *binding_ = nullptr;
};

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_CALL_MEMORYINSTRUCTIONS_H
