// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pairs of a head's elements turned by angles that depend on the position.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_ATTENTION_ROTARYEMBEDDING_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_ATTENTION_ROTARYEMBEDDING_H

#include "compiler/Stages/Import/Emit/Emitter.h"

namespace mlir::heddle::importer {

struct Rotary {
  bool headsFirst;  // [batch, heads, length, depth], else [batch, length, heads, depth]
  int64_t turned;   // of a head's elements, an even number
  bool interleaved; // pairs are neighbours, else half of `turned` apart
};

// Turns the first elements of each head of x; the others stay. Cosines and sines are [batch or 1, length, turned / 2].
// The depth of x must be fixed.
Tensor turnHeads(Emitter &emitter, Tensor &x, Tensor &cosines, Tensor &sines, const Rotary &rotary);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_ATTENTION_ROTARYEMBEDDING_H
