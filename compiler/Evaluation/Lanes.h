// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalars of a structured op's body, many at a time: how they are held, loaded and stored.
//
// Integers of every width are int64_t, sign-extended (i1: 0 or 1), so that signed and unsigned operations can both be
// had. f16, bf16 and f32 are float, f64 is double; a value of f16 or bf16 is always one that its type can hold.
#ifndef HEDDLE_COMPILER_EVALUATION_LANES_H
#define HEDDLE_COMPILER_EVALUATION_LANES_H

#include "mlir/IR/BuiltinTypes.h"

#include <cstdint>

namespace mlir::heddle::evaluation {

constexpr int64_t kLanes = 512; // a few registers of 4 KiB stay in the first-level cache

union alignas(64) Lanes {
  int64_t integers[kLanes];
  float singles[kLanes];
  double doubles[kLanes];

  template <typename T> T *as() {
    if constexpr (std::is_same_v<T, int64_t>)
      return integers;
    else if constexpr (std::is_same_v<T, float>)
      return singles;
    else
      return doubles;
  }
};

// From memory to lanes and back, `count` elements `stride` bytes apart; the element type must have a byteWidth().
using LoadFunction = void (*)(const char *from, int64_t stride, Lanes &to, int64_t count);
using StoreFunction = void (*)(const Lanes &from, char *to, int64_t stride, int64_t count);
LoadFunction selectLoad(Type elementType);
StoreFunction selectStore(Type elementType);

// Rounding to nearest, ties to even.
float roundToHalf(float value);
float roundToBFloat(float value);
// To a float from which rounding to f16 or bf16 gives what rounding the double would.
float roundToOdd(double value);

} // namespace mlir::heddle::evaluation

#endif // HEDDLE_COMPILER_EVALUATION_LANES_H
