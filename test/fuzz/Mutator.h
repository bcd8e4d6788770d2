// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the structure-aware mutators share.
#ifndef HEDDLE_TEST_FUZZ_MUTATOR_H
#define HEDDLE_TEST_FUZZ_MUTATOR_H

#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <vector>

// libFuzzer's own mutations, in place; the new size is returned.
extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace heddle::fuzz {

using Bytes = std::vector<uint8_t>;
using MutateBytes = std::function<void(Bytes &)>;

class Random {
public:
  explicit Random(unsigned seed) : engine(seed) {}
  // In [0, count); 0 for an empty range.
  size_t below(size_t count) { return count ? engine() % count : 0; }
  bool oneIn(size_t count) { return below(count) == 0; }
  template <typename Container> auto &pick(Container &container) { return container[below(std::size(container))]; }

  // A number that is likely to be near some limit, or near `old`.
  uint64_t number(uint64_t old) {
    static constexpr uint64_t kLimits[] = {
        0,       1,       2,       3,           7,           8,           63,         64,         127,        255,  256,
        1 << 15, 1 << 16, 1 << 20, 0x7fffffffu, 0x80000000u, 0xffffffffu, 1ull << 32, 1ull << 62, 1ull << 63, ~0ull};
    switch (below(4)) {
    case 0: return kLimits[below(std::size(kLimits))];
    case 1: return old + 1;
    case 2: return old - 1;
    default: return below(16);
    }
  }

private:
  std::minstd_rand engine;
};

// The body of LLVMFuzzerCustomMutator: `mutate(bytes, random, mutateBytes)`, cut to `maxSize`.
template <typename Mutate>
size_t customMutator(uint8_t *data, size_t size, size_t maxSize, unsigned seed, Mutate &&mutate) {
  Random random(seed);
  auto mutateBytes = [](Bytes &bytes) {
    size_t old = bytes.size();
    bytes.resize(old + 64);
    bytes.resize(LLVMFuzzerMutate(bytes.data(), old, bytes.size()));
  };
  Bytes changed = mutate(Bytes(data, data + size), random, mutateBytes);
  if (changed.empty() || changed.size() > maxSize)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::memcpy(data, changed.data(), changed.size());
  return changed.size();
}

} // namespace heddle::fuzz

#endif // HEDDLE_TEST_FUZZ_MUTATOR_H
