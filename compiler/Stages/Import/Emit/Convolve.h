// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one form of convolutions after import.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_EMIT_CONVOLVE_H
#define HEDDLE_COMPILER_STAGES_IMPORT_EMIT_CONVOLVE_H

#include "compiler/Stages/Import/Emit/Emitter.h"

namespace mlir::heddle::importer {

// Where a convolution or pool reads. All lists have one entry for each spatial dimension (those after batch and
// channel).
struct Window {
  SmallVector<int64_t> kernel, strides, dilations;
  SizeList before, after; // padding
  SizeList padded;        // the operand's sizes with the padding that the node names, without what ceil_mode adds
  SizeList output;        // result sizes

  int64_t rank() const { return kernel.size(); }
  // Input positions that one output element spans.
  int64_t span(int64_t d) const { return dilations[d] * (kernel[d] - 1) + 1; }
};

// Channels first, groups as a dimension of their own, none of them of size 1 by nature: one group has no group
// dimension, one channel and one filter for each group have only the group dimension.
struct Convolution {
  Tensor operand, weights;                    // [n, (g,) (c,) s…], padded; [(g,) (f,) (c,) k…]
  int64_t groupDims, channelDims, filterDims; // 0 or 1 each
  int64_t weightZero = 0;                     // taken from each weight, widened, where it is read
};

// Whether so many groups of equal size make up `count` channels. Of no channels there is one group.
inline bool splitsEvenly(int64_t count, int64_t groups) {
  return groups >= 1 && groups <= std::max<int64_t>(count, 1) && count % groups == 0;
}

// x[n, (g,) c, s…] and w[(g,) f, c, k…] to [n, (g,) f, o…]; loops n, (g,) f, o…, then the reduced c, k…. x is read at
// o * stride + k * dilation.
Tensor convolve(Emitter &emitter, Convolution &conv, const Window &window, Type sum = {});

// x[n, c, s…], padded, and w[f, c / groups, k…] in that form. `groups` divides the number of filters.
Convolution splitGroups(Emitter &emitter, Tensor &operand, Tensor &weights, int64_t groups);

// [f] as [f, 1, …], which broadcasts along the filters of a result [n, f, o…] of that rank.
Tensor alongFilters(Emitter &emitter, Tensor &tensor, int64_t rank);

// While it lives, the operand of a node has as many channels as its weights by type, too, where a check at the call
// says so: a view behind its padding would keep that from the windows that read it.
class FittedChannels {
public:
  FittedChannels(Emitter &emitter, Tensor &operand, OpFoldResult channels);
  ~FittedChannels() { operand = before; }
  FittedChannels(const FittedChannels &) = delete;
  FittedChannels &operator=(const FittedChannels &) = delete;

private:
  Tensor &operand;
  Tensor before;
};

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_EMIT_CONVOLVE_H
