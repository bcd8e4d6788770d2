// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/Fork.h"

#include <atomic>
#include <mutex>
#include <pthread.h>

namespace heddle {

// All nodes, in a list that the lock guards and that outlives static objects.
struct ForkHandlers {
  static ForkHandlers &process() {
    static auto *handlers = new ForkHandlers;
    return *handlers;
  }
  ForkHandlers() { (void)pthread_atfork(before, inParent, inChild); }

  void each(void (*ForkNode::Hooks::*hook)(void *)) {
    for (ForkNode *node = first; node; node = node->next_)
      (node->hooks_.*hook)(node->object_);
  }
  static void before() {
    process().mutex.lock();
    process().each(&ForkNode::Hooks::before);
  }
  static void inParent() {
    process().each(&ForkNode::Hooks::inParent);
    process().mutex.unlock();
  }
  static void inChild() {
    process().forks.fetch_add(1, std::memory_order_relaxed);
    process().each(&ForkNode::Hooks::inChild);
    process().mutex.unlock();
  }
  void add(ForkNode &node) {
    std::lock_guard lock(mutex);
    node.next_ = first;
    if (first)
      first->previous_ = &node;
    first = &node;
  }
  void remove(ForkNode &node) {
    std::lock_guard lock(mutex);
    (node.previous_ ? node.previous_->next_ : first) = node.next_;
    if (node.next_)
      node.next_->previous_ = node.previous_;
  }

  std::mutex mutex;
  ForkNode *first = nullptr;
  std::atomic<uint32_t> forks{0};
};

uint32_t forkCount() { return ForkHandlers::process().forks.load(std::memory_order_relaxed); }

ForkNode::ForkNode(void *object, const Hooks &hooks) : object_(object), hooks_(hooks) {
  ForkHandlers::process().add(*this);
}
ForkNode::~ForkNode() { ForkHandlers::process().remove(*this); }

} // namespace heddle
