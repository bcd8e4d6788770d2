// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An invocation for each element: of a value, or of what a pad adds to one.
#include "compiler/Codegen/Emit/PadBorder.h"
#include "compiler/Codegen/GPU/GpuInvocation.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

std::unique_ptr<GpuStrategy> mlir::heddle::codegen::strategyOf(const GpuNest &nest, const gpu::GpuFeatures &features) {
  return std::visit([&](const auto &plan) { return makeStrategy(GpuValue{nest.value, features}, plan); }, nest.plan);
}

namespace {

class GpuElementsNest : public GpuStrategy {
public:
  explicit GpuElementsNest(const GpuValue &of) : of(of) {}

  Value workgroups(FunctionScalars &scalars) const override { return countElementWorkgroups(of, scalars); }
  void emit(ElementEmitter &emitter, const GpuPlace &at) const override {
    GpuInvocation invocation(of, emitter, at);
    invocation.forElement([&] { invocation.store(); });
  }
  std::string describe() const override { return "elements, workgroups of " + std::to_string(of.features.invocations); }

private:
  GpuValue of;
};

class GpuBorderNest : public GpuStrategy {
public:
  GpuBorderNest(const GpuValue &of, tensor::PadOp pad) : of(of), pad(pad) {}

  Value workgroups(FunctionScalars &scalars) const override { return countElementWorkgroups(of, scalars); }
  void emit(ElementEmitter &emitter, const GpuPlace &at) const override {
    tensor::PadOp source = pad;
    GpuInvocation invocation(of, emitter, at);
    invocation.forElement([&] {
      emitter.when(isInBorder(emitter, source, invocation.index), [&] {
        Value padding = emitter.scalars.get(source.getConstantPaddingValue());
        emitter.store(at.output, invocation.index, LaneValue::uniform(padding));
      });
    });
  }
  std::string describe() const override { return "border, workgroups of " + std::to_string(of.features.invocations); }

private:
  GpuValue of;
  tensor::PadOp pad;
};

} // namespace

std::unique_ptr<GpuStrategy> mlir::heddle::codegen::makeStrategy(const GpuValue &of, const GpuElements &) {
  return std::make_unique<GpuElementsNest>(of);
}

std::unique_ptr<GpuStrategy> mlir::heddle::codegen::makeStrategy(const GpuValue &of, const GpuBorder &plan) {
  return std::make_unique<GpuBorderNest>(of, plan.pad);
}
