// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which ops are equal, among thousands: by a key of what they are, which takes a fraction of the time of their text.
#ifndef HEDDLE_COMPILER_ANALYSIS_ALIKEKEY_H
#define HEDDLE_COMPILER_ANALYSIS_ALIKEKEY_H

#include "mlir/IR/Operation.h"

#include <cstdint>
#include <utility>

namespace mlir::heddle {

// Of a context's ops, in one process.
using AlikeKey = std::pair<uint64_t, uint64_t>;

// Equal for two ops that are the same but for locations and, of the two themselves, their symbols' names: all in them
// stands in the same order, with the same attributes, types and uses. Of others by an accident of 128 bits only. Values
// from outside are the same where they are one value.
AlikeKey alikeKeyOf(Operation *op);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_ANALYSIS_ALIKEKEY_H
