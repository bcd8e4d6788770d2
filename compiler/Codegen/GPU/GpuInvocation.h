// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The elements of a value that one invocation computes one by one.
#ifndef HEDDLE_COMPILER_CODEGEN_GPU_GPUINVOCATION_H
#define HEDDLE_COMPILER_CODEGEN_GPU_GPUINVOCATION_H

#include "compiler/Codegen/GPU/GpuStrategy.h"

namespace mlir::heddle::codegen {

// Workgroups where each invocation has one element.
Value countElementWorkgroups(const GpuValue &of, FunctionScalars &scalars);

class GpuInvocation {
public:
  GpuInvocation(const GpuValue &of, ElementEmitter &emitter, const GpuPlace &at)
      : value(of.value), features(of.features), emitter(emitter), lanes(emitter.lanes), at(at),
        sizes(emitter.scalars.sizes(of.value)), index(sizes.size(), lanes.constant(0)) {}

  // The invocation's number among those of all workgroups.
  Value number();
  // Moves to the element whose position in the value's dimensions is the invocation's number, and runs `body` where
  // there is such an element.
  void forElement(function_ref<void()> body);

  // Sets the indices of these dimensions, of which the last varies fastest.
  void setIndex(ArrayRef<unsigned> dims, Value linear);
  // The value's element at the index.
  void store() { emitter.store(at.output, index, emitter.evaluate(value, index)); }
  Value less(Value a, Value b);

  Value value;
  const gpu::GpuFeatures &features;
  ElementEmitter &emitter;
  LaneBuilder &lanes;
  const GpuPlace &at;
  SmallVector<Value> sizes;
  SmallVector<LaneValue> index;
};

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_GPU_GPUINVOCATION_H
