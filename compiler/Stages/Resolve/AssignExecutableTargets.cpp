// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Device/IR/DeviceQuery.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Stages/Resolve/Passes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_ASSIGNEXECUTABLETARGETS
#include "compiler/Stages/Resolve/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct AssignExecutableTargets : mlir::heddle::impl::AssignExecutableTargetsBase<AssignExecutableTargets> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    device::DeviceQuery query(module);
    device::GlobalOp byDefault = device::getDefaultDevice(module);
    llvm::DenseMap<StringAttr, llvm::SmallDenseSet<unsigned, 2>> classes; // of devices, by executable
    llvm::DenseMap<unsigned, StringAttr> member;
    module.walk([&](flow::DispatchOp dispatch) {
      auto affinity = dispatch->getAttrOfType<device::AffinityAttr>(kAffinityAttr);
      StringAttr device = affinity    ? affinity.getDevice().getAttr()
                          : byDefault ? byDefault.getSymNameAttr()
                                      : StringAttr();
      if (!device || !query.lookup(device)) // that is for `place` to say
        return;
      unsigned number = query.getClass(device);
      member.try_emplace(number, device);
      classes[dispatch.getExecutableAttr().getAttr()].insert(number);
    });
    for (auto executable : module.getOps<flow::ExecutableOp>()) {
      executable.removeTargetsAttr();
      auto used = classes.find(executable.getSymNameAttr());
      if (used == classes.end())
        continue;
      llvm::SmallPtrSet<const void *, 8> needed;
      for (unsigned number : used->second)
        for (device::ExecutableAttr target : query.getTargets(member[number]))
          needed.insert(target.getAsOpaquePointer());
      SmallVector<Attribute> targets;
      for (device::ExecutableAttr target : query.getAllTargets())
        if (needed.contains(target.getAsOpaquePointer()))
          targets.push_back(target);
      if (targets.size() != query.getAllTargets().size())
        executable.setTargetsAttr(ArrayAttr::get(&getContext(), targets));
    }
  }
};

} // namespace
