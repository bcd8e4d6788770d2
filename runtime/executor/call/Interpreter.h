// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the instructions of a function on a frame: control flow and dispatches here, where the time goes; scalars by
// ScalarMachine, all else by MemoryInstructions.
//
// On the calling thread, from the first instruction to return or the first failure, which names the instruction's
// source location. Memory safe for any verified program, machine code aside. Borrows all it works on, and keeps nothing
// of a call itself: one interpreter serves all calls of an invocation.
//
//   Interpreter interpreter(module, function, frame, devices, memory, clock, statistics);
//   HEDDLE_RETURN_IF_ERROR(interpreter.run(profile));
#ifndef HEDDLE_RUNTIME_EXECUTOR_CALL_INTERPRETER_H
#define HEDDLE_RUNTIME_EXECUTOR_CALL_INTERPRETER_H

#include "runtime/executor/call/MemoryInstructions.h"
#include "runtime/executor/load/Module.h"

namespace heddle {

class Observer;

class Interpreter {
public:
  Interpreter(const Module &module, const Function &function, Frame &frame, CallDevices &devices,
              MemoryInstructions &memory, const Clock &clock, CallStatistics &statistics)
      : module_(module), function_(function), frame_(frame), devices_(devices), memory_(memory), clock_(clock),
        statistics_(statistics) {}
  // Is told about each instruction of later runs; null: nobody is.
  void observe(Observer *observer) { observer_ = observer; }

  // The frame has the arguments. `profile`: takes the time of each dispatch.
  Status run(bool profile);

private:
  template <bool Profile> Status runWith();
  template <bool Profile> Status dispatch(const DispatchOp &op);
  Status scalar(const Head &head);
  bool bindingsFit(const DispatchOp &op);
  // Whether the binding is no larger than the device's are, or the kernel reaches all of it.
  bool isReached(const DispatchOp &op, const BufferRegister &buffer) const;
  Status refuseBindings(const DispatchOp &op);
  Status describeFailure(const DispatchOp &op, Status status);
  Status message(uint32_t index) const;

  const Module &module_;
  const Function &function_;
  Frame &frame_;
  CallDevices &devices_;
  MemoryInstructions &memory_;
  const Clock &clock_;
  CallStatistics &statistics_;
  Observer *observer_ = nullptr;
};

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_CALL_INTERPRETER_H
