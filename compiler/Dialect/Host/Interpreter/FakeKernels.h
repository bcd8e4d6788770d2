// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels for interpreted host programs: small integer functions by name, chosen with the attribute `host.fake` on a
// flow.executable. All work on i32 elements; the last binding is the result.
//
// | name | does |
// |---|---|
// | `add` `sub` `mul` | elementwise of two bindings |
// | `add_constant` | one binding plus the first constant |
// | `relu` | maximum with 0 |
// | `sum` | all elements of the first binding, added; one element |
// | `accumulate` | the first binding added to the result, which is read too |
// | `matmul` | [m, k] by [k, n], constants m, k, n |
// | `bias` | [m, n] plus [n], added to each row |
// | `pack` `unpack` | rows of n elements to column panels of p elements and back; constants m, n, p; n divisible by p |
// | `matmul_packed` | [m, k] by a packed [k, n], constants m, k, n, p |
#ifndef HEDDLE_COMPILER_DIALECT_HOST_INTERPRETER_FAKEKERNELS_H
#define HEDDLE_COMPILER_DIALECT_HOST_INTERPRETER_FAKEKERNELS_H

#include "mlir/Support/LLVM.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace mlir::heddle::host {

// Runs the kernel; returns what is wrong with the call, or "".
std::string runFakeKernel(StringRef name, ArrayRef<std::span<std::byte>> bindings, ArrayRef<int64_t> constants);

} // namespace mlir::heddle::host

#endif // HEDDLE_COMPILER_DIALECT_HOST_INTERPRETER_FAKEKERNELS_H
