// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the instructions of a function on an invocation's registers.
#ifndef HEDDLE_RUNTIME_EXECUTOR_CALL_INTERPRETER_H
#define HEDDLE_RUNTIME_EXECUTOR_CALL_INTERPRETER_H

#include "runtime/executor/call/Invocation.h"

namespace heddle {

// On the calling thread, from the first instruction to return or the first failure, which names the instruction's
// source location. Memory safe for any verified program, machine code aside.
class Interpreter {
public:
  explicit Interpreter(Invocation &invocation) : state_(invocation) {}
  Status run();
  // Before run(): refuses storage of the caller that is too small for a result whose size the arguments tell. Follows
  // the program's scalars, and nothing else, as far as no branch asks for what a device computes and up to the first
  // jump back: each instruction at most once. Changes nothing that a call sees.
  Status rehearse();

private:
  Status rehearse(const Head &head, const Head *code, const Head *&next);
  Status rehearseSetResult(const SetResultOp &op);
  void rehearseScalar(const Head &head);
  template <bool Profile> Status runWith();
  template <bool Profile> Status dispatch(const DispatchOp &op);
  Status scalar(const Head &head);
  Status memory(const Head &head);
  Status stream(const Head &head);
  Status divideScalars(const BinaryOp &op);
  Status setResult(const SetResultOp &op);
  Status result(const ResultOp &op);
  Status slab(const StorageOp &op);
  Status alloc(const StorageOp &op);
  Status free(const FreeOp &op);
  Status view(const ViewOp &op);
  Status plan(const PlanOp &op);
  Status copy(const CopyOp &op);
  Status fill(const FillOp &op);
  Status read(const ReadOp &op);
  Status copyBetween(const StreamRegister &stream, const PlacedBuffer &to, const PlacedBuffer &from);
  StatusOr<Invocation::Bounce *> takeBounce(uint64_t bytes);
  Status record(const EventOp &op);
  Status wait(const EventOp &op, bool await);
  Status finish(const StreamRegister &stream);
  Status bind(const BindOp &op);
  Status pack(const PackOp &op);
  int32_t findBlock(uint32_t device, uint64_t bytes, bool pending);
  bool isReached(const DispatchOp &op, const BufferRegister &buffer) const;
  bool bindingsFit(const DispatchOp &op);
  Status refuseBindings(const DispatchOp &op);
  // `what` is that the program does not stage memory, which it says only of devices that share it.
  static Status cannotUse(std::string what);
  Status message(uint32_t index);
  Status locate(const Head &head, Status status);
  Status describeFailure(const DispatchOp &op, Status status);
  // The bytes [offset, offset + bytes) of a buffer register, or null with `failure` set.
  std::byte *range(uint32_t buffer, uint32_t offset, int64_t bytes, uint32_t needed, Status &failure);
  StatusOr<StreamRegister> streamOf(uint32_t index);
  hal::Device &device(uint32_t index) { return *state_.module_->devices()[index].device; }

  Invocation &state_;
};

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_CALL_INTERPRETER_H
