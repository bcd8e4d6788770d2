// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/lib/Print.h"

#include "tools/lib/Elements.h"

namespace heddle::tools {
namespace {

constexpr int64_t kEdge = 3; // elements kept at either end

class Printer {
public:
  Printer(TensorView tensor, bool elide) : tensor_(tensor), elide_(elide) {}

  // Appends the part of the tensor whose first element is `flat` and whose dimensions begin at `depth`.
  void print(std::string &out, size_t depth, int64_t flat) const {
    if (depth == tensor_.dims.size()) {
      size_t width = contract::byteSize(tensor_.type);
      out += formatElement(tensor_.type, tensor_.data.data() + static_cast<size_t>(flat) * width);
      return;
    }
    int64_t size = tensor_.dims[depth], step = elementCount(tensor_.dims.subspan(depth + 1));
    bool innermost = depth + 1 == tensor_.dims.size();
    out += '[';
    for (int64_t i = 0; i < size; ++i) {
      if (elide_ && size > 2 * kEdge && i == kEdge) {
        out += innermost ? " ..." : "...";
        i = size - kEdge;
      }
      if (innermost && i > 0)
        out += ' ';
      print(out, depth + 1, flat + i * step);
    }
    out += ']';
  }

private:
  TensorView tensor_;
  bool elide_;
};

} // namespace

std::string formatTensor(TensorView tensor, int64_t limit) {
  std::string out = formatType(tensor.type, tensor.dims) + "=";
  int64_t count = elementCount(tensor.dims);
  if (count > 0)
    Printer(tensor, count > limit).print(out, 0, 0);
  return out;
}

std::string formatIndex(int64_t flat, std::span<const int64_t> dims) {
  std::string out = "]";
  for (size_t d = dims.size(); d-- > 0; flat /= dims[d])
    out = (d ? ", " : "") + std::to_string(flat % dims[d]) + out;
  return "[" + out;
}

} // namespace heddle::tools
