// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of host threads, for devices whose time is virtual: what a thread issues cannot begin before what it has
// waited for, also where that was another thread's doing. Who hands work from thread to thread says so here; where
// nothing is simulated that is one load.
//
//   uint64_t mark = HostTime::mark();          // a thread hands something on
//   HostTime::follow(mark);                    // the thread that has it now
//
//   HostTime::signals(*done, 1);               // before done->signal(1)
//   HostTime::waited(*done, 1);                // behind done->wait(1)
#ifndef HEDDLE_RUNTIME_HAL_HOSTTIME_H
#define HEDDLE_RUNTIME_HAL_HOSTTIME_H

#include "runtime/base/Guarded.h"
#include "runtime/hal/Semaphore.h"

namespace heddle::hal {

// Who keeps that time. Thread-safe. All is about the calling thread.
class HostTimeKeeper {
public:
  virtual ~HostTimeKeeper() = default;
  virtual uint64_t mark() = 0;
  virtual void follow(uint64_t mark) = 0;
  virtual void signals(const Semaphore &semaphore, uint64_t value) = 0;
  virtual void waited(const Semaphore &semaphore, uint64_t value) = 0;
};

class HostTime {
public:
  // From now on, for good.
  static void keepBy(HostTimeKeeper &keeper) { keeper_.store(&keeper, std::memory_order_release); }

  // Where the thread is; 0: nowhere.
  static uint64_t mark() {
    uint64_t mark = 0;
    tell([&](HostTimeKeeper &keeper) { mark = keeper.mark(); });
    return mark;
  }
  static void follow(uint64_t mark) {
    tell([&](HostTimeKeeper &keeper) { keeper.follow(mark); });
  }
  // Points that work of a device signals are known without this.
  static void signals(const Semaphore &semaphore, uint64_t value) {
    tell([&](HostTimeKeeper &keeper) { keeper.signals(semaphore, value); });
  }
  static void waited(const Semaphore &semaphore, uint64_t value) {
    tell([&](HostTimeKeeper &keeper) { keeper.waited(semaphore, value); });
  }
  static void waited(const Point &point) {
    if (point.semaphore)
      waited(*point.semaphore, point.value);
  }

private:
  // Without memory it is not told: time is not what calls fail for.
  template <typename Tell> static void tell(Tell &&tell) {
    if (HostTimeKeeper *keeper = keeper_.load(std::memory_order_acquire)) [[unlikely]]
      (void)guarded([&] {
        tell(*keeper);
        return Status();
      });
  }
  static inline std::atomic<HostTimeKeeper *> keeper_{nullptr};
};

} // namespace heddle::hal

#endif // HEDDLE_RUNTIME_HAL_HOSTTIME_H
