// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Device/IR/GivenPosition.h"
#include "compiler/Stages/Devices/Passes.h"
#include "compiler/Target/TargetRegistry.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_EXPANDORDINALS
#include "compiler/Stages/Devices/Passes.h.inc"
} // namespace mlir::heddle

// What a device known by its position alone may be.
using Kinds = llvm::MapVector<StringAttr, llvm::SetVector<device::ExecutableAttr>>; // by driver

static Kinds collectKinds(ArrayRef<device::GlobalOp> globals) {
  Kinds kinds;
  for (device::GlobalOp global : globals)
    for (Attribute alternative : global.getAlternatives())
      if (auto target = dyn_cast<device::TargetAttr>(alternative))
        kinds[target.getDriver()].insert_range(target.getExecutables());
  return kinds;
}

// As where no device is declared at all. Fails with a diagnostic at `op`.
static LogicalResult addDefault(Operation *op, Kinds &kinds) {
  constexpr StringLiteral name = "local";
  const Target *target = findTargetOfAlias(name);
  if (!target)
    return op->emitError() << "is known by its position alone, and this build has no '" << name
                           << "' to make code for: declare a device that says what it is";
  FailureOr<device::TargetAttr> expanded =
      target->expandAlias(op, name, AliasOptions{-1, DictionaryAttr::get(op->getContext())});
  if (failed(expanded))
    return failure();
  kinds[expanded->getDriver()].insert_range(expanded->getExecutables());
  return success();
}

static void append(device::OrdinalAttr ordinal, const Kinds &kinds, llvm::SetVector<Attribute> &alternatives) {
  Builder builder(ordinal.getContext());
  NamedAttrList config;
  config.set(device::kGivenKey, builder.getI64IntegerAttr(ordinal.getOrdinal()));
  for (const auto &[driver, executables] : kinds)
    alternatives.insert(device::TargetAttr::get(ordinal.getContext(), driver,
                                                config.getDictionary(ordinal.getContext()), executables.getArrayRef()));
}

namespace {

struct ExpandOrdinals : mlir::heddle::impl::ExpandOrdinalsBase<ExpandOrdinals> {
  void runOnOperation() override {
    SmallVector<device::GlobalOp> globals(getOperation().getOps<device::GlobalOp>());
    Kinds kinds = collectKinds(globals);
    for (device::GlobalOp global : globals) {
      SmallVector<Attribute> alternatives = global.getAlternatives();
      if (llvm::none_of(alternatives, llvm::IsaPred<device::OrdinalAttr>))
        continue;
      if (kinds.empty() && failed(addDefault(global, kinds)))
        return signalPassFailure();
      llvm::SetVector<Attribute> expanded;
      for (Attribute alternative : alternatives)
        if (auto ordinal = dyn_cast<device::OrdinalAttr>(alternative))
          append(ordinal, kinds, expanded);
        else
          expanded.insert(alternative);
      global.setDeviceAttr(expanded.size() == 1 ? expanded.front()
                                                : device::SelectAttr::get(&getContext(), expanded.getArrayRef()));
    }
  }
};

} // namespace
