// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A target told by its position among all devices given at run time, whatever they are: what the stage `devices` makes
// of a #device.ordinal. The device at that position must also have the driver and run one of the executables.
//
//   #device.target<"local", {given = 1}, [#device.executable<"elf-x86_64">]>
#ifndef HEDDLE_COMPILER_DIALECT_DEVICE_IR_GIVENPOSITION_H
#define HEDDLE_COMPILER_DIALECT_DEVICE_IR_GIVENPOSITION_H

#include "compiler/Dialect/Device/IR/DeviceOps.h"

namespace mlir::heddle::device {

inline constexpr StringLiteral kGivenKey = "given";

// Counted from 0; -1: any device that matches. The verifier of TargetAttr refuses other values, and an ordinal beside
// it.
inline int64_t getGivenPosition(TargetAttr target) {
  auto position = target.getConfig().getAs<IntegerAttr>(kGivenKey);
  return position ? position.getInt() : -1;
}

} // namespace mlir::heddle::device

#endif // HEDDLE_COMPILER_DIALECT_DEVICE_IR_GIVENPOSITION_H
