// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/call/Invocation.h"

#include "runtime/base/FloatEnvironment.h"
#include "runtime/base/Guarded.h"
#include "runtime/executor/call/Wait.h"

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
  if (finished_)
    (void)finished_->wait(1);
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
  if (finished_ && finished_->query(1) == hal::SemaphoreState::Pending)
    finished_->failAfterFork(guarded(failure));
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
  if (status.code() == StatusCode::DeviceLost)
    lostDevice_.store(true, std::memory_order_relaxed);
  running_.store(false, std::memory_order_release);
}

Status Invocation::call(std::span<const heddle_tensor> arguments, std::span<heddle_tensor> results) {
  HEDDLE_RETURN_IF_ERROR(acquire());
  DefaultFloatEnvironment floats;
  uint64_t start = call_.profiling() || call_.clock().hasTimeout() ? nowNs() : 0;
  Status status = guarded([&] {
    HEDDLE_RETURN_IF_ERROR(call_.begin(arguments, results));
    HEDDLE_RETURN_IF_ERROR(call_.run(start, call_.turn().ask()));
    call_.finish(results);
    return Status();
  });
  if (call_.profiling())
    call_.statistics().totalNs = nowNs() - start;
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

StatusOr<std::shared_ptr<hal::Semaphore>> Invocation::start(std::span<const heddle_tensor> arguments,
                                                            std::span<heddle_tensor> results,
                                                            std::vector<hal::Point> waits, hal::Queue *queue) {
  HEDDLE_RETURN_IF_ERROR(acquire());
  uint64_t start = nowNs();
  Status status = guarded([&]() -> Status {
    HEDDLE_RETURN_IF_ERROR(call_.begin(arguments, results));
    if (!queue) {
      StatusOr<hal::Queue *> own = module_->defaultQueue();
      if (!own.ok())
        return own.takeStatus();
      queue = *own;
    }
    finished_ = std::make_shared<hal::Semaphore>();
    return issue(*queue, start, results, std::move(waits));
  });
  if (status.ok())
    return finished_;
  running_.store(false, std::memory_order_release);
  return status;
}

// In one order on the queue and for the state.
Status Invocation::issue(hal::Queue &queue, uint64_t start, std::span<heddle_tensor> results,
                         std::vector<hal::Point> waits) {
  issued_.commands.clear();
  HEDDLE_RETURN_IF_ERROR(issued_.commands.call([](void *self) { static_cast<Invocation *>(self)->runIssued(); }, this));
  hal::Point accepted{std::make_shared<hal::Semaphore>(), 1};
  std::unique_lock<std::mutex> order = call_.turn().startLock();
  issued_.start = start;
  issued_.results = results;
  issued_.waits = std::move(waits);
  issued_.ticket = call_.turn().ask();
  uint64_t ticket = issued_.ticket; // the call may be over as soon as it is submitted
  queue.submit(&issued_.commands, {}, {&accepted, 1});
  if (!accepted.semaphore->failed()) [[likely]]
    return {};
  call_.turn().giveUp(ticket);
  return accepted.semaphore->cause();
}

// On the queue's thread.
void Invocation::runIssued() {
  DefaultFloatEnvironment floats;
  std::vector<hal::Point> waits = std::move(issued_.waits);
  uint64_t start = issued_.start, ticket = issued_.ticket;
  call_.clock().start(start);
  Status status = guarded([&] {
    for (const hal::Point &point : waits)
      HEDDLE_RETURN_IF_ERROR(waitFor(point, call_.clock()));
    return Status();
  });
  if (!status.ok())
    call_.turn().giveUp(ticket);
  else
    status = guarded([&] {
      HEDDLE_RETURN_IF_ERROR(call_.run(start, ticket));
      call_.finish(issued_.results);
      return Status();
    });
  call_.statistics().totalNs = nowNs() - start;
  std::shared_ptr<hal::Semaphore> finished = finished_; // the invocation may be in its next call, or gone, at once
  release(status);
  if (status.ok())
    finished->signal(1);
  else
    finished->fail(std::move(status));
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
