// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The views of a call (heddle/buffers.h): the same as tensors, which the rest of a call works with, and where their
// memory is. A call without views pays nothing for this. One thread.
//
// Their buffers live at least until release(), whatever the caller does.
//
//   HEDDLE_RETURN_IF_ERROR(views.begin(arguments, results));       // what they say of memory is right
//   … frame and results are filled from views.arguments() and views.results() …
//   views.place(frame, results, boundary);                         // with who can use what
//   … the call; results.finish(views.results()) …
//   views.finish(given);
//   views.release();
#ifndef HEDDLE_RUNTIME_EXECUTOR_CALL_VIEWS_H
#define HEDDLE_RUNTIME_EXECUTOR_CALL_VIEWS_H

#include "heddle/buffers.h"
#include "runtime/executor/call/Boundary.h"
#include "runtime/executor/load/Module.h"

namespace heddle {

class Views {
public:
  // All are borrowed.
  Views(const Module &module, const Function &function, const MemoryAccess &access)
      : module_(module), function_(function), access_(access) {}

  // InvalidArgument names the view that does not fit: ranges, overlaps, devices that are lost or not there, memory that
  // is only read. Types, sizes and their number are checked as those of tensors.
  Status begin(std::span<const heddle_view> arguments, std::span<const heddle_view> results);
  std::span<const heddle_tensor> arguments() const { return arguments_; }
  std::span<heddle_tensor> results() { return results_; }
  void place(Frame &frame, Results &results, Boundary &boundary) const;
  // What the tensors say now.
  void finish(std::span<heddle_view> results) const;
  void release() {
    if (!held_.empty())
      held_.clear();
  }

private:
  Status check(std::span<const heddle_view> results) const;
  uint32_t flagsOf(const DeviceMemory &device) const;
  // Memory of a device as registers name it.
  PlacedBuffer placed(const Place &place, uint64_t bytes, uint32_t flags) const;

  const Module &module_;
  const Function &function_;
  const MemoryAccess &access_;
  std::vector<heddle_tensor> arguments_, results_;
  std::vector<Place> argumentPlaces_, resultPlaces_;
  std::vector<uint32_t> stays_; // by result without memory: the device where it is to lie
  std::vector<hal::BufferRef> held_;
};

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_CALL_VIEWS_H
