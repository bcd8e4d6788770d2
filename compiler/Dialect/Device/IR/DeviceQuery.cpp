// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Device/IR/DeviceQuery.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <map>

using namespace mlir;
using namespace mlir::heddle::device;

using Targets = llvm::SetVector<ExecutableAttr>;

namespace {

// Follows the fallbacks of one device.
class Collector {
public:
  Collector(const llvm::DenseMap<StringAttr, GlobalOp> &globals, const Targets &named)
      : globals(globals), named(named) {}

  std::vector<ExecutableAttr> collect(GlobalOp global) {
    visit(global);
    return targets.takeVector();
  }

private:
  void visit(GlobalOp global) {
    if (!seen.insert(global.getOperation()).second)
      return;
    for (Attribute alternative : global.getAlternatives()) {
      if (auto target = dyn_cast<TargetAttr>(alternative))
        targets.insert_range(target.getExecutables());
      else if (auto fallback = dyn_cast<FallbackAttr>(alternative)) {
        if (GlobalOp other = globals.lookup(fallback.getDevice().getAttr()))
          visit(other);
      } else if (isa<OrdinalAttr>(alternative)) {
        targets.insert_range(named);
      }
    }
  }

  const llvm::DenseMap<StringAttr, GlobalOp> &globals;
  const Targets &named;
  llvm::SmallPtrSet<Operation *, 4> seen;
  llvm::SetVector<ExecutableAttr, std::vector<ExecutableAttr>> targets;
};

} // namespace

DeviceQuery::DeviceQuery(ModuleOp module) {
  llvm::DenseMap<StringAttr, GlobalOp> globals;
  Targets named;
  for (auto global : module.getOps<GlobalOp>()) {
    globals[global.getSymNameAttr()] = global;
    for (Attribute alternative : global.getAlternatives())
      if (auto target = dyn_cast<TargetAttr>(alternative))
        named.insert_range(target.getExecutables());
  }
  Targets used;
  std::map<std::vector<const void *>, unsigned> classes;
  for (auto global : module.getOps<GlobalOp>()) {
    Entry &entry = devices[global.getSymNameAttr()];
    entry.global = global;
    entry.targets = Collector(globals, named).collect(global);
    used.insert_range(entry.targets);
    std::vector<const void *> key;
    for (ExecutableAttr target : entry.targets)
      key.push_back(target.getAsOpaquePointer());
    llvm::sort(key);
    entry.classIndex = classes.try_emplace(std::move(key), classes.size()).first->second;
  }
  all.assign(used.begin(), used.end());
  numClasses = classes.size();
}

ArrayRef<ExecutableAttr> DeviceQuery::getTargets(StringAttr device) const {
  auto entry = devices.find(device);
  return entry == devices.end() ? ArrayRef<ExecutableAttr>() : ArrayRef(entry->second.targets);
}

GlobalOp DeviceQuery::lookup(StringAttr device) const {
  auto entry = devices.find(device);
  return entry == devices.end() ? GlobalOp() : entry->second.global;
}
