// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Schedule/Program/DeviceIdentity.h"

using namespace mlir;
using namespace mlir::heddle;

// The symbol and all that its fallbacks lead to.
static SetVector<StringAttr> collectFallbacks(ModuleOp module, FlatSymbolRefAttr device) {
  SetVector<StringAttr> reached;
  reached.insert(device.getAttr());
  for (size_t i = 0; i < reached.size(); ++i)
    if (auto global = module.lookupSymbol<device::GlobalOp>(reached[i]))
      for (Attribute alternative : global.getAlternatives())
        if (auto fallback = dyn_cast<device::FallbackAttr>(alternative))
          reached.insert(fallback.getDevice().getAttr());
  return reached;
}

bool mlir::heddle::mayBeOneDevice(ModuleOp module, FlatSymbolRefAttr a, FlatSymbolRefAttr b) {
  SetVector<StringAttr> other = collectFallbacks(module, b);
  return llvm::any_of(collectFallbacks(module, a), [&](StringAttr name) { return other.contains(name); });
}
