// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much memory a number takes in tensors and kernels: whole bytes, a boolean or an integer of few bits taking one.
//
//   storageBytes(1) is 1, storageBytes(16) is 2
#ifndef HEDDLE_CONTRACT_STORAGEBYTES_H
#define HEDDLE_CONTRACT_STORAGEBYTES_H

#include <cstdint>

namespace heddle::contract {

constexpr int64_t storageBytes(uint64_t bits) { return bits < 8 ? 1 : static_cast<int64_t>((bits + 7) / 8); }

} // namespace heddle::contract

#endif // HEDDLE_CONTRACT_STORAGEBYTES_H
