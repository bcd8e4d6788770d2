// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions and pools as the stage `encode` leaves them (channels last) and as the importer makes them (channels
// first), as text, and naive loops for them.
#ifndef HEDDLE_COMPILER_CODEGEN_TEST_CONVFORMS_H
#define HEDDLE_COMPILER_CODEGEN_TEST_CONVFORMS_H

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace heddle::test {

// x[n, s…, (g,) c] and w[(g,) k…, c, f] to y[n, o…, (g,) f]; depthwise x[n, s…, c], w[k…, c] to y[n, o…, c]. Channels
// first: x[n, (g,) c, s…], w[(g,) f, c, k…] to y[n, (g,) f, o…]. A pool is depthwise without weights.
struct ConvForm {
  enum class Kind { Full, Depthwise, MaxPool, SumPool };
  Kind kind = Kind::Full;
  int64_t batch = 1, groups = 1, channels = 1, filters = 1; // of one group
  std::vector<int64_t> output = {}, kernel = {}, stride = {}, dilation = {};
  std::vector<int64_t> pad = {}; // before each dimension and after it; of what the operand lacks
  bool channelsFirst = false;
  int64_t panel = 0;    // weights in panels of so many filters: [(g,) f / panel, k…, c, panel]; 0: not
  bool dynamic = false; // batch and positions are known only at run time

  bool isPool() const { return kind == Kind::MaxPool || kind == Kind::SumPool; }
  int64_t rank() const { return static_cast<int64_t>(output.size()); }
  int64_t inputSize(int64_t d) const; // of the operand, without padding

  // Elements of the bindings: x, w (but for pools), y.
  std::vector<int64_t> elements() const;
  std::vector<int64_t> constants() const;
  double flops() const;
  // One dispatch; padding is a tensor.pad in it. It ends with a relu of the result.
  std::string text() const;
  // What the dispatch computes.
  std::vector<double> reference(std::span<const float> x, std::span<const float> w) const;
};

} // namespace heddle::test

#endif // HEDDLE_COMPILER_CODEGEN_TEST_CONVFORMS_H
