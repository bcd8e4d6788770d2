// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/hal/QueuedStream.h"

#include "runtime/base/FloatEnvironment.h"
#include "runtime/base/Fork.h"
#include "runtime/base/Guarded.h"

#include <pthread.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace heddle::hal {
namespace {

// A few microseconds of looking before the thread sleeps: what follows at once needs no system call.
constexpr int kSpins = 200;

void pause() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// One operation. Commands are used again, so that a stream that has seen its longest queue allocates nothing.
struct Command {
  enum class Kind : uint8_t { Dispatch, Copy, Fill, Record, Wait, Execute, Synchronize };
  Kind kind = Kind::Execute;
  hal::Dispatch dispatch;
  std::vector<void *> bindings;
  std::vector<int64_t> constants;
  std::vector<BindingAccess> accesses;
  void *to = nullptr;
  const void *from = nullptr;
  uint64_t bytes = 0, pattern = 0;
  uint32_t patternBytes = 0;
  std::shared_ptr<Event> event;
  std::function<void()> function;
  Command *next = nullptr;
};

class QueuedStream final : public Stream {
public:
  QueuedStream(std::unique_ptr<Stream> inner, std::function<void()> onStart)
      : inner_(std::move(inner)), onStart_(std::move(onStart)) {
    settle_.kind = Command::Kind::Synchronize;
  }

  ~QueuedStream() override {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
      posted_.fetch_add(1, std::memory_order_release);
    }
    changed_.notify_all();
    if (started_)
      pthread_join(thread_, nullptr);
  }

  bool start() {
    auto main = [](void *self) -> void * {
      static_cast<QueuedStream *>(self)->run();
      return nullptr;
    };
    started_ = pthread_create(&thread_, nullptr, main, this) == 0;
    return started_;
  }

  Status dispatch(const Dispatch &dispatch) override {
    return post(Command::Kind::Dispatch, [&](Command &command) {
      command.bindings.assign(dispatch.bindings.begin(), dispatch.bindings.end());
      command.constants.assign(dispatch.constants.begin(), dispatch.constants.end());
      command.accesses.assign(dispatch.accesses.begin(), dispatch.accesses.end());
      command.dispatch = dispatch;
      command.dispatch.bindings = command.bindings;
      command.dispatch.constants = command.constants;
      command.dispatch.accesses = command.accesses;
    });
  }
  Status copy(void *to, const void *from, uint64_t bytes) override {
    return post(Command::Kind::Copy, [&](Command &command) {
      command.to = to;
      command.from = from;
      command.bytes = bytes;
    });
  }
  Status fill(void *to, uint64_t bytes, uint64_t pattern, uint32_t patternBytes) override {
    return post(Command::Kind::Fill, [&](Command &command) {
      command.to = to;
      command.bytes = bytes;
      command.pattern = pattern;
      command.patternBytes = patternBytes;
    });
  }
  Status record(std::shared_ptr<Event> event) override {
    return post(Command::Kind::Record, [&](Command &command) { command.event = std::move(event); });
  }
  Status wait(std::shared_ptr<Event> event) override {
    return post(Command::Kind::Wait, [&](Command &command) { command.event = std::move(event); });
  }
  Status execute(std::function<void()> function) override {
    return post(Command::Kind::Execute, [&](Command &command) { command.function = std::move(function); });
  }
  Status synchronize() override {
    std::lock_guard one(synchronizing_);
    settled_->reset();
    HEDDLE_RETURN_IF_ERROR(post(settle_));
    return settled_->wait();
  }
  void abandon() override { abandoned_.store(true, std::memory_order_relaxed); }

