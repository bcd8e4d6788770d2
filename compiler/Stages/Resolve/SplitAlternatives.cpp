// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Resolve/Passes.h"
#include "compiler/Target/LayoutResolvers.h"
#include "compiler/Target/TargetRegistry.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_SPLITALTERNATIVES
#include "compiler/Stages/Resolve/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct SplitAlternatives : mlir::heddle::impl::SplitAlternativesBase<SplitAlternatives> {
  using SplitAlternativesBase::SplitAlternativesBase;

  void runOnOperation() override {
    llvm::SetVector<Type> types;
    for (auto device : getOperation().getOps<device::GlobalOp>()) {
      SmallVector<Attribute> alternatives;
      bool splits = false;
      for (Attribute alternative : device.getAlternatives()) {
        auto target = dyn_cast<device::TargetAttr>(alternative);
        if (!target || target.getExecutables().size() < 2) {
          alternatives.push_back(alternative);
          continue;
        }
        if (types.empty())
          types = collectTypes();
        FailureOr<bool> differ = layoutsDiffer(device, target, types.getArrayRef());
        if (failed(differ))
          return signalPassFailure();
        if (*differ)
          splits |= split(target, alternatives);
        else
          alternatives.push_back(alternative);
      }
      if (splits)
        device.setDeviceAttr(device::SelectAttr::get(&getContext(), alternatives));
    }
  }

  llvm::SetVector<Type> collectTypes() {
    llvm::SetVector<Type> types;
    auto note = [&](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (tensor && encoding::isAbstract(tensor.getEncoding()))
        types.insert(type);
    };
    getOperation().walk([&](Operation *op) {
      llvm::for_each(op->getResultTypes(), note);
      if (auto parameter = dyn_cast<flow::ParameterOp>(op))
        note(parameter.getType());
      for (Region &region : op->getRegions())
        for (Block &block : region)
          llvm::for_each(block.getArgumentTypes(), note);
    });
    return types;
  }

  FailureOr<bool> layoutsDiffer(device::GlobalOp device, device::TargetAttr target, ArrayRef<Type> types) {
    std::vector<std::unique_ptr<encoding::LayoutResolver>> resolvers;
    for (device::ExecutableAttr executable : target.getExecutables()) {
      auto made = createLayoutResolver(device, executable, findLayoutResolver(device, executable, resolver));
      if (failed(made))
        return failure();
      resolvers.push_back(std::move(*made));
    }
    return llvm::any_of(types, [&](Type type) {
      encoding::Resolution first = resolvers.front()->resolve(cast<RankedTensorType>(type));
      return llvm::any_of(llvm::drop_begin(resolvers),
                          [&](auto &other) { return !(other->resolve(cast<RankedTensorType>(type)) == first); });
    });
  }

  // Appends one alternative for each executable, that with most features first: the first that fits is taken.
  static bool split(device::TargetAttr target, SmallVectorImpl<Attribute> &alternatives) {
    SmallVector<std::pair<size_t, device::ExecutableAttr>> ordered;
    for (device::ExecutableAttr executable : target.getExecutables()) {
      const Target *kind = findTarget(executable.getFormat().getValue());
      ordered.push_back({kind ? kind->getRequiredFeatures(executable).size() : 0, executable});
    }
    llvm::stable_sort(ordered, [](auto &a, auto &b) { return a.first > b.first; });
    for (auto &[features, executable] : ordered)
      alternatives.push_back(
          device::TargetAttr::get(target.getContext(), target.getDriver(), target.getConfig(), executable));
    return true;
  }
};

} // namespace
