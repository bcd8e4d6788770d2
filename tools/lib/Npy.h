// NumPy's .npy files (numpy.lib.format, versions 1.0 to 3.0). A type that NumPy lacks stands as the unsigned integer of
// the same width: a bf16 tensor is written as uint16, and a uint16 file may be given where bf16 is asked for.
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

// Header (version 1.0, 64-byte aligned) and elements.
void writeNpy(OutputFile &file, TensorView tensor);

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_LIB_NPY_H
