// The executable targets of a module's devices, and the variants for them.
#ifndef HEDDLE_COMPILER_STAGES_CODEGEN_TARGETS_H
#define HEDDLE_COMPILER_STAGES_CODEGEN_TARGETS_H

#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Dialect/Flow/IR/FlowOps.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

namespace mlir::heddle::codegen {

// Each once, in the order of the devices.
inline SmallVector<device::ExecutableAttr> getTargets(ModuleOp module) {
  llvm::SetVector<device::ExecutableAttr> targets;
  for (auto global : module.getOps<device::GlobalOp>())
    for (device::ExecutableAttr target : global.getTarget().getExecutables())
      targets.insert(target);
  return targets.takeVector();
}

// "elf_x86_64_x86_64_v4": a symbol for what runs on the target. Equal only for equal formats and processors.
inline std::string getVariantName(device::ExecutableAttr target) {
  std::string name = (target.getFormat().getValue() + "_" + target.getCpu().getValue()).str();
  for (char &c : name)
    if (!llvm::isAlnum(c))
      c = '_';
  if (!target.getFeatures().getValue().empty())
    name += "_" + llvm::utohexstr(llvm::xxh3_64bits(target.getFeatures().getValue()) & 0xffff, true);
  return name;
}

// "+a,-b,+c" → ["a", "c"]: the features that must be present.
inline ArrayAttr getRequiredFeatures(device::ExecutableAttr target) {
  SmallVector<Attribute> required;
  SmallVector<StringRef> features;
  target.getFeatures().getValue().split(features, ',', -1, false);
  for (StringRef feature : features)
    if (feature.consume_front("+"))
      required.push_back(StringAttr::get(target.getContext(), feature));
  return ArrayAttr::get(target.getContext(), required);
}

inline flow::VariantOp findVariant(flow::ExecutableOp executable, device::ExecutableAttr target) {
  return executable.lookupSymbol<flow::VariantOp>(getVariantName(target));
}

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_STAGES_CODEGEN_TARGETS_H
