// The layout resolver of a device, made of those its executable targets registered (TargetRegistry.h).
#ifndef HEDDLE_COMPILER_TARGET_LAYOUTRESOLVERS_H
#define HEDDLE_COMPILER_TARGET_LAYOUTRESOLVERS_H

#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Dialect/Encoding/IR/LayoutResolver.h"

namespace mlir::heddle {

// The resolver of a device with its executable targets. Where several targets disagree the answer is the identity,
// which all can read; what one does not support the device does not support. `names`, for tests, takes the place of the
// targets' own resolvers: "identity", "unsupported" (both what they say) or "blocked" (each operand of rank two or more
// in tiles of 8 x 16, also those that are computed); or by device, "gpu=blocked,cpu=identity". Fails with a diagnostic
// at the device when a target has no resolver or there is none of that name.
FailureOr<std::unique_ptr<encoding::LayoutResolver>> createLayoutResolver(device::GlobalOp device,
                                                                          StringRef names = "");

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_TARGET_LAYOUTRESOLVERS_H
