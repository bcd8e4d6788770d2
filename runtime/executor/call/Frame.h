// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The registers of a call of one function, as plain data: what instructions read and write. No methods but the two that
// size and empty it; nothing in it is owned, so whoever fills a register keeps what it names alive until the call ends.
//
// One thread. Sized once for the function; a call allocates nothing here.
//
//   Frame frame(function);
//   frame.begin(function);                 // scalars as the function begins, all else unset
//   frame.buffers[0] = {{address, bytes, kDefined | kHostMemory}};
#ifndef HEDDLE_RUNTIME_EXECUTOR_CALL_FRAME_H
#define HEDDLE_RUNTIME_EXECUTOR_CALL_FRAME_H

#include "runtime/executor/call/PlanMemo.h"
#include "runtime/executor/program/Program.h"

#include <algorithm>
#include <vector>

namespace heddle {

// Memory, and where it came from.
struct BufferRegister : PlacedBuffer {
  int32_t block = -1; // the allocation of CallMemory that `free` gives back, -1: none
};

class CommandStream;

// A stream of a device; unset: no instruction has put one here.
struct StreamRegister {
  hal::Commands *commands = nullptr; // what takes them
  CommandStream *queued = nullptr;   // the same while the program goes on; null: what was issued is done
  uint32_t device = 0;               // of the program
  uint32_t index = 0;                // among the device's streams
  bool isSet() const { return commands != nullptr; }
};

// What is counted of a call, `calls` apart: that is since the invocation was made.
struct CallStatistics {
  uint64_t calls = 0;      // that succeeded
  uint64_t dispatches = 0; // issued
  uint64_t totalNs = 0;    // where profiled or asynchronous
  uint64_t kernelNs = 0;   // in dispatches, where profiled
  uint64_t allocations = 0;
  uint64_t planMisses = 0; // plans computed, not remembered
  uint64_t copiedBytes = 0;
  uint64_t boundaryBytes = 0;   // copied because an argument or a result lay elsewhere than it should
  uint64_t collectives = 0;     // issued
  uint64_t collectiveBytes = 0; // of their sources and targets here

  // All but `calls` is the next call's.
  void begin() {
    uint64_t before = calls;
    *this = {};
    calls = before;
  }
};

struct Frame {
  explicit Frame(const Function &function);
  // Everything that registers of the last call named goes out of reach.
  void begin(const Function &function) {
    std::copy(function.scalars.begin(), function.scalars.end(), scalars.begin());
    std::fill(buffers.begin(), buffers.end(), BufferRegister{});
    std::fill(streams.begin(), streams.end(), StreamRegister{});
  }

  std::vector<int64_t> scalars;
  std::vector<BufferRegister> buffers;
  std::vector<StreamRegister> streams; // the first: the call's own
  std::vector<PlanMemo> plans;         // by PlanOp::memo; kept from call to call
  // Of the dispatch that is being made: as long as the longest one's.
  std::vector<void *> bindings;
  std::vector<hal::BoundView> views;
  std::vector<int64_t> constants;
};

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_CALL_FRAME_H
