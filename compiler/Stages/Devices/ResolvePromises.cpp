// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Devices/Passes.h"

#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_RESOLVEPROMISES
#include "compiler/Stages/Devices/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct ResolvePromises : mlir::heddle::impl::ResolvePromisesBase<ResolvePromises> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::DenseSet<StringAttr> declared;
    for (auto global : module.getOps<device::GlobalOp>())
      declared.insert(global.getSymNameAttr());
    AttrTypeReplacer replacer;
    replacer.addReplacement([](device::PromiseAttr promise) -> Attribute {
      return device::AffinityAttr::get(promise.getContext(), promise.getDevice(), promise.getQueues());
    });
    // Attributes are shared by many ops: each is looked at once.
    llvm::DenseMap<Attribute, device::PromiseAttr> undeclared;
    auto findUndeclared = [&](Attribute attributes) {
      auto [entry, isNew] = undeclared.try_emplace(attributes);
      if (isNew)
        attributes.walk([&](device::PromiseAttr promise) {
          if (!declared.contains(promise.getDevice().getAttr()))
            entry->second = promise;
        });
      return entry->second;
    };
    bool anyFailed = false;
    module->walk([&](Operation *op) {
      if (device::PromiseAttr promise = findUndeclared(op->getAttrDictionary())) {
        op->emitError() << "is promised the device " << promise.getDevice() << ", which is not declared"
                        << device::explainUndeclared(module, promise.getDevice().getValue());
        anyFailed = true;
      } else {
        replacer.replaceElementsIn(op);
      }
    });
    if (anyFailed)
      signalPassFailure();
  }
};

} // namespace
