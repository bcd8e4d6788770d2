// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NumPy's .npy files (numpy.lib.format, versions 1.0 to 3.0). A type that NumPy lacks stands as an integer, its
// npyCarrier(): a bf16 tensor is written as uint16, and a uint16 file may be given where bf16 is asked for. Of types
// narrower than a byte each element takes one: i4 and i2 are written as int8, ui4, ui2 and f4E2M1FN as uint8.
#ifndef HEDDLE_TOOLS_LIB_NPY_H
#define HEDDLE_TOOLS_LIB_NPY_H

#include "tools/lib/Files.h"
#include "tools/lib/HostTensor.h"

#include <string>
#include <string_view>
#include <vector>

namespace heddle::tools {

struct NpyHeader {
  ElementType type = ElementType::None;
  std::vector<int64_t> dims;
  bool fortranOrder = false;
};

// The Python dictionary of a header, without the fixed bytes before it. Throws Failure (text without the path).
NpyHeader parseNpyHeader(std::string_view dictionary);

// One array; Fortran order is converted to row-major. Throws Failure: "'x.npy': …" for anything that is no such file,
// is cut off, has bytes left over, or holds a type without a counterpart. Never allocates more than the file's size.
HostTensor readNpy(const std::string &path);

// What stands in front of the elements, of which the file has as many as it says. Throws as readNpy().
NpyHeader readNpyHeader(const std::string &path);

// Rows of the first dimension of an array that is not in Fortran order; nothing else of the file is read. Throws as
// readNpy(), and where there are no such rows.
HostTensor readNpyRows(const std::string &path, int64_t first, int64_t count);

// The array of a file as elements of `type`, if it has the carrier of it; else as it is. Where elements are narrower
// than a byte, int8 and uint8 are taken alike (a uint8 of 15 is the i4 -1). Throws Failure: a byte that is no such
// element.
HostTensor fromCarrier(HostTensor array, ElementType type);

// Header (version 1.0, 64-byte aligned) and elements.
void writeNpy(OutputFile &file, TensorView tensor);

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_LIB_NPY_H
