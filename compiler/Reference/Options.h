// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the reference runs a program.
#ifndef HEDDLE_COMPILER_REFERENCE_OPTIONS_H
#define HEDDLE_COMPILER_REFERENCE_OPTIONS_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace mlir::heddle::reference {

// What flow.units and host.query "cores" are: any number is right, and with several what is split is computed in parts.
inline constexpr int64_t kUnits = 3;

struct ReferenceOptions {
  std::string entry;                     // empty: @main, else the only public function
  bool trace = false;                    // record every Step (slower; needs memory for one step at a time)
  bool optimize = true;                  // false: for small work, whose code takes longer to make than to run
  bool materialize = false;              // values with a layout are as they lie in memory; else encodings say nothing
  size_t memoryLimit = size_t(16) << 30; // bytes of intermediate values of one run
};

} // namespace mlir::heddle::reference

#endif // HEDDLE_COMPILER_REFERENCE_OPTIONS_H
