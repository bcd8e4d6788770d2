// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tensor in host memory, as the tools read, write, print and compare it.
#ifndef HEDDLE_TOOLS_LIB_HOSTTENSOR_H
#define HEDDLE_TOOLS_LIB_HOSTTENSOR_H

#include "heddle/contract/ElementType.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace heddle::tools {

using contract::ElementType;

inline constexpr size_t kMaxRank = 16; // HEDDLE_MAX_RANK of the C ABI

// Borrowed: type, sizes and row-major elements.
struct TensorView {
  ElementType type = ElementType::None;
  std::span<const int64_t> dims;
  std::span<const std::byte> data;
};

// The product of the sizes, all >= 0; -1 when it overflows or a size is negative.
int64_t elementCount(std::span<const int64_t> dims);

// "2x3xf32"; "f32" for a scalar; a negative size prints as "?".
std::string formatType(ElementType type, std::span<const int64_t> dims);

// Owns 64-byte aligned memory. Moves only.
class HostTensor {
public:
  HostTensor() = default;
  // Contents are undefined. Throws Failure: more than kMaxRank dimensions, a size that overflows or is larger than
  // the machine's memory.
  HostTensor(ElementType type, std::vector<int64_t> dims);

  ElementType type() const { return type_; }
  std::span<const int64_t> dims() const { return dims_; }
  int64_t count() const { return count_; }
  std::span<std::byte> data() { return {data_.get(), bytes_}; }
  std::span<const std::byte> data() const { return {data_.get(), bytes_}; }
  TensorView view() const { return {type_, dims_, data()}; }

  // The same bits as another type of the same width: .npy files hold types that NumPy lacks as unsigned integers.
  void retype(ElementType type);

private:
  struct Free {
    void operator()(std::byte *p) const { std::free(p); }
  };
  ElementType type_ = ElementType::None;
  std::vector<int64_t> dims_;
  int64_t count_ = 0;
  size_t bytes_ = 0;
  std::unique_ptr<std::byte, Free> data_;
};

// The integer that stands for `type` in a .npy file when NumPy has no such type (bf16: ui16; i4: i8), else `type`.
ElementType npyCarrier(ElementType type);

// The bits of a type narrower than a byte, whose elements take one each; 0 for others.
unsigned narrowBits(ElementType type);

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_LIB_HOSTTENSOR_H
