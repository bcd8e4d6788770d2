// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Target/Vulkan/Backend/VulkanFeatures.h"

#include "compiler/Codegen/GPU/GpuBlock.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::heddle;

SmallVector<vulkan::Feature> vulkan::getFeatures(device::ExecutableAttr executable) {
  auto names = executable.getConfig().getAs<ArrayAttr>("features");
  SmallVector<Feature> features;
  for (const Feature &feature : kFeatures)
    if (!names || llvm::is_contained(names, StringAttr::get(executable.getContext(), feature.name)))
      features.push_back(feature);
  return features;
}

std::string vulkan::explainUnsupported(Type element, ArrayRef<Feature> features) {
  SmallVector<StringRef> needed;
  unsigned bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 32;
  if (bits <= 8)
    needed = {"storageBuffer8BitAccess", "shaderInt8"};
  else if (bits == 16)
    needed = {"storageBuffer16BitAccess", element.isF16() ? "shaderFloat16" : "shaderInt16"};
  else if (bits == 64)
    needed = {element.isF64() ? "shaderFloat64" : "shaderInt64"};
  for (StringRef name : needed)
    if (llvm::none_of(features, [&](const Feature &feature) { return feature.name == name; }))
      return name.str();
  return "";
}

// Two operands and a sum of what is made of both.
static bool mayBeProduct(linalg::LinalgOp op) { return op.getNumReductionLoops() > 0 && op.getNumDpsInputs() > 1; }

// Subgroups of 32, workgroups of 128 and 32 KiB to share: what GPUs have. On subgroups of another size it is right,
// too.
SmallVector<device::ExecutableAttr> vulkan::getRefinements(func::FuncOp function, device::ExecutableAttr executable) {
  constexpr int64_t kSubgroup = 32, kInvocations = 128, kSharedBytes = 32 << 10;
  gpu::GpuFeatures given = gpu::getFeatures(executable);
  bool anyProduct =
      function
          .walk([](linalg::LinalgOp op) { return mayBeProduct(op) ? WalkResult::interrupt() : WalkResult::advance(); })
          .wasInterrupted();
  if (given.subgroup != 0 || !anyProduct)
    return {};
  Builder builder(executable.getContext());
  NamedAttrList config(executable.getConfig());
  config.set("subgroupSize", builder.getI64IntegerAttr(kSubgroup));
  config.set("workgroup", builder.getI64IntegerAttr(std::max(given.invocations, kInvocations)));
  config.set("maxComputeSharedMemorySize", builder.getI64IntegerAttr(std::max(given.sharedBytes, kSharedBytes)));
  std::string limit = "subgroupSize>=" + std::to_string(codegen::kLeastBlockSubgroup);
  config.set(kRequiredLimits, builder.getStrArrayAttr(StringRef(limit)));
  return {device::ExecutableAttr::get(executable.getFormat(), config.getDictionary(executable.getContext()))};
}
