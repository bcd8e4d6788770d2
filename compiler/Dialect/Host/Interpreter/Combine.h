// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of a collective over bytes, as runtime/collectives does them: element by element in the order of the
// members; floats of 16 bits in f32, rounded once; minima and maxima are NaN where an element is.
#ifndef HEDDLE_COMPILER_DIALECT_HOST_INTERPRETER_COMBINE_H
#define HEDDLE_COMPILER_DIALECT_HOST_INTERPRETER_COMBINE_H

#include "heddle/contract/Collectives.h"

#include "mlir/IR/Types.h"

#include <cstddef>
#include <span>
#include <vector>

namespace mlir::heddle::host {

// `sources` are of one size, one or more. The type is one that contract::reduces() the reduction.
std::vector<std::byte> combine(::heddle::contract::Reduction reduction, Type type,
                               const std::vector<std::span<const std::byte>> &sources);

} // namespace mlir::heddle::host

#endif // HEDDLE_COMPILER_DIALECT_HOST_INTERPRETER_COMBINE_H
