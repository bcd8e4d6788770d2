// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a tensor's name may stand for in place of a tensor: a list of tensors that the importer keeps, or nothing that a
// program holds. The emitter keeps them and renews their tensors in a region; what they mean is the front end's
// business (Onnx/Aggregate.h).
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_EMIT_AGGREGATE_H
#define HEDDLE_COMPILER_STAGES_IMPORT_EMIT_AGGREGATE_H

#include "compiler/Stages/Import/Emit/Tensor.h"

namespace mlir::heddle::importer {

// Some neighbouring elements of a sequence.
struct Part {
  enum class Kind {
    Element, // the tensor
    Rows,    // each index of the tensor's first dimension, of which the call may tell the size
    Before,  // what earlier iterations of a loop have appended; no tensor
  };
  Kind kind;
  Tensor tensor;
};

// Never changed once a Tensor has it: values that its tensors make are those of copies.
struct Aggregate {
  enum class Kind {
    Sequence,
    Nothing, // an optional value without an element
    Foreign, // a tensor whose elements no program has
  };
  Kind kind;
  Type elementType;              // of a sequence
  std::vector<Part> parts;       // of a sequence
  std::optional<Tensor> stacked; // all elements as rows, where they were asked for ahead
  std::string foreign;           // the name of a foreign element type
};

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_EMIT_AGGREGATE_H
