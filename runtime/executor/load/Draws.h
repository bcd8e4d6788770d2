// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The numbers that calls of a module draw (heddle/contract/Draw.h): one for each call, from a seed that the system
// gives when the module is loaded, or the user. Any number of threads; which of calls at the same time draws which
// number is open.
//
//   Draws draws;
//   draws.seed(7);
//   int64_t first = draws.next();
#ifndef HEDDLE_RUNTIME_EXECUTOR_LOAD_DRAWS_H
#define HEDDLE_RUNTIME_EXECUTOR_LOAD_DRAWS_H

#include <atomic>
#include <cstdint>

namespace heddle {

class Draws {
public:
  Draws();

  int64_t next();
  uint64_t currentSeed() const { return seed_; }
  // The numbers of this seed, from the first one on. Calls that run keep what they drew.
  void seed(uint64_t seed);
  // Goes on where `other` is.
  void continueAs(const Draws &other);
  // A child of a fork draws other numbers than its parent, unless the user gave the seed.
  void afterForkInChild();

private:
  std::atomic<uint64_t> seed_, calls_{0};
  std::atomic<bool> given_{false};
};

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_LOAD_DRAWS_H
