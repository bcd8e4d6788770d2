// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The discrete Fourier transform along one dimension.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_EMIT_NUMERICS_FOURIER_H
#define HEDDLE_COMPILER_STAGES_IMPORT_EMIT_NUMERICS_FOURIER_H

#include "compiler/Stages/Import/Emit/Emitter.h"

namespace mlir::heddle::importer {

struct FourierTransform {
  // At most, where it is known.
  static constexpr int64_t kMaximumLength = 1 << 24;

  OpFoldResult length = {}; // the signal is cut or filled with zeros to it
  bool inverse = false;
  bool oneSided = false; // forward: only the first length / 2 + 1 bins; inverse: of such bins to a real signal

  // Whether the constants of a transform of a known length, 1 to kMaximumLength, are small enough.
  static bool isSupported(int64_t length, const FormModel &forms);
  bool givesReal() const { return inverse && oneSided; }
};

// Of x [outer, count, inner, parts] with 1 part (real) or 2 (real and imaginary) to [outer, bins, inner, parts], in f32
// or f64. One product with a constant matrix; for long lengths with factors two transforms and a turn between them
// (Cooley and Tukey), for those without a convolution by means of transforms of a power of 2 (Bluestein), so that
// constants are linear in the length. Where only the call knows the length, the matrix is computed there.
Tensor fourier(Emitter &emitter, Tensor &x, const FourierTransform &transform);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_EMIT_NUMERICS_FOURIER_H