  void beforeFork() { mutex_.lock(); }
  void afterForkInParent() { mutex_.unlock(); }
  // The stream begins anew, with a thread of this process's. What was issued before is the parent's.
  void afterForkInChild() {
    makeAnew(mutex_);
    makeAnew(changed_);
    makeAnew(synchronizing_);
    while (Command *command = first_) {
      first_ = command->next;
      if (command == &settle_)
        continue;
      if (command->kind == Command::Kind::Record)
        command->event->failAfterFork(guarded([] { return forkedWork(); }));
      command->event = nullptr;
      command->function = nullptr;
      command->next = spare_;
      spare_ = command;
    }
    last_ = nullptr;
    makeAnew(settled_); // what a thread waited for that is gone
    (void)guarded([&] {
      settled_ = std::make_shared<Event>();
      return Status();
    });
    posted_ = 0;
    abandoned_ = sleeps_ = started_ = false;
    failure_ = {};
    forked_ = true;
  }

private:
  static Status forkedWork() {
    return Status(StatusCode::Cancelled, "the process was forked while the work ran; it is done in the parent only");
  }
  // A command stays spare until all of it is described.
  template <typename Describe> Status post(Command::Kind kind, Describe &&describe) {
    std::unique_lock lock(mutex_);
    if (forked_) [[unlikely]]
      HEDDLE_RETURN_IF_ERROR(restart());
    if (!spare_)
      spare_ = all_.emplace_back(std::make_unique<Command>()).get();
    Command &command = *spare_;
    command.kind = kind;
    describe(command);
    spare_ = command.next;
    append(command, lock);
    return {};
  }
  // Needs no memory.
  Status post(Command &command) {
    std::unique_lock lock(mutex_);
    if (forked_) [[unlikely]]
      HEDDLE_RETURN_IF_ERROR(restart());
    append(command, lock);
    return {};
  }
  Status restart() {
    forked_ = !start();
    return forked_ ? Status(StatusCode::Io, "the system gives no thread for a stream in the child of a fork")
                   : Status();
  }
  void append(Command &command, std::unique_lock<std::mutex> &lock) {
    command.next = nullptr;
    (last_ ? last_->next : first_) = &command;
    last_ = &command;
    posted_.fetch_add(1, std::memory_order_release);
    bool sleeps = sleeps_;
    lock.unlock();
    if (sleeps)
      changed_.notify_one();
  }

  // Runs the operation unless an earlier one failed.
  template <typename Operation> void attempt(Operation &&operation) {
    if (!failure_.ok())
      return;
    failure_ = guarded([&] {
      if (abandoned_.load(std::memory_order_relaxed))
        return Status(StatusCode::Cancelled, "the work on a stream was abandoned");
      return operation();
    });
  }

  void runCommand(Command &command) {
    switch (command.kind) {
    case Command::Kind::Dispatch:
      return attempt([&] { return describeFailure(command.dispatch.label, inner_->dispatch(command.dispatch)); });
    case Command::Kind::Copy: return attempt([&] { return inner_->copy(command.to, command.from, command.bytes); });
    case Command::Kind::Fill:
      return attempt([&] { return inner_->fill(command.to, command.bytes, command.pattern, command.patternBytes); });
    case Command::Kind::Record: command.event->signal(failure_.clone()); break;
    case Command::Kind::Wait: attempt([&] { return command.event->wait(); }); break;
    case Command::Kind::Execute:
      (void)guarded([&] {
        command.function();
        return Status();
      });
      break;
    case Command::Kind::Synchronize: // the command is used again as soon as the event is reached
      abandoned_.store(false, std::memory_order_relaxed);
      settled_->signal(std::exchange(failure_, {}));
      return;
    }
    command.event = nullptr;
    command.function = nullptr;
  }

  // Waits for a command; null at the end.
  Command *take(uint64_t taken) {
    for (int spin = 0; spin < kSpins && posted_.load(std::memory_order_acquire) == taken; ++spin)
      pause();
    std::unique_lock lock(mutex_);
    sleeps_ = true;
    changed_.wait(lock, [&] { return stop_ || first_; });
    sleeps_ = false;
    Command *command = first_;
    if (command) {
      first_ = command->next;
      last_ = first_ ? last_ : nullptr;
    }
    return command;
  }

  void run() {
    DefaultFloatEnvironment::setForThread();
    if (onStart_)
      onStart_();
    for (uint64_t taken = 0; Command *command = take(taken); ++taken) {
      bool isSettle = command == &settle_;
      runCommand(*command);
      if (isSettle)
        continue;
      std::lock_guard lock(mutex_);
      command->next = spare_;
      spare_ = command;
    }
  }

  std::unique_ptr<Stream> inner_;
  std::function<void()> onStart_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::unique_ptr<Command>> all_;
  std::mutex synchronizing_; // one thread at a time
  std::shared_ptr<Event> settled_ = std::make_shared<Event>();
  Command settle_;
  Command *first_ = nullptr, *last_ = nullptr, *spare_ = nullptr;
  std::atomic<uint64_t> posted_{0};
  std::atomic<bool> abandoned_{false};
  bool sleeps_ = false;
  bool stop_ = false;
  bool started_ = false;
  pthread_t thread_{};
  Status failure_; // of the queue's thread
  bool forked_ = false;
  ForkMember<QueuedStream> fork_{this};
};

} // namespace

StatusOr<std::unique_ptr<Stream>> createQueuedStream(std::unique_ptr<Stream> inlineStream,
                                                     std::function<void()> onStart) {
  auto stream = std::make_unique<QueuedStream>(std::move(inlineStream), std::move(onStart));
  if (!stream->start())
    return Status(StatusCode::Io, "the system gives no thread for a stream; lower the number of streams or threads");
  return std::unique_ptr<Stream>(std::move(stream));
}

} // namespace heddle::hal
