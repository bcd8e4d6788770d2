// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors as text, in the value syntax of the command line.
#ifndef HEDDLE_TOOLS_LIB_PRINT_H
#define HEDDLE_TOOLS_LIB_PRINT_H

#include "tools/lib/HostTensor.h"

#include <string>

namespace heddle::tools {

// "2x3xf32=[[1 2 3][4 5 6]]"; a scalar "f32=1". More than `limit` elements: of every dimension longer than six only
// the first and last three, with "..." between; such a text is not a value.
std::string formatTensor(TensorView tensor, int64_t limit = 1000);

// "[1, 2]": the place of the `flat`-th element. "[]" in a scalar.
std::string formatIndex(int64_t flat, std::span<const int64_t> dims);

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_LIB_PRINT_H
