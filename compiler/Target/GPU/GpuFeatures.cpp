#include "compiler/Target/GPU/GpuFeatures.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mlir::heddle;

ArrayRef<StringRef> gpu::getLimitNames() {
  static const StringRef kNames[] = {"workgroup", "maxComputeSharedMemorySize", "maxStorageBufferRange",
                                     "maxPerStageDescriptorStorageBuffers", "subgroupSize"};
  return kNames;
}

gpu::GpuFeatures gpu::getFeatures(device::ExecutableAttr executable) {
  GpuFeatures features;
  DictionaryAttr config = executable.getConfig();
  auto read = [&](StringRef key, int64_t &value, int64_t less) {
    if (auto given = config.getAs<IntegerAttr>(key))
      value = given.getInt() - less;
  };
  read("workgroup", features.invocations, 0);
  read("maxComputeSharedMemorySize", features.sharedBytes, 0);
  read("maxStorageBufferRange", features.bindingBytes, 0);
  read("maxPerStageDescriptorStorageBuffers", features.bindings, 1);
  read("subgroupSize", features.subgroup, 0);
  return features;
}

// Invocations combine what they have in halves; no device takes more than 1024.
std::string gpu::explainInvalid(device::ExecutableAttr executable) {
  constexpr int64_t kMostInvocations = 1024;
  for (StringRef key : getLimitNames()) {
    Attribute given = executable.getConfig().get(key);
    if (!given)
      continue;
    bool isWorkgroup = key == "workgroup";
    auto number = dyn_cast<IntegerAttr>(given);
    if (number && number.getValue().isStrictlyPositive() && number.getValue().getSignificantBits() <= 64 &&
        (!isWorkgroup || (llvm::isPowerOf2_64(number.getInt()) && number.getInt() <= kMostInvocations)))
      continue;
    std::string text;
    llvm::raw_string_ostream(text) << key << " is " << (isWorkgroup ? "a power of two from 1 to 1024" : "positive")
                                   << ", got " << given;
    return text;
  }
  return "";
}

static std::string explainType(Type type, const gpu::GpuFeatures &features) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (!tensor)
    return "";
  Type element = tensor.getElementType();
  bool isKnown = element.isInteger(1) || element.isInteger(8) || element.isInteger(16) || element.isInteger(32) ||
                 element.isInteger(64) || element.isF16() || element.isBF16() || element.isF32() || element.isF64();
  if (!isKnown)
    return (stream << "elements of type " << element << " have no place in its memory", text);
  if (!tensor.hasStaticShape())
    return "";
  int64_t bytes = tensor.getNumElements() * std::max(1u, element.getIntOrFloatBitWidth() / 8);
  if (bytes > features.bindingBytes)
    stream << "a tensor of " << bytes << " bytes (" << tensor << ") is larger than the " << features.bindingBytes
           << " bytes that a kernel reaches at once; if the device reaches more, its target says so by "
           << "maxStorageBufferRange";
  return text;
}

std::string gpu::explainUnsupported(Operation *function, const GpuFeatures &features) {
  auto func = cast<func::FuncOp>(function);
  int64_t bindings = func.getNumResults();
  for (Type type : func.getArgumentTypes())
    bindings += isa<RankedTensorType>(type);
  if (bindings > features.bindings)
    return "its " + std::to_string(bindings) + " tensors are more than the " + std::to_string(features.bindings) +
           " that a kernel takes";
  for (Type type : llvm::concat<const Type>(func.getArgumentTypes(), func.getResultTypes()))
    if (std::string reason = explainType(type, features); !reason.empty())
      return reason;
  return "";
}
