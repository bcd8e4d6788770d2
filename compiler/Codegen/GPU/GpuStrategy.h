// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a GPU's plan becomes code: one strategy for each kind of plan (GpuNest.h), as CPU/Strategy.h is for processors.
#ifndef HEDDLE_COMPILER_CODEGEN_GPU_GPUSTRATEGY_H
#define HEDDLE_COMPILER_CODEGEN_GPU_GPUSTRATEGY_H

#include "compiler/Codegen/Emit/ElementEmitter.h"
#include "compiler/Codegen/GPU/GpuNest.h"

namespace mlir::heddle::codegen {

// One invocation of one of a nest's workgroups.
struct GpuPlace {
  Value workgroup;      // below workgroups()
  Value invocation;     // of the workgroup
  const Buffer &output; // memory of the nest's value
};

// Refers to its plan and features, which must live as long.
class GpuStrategy {
public:
  virtual ~GpuStrategy() = default;

  virtual Value workgroups(FunctionScalars &scalars) const = 0;
  // Barriers may be inside: all invocations of a workgroup must come here.
  virtual void emit(ElementEmitter &emitter, const GpuPlace &at) const = 0;
  virtual std::string describe() const = 0;
};

// What all strategies know.
struct GpuValue {
  Value value;
  const gpu::GpuFeatures &features;
};

std::unique_ptr<GpuStrategy> makeStrategy(const GpuValue &of, const GpuElements &plan);
std::unique_ptr<GpuStrategy> makeStrategy(const GpuValue &of, const GpuRows &plan);
std::unique_ptr<GpuStrategy> makeStrategy(const GpuValue &of, const GpuTile &plan);
std::unique_ptr<GpuStrategy> makeStrategy(const GpuValue &of, const GpuPanels &plan);
std::unique_ptr<GpuStrategy> makeStrategy(const GpuValue &of, const GpuBorder &plan);

// The strategy of whatever plan the nest has.
std::unique_ptr<GpuStrategy> strategyOf(const GpuNest &nest, const gpu::GpuFeatures &features);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_GPU_GPUSTRATEGY_H
