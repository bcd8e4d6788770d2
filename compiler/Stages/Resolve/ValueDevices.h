// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// On which device a value lies, read off the placed program.
#ifndef HEDDLE_COMPILER_STAGES_RESOLVE_VALUEDEVICES_H
#define HEDDLE_COMPILER_STAGES_RESOLVE_VALUEDEVICES_H

#include "compiler/Dialect/Device/IR/DeviceOps.h"

#include "llvm/ADT/DenseMap.h"

namespace mlir::heddle {

// After stage `place`: an op with an affinity gives values of that device, a transfer of the device it goes to; what
// branches and loops hand on lies where the values they are given lie; anything else where its operand does, and what
// has no operand (a parameter, an empty tensor) where it is used. The module's default device decides the rest.
class ValueDevices {
public:
  explicit ValueDevices(ModuleOp module);

  // Null, with a diagnostic at the value, when its affinity names no device or the module has none.
  device::GlobalOp of(Value value);

  // Of what an operand is used for: the device of the op that reads it. Null like above.
  device::GlobalOp ofUse(OpOperand &use);

  // Of an op by its own affinity, else the module's default device. Null like above.
  device::GlobalOp ofOp(Operation *op);

private:
  device::GlobalOp lookup(Operation *op, Attribute affinity);
  device::GlobalOp find(Value value);
  Attribute affinityOfUses(Value value);

  ModuleOp module;
  llvm::DenseMap<StringAttr, device::GlobalOp> devices;
  llvm::DenseMap<Value, device::GlobalOp> known;
};

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_RESOLVE_VALUEDEVICES_H
