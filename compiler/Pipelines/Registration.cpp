// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Pipelines/Stages.h"

#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Dialect/Encoding/IR/EncodingOps.h"
#include "compiler/Dialect/Encoding/Transforms/Passes.h"
#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Dialect/Flow/Transforms/Passes.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Dialect/Host/IR/HostOps.h"
#include "compiler/Dialect/Intent/Transforms/Passes.h"
#include "compiler/Stages/Codegen/Passes.h"
#include "compiler/Stages/Devices/Passes.h"
#include "compiler/Stages/Encode/Passes.h"
#include "compiler/Stages/Form/Passes.h"
#include "compiler/Stages/Import/Passes.h"
#include "compiler/Stages/Import/StableHlo/Assembly/Dialects.h"
#include "compiler/Stages/Package/Passes.h"
#include "compiler/Stages/Place/Passes.h"
#include "compiler/Stages/Ranks/Passes.h"
#include "compiler/Stages/Resolve/Passes.h"
#include "compiler/Stages/Schedule/Passes.h"
#include "compiler/Stages/Simplify/Passes.h"
#include "compiler/Stages/Split/Passes.h"
#include "compiler/Stages/Split/SplitScript.h"
#include "compiler/Stages/Streams/Passes.h"
#include "compiler/Target/CPU/Backend/CpuBackend.h"
#include "compiler/Target/CUDA/Backend/CudaBackend.h"
#include "compiler/Target/CUDA/Backend/Passes.h"
#include "compiler/Target/Vulkan/Backend/Passes.h"
#include "compiler/Target/Vulkan/Backend/VulkanBackend.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"

using namespace mlir;
using namespace mlir::heddle;

void mlir::heddle::registerTargets() {
  static const bool once = [] {
    cpu::registerBackend();
    vulkan::registerBackend();
    cuda::registerBackend();
    return true;
  }();
  (void)once;
}

void mlir::heddle::registerDialects(DialectRegistry &registry) {
  registerTargets();
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registry.insert<HeddleDialect, device::DeviceDialect, encoding::EncodingDialect, flow::FlowDialect, host::HostDialect,
                  intent::IntentDialect, kernel::KernelDialect>();
  hlo::registerTextDialects(registry);
  split::registerSplitScript(registry);
}

void mlir::heddle::registerPasses() {
  registerTargets();
  registerEncodingPasses();
  registerFlowPasses();
  registerIntentPasses();
  registerImportPasses();
  registerDevicesPasses();
  registerRanksPasses();
  registerStreamsPasses();
  registerSimplifyPasses();
  registerEncodePasses();
  registerFormPasses();
  registerSplitPasses();
  registerPlacePasses();
  registerResolvePasses();
  registerSchedulePasses();
  registerCodegenPasses();
  vulkan::registerVulkanPasses();
  cuda::registerCudaPasses();
  registerPackagePasses();

  // `--stage-simplify` and so on: a whole stage by its name.
  for (const StageInfo &info : getStages())
    if (info.build)
      PassPipelineRegistration<>("stage-" + std::string(info.name), "the passes of stage " + std::string(info.name),
                                 [build = info.build](OpPassManager &pm) { build(pm, CompileOptions()); });
}
