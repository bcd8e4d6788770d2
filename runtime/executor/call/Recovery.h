// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An invocation that follows its module when a device is lost (LiveModule.h): what heddle_invocation is.
//
// As Invocation, one thread at a time but for cancel(). Settings are kept over a loss.
#ifndef HEDDLE_RUNTIME_EXECUTOR_CALL_RECOVERY_H
#define HEDDLE_RUNTIME_EXECUTOR_CALL_RECOVERY_H

#include "runtime/executor/call/Invocation.h"
#include "runtime/executor/load/LiveModule.h"

namespace heddle {

class RecoveringInvocation {
public:
  // Of the entry point with this index.
  static StatusOr<std::unique_ptr<RecoveringInvocation>> create(std::shared_ptr<LiveModule> module,
                                                                uint32_t entryPoint);

  // A call that loses a device fails with DeviceLost, and the next one runs on a module that was loaded anew; with
  // OnLoss::Fallback it is repeated there at once, unless it has state or writes donated memory in place.
  Status call(std::span<const heddle_tensor> arguments, std::span<heddle_tensor> results);
  Status callViews(std::span<const heddle_view> arguments, std::span<heddle_view> results);
  // As Invocation::start() and startViews(); a loss is never repeated.
  StatusOr<std::shared_ptr<hal::Semaphore>> start(std::span<const heddle_tensor> arguments,
                                                  std::span<heddle_tensor> results, std::vector<hal::Point> waits,
                                                  hal::Queue *queue);
  StatusOr<std::shared_ptr<StartedCall>> start(std::span<const heddle_tensor> arguments, StartRequest request);
  StatusOr<std::shared_ptr<StartedCall>> startViews(std::span<const heddle_view> arguments, StartRequest request);
  // As Invocation::refuseCall() and startRefusal().
  Status refuseCall(Status cause);
  StatusOr<std::shared_ptr<StartedCall>> startRefusal(Status cause);
  void cancel();
  void setTimeout(uint64_t ns);
  void setProfiling(bool on);
  // Without memory for it later calls fail, until one of these does not.
  void setTrace(TraceSink sink);
  // Whose values calls use; null: the module's own. Busy while a call runs.
  Status setState(std::shared_ptr<State> state);
  bool belongsTo(const LiveModule &module) const { return module_.get() == &module; }
  const Invocation &invocation() const { return *invocation_; }

private:
  RecoveringInvocation(std::shared_ptr<LiveModule> module, uint32_t entryPoint)
      : module_(std::move(module)), entryPoint_(entryPoint) {}
  Status attach(std::shared_ptr<const Module> module);
  Status follow();
  template <typename Run> Status repeat(Run &&run);

  std::shared_ptr<LiveModule> module_;
  uint32_t entryPoint_;
  std::mutex mutex_; // between cancel() and a change of invocation_
  std::unique_ptr<Invocation> invocation_;
  uint64_t timeoutNs_ = 0;
  bool profiling_ = false;
  std::shared_ptr<State> state_; // null: the module's own
  TraceSink trace_;
  Status untraced_; // why calls are not traced that should be
};

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_CALL_RECOVERY_H
