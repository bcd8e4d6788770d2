// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random numbers: functions of a key and of the element's number, so that every element is computed by itself and the
// same on every device. The key is what 'seed' gives, or else made of the node's name, the number that the call draws
// and the iterations of the loops around the node. See docs/design/import.md.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_ELEMENTWISE_RANDOMNUMBERS_H
#define HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_ELEMENTWISE_RANDOMNUMBERS_H

#include "compiler/Stages/Import/Emit/Scalars.h"
#include "compiler/Stages/Import/Onnx/Lowering.h"

namespace mlir::heddle::importer {

// The numbers of one node, in the body of an op.
struct Generator {
  Scalar s; // of the floats it gives: f32 or f64
  Value key;

  // SplitMix64's output function at the counter.
  Value bits(Value counter);
  // In [0, 1), a multiple of 2^-bits.
  Value uniform(Value counter, unsigned bits);
  // Of mean 0 and deviation 1, by Box and Muller's transform of two uniform numbers.
  Value normal(Value counter);
};

// Every element of a tensor of `sizes`, of floats that `element` makes, as one of `type`; narrow floats by way of f32.
// `element` gets the generator, the element's number and the elements of `operands`. With attribute 'seed' every call
// gives the same numbers, of which it warns.
Tensor randomTensor(NodeContext &node, ArrayRef<OpFoldResult> sizes, Type type, ArrayRef<Tensor *> operands,
                    llvm::function_ref<Value(Generator &, Value, ValueRange)> element);

} // namespace mlir::heddle::importer

#endif // HEDDLE_COMPILER_STAGES_IMPORT_ONNX_OPS_ELEMENTWISE_RANDOMNUMBERS_H
