// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Interrupts.h"

#include "Errors.h"

#include <nanobind/nanobind.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <pthread.h>
#include <semaphore.h>
#include <system_error>
#include <thread>

namespace nb = nanobind;

namespace heddle::python {
namespace {

// Never freed: the thread and the handler are there until the process ends.
struct Watch {
  std::atomic<heddle_invocation *> current{nullptr}; // what the main thread waits for
  std::atomic<uint64_t> calls{0};                    // so many there were: which one it is
  std::atomic<uint64_t> interrupted{0};              // the one that the last signal met
  std::atomic<bool> cancelling{false};               // the thread uses `current`
  std::atomic<void (*)(int)> next{nullptr};          // Python's handler
  sem_t wake;
  bool hasThread = false; // with the GIL, as what follows
  uint64_t lookAtMs = 0;
  pthread_t mainThread;
  bool knowsMainThread = false;
};
Watch &watch() {
  static Watch *it = new Watch();
  return *it;
}

// Async-signal-safe. On any thread of the process.
void onSignal(int number) {
  int error = errno;
  Watch &it = watch();
  if (auto next = it.next.load())
    next(number);
  if (it.current.load()) {
    it.interrupted.store(it.calls.load());
    sem_post(&it.wake);
  }
  errno = error;
}

[[noreturn]] void cancelWhenWoken() {
  Watch &it = watch();
  for (;;) {
    if (sem_wait(&it.wake) != 0)
      continue;
    it.cancelling.store(true);
    heddle_invocation *invocation = it.current.load();
    if (invocation && it.interrupted.load() == it.calls.load())
      heddle_invocation_cancel(invocation);
    it.cancelling.store(false);
  }
}

// The thread gets no signals. Without a thread calls go on to their end, as ever.
bool startThread(Watch &it) {
  if (it.hasThread)
    return true;
  sem_init(&it.wake, 0, 0);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread(cancelWhenWoken).detach();
    it.hasThread = true;
  } catch (const std::system_error &) {
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return it.hasThread;
}

// In the child of a fork only the thread that forked lives.
void afterFork() {
  Watch &it = watch();
  it.hasThread = false;
  it.current.store(nullptr);
  it.cancelling.store(false);
  it.lookAtMs = 0;
  it.mainThread = pthread_self(); // as Python has it
}

uint64_t coarseMs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000 + static_cast<uint64_t>(now.tv_nsec) / 1'000'000;
}

bool raisesInterrupt() {
  nb::module_ signal = nb::module_::import_("signal");
  return signal.attr("getsignal")(SIGINT).is(signal.attr("default_int_handler"));
}

// Puts our handler in front of Python's where that is the one at work and raises KeyboardInterrupt.
void install(Watch &it) {
  struct sigaction now{};
  if (sigaction(SIGINT, nullptr, &now) != 0)
    return;
  if (now.sa_handler == onSignal) {
    (void)startThread(it); // a fork has lost it
    return;
  }
  bool isPlain = !(now.sa_flags & SA_SIGINFO) && now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN;
  if (!isPlain || !raisesInterrupt() || !startThread(it))
    return;
  it.next.store(now.sa_handler);
  now.sa_handler = onSignal;
  sigaction(SIGINT, &now, nullptr);
}

bool isMainThread(Watch &it) {
  if (!it.knowsMainThread) [[unlikely]] {
    nb::object ident = nb::module_::import_("threading").attr("main_thread")().attr("ident");
    if (ident.is_none())
      return false;
    it.mainThread = static_cast<pthread_t>(nb::cast<unsigned long>(ident)); // what Python calls so on Linux
    it.knowsMainThread = true;
    pthread_atfork(nullptr, nullptr, afterFork);
  }
  return pthread_equal(pthread_self(), it.mainThread);
}

} // namespace

Interruptible::Interruptible(heddle_invocation *invocation) {
  constexpr uint64_t kLookEveryMs = 10;
  Watch &it = watch();
  watched_ = isMainThread(it) && !it.current.load(std::memory_order_relaxed);
  if (!watched_)
    return;
  if (uint64_t now = coarseMs(); now >= it.lookAtMs) {
    install(it);
    it.lookAtMs = now + kLookEveryMs;
  }
  it.calls.fetch_add(1, std::memory_order_relaxed);
  it.current.store(invocation);
}

// The invocation may be gone when this is over.
Interruptible::~Interruptible() {
  if (!watched_)
    return;
  Watch &it = watch();
  it.current.store(nullptr);
  while (it.cancelling.load())
    std::this_thread::yield();
}

void checkCall(heddle_status *status) {
  if (heddle_status_get_code(status) == HEDDLE_CANCELLED && PyErr_CheckSignals() != 0) [[unlikely]] {
    heddle_status_release(status);
    throw nb::python_error();
  }
  check(status);
}

} // namespace heddle::python
