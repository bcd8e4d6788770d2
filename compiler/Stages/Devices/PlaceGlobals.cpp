// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Dialect/Flow/IR/FlowGlobals.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Dialect/Heddle/IR/State.h"
#include "compiler/Stages/Devices/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_PLACEGLOBALS
#include "compiler/Stages/Devices/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct PlaceGlobals : mlir::heddle::impl::PlaceGlobalsBase<PlaceGlobals> {
  void runOnOperation() override {
    device::GlobalOp fallback = device::getDefaultDevice(getOperation());
    if (!fallback)
      return;
    auto devices = getOperation().getOps<device::GlobalOp>();
    bool isOne = std::next(devices.begin()) == devices.end();
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      for (unsigned i = 0; i < func.getNumArguments(); ++i)
        if (Attribute affinity = affinityOf(func.getArgAttr(i, kStateAttr), fallback, isOne))
          func.setArgAttr(i, kAffinityAttr, affinity);
      for (unsigned i = 0; i < func.getNumResults(); ++i)
        if (Attribute affinity = affinityOf(func.getResultAttr(i, kStateAttr), fallback, isOne))
          func.setResultAttr(i, kAffinityAttr, affinity);
    }
  }

  // Of a value that is state; null for any other, and where there is one device only.
  Attribute affinityOf(Attribute state, device::GlobalOp fallback, bool isOne) {
    auto global =
        state ? SymbolTable::lookupNearestSymbolFrom<flow::GlobalOp>(getOperation(), cast<FlatSymbolRefAttr>(state))
              : flow::GlobalOp();
    if (!global)
      return {};
    if (Attribute affinity = global->getAttr(kAffinityAttr))
      return affinity;
    return isOne ? Attribute()
                 : device::AffinityAttr::get(&getContext(), FlatSymbolRefAttr::get(fallback.getSymNameAttr()));
  }
};

} // namespace
