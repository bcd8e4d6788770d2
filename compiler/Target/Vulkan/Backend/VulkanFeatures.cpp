#include "compiler/Target/Vulkan/Backend/VulkanFeatures.h"

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
