// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/call/Call.h"

#include "runtime/base/Guarded.h"
#include "runtime/executor/call/EntryChecks.h"

namespace heddle {

Call::Call(const Module &module, const Function &function)
    : module_(module), function_(function), frame_(function), devices_(module.devices(), function, clock_, statistics_),
      memory_(devices_, module.devices().size()), transfers_(devices_),
      results_(module.devices(), function, devices_, statistics_),
      boundary_(module.devices(), function, frame_, devices_, results_, statistics_),
      views_(module, function, devices_.access()), turn_(module, function, frame_, devices_, results_, clock_),
      rehearsal_(module.metadata(), function),
      memoryInstructions_({frame_, devices_, memory_, transfers_, results_, boundary_, clock_, statistics_}),
      interpreter_(module, function, frame_, devices_, memoryInstructions_, clock_, statistics_) {}

Status Call::createStreams() {
  hal::HostWork collectives;
  if (function_.meets) {
    auto communicator = std::make_shared<Communicator>(module_, function_, clock_);
    communicator_ = communicator.get();
    collectives = Communicator::work(std::move(communicator));
  }
  memoryInstructions_.meetBy(communicator_);
  return devices_.createStreams(std::move(collectives));
}

void Call::setTrace(TraceSink sink) {
  std::unique_ptr<Observer> observer;
  if (sink)
    observer = std::make_unique<Observer>(module_.metadata(), function_, frame_, module_.ranks(), std::move(sink));
  devices_.observe(observer.get());
  boundary_.observe(observer.get());
  interpreter_.observe(observer.get());
  observer_ = std::move(observer);
}

std::span<const heddle_tensor> Call::complete(std::span<const heddle_tensor> arguments) {
  completed_.assign(arguments.begin(), arguments.end());
  for (size_t i = 0; i < std::min(completed_.size(), function_.defaults.size()); ++i)
    if (completed_[i].type == HEDDLE_NONE)
      completed_[i] = function_.defaults[i];
  return completed_;
}

Status Call::begin(std::span<const heddle_tensor> arguments, std::span<const heddle_tensor> results) {
  frame_.begin(function_);
  if (function_.drawn >= 0)
    frame_.scalars[function_.drawn] = module_.draws().next();
  drew_ = true;
  HEDDLE_RETURN_IF_ERROR(devices_.begin());
  memory_.begin();
  boundary_.begin();
  statistics_.begin();
  if (StreamRegister own = devices_.own(); own.isSet())
    frame_.streams[0] = own;
  HEDDLE_RETURN_IF_ERROR(turn_.check());
  if (!function_.defaults.empty()) [[unlikely]]
    arguments = complete(arguments);
  HEDDLE_RETURN_IF_ERROR(bindArguments(function_, arguments, frame_.scalars.data()));
  for (size_t i = 0; i < arguments.size(); ++i)
    frame_.buffers[i] = {{static_cast<std::byte *>(arguments[i].data), static_cast<int64_t>(arguments[i].bytes),
                          kDefined | kHostMemory}};
  HEDDLE_RETURN_IF_ERROR(results_.begin(results));
  return function_.donations.empty() ? Status() : results_.donate(arguments, results, frame_);
}

Status Call::beginViews(std::span<const heddle_view> arguments, std::span<const heddle_view> results) {
  HEDDLE_RETURN_IF_ERROR(views_.begin(arguments, results));
  HEDDLE_RETURN_IF_ERROR(begin(views_.arguments(), views_.results()));
  views_.place(frame_, results_, boundary_);
  return {};
}

void Call::finishViews(std::span<heddle_view> results) {
  finish(views_.results());
  views_.finish(results);
}

Status Call::run(uint64_t startNs, Turn::Ticket ticket) {
  clock_.start(startNs);
  if (turn_.isTaken())
    return runInTurn(ticket);
  HEDDLE_RETURN_IF_ERROR(checkAhead());
  return runProgram();
}

Status Call::runInTurn(Turn::Ticket ticket) {
  bool started = false; // a failure before leaves the values as they are
  Status status = guarded([&] {
    HEDDLE_RETURN_IF_ERROR(turn_.enter(ticket));
    HEDDLE_RETURN_IF_ERROR(checkAhead());
    started = true;
    HEDDLE_RETURN_IF_ERROR(runProgram());
    return turn_.checkResults();
  });
  if (!status.ok() && !started && mayRefuse(status))
    status = guarded([&] { return communicator_->refuse(std::move(status)); });
  turn_.leave(ticket, status, started);
  return status;
}

// What is wrong with the call, not with this rank.
bool Call::mayRefuse(const Status &cause) const {
  return communicator_ && (cause.code() == StatusCode::InvalidArgument || cause.code() == StatusCode::Unsupported ||
                           cause.code() == StatusCode::StateLost);
}

Status Call::refuse(uint64_t startNs, Turn::Ticket ticket, Status cause) {
  clock_.start(startNs);
  if (!mayRefuse(cause)) {
    turn_.giveUp(ticket);
    return cause;
  }
  if (function_.drawn >= 0 && !drew_) // as the other ranks do in this call
    (void)module_.draws().next();
  Status status = guarded([&] {
    HEDDLE_RETURN_IF_ERROR(turn_.enterToRefuse(ticket));
    return communicator_->refuse(std::move(cause));
  });
  turn_.leave(ticket, status, false);
  return status;
}

// Before a call that writes memory which outlives it: what can be refused ahead.
Status Call::checkAhead() {
  return rehearsal_.isNeeded() && results_.anyGiven() ? rehearsal_.run(frame_.scalars, results_) : Status();
}

Status Call::runProgram() {
  bool alone = !devices_.overlaps() && !observer_ && !boundary_.stages();
  HEDDLE_RETURN_IF_ERROR(alone ? interpreter_.run(profiling_) : runStaged());
  return results_.deliver();
}

// The program between what crosses the call's boundary, up to the end of all streams.
Status Call::runStaged() {
  if (observer_)
    observer_->start();
  Status status = guarded([&] {
    if (communicator_)
      HEDDLE_RETURN_IF_ERROR(agree());
    HEDDLE_RETURN_IF_ERROR(boundary_.stageArguments());
    HEDDLE_RETURN_IF_ERROR(interpreter_.run(profiling_));
    if (devices_.overlaps())
      HEDDLE_RETURN_IF_ERROR(boundary_.stageResults());
    // What ends the wait is a failure that the other ranks are told, so it is waited for ahead of drain().
    return communicator_ ? devices_.awaitAll() : Status();
  });
  if (communicator_)
    status = communicator_->end(std::move(status));
  if (devices_.overlaps())
    status = devices_.drain(std::move(status));
  if (communicator_)
    communicator_->release();
  boundary_.release();
  if (observer_)
    observer_->finish();
  return status;
}

// The first work on the stream of collectives. The program does not wait for it.
Status Call::agree() {
  HEDDLE_RETURN_IF_ERROR(communicator_->begin());
  if (observer_)
    observer_->label("agreement", 0, TraceSlice::kHost, TraceSlice::kHost);
  return communicator_->agree(*devices_.collectives().commands, frame_.scalars);
}

void Call::tellRanks(const Status &failure) {
  if (communicator_ && communicator_->takeAgreedFailure())
    return;
  if (Ranks *ranks = module_.ranks(); ranks && (function_.meets || failure.code() == StatusCode::DeviceLost))
    ranks->world().abort(ranks->member(), failure);
}

void Call::finish(std::span<heddle_tensor> results) {
  results_.finish(results);
  ++statistics_.calls;
}

} // namespace heddle
