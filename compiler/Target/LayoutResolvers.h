// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The layout resolver of an executable target: its own (TargetRegistry.h) or, for tests, another one by name.
#ifndef HEDDLE_COMPILER_TARGET_LAYOUTRESOLVERS_H
#define HEDDLE_COMPILER_TARGET_LAYOUTRESOLVERS_H

#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Dialect/Encoding/IR/LayoutResolver.h"

namespace mlir::heddle {

// The resolver that `--layout-resolver=NAMES` gives a target of a device; "": the target's own. NAMES is one name for
// all, or KEY=NAME,… where KEY is a device's symbol or an executable target as people spell it: "gpu=blocked",
// "x86-64-v3=identity". The device decides before the target. The result points into `names`.
StringRef findLayoutResolver(device::GlobalOp device, device::ExecutableAttr target, StringRef names);

// What is wrong with the names of `--layout-resolver=`; "": nothing.
std::string explainUnknownResolver(StringRef names);

// `name` "": the target's own. "identity" and "unsupported" say just that; "blocked" tiles each operand of rank two or
// more, also those that are computed, by 8 x 16, "blocked:4x8" by 4 x 8. Fails with a diagnostic at `op` when nobody
// handles the target's format or nothing has the name.
FailureOr<std::unique_ptr<encoding::LayoutResolver>> createLayoutResolver(Operation *op, device::ExecutableAttr target,
                                                                          StringRef name = "");

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_TARGET_LAYOUTRESOLVERS_H
