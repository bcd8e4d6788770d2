// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the certificate of an artifact (docs/design/certificate.md): what VerifyHost proved of the module's programs,
// as tables that whoever has the artifact alone can check again.
#ifndef HEDDLE_COMPILER_STAGES_PACKAGE_CERTIFY_H
#define HEDDLE_COMPILER_STAGES_PACKAGE_CERTIFY_H

#include "heddle/contract/Artifact_generated.h"

#include "mlir/IR/BuiltinOps.h"

namespace mlir::heddle {

// Gives `out`, which has all else, its certificate; none where VerifyHost did not run (host::kProvedAttr). `runs`: of
// each function what FunctionFlattener::takeRuns() gave.
void certify(ModuleOp module, ::heddle::fb::ModuleT &out, std::vector<std::vector<uint32_t>> &runs);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_PACKAGE_CERTIFY_H
