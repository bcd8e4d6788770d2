#include "compiler/Stages/Schedule/DeviceIdentity.h"

using namespace mlir;
using namespace mlir::heddle;

bool mlir::heddle::mayBeOneDevice(ModuleOp module, FlatSymbolRefAttr a, FlatSymbolRefAttr b) { return a == b; }

bool mlir::heddle::areUnified(ModuleOp module, FlatSymbolRefAttr owner, FlatSymbolRefAttr reader) {
  return owner == reader;
}
