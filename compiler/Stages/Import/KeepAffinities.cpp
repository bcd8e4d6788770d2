// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/KeepAffinities.h"

#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::heddle;

// The key under which a location holds an affinity.
static constexpr StringLiteral kAffinityKey = "heddle.affinity_of_op";

void mlir::heddle::hideInLocation(Operation *op, StringRef key, Attribute value) {
  MLIRContext *context = op->getContext();
  NamedAttribute entry(StringAttr::get(context, key), value);
  op->setLoc(FusedLoc::get({op->getLoc()}, DictionaryAttr::get(context, entry), context));
}

void mlir::heddle::hideAffinities(ModuleOp module) {
  module.walk([&](Operation *op) {
    Attribute affinity = op->getAttr(kAffinityAttr);
    if (!affinity || isa<ModuleOp, func::FuncOp>(op))
      return;
    hideInLocation(op, kAffinityKey, affinity);
    op->removeAttr(kAffinityAttr);
  });
}

Attribute mlir::heddle::takeFromLocation(Location loc, StringRef key, Location &plain) {
  if (auto fused = dyn_cast<FusedLoc>(loc)) {
    auto entries = dyn_cast_if_present<DictionaryAttr>(fused.getMetadata());
    if (Attribute value = entries ? entries.get(key) : Attribute()) {
      plain = fused.getLocations().front();
      return value;
    }
    // Made of several: the first that holds one.
    Attribute found;
    SmallVector<Location> parts;
    for (Location part : fused.getLocations()) {
      Location rest = part;
      Attribute value = takeFromLocation(part, key, rest);
      found = found ? found : value;
      parts.push_back(rest);
    }
    if (found)
      plain = FusedLoc::get(parts, fused.getMetadata(), loc.getContext());
    return found;
  }
  if (auto call = dyn_cast<CallSiteLoc>(loc)) {
    Location rest = call.getCallee();
    Attribute value = takeFromLocation(call.getCallee(), key, rest);
    if (value)
      plain = CallSiteLoc::get(rest, call.getCaller());
    return value;
  }
  return {};
}

void mlir::heddle::restoreAffinities(ModuleOp module) {
  auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
  module.walk([&](Operation *op) {
    Location plain = op->getLoc();
    Attribute affinity = takeFromLocation(op->getLoc(), kAffinityKey, plain);
    if (!affinity)
      return;
    op->setLoc(plain);
    bool takes = llvm::any_of(op->getResultTypes(), isTensor) || isa_and_nonnull<scf::SCFDialect>(op->getDialect());
    if (takes && !op->hasTrait<OpTrait::IsTerminator>() && !isa<flow::TransferOp>(op) && !op->hasAttr(kAffinityAttr))
      op->setAttr(kAffinityAttr, affinity);
  });
}
