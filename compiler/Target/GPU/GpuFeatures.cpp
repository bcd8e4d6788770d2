// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Target/GPU/GpuFeatures.h"

#include "compiler/Analysis/StorageBytes.h"
#include "compiler/Dialect/Flow/IR/Pitch.h"

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
  auto names = config.getAs<ArrayAttr>("features");
  features.addresses = llvm::all_of(ArrayRef<StringRef>{"bufferDeviceAddress", "shaderInt64"}, [&](StringRef name) {
    return !names || llvm::is_contained(names, StringAttr::get(executable.getContext(), name));
  });
  return features;
}

std::vector<TargetFact> gpu::getFacts(device::ExecutableAttr executable) {
  GpuFeatures features = getFeatures(executable);
  std::vector<TargetFact> facts{{"workgroup_invocations", features.invocations},
                                {"shared_bytes", features.sharedBytes}};
  if (features.subgroup > 0)
    facts.push_back({"subgroup", features.subgroup});
  return facts;
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

static int64_t countBytes(RankedTensorType type) { return tensorBytes(type).value_or(INT64_MAX); }

static auto listTensors(func::FuncOp func) {
  SmallVector<RankedTensorType> tensors;
  for (Type type : func.getArgumentTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      tensors.push_back(tensor);
  // What a result spans counts: it may be a part of a larger tensor.
  for (unsigned result = 0; result < func.getNumResults(); ++result)
    tensors.push_back(flow::getSpannedType(func, result));
  return tensors;
}

bool gpu::needsAddresses(Operation *function, const GpuFeatures &features) {
  SmallVector<RankedTensorType> tensors = listTensors(cast<func::FuncOp>(function));
  return static_cast<int64_t>(tensors.size()) > features.bindings || llvm::any_of(tensors, [&](RankedTensorType type) {
           return type.hasStaticShape() && countBytes(type) > features.bindingBytes;
         });
}

bool gpu::mayNeedAddresses(Operation *function, const GpuFeatures &features) {
  return features.addresses && llvm::any_of(listTensors(cast<func::FuncOp>(function)),
                                            [](RankedTensorType type) { return !type.hasStaticShape(); });
}

static std::string explainType(RankedTensorType tensor, const gpu::GpuFeatures &features) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  Type element = tensor.getElementType();
  bool isKnown = element.isInteger(1) || element.isInteger(8) || element.isInteger(16) || element.isInteger(32) ||
                 element.isInteger(64) || element.isF16() || element.isBF16() || element.isF32() || element.isF64();
  if (!isKnown)
    return (stream << "elements of type " << element << " have no place in its memory", text);
  if (!tensor.hasStaticShape())
    return "";
  if (tensor.getNumElements() > features.elements)
    stream << "a tensor of " << tensor.getNumElements() << " elements (" << tensor << ") has more than the "
           << features.elements << " that a kernel counts";
  else if (countBytes(tensor) > features.bindingBytes && !features.addresses)
    stream << "a tensor of " << countBytes(tensor) << " bytes (" << tensor << ") is larger than the "
           << features.bindingBytes << " bytes that a kernel reaches at once; if the device reaches more, its target "
           << "says so by maxStorageBufferRange, or has the features bufferDeviceAddress and shaderInt64";
  return text;
}

std::string gpu::explainUnsupported(Operation *function, const GpuFeatures &features) {
  SmallVector<RankedTensorType> tensors = listTensors(cast<func::FuncOp>(function));
  if (static_cast<int64_t>(tensors.size()) > features.bindings && !features.addresses)
    return "its " + std::to_string(tensors.size()) + " tensors are more than the " + std::to_string(features.bindings) +
           " that a kernel takes";
  for (RankedTensorType type : tensors)
    if (std::string reason = explainType(type, features); !reason.empty())
      return reason;
  return "";
}
