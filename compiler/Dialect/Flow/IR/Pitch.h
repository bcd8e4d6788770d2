// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results that a dispatch stores with the strides of a larger tensor, of which they are a part.
//
//   flow.executable private @relu_0 {
//     func.func @relu_0(%x: tensor<8x3xf32>, …) -> (tensor<8x3xf32> {flow.pitch = {outer = 1 : i64, elements = 16 :
//     i64}})
//
// The value is the dense tensor that its type says, and what uses it are tensor ops as ever. In memory, dimension
// `outer - 1` has steps of the pitch; dimensions behind it lie side by side, those before it step over whole numbers of
// pitches. So the result is runs of equal length, the pitch apart: a host.view with a count and a stride, and each
// dispatch of the executable binds such a view. Bytes between the runs are not touched.
//
// The pitch counts elements: a constant (`elements`), or the number of the function's index argument that has it
// (`argument`), where only the call knows or dispatches differ. form-pitch-results decides; see docs/design/pitch.md.
#ifndef HEDDLE_COMPILER_DIALECT_FLOW_IR_PITCH_H
#define HEDDLE_COMPILER_DIALECT_FLOW_IR_PITCH_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <string>

namespace mlir::heddle::flow {

inline constexpr llvm::StringLiteral kPitchAttr = "flow.pitch";

struct Pitch {
  int64_t outer = 0;               // leading dimensions that are apart, from 1 to the rank
  std::optional<int64_t> elements; // none: the argument says
  unsigned argument = 0;

  bool operator==(const Pitch &other) const = default;
};

// Of a result of an executable's function; none: it is dense. What is no pitch is none, too: explainPitch says so.
std::optional<Pitch> getPitch(func::FuncOp function, unsigned result);
void setPitch(func::FuncOp function, unsigned result, const Pitch &pitch);

// What is wrong with the attribute of a result, or "".
std::string explainPitch(func::FuncOp function, unsigned result);

// A tensor that has as many elements as lie between the first and the last run, and the run's pitch: the result's outer
// dimensions, then the pitch. The result itself where it is dense.
RankedTensorType getSpannedType(func::FuncOp function, unsigned result);

} // namespace mlir::heddle::flow

#endif // HEDDLE_COMPILER_DIALECT_FLOW_IR_PITCH_H
