// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where an element of a resized tensor lies in the operand, and what its neighbours weigh.
//
//   Coordinates c{{builder, loc}, resizing};
//   Value x = c.of(index, in, out, scale, begin, end); // f64, may lie between elements or outside
//   Value weight = c.weight(c.s.sub(c.floor(x), x));
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_VISION_COORDINATES_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_VISION_COORDINATES_H

#include "compiler/Stages/Import/Emit/Scalars.h"

namespace mlir::heddle::importer {

enum class ResizeMode { Nearest, Linear, Cubic };

// What the attributes say.
struct Resizing {
  ResizeMode mode;
  std::string transform, nearest;
  bool antialias, excludeOutside;
  double cubic, extrapolation;

  bool crops() const { return transform == "tf_crop_and_resize"; }
  // How far an element reaches, in elements of the operand.
  int64_t reach() const { return mode == ResizeMode::Cubic ? 2 : 1; }
};

// Coordinates are f64, but a quotient by a scale is that of f32 numbers: scales are f32, and 3 / 0.3 is 10, not less.
// Both as in ONNX Runtime, so that the same elements are the nearest.
struct Coordinates {
  Scalar s;
  const Resizing &resizing;

  Type f64() { return s.b.getF64Type(); }
  Value number(double value);
  Value toReal(Value index);
  Value toIndex(Value real);
  Value floor(Value x);
  Value ceil(Value x);

  // Where element `o` of the result lies in the operand. `in` and `out`: the sizes.
  Value of(Value o, Value in, Value out, Value scale, Value begin, Value end);
  // (o + before) / scale - after.
  Value divided(Value o, Value scale, double before, double after);
  // The nearest element to `x`, as a whole number.
  Value nearestTo(Value x);
  // The weight of an element at distance `x`.
  Value weight(Value x);
};

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_VISION_COORDINATES_H
