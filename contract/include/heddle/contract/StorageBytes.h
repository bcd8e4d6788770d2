// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much memory numbers take in tensors and kernels: whole bytes each. The one place that turns bits into bytes;
// compiler/Analysis/StorageBytes.h has the same rule for MLIR's types, and scripts/check_numbers.py finds copies.
//
//   f32: 4    i1, i4, f4E2M1FN, i8: 1 (what is narrower than a byte takes one)    i24: 3
//
// Files may pack numbers of few bits, as ONNX does with int4: packedBytes().
#ifndef HEDDLE_CONTRACT_STORAGEBYTES_H
#define HEDDLE_CONTRACT_STORAGEBYTES_H

#include "heddle/contract/ElementType.h"

#include <cstdint>
#include <optional>

namespace heddle::contract {

// Bytes of one number of so many bits.
constexpr int64_t storageBytes(uint64_t bits) {
  return bits < 8 ? 1 : static_cast<int64_t>(bits / 8 + (bits % 8 != 0));
}

// Bytes of `count` numbers; none for a negative count, and where they are 2^63 or more.
constexpr std::optional<int64_t> storageBytes(uint64_t bits, int64_t count) {
  int64_t bytes = 0;
  if (count < 0 || __builtin_mul_overflow(storageBytes(bits), count, &bytes))
    return std::nullopt;
  return bytes;
}

// Likewise of elements of a type of the artifact; None has no bytes.
constexpr std::optional<int64_t> storageBytes(ElementType type, int64_t count) {
  return type == ElementType::None ? std::optional<int64_t>(0) : storageBytes(uint64_t{8} * byteSize(type), count);
}

// Bytes of `count` numbers without a gap between them, as they lie in a file or a register, the last byte filled up;
// none as above.
constexpr std::optional<int64_t> packedBytes(uint64_t bits, int64_t count) {
  uint64_t all = 0;
  if (count < 0 || __builtin_mul_overflow(bits, static_cast<uint64_t>(count), &all))
    return std::nullopt;
  return static_cast<int64_t>(all / 8 + (all % 8 != 0));
}

} // namespace heddle::contract

#endif // HEDDLE_CONTRACT_STORAGEBYTES_H
