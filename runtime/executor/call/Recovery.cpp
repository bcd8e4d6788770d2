// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/call/Recovery.h"

#include "runtime/base/Guarded.h"

#include <algorithm>

namespace heddle {

StatusOr<std::unique_ptr<RecoveringInvocation>> RecoveringInvocation::create(std::shared_ptr<LiveModule> module,
                                                                             uint32_t entryPoint) {
  std::unique_ptr<RecoveringInvocation> out(new RecoveringInvocation(std::move(module), entryPoint));
  HEDDLE_RETURN_IF_ERROR(out->attach(out->module_->current()));
  return out;
}

Status RecoveringInvocation::attach(std::shared_ptr<const Module> module) {
  const Function &function = *module->entryPoints()[entryPoint_];
  StatusOr<std::unique_ptr<Invocation>> made = Invocation::create(std::move(module), function);
  if (!made.ok())
    return made.takeStatus();
  (*made)->setTimeout(timeoutNs_);
  (*made)->setProfiling(profiling_);
  if (trace_)
    (*made)->setTrace(trace_);
  if (!function.state.empty())
    HEDDLE_RETURN_IF_ERROR((*made)->setState(state_ ? state_ : module_->state()));
  std::lock_guard lock(mutex_);
  invocation_.swap(*made);
  return {};
}

// To the module that calls belong to now.
Status RecoveringInvocation::follow() {
  if (!untraced_.ok()) [[unlikely]]
    return untraced_.clone();
  if (module_->isCurrent(&invocation_->module()) && !invocation_->lostDevice()) [[likely]]
    return {};
  StatusOr<std::shared_ptr<const Module>> next = module_->replace(&invocation_->module());
  return next.ok() ? attach(std::move(*next)) : next.takeStatus();
}

// Whether a call that failed may be made again with the same arguments: nothing that was kept on a device is gone, and
// no donated memory is half written.
static bool isRepeatable(const Function &function) {
  return function.state.empty() && std::none_of(function.donations.begin(), function.donations.end(),
                                                [](const Donation &donation) { return donation.writable; });
}

// `run` calls the invocation, again where a loss is recovered from.
template <typename Run> Status RecoveringInvocation::repeat(Run &&run) {
  HEDDLE_RETURN_IF_ERROR(follow());
  Status status = run();
  // Each repetition is without one device more, so this ends.
  while (isRepeatable(invocation_->function()) && status.code() == StatusCode::DeviceLost &&
         module_->onLoss() == LiveModule::OnLoss::Fallback && invocation_->lostDevice()) {
    if (Status next = follow(); !next.ok()) {
      status = std::move(status).note(next.message());
      for (const std::string &note : next.notes())
        status = std::move(status).note(note);
      return status;
    }
    status = run();
  }
  return status;
}

Status RecoveringInvocation::call(std::span<const heddle_tensor> arguments, std::span<heddle_tensor> results) {
  return repeat([&] { return invocation_->call(arguments, results); });
}

Status RecoveringInvocation::callViews(std::span<const heddle_view> arguments, std::span<heddle_view> results) {
  return repeat([&] { return invocation_->callViews(arguments, results); });
}

StatusOr<std::shared_ptr<hal::Semaphore>> RecoveringInvocation::start(std::span<const heddle_tensor> arguments,
                                                                      std::span<heddle_tensor> results,
                                                                      std::vector<hal::Point> waits,
                                                                      hal::Queue *queue) {
  HEDDLE_RETURN_IF_ERROR(follow());
  return invocation_->start(arguments, results, std::move(waits), queue);
}

StatusOr<std::shared_ptr<StartedCall>> RecoveringInvocation::start(std::span<const heddle_tensor> arguments,
                                                                   StartRequest request) {
  HEDDLE_RETURN_IF_ERROR(follow());
  return invocation_->start(arguments, std::move(request));
}

StatusOr<std::shared_ptr<StartedCall>> RecoveringInvocation::startViews(std::span<const heddle_view> arguments,
                                                                        StartRequest request) {
  HEDDLE_RETURN_IF_ERROR(follow());
  return invocation_->startViews(arguments, std::move(request));
}

Status RecoveringInvocation::refuseCall(Status cause) {
  HEDDLE_RETURN_IF_ERROR(follow());
  return invocation_->refuseCall(std::move(cause));
}

StatusOr<std::shared_ptr<StartedCall>> RecoveringInvocation::startRefusal(Status cause) {
  HEDDLE_RETURN_IF_ERROR(follow());
  return invocation_->startRefusal(std::move(cause));
}

void RecoveringInvocation::cancel() {
  std::lock_guard lock(mutex_);
  invocation_->cancel();
}

void RecoveringInvocation::setTimeout(uint64_t ns) {
  timeoutNs_ = ns;
  invocation_->setTimeout(ns);
}

void RecoveringInvocation::setProfiling(bool on) {
  profiling_ = on;
  invocation_->setProfiling(on);
}

Status RecoveringInvocation::setState(std::shared_ptr<State> state) {
  if (!invocation_->function().state.empty())
    HEDDLE_RETURN_IF_ERROR(invocation_->setState(state ? state : module_->state()));
  state_ = std::move(state);
  return {};
}

void RecoveringInvocation::setTrace(TraceSink sink) {
  untraced_ = guarded([&] {
    trace_ = sink;
    invocation_->setTrace(std::move(sink));
    return Status();
  });
}

} // namespace heddle
