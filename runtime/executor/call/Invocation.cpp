// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/call/Invocation.h"

#include "runtime/base/FloatEnvironment.h"
#include "runtime/base/Guarded.h"
#include "runtime/executor/call/Wait.h"
#include "runtime/hal/HostTime.h"

namespace heddle {

Invocation::Invocation(std::shared_ptr<const Module> module, const Function &function)
    : module_(std::move(module)), function_(function), call_(*module_, function) {}

StatusOr<std::unique_ptr<Invocation>> Invocation::create(std::shared_ptr<const Module> module,
                                                         const Function &function) {
  std::unique_ptr<Invocation> invocation(new Invocation(std::move(module), function));
  HEDDLE_RETURN_IF_ERROR(invocation->call_.createStreams());
  return invocation;
}

Invocation::~Invocation() {
  if (!running_.load(std::memory_order_acquire))
    return;
  cancel();
  if (started_)
    (void)started_->done.wait(1);
}

// What the call wrote in place is half done here.
void Invocation::afterForkInChild() {
  if (!running_.load(std::memory_order_relaxed))
    return;
  forked_ = true;
  auto failure = [] {
    return Status(StatusCode::Cancelled, "the process was forked while the call ran; it is done in the parent only");
  };
  (void)guarded([&] {
    call_.turn().failAfterFork(failure());
    return Status();
  });
  if (started_ && started_->done.query(1) == hal::SemaphoreState::Pending)
    started_->done.failAfterFork(guarded(failure));
}

void Invocation::cancel() {
  if (running_.load(std::memory_order_acquire))
    call_.clock().cancel();
}

Status Invocation::setState(std::shared_ptr<State> state) {
  if (running_.load(std::memory_order_acquire))
    return Status(StatusCode::Busy,
                  "a call of the invocation runs and uses its state; set another one when it is done");
  call_.turn().use(std::move(state));
  return {};
}

Status Invocation::acquire() {
  bool busy = running_.exchange(true, std::memory_order_acquire);
  if (busy && forked_)
    return Status(StatusCode::Busy, "the process was forked while the invocation ran a call, which goes on in the "
                                    "parent; create another invocation of the module");
  if (busy)
    return Status(StatusCode::Busy, "an invocation runs one call at a time, got a second one; create another "
                                    "invocation of the module");
  call_.clock().begin();
  return {};
}

void Invocation::release(const Status &status) {
  call_.end();
  if (!status.ok()) [[unlikely]]
    call_.tellRanks(status);
  if (status.code() == StatusCode::DeviceLost)
    lostDevice_.store(true, std::memory_order_relaxed);
  running_.store(false, std::memory_order_release);
}

template <typename Begin, typename Finish> Status Invocation::callWith(Begin &&begin, Finish &&finish) {
  HEDDLE_RETURN_IF_ERROR(acquire());
  DefaultFloatEnvironment floats;
  uint64_t start = call_.profiling() || call_.clock().hasTimeout() ? nowNs() : 0;
  Status status = guarded([&] {
    if (Status begun = begin(); !begun.ok()) [[unlikely]]
      return refuse(std::move(begun));
    HEDDLE_RETURN_IF_ERROR(call_.run(start, call_.turn().askAtOnce()));
    finish();
    return Status();
  });
  if (call_.profiling())
    call_.statistics().totalNs = nowNs() - start;
  release(status);
  return status;
}

Status Invocation::call(std::span<const heddle_tensor> arguments, std::span<heddle_tensor> results) {
  return callWith([&] { return call_.begin(arguments, results); }, [&] { call_.finish(results); });
}

Status Invocation::callViews(std::span<const heddle_view> arguments, std::span<heddle_view> results) {
  return callWith([&] { return call_.beginViews(arguments, results); }, [&] { call_.finishViews(results); });
}

Status Invocation::refuse(Status cause) {
  return call_.mayRefuse(cause) ? call_.refuse(nowNs(), call_.turn().askAtOnce(), std::move(cause)) : std::move(cause);
}

Status Invocation::refuseCall(Status cause) {
  if (!call_.mayRefuse(cause))
    return {};
  HEDDLE_RETURN_IF_ERROR(acquire());
  Status status = guarded([&] { return refuse(std::move(cause)); });
  release(status);
  return status;
}

Status Invocation::bind(Binding &binding) {
  call_.bindTo(&binding);
  Status status = call({}, {});
  call_.bindTo(nullptr);
  if (status.ok())
    call_.memory().give(binding.memory);
  return status;
}

template <typename Begin>
StatusOr<std::shared_ptr<StartedCall>> Invocation::startWith(StartRequest request, Begin &&begin) {
  HEDDLE_RETURN_IF_ERROR(acquire());
  uint64_t start = nowNs();
  std::shared_ptr<StartedCall> started;
  Status status = guarded([&]() -> Status {
    Status refusal = begin(request);
    if (!refusal.ok() && !call_.mayRefuse(refusal))
      return refusal;
    started = std::make_shared<StartedCall>();
    started->refusal = std::move(refusal);
    started->invocation = this;
    started->startNs = start;
    started->request = std::move(request);
    started_ = started;
    return issue(started);
  });
  if (status.ok())
    return started;
  release(status);
  return status;
}

StatusOr<std::shared_ptr<StartedCall>> Invocation::start(std::span<const heddle_tensor> arguments,
                                                         StartRequest request) {
  return startWith(std::move(request), [&](const StartRequest &r) { return call_.begin(arguments, r.tensors); });
}

StatusOr<std::shared_ptr<StartedCall>> Invocation::startViews(std::span<const heddle_view> arguments,
                                                              StartRequest request) {
  request.hasViews = true;
  return startWith(std::move(request), [&](const StartRequest &r) { return call_.beginViews(arguments, r.views); });
}

StatusOr<std::shared_ptr<StartedCall>> Invocation::startRefusal(Status cause) {
  if (!call_.mayRefuse(cause))
    return std::shared_ptr<StartedCall>();
  return startWith({}, [&](const StartRequest &) { return std::move(cause); });
}

StatusOr<std::shared_ptr<hal::Semaphore>> Invocation::start(std::span<const heddle_tensor> arguments,
                                                            std::span<heddle_tensor> results,
                                                            std::vector<hal::Point> waits, hal::Queue *queue) {
  StartRequest request;
  request.tensors = results;
  request.waits = std::move(waits);
  request.queue = queue;
  StatusOr<std::shared_ptr<StartedCall>> started = start(arguments, std::move(request));
  if (!started.ok())
    return started.takeStatus();
  return std::shared_ptr<hal::Semaphore>(*started, &(*started)->done);
}

// In one order on the queue and for the state.
Status Invocation::issue(const std::shared_ptr<StartedCall> &started) {
  // Changes of threads cost a few microseconds on an idle machine, and much more on a busy one.
  constexpr uint64_t kShortNs = 50'000;
  hal::Queue *queue = started->request.queue;
  if (!queue) {
    StatusOr<hal::Queue *> own = module_->defaultQueue();
    if (!own.ok())
      return own.takeStatus();
    queue = *own;
    started->onQueue = module_->started();
    started->mayMove = lastNs_ < kShortNs && started->request.isReady();
  }
  auto turn = [](void *call) {
    std::shared_ptr<StartedCall> kept = std::move(static_cast<StartedCall *>(call)->self);
    kept->run();
  };
  HEDDLE_RETURN_IF_ERROR(started->commands.call(turn, started.get()));
  hal::Point accepted{std::make_shared<hal::Semaphore>(), 1};
  started->hostTime = hal::HostTime::mark();
  Turn::StartLock order = call_.turn().startLock();
  started->self = started;
  started->ticket = call_.turn().ask();
  if (started->onQueue) {
    started->onQueue->running.fetch_add(1, std::memory_order_relaxed);
    started->onQueue->turns.fetch_add(1, std::memory_order_relaxed);
  }
  queue->submit(&started->commands, {}, {&accepted, 1});
  if (!accepted.semaphore->failed()) [[likely]]
    return {};
  if (started->onQueue) {
    started->onQueue->running.fetch_sub(1, std::memory_order_relaxed);
    started->onQueue->turns.fetch_sub(1, std::memory_order_relaxed);
  }
  call_.turn().giveUp(started->ticket);
  started->self = nullptr;
  return accepted.semaphore->cause();
}

void Invocation::runStarted(StartedCall &started) {
  DefaultFloatEnvironment floats;
  StartRequest &request = started.request;
  call_.clock().start(started.startNs);
  hal::HostTime::follow(started.hostTime);
  if (started.onQueue)
    hal::HostTime::follow(started.onQueue->hostTime);
  Status status = guarded([&] {
    for (const hal::Point &point : request.waits) {
      HEDDLE_RETURN_IF_ERROR(waitFor(point, call_.clock()));
      hal::HostTime::waited(point);
    }
    return Status();
  });
  uint64_t begun = nowNs();
  if (!status.ok())
    call_.turn().giveUp(started.ticket);
  else if (!started.refusal.ok())
    status = call_.refuse(started.startNs, started.ticket, std::move(started.refusal));
  else
    status = guarded([&] {
      HEDDLE_RETURN_IF_ERROR(call_.run(started.startNs, started.ticket));
      request.hasViews ? call_.finishViews(request.views) : call_.finish(request.tensors);
      return Status();
    });
  uint64_t end = nowNs();
  lastNs_ = end - begun;
  call_.statistics().totalNs = end - started.startNs;
  std::shared_ptr<StartedCall> kept = started_; // the invocation may be in its next call, or gone, at once
  std::vector<hal::Point> signals = std::move(request.signals);
  hal::HostTime::signals(kept->done, 1);
  for (const hal::Point &point : signals)
    hal::HostTime::signals(*point.semaphore, point.value);
  if (started.onQueue)
    started.onQueue->hostTime = hal::HostTime::mark();
  request.waits.clear(); // a chain of calls does not grow with its length
  if (started.onQueue)
    started.onQueue->running.fetch_sub(1, std::memory_order_release);
  release(status);
  for (const hal::Point &point : signals)
    status.ok() ? (void)point.semaphore->signal(point.value) : (void)point.semaphore->fail(status.clone());
  status.ok() ? (void)kept->done.signal(1) : (void)kept->done.fail(std::move(status));
}

Status runBindFunction(std::shared_ptr<const Module> module, const Function &function, Binding &binding) {
  // A bind function computes sizes and packs parameters; one that runs longer is a wrong program, and a load must end.
  constexpr uint64_t kLimitNs = 5'000'000'000;
  StatusOr<std::unique_ptr<Invocation>> call = Invocation::create(std::move(module), function);
  if (!call.ok())
    return call.takeStatus();
  (*call)->setTimeout(kLimitNs);
  return (*call)->bind(binding);
}

} // namespace heddle
