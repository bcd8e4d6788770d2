// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program for several devices as one whose layouts are all known.
#ifndef HEDDLE_TOOLS_CHECK_SPECIALIZE_H
#define HEDDLE_TOOLS_CHECK_SPECIALIZE_H

#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Dialect/Flow/IR/FlowOps.h"

#include "mlir/IR/BuiltinOps.h"

namespace mlir::heddle::check {

// What check takes a device for: its first alternative whose code this machine runs, else the first.
unsigned chooseAlternative(device::GlobalOp device);

// After stage `resolve`. Every device is that alternative: parameters are packed for it. An executable whose
// variants differ in layouts is copied for each variant that a dispatch can run, under the name "EXECUTABLE$VARIANT".
// Fails with a diagnostic at a dispatch that no variant fits.
//
//   specialize(*copy);
//   … splitName("f$elf_x86_64_x86_64_v4") … // {"f", "elf_x86_64_x86_64_v4"}
LogicalResult specialize(ModuleOp module);

std::pair<StringRef, StringRef> splitName(StringRef executable);

// Of the executable that a step names: the variant it is specialised for, else the first; of those that this machine
// runs. Null when there is none.
flow::VariantOp findVariant(flow::ExecutableOp executable, StringRef name);

} // namespace mlir::heddle::check

#endif // HEDDLE_TOOLS_CHECK_SPECIALIZE_H
