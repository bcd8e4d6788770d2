// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/load/Draws.h"

#include "heddle/contract/Draw.h"

#include <chrono>
#include <sys/random.h>
#include <unistd.h>

namespace heddle {

// Where the system has none, the time and the process have to do.
static uint64_t systemSeed() {
  uint64_t seed = 0;
  if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) == sizeof(seed))
    return seed;
  auto now = std::chrono::system_clock::now().time_since_epoch().count();
  return contract::mixBits(static_cast<uint64_t>(now)) ^ static_cast<uint64_t>(getpid());
}

Draws::Draws() : seed_(systemSeed()) {}

int64_t Draws::next() { return contract::drawnNumber(seed_, calls_++); }

void Draws::seed(uint64_t seed) {
  given_ = true;
  seed_ = seed;
  calls_ = 0;
}

void Draws::continueAs(const Draws &other) {
  given_ = other.given_.load();
  seed_ = other.seed_.load();
  calls_ = other.calls_.load();
}

void Draws::afterForkInChild() {
  if (!given_)
    seed_ = systemSeed();
}

} // namespace heddle
