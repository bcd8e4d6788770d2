// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results of strided scatters (ConvTranspose, Col2Im). Tap k of input position s goes to position
// q = s * stride + k * dilation, before cropping. Positions of one phase p = q mod stride meet only the taps with
// k * dilation = p mod stride: the result is computed phase by phase, each with a step of 1, and interleaved.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ONNX_FORMS_PHASES_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ONNX_FORMS_PHASES_H

#include "compiler/Stages/Import/Emit/Emitter.h"

namespace mlir::heddle::importer {

// Phases `first`, `first + 1`, … of one dimension, all with `taps` taps. Tap j of phase first + i is
// k = firstTap + i + j * tapStep and meets input position q / stride - base - j * dilation.
struct PhaseSet {
  int64_t first, count, taps, firstTap = 0, tapStep = 1, dilation = 1, base = 0;
};

// One spatial dimension.
struct PhasedAxis {
  int64_t kernel, stride, dilation;
  OpFoldResult input, size; // positions of the operand and of the result
  SmallVector<PhaseSet> phases;
  int64_t crop = 0;  // positions to drop before the result, less than the stride
  int64_t skip = 0;  // whole strides before that, never computed
  int64_t steps = 0; // result positions of one phase, more than the operand has

  // Result positions of one phase.
  OpFoldResult stepsOf(Sizes &sizes) const { return sizes.add(input, sizes.constant(steps)); }
  // How far a phase reads before the operand's first position, and behind its last; negative: not all of it.
  int64_t low(const PhaseSet &set) const { return set.base + (set.taps - 1) * set.dilation - skip; }
  int64_t high(const PhaseSet &set) const { return skip + steps - set.base; }
};

// As few sets as possible.
SmallVector<PhaseSet> findPhases(int64_t kernel, int64_t stride, int64_t dilation);
// Each phase by itself.
SmallVector<PhaseSet> separatePhases(ArrayRef<PhaseSet> sets);

// Sets crop, skip and steps for a result that begins `before` positions behind the first one. False where its size is
// no constant more than `input` strides.
bool placePhases(Sizes &sizes, PhasedAxis &axis, int64_t before);

// [n, c, size…] of parts [n…, t0, p0, t1, p1, …], one for each choice of a set for each axis: `front` dimensions, which
// are [n, c] of the result split in some way, then steps and phases. Nothing where `part` has nothing.
std::optional<Tensor> interleavePhases(Emitter &emitter, ArrayRef<PhasedAxis> axes, int64_t front, SizeList result,
                                       llvm::function_ref<std::optional<Tensor>(ArrayRef<PhaseSet>)> part);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_FORMS_PHASES_H
