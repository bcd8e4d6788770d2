// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/load/ParallelFor.h"

#include "runtime/base/Guarded.h"

#include <algorithm>
#include <atomic>
#include <pthread.h>
#include <sched.h>

namespace heddle {
namespace {

constexpr size_t kMostThreads = 64;

struct Work {
  size_t count;
  const std::function<void(size_t)> &body;
  std::atomic<size_t> next{0};

  void run() {
    for (size_t i = next++; i < count; i = next++)
      (void)guarded([&] {
        body(i);
        return Status();
      });
  }
};

size_t allowedCores() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof(set), &set) == 0 ? static_cast<size_t>(CPU_COUNT(&set)) : 1;
}

void *work(void *argument) {
  static_cast<Work *>(argument)->run();
  return nullptr;
}

} // namespace

void forEachInParallel(size_t count, const std::function<void(size_t)> &body) {
  Work all{count, body};
  pthread_t threads[kMostThreads];
  size_t wanted = std::min({count, allowedCores(), kMostThreads}), started = 0;
  while (started + 1 < wanted && pthread_create(&threads[started], nullptr, work, &all) == 0)
    ++started;
  all.run();
  for (size_t i = 0; i < started; ++i)
    pthread_join(threads[i], nullptr);
}

} // namespace heddle
