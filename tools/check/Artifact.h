// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The artifact: what stands in it against the module it was written from, and what it computes.
#ifndef HEDDLE_TOOLS_CHECK_ARTIFACT_H
#define HEDDLE_TOOLS_CHECK_ARTIFACT_H

#include "tools/check/Locate.h"

#include "mlir/IR/BuiltinOps.h"

namespace mlir::heddle::check {

struct ArtifactFault {
  std::string text;   // "" if there is none
  std::string symbol; // the parameter or executable that is wrong, if it is one of them
};

// Compares the bytes of parameters and machine code in the file with the module's.
ArtifactFault compareArtifact(ModuleOp module, const std::string &path);

// Runs an entry point on this machine's devices. Returns "" or why it could not.
// On the devices of these URIs, in order; none: all that the machine has.
std::string runArtifact(const std::string &path, const std::string &entryPoint, ArrayRef<std::string> devices,
                        ArrayRef<Tensor> inputs, std::vector<Tensor> &results);

// The same on as many ranks as there are inputs, as threads of this process; `results` by rank.
std::string runArtifactRanks(const std::string &path, const std::string &entryPoint, ArrayRef<std::string> devices,
                             ArrayRef<std::vector<Tensor>> inputs, std::vector<std::vector<Tensor>> &results);

} // namespace mlir::heddle::check

#endif // HEDDLE_TOOLS_CHECK_ARTIFACT_H
