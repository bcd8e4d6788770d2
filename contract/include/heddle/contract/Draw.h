// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers that calls draw (docs/design/state.md): a program whose results are random takes one number for each call, as
// it takes the sizes of its arguments. The runtime draws them from the module's seed; whoever checks a program takes
// the first number of seed 0.
//
//   int64_t third = drawnNumber(seed, 2); // of the third call
#ifndef HEDDLE_CONTRACT_DRAW_H
#define HEDDLE_CONTRACT_DRAW_H

#include <cstdint>

namespace heddle::contract {

// The name of the dimension symbol that stands for the number. No argument has a dimension of this name.
inline constexpr const char kDrawnSymbol[] = "heddle.draw";

// SplitMix64's output function (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
constexpr uint64_t mixBits(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

// What the call number `call`, from 0 on, draws. At least 0 and below 2^31: sizes have 32 bits on some devices.
constexpr int64_t drawnNumber(uint64_t seed, uint64_t call) {
  return static_cast<int64_t>(mixBits(mixBits(seed) + (call + 1) * 0x9E3779B97F4A7C15) >> 33);
}

} // namespace heddle::contract

#endif // HEDDLE_CONTRACT_DRAW_H
