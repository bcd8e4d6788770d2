// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stage `package`: the passes that finish a module, and the writer of the artifact.
#ifndef HEDDLE_COMPILER_STAGES_PACKAGE_PACKAGE_H
#define HEDDLE_COMPILER_STAGES_PACKAGE_PACKAGE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

#include <string>

namespace mlir::heddle {

// In: host.func and executables with variants. Out: every dispatch knows its workgroups and scratch bytes.
void buildPackagePipeline(OpPassManager &pm);

struct PackageOptions {
  std::string producer = "heddle"; // name, version and build of the compiler, for inspect
  std::string report = "{}";       // a JSON object; the artifact's report is this and `host` (inspect's list of ops)
};

// Writes the module, as the package pipeline left it, to the artifact at `path`. The bytes go to a file beside it that
// is verified (contract: verifyArtifact) and then renamed: after a failure `path` is what it was before. Parameters are
// written from where they lie (the mapped model file), equal ones once.
//
//   if (failed(writeArtifact(module, "model.heddle", options))) return failure(); // a diagnostic was emitted
LogicalResult writeArtifact(ModuleOp module, StringRef path, const PackageOptions &options = {});

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_PACKAGE_PACKAGE_H
