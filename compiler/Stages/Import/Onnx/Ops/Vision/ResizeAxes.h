// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Interpolation along one axis: each element a weighted sum of a few elements along it.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_VISION_RESIZEAXES_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_VISION_RESIZEAXES_H

#include "compiler/Stages/Import/Onnx/Ops/Vision/Coordinates.h"

#include <optional>

namespace mlir::heddle::importer {

// Lengths beyond it are not exact, and nobody's.
inline constexpr double kLongestAxis = 1e15;

struct ResizedAxis {
  int64_t dim;
  OpFoldResult size;                // of the result
  Tensor scale;                     // result by operand, f64, one element; not rounded
  std::optional<double> fixedScale; // if it is constant
  Tensor begin, end;                // of the region to crop, f64, one element each
  bool hasScaleOfSizes = false;     // `scale` is the quotient of the sizes: 1 where they are equal
};

// The type in which elements of `type` are interpolated: f32, or f64 where f32 does not hold each of them.
Type interpolationType(Type type);

// `x`, of `type` or interpolated along other axes before, resized along `axis`. The result is of `type` where it is
// the `last` axis: rounded to nearest even and within its range, so that a tensor is rounded once however many axes
// it has. Before that it is of interpolationType(type). Nearest neighbours stay as they are.
Tensor resizeAxis(Emitter &emitter, const Resizing &resizing, Tensor &x, ResizedAxis &axis, Type type, bool last);

// Nearest neighbours along all axes, without cropping: each element is read once, where one axis after the other would
// write the tensor for each.
Tensor resizeToNearest(Emitter &emitter, const Resizing &resizing, Tensor &x, MutableArrayRef<ResizedAxis> axes);

// resizeAxis where shrinking reads every element that a coordinate's neighbourhood covers, so that none is left out.
Tensor shrinkAxis(Emitter &emitter, const Resizing &resizing, Tensor &x, ResizedAxis &axis, Type type, bool last);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_VISION_RESIZEAXES_H
