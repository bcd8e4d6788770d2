// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What becomes of an object when the process forks: the child has one thread, so the object's own threads are gone, and
// its locks are held by nobody who could give them back.
//
// A class that has threads or waits for another one has beforeFork(), afterForkInParent() and afterForkInChild(), and a
// ForkMember as its last member. beforeFork() may take locks that are held for moments only, while nothing else of this
// kind is made or locked. In the child no other thread runs; locks may be made anew, and what was owned by threads that
// are gone is left alone.
//
//   class Pool { … private: ForkMember<Pool> fork_{this}; };
#ifndef HEDDLE_RUNTIME_BASE_FORK_H
#define HEDDLE_RUNTIME_BASE_FORK_H

#include <cstdint>
#include <new>

namespace heddle {

// How often this process is the child of a fork since the library was loaded. What a driver made under another number
// is another process's.
uint32_t forkCount();

class ForkNode {
public:
  struct Hooks {
    void (*before)(void *object);
    void (*inParent)(void *object);
    void (*inChild)(void *object);
  };
  ForkNode(void *object, const Hooks &hooks);
  ~ForkNode();
  ForkNode(const ForkNode &) = delete;

private:
  friend struct ForkHandlers;
  void *object_;
  const Hooks &hooks_;
  ForkNode *previous_ = nullptr, *next_ = nullptr;
};

template <typename T> class ForkMember : ForkNode {
public:
  explicit ForkMember(T *object) : ForkNode(object, kHooks) {}

private:
  static constexpr Hooks kHooks{[](void *object) { static_cast<T *>(object)->beforeFork(); },
                                [](void *object) { static_cast<T *>(object)->afterForkInParent(); },
                                [](void *object) { static_cast<T *>(object)->afterForkInChild(); }};
};

// A lock, or what else is waited for, as if it were new.
template <typename T> void makeAnew(T &object) { new (&object) T(); }

} // namespace heddle

#endif // HEDDLE_RUNTIME_BASE_FORK_H
