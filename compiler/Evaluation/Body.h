// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The body of a structured op as a list of steps, each on many elements at once.
#ifndef HEDDLE_COMPILER_EVALUATION_BODY_H
#define HEDDLE_COMPILER_EVALUATION_BODY_H

#include "compiler/Evaluation/Array.h"
#include "compiler/Evaluation/Lanes.h"

#include "mlir/IR/Operation.h"

#include <optional>
#include <vector>

namespace mlir::heddle::evaluation {

struct Step;

// Where a body runs.
struct Frame {
  std::vector<Lanes> registers;
  ArrayRef<Array> tensors; // what tensor.extract reads
  bool failed = false;     // an index was out of range
};

using StepFunction = void (*)(const Step &, Frame &, int64_t count);

struct Step {
  StepFunction run;
  unsigned width = 0; // of the integers computed on, in bits
  unsigned result = 0;
  SmallVector<unsigned, 3> operands = {}; // registers
  unsigned tensor = 0;                    // which of Frame::tensors
};

// The step for an op on scalars (its registers not filled in); none if there is no way to compute it.
std::optional<Step> selectStep(Operation *op);
// What rounds the result of a step to f16 or bf16; null for other types, which need no rounding.
StepFunction selectRounding(Type type);

class Body {
public:
  // None if some op cannot be computed: control flow, unknown ops and types, values from outside that are neither
  // scalar constants nor tensors read by tensor.extract. `block` must outlive the body.
  static std::optional<Body> compile(Block &block);

  // The tensors that the body reads at computed indices.
  ArrayRef<Value> captured() const { return tensors; }
  // Registers: block arguments are 0, 1, …; linalg.index d and the yielded values have their own.
  ArrayRef<unsigned> yielded() const { return results; }
  // (loop, register), each loop once; the caller fills them with the loop's index.
  ArrayRef<std::pair<unsigned, unsigned>> indices() const { return loopIndices; }

  // Registers with all constants in place. `arrays` belong to captured() and must outlive the frame.
  Frame makeFrame(ArrayRef<Array> arrays) const;
  // Computes the first `count` (at most kLanes) lanes. Sets `frame.failed` where an index is out of range.
  void run(Frame &frame, int64_t count) const {
    for (const Step &step : steps)
      step.run(step, frame, count);
  }

private:
  bool add(Operation &op);
  std::optional<unsigned> registerOf(Value value);
  bool addExtract(Operation &op);

  Block *block = nullptr;
  DenseMap<Value, unsigned> registers;
  unsigned count = 0;
  SmallVector<std::pair<unsigned, Attribute>> constants;
  SmallVector<std::pair<unsigned, unsigned>> loopIndices;
  SmallVector<Value> tensors;
  SmallVector<unsigned> results;
  std::vector<Step> steps;
};

} // namespace mlir::heddle::evaluation

#endif // HEDDLE_COMPILER_EVALUATION_BODY_H
