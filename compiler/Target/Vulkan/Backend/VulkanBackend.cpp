// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Target/Vulkan/Backend/VulkanBackend.h"

#include "compiler/Stages/Codegen/Passes.h"
#include "compiler/Target/GPU/GpuFeatures.h"
#include "compiler/Target/TargetRegistry.h"
#include "compiler/Target/Vulkan/Backend/Passes.h"
#include "compiler/Target/Vulkan/Backend/VulkanFeatures.h"
#include "heddle/contract/SpirvAbi.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace mlir::heddle;
namespace abi = ::heddle::contract::spirv;

namespace {

class VulkanBackend : public Target {
public:
  StringRef getName() const override { return "vulkan"; }
  std::string listFormats() const override { return std::string(abi::kFormat); }
  bool handles(StringRef format) const override { return format == StringRef(abi::kFormat); }

  ArrayRef<DeviceAlias> getAliases() const override {
    static const DeviceAlias kAliases[] = {{"vulkan", "a GPU, or whatever else has a Vulkan driver"}};
    return kAliases;
  }
  ArrayRef<StringRef> getOptions() const override { return mlir::heddle::gpu::getLimitNames(); }
  FailureOr<device::TargetAttr> expandAlias(Operation *op, StringRef, const AliasOptions &options) const override;

  std::string getVariantName(device::ExecutableAttr executable) const override;
  std::string spell(device::ExecutableAttr executable) const override {
    int64_t subgroup = mlir::heddle::gpu::getFeatures(executable).subgroup;
    return subgroup ? "vulkan{subgroupSize=" + std::to_string(subgroup) + "}" : "vulkan";
  }
  // A variant says itself what it needs.
  ArrayAttr getRequiredFeatures(device::ExecutableAttr) const override { return {}; }

  FailureOr<std::unique_ptr<encoding::LayoutResolver>> createLayoutResolver(Operation *,
                                                                            device::ExecutableAttr) const override {
    // In rows: what an invocation reads lies beside what its neighbour reads.
    return std::unique_ptr<encoding::LayoutResolver>(std::make_unique<encoding::IdentityResolver>());
  }
  FormModel getFormModel() const override { return {.shortRows = true, .rounding = FormModel::Rounding::Never}; }
  bool sharesUnits() const override { return true; }
  std::vector<TargetFact> getFacts(Operation *, device::ExecutableAttr executable) const override {
    return mlir::heddle::gpu::getFacts(executable);
  }
  std::string explainInvalid(device::ExecutableAttr executable) const override {
    return mlir::heddle::gpu::explainInvalid(executable);
  }
  std::string explainUnsupported(func::FuncOp function, device::ExecutableAttr executable) const override;
  SmallVector<device::ExecutableAttr> getRefinements(func::FuncOp function,
                                                     device::ExecutableAttr executable) const override {
    return vulkan::getRefinements(function, executable);
  }
  void buildPipeline(OpPassManager &pm, const CodegenOptions &options) const override;
};

} // namespace

// Limits that every device of today keeps (gpuinfo.org) unless options say more; what a kernel needs beyond Vulkan 1.2
// is asked of the device when the kernel is chosen.
FailureOr<device::TargetAttr> VulkanBackend::expandAlias(Operation *op, StringRef, const AliasOptions &options) const {
  Builder builder(op->getContext());
  SmallVector<Attribute> features;
  for (const vulkan::Feature &feature : vulkan::kFeatures)
    features.push_back(builder.getStringAttr(feature.name));
  NamedAttrList config;
  config.set("features", builder.getArrayAttr(features));
  config.set("maxComputeSharedMemorySize", builder.getI64IntegerAttr(abi::kLeastSharedBytes));
  config.set("maxPerStageDescriptorStorageBuffers", builder.getI64IntegerAttr(16));
  config.set("maxStorageBufferRange", builder.getI64IntegerAttr(abi::kLeastStorageRange));
  config.set("workgroup", builder.getI64IntegerAttr(64));
  for (NamedAttribute given : options.config)
    config.set(given.getName(), given.getValue());
  auto executable = device::ExecutableAttr::get(builder.getStringAttr(StringRef(abi::kFormat)),
                                                config.getDictionary(op->getContext()));
  if (std::string reason = mlir::heddle::gpu::explainInvalid(executable); !reason.empty())
    return op->emitError() << "device 'vulkan': " << reason;
  return device::TargetAttr::get(builder.getStringAttr("vulkan"), options.ordinal, executable);
}

std::string VulkanBackend::getVariantName(device::ExecutableAttr executable) const {
  std::string text;
  llvm::raw_string_ostream(text) << executable.getConfig();
  return "spirv_" + llvm::utohexstr(llvm::xxh3_64bits(text) & 0xffff, true);
}

std::string VulkanBackend::explainUnsupported(func::FuncOp function, device::ExecutableAttr executable) const {
  if (std::string reason = mlir::heddle::gpu::explainUnsupported(function, mlir::heddle::gpu::getFeatures(executable));
      !reason.empty())
    return reason;
  SmallVector<vulkan::Feature> features = vulkan::getFeatures(executable);
  for (Type type : llvm::concat<const Type>(function.getArgumentTypes(), function.getResultTypes()))
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      if (std::string missing = vulkan::explainUnsupported(tensor.getElementType(), features); !missing.empty()) {
        std::string text;
        llvm::raw_string_ostream(text) << "elements of type " << tensor.getElementType() << " need the feature "
                                       << missing;
        return text;
      }
  return "";
}

void VulkanBackend::buildPipeline(OpPassManager &pm, const CodegenOptions &) const {
  // First: nothing after it meets an encoded type.
  pm.addPass(createMaterializeEncodings());
  pm.addPass(createGeneralizeOps());
  pm.addPass(createLowerToInvocations());
  pm.addPass(createCSEPass());
  pm.addPass(createExpandGpuMath());
  pm.addPass(vulkan::createConvertToSpirv());
  OpPassManager &modules = pm.nest<spirv::ModuleOp>();
  modules.addPass(spirv::createSPIRVLowerABIAttributesPass());
  modules.addPass(spirv::createSPIRVUpdateVCEPass());
  pm.addPass(vulkan::createSerializeSpirv());
}

void vulkan::registerBackend() { registerTarget(std::make_unique<VulkanBackend>()); }
