// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MLIR bytecode that nobody checked. MLIR's reader of it crashes or never ends on damaged files, so a process of its
// own runs it (RunApart) and tells this one the module as text, which MLIR reads with care. Large constants are not in
// the text: it names their places in the file, or their bytes go beside it.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_READBYTECODE_H
#define HEDDLE_COMPILER_STAGES_IMPORT_READBYTECODE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace mlir::heddle {

// The module of `file`, which starts as bytecode does; null after diagnostics at `file`'s name. Any bytes give a module
// that verifies or an error, in processor time of `seconds` and one more for each 16 MiB of the file. Constants may
// point into the file, which they keep alive.
OwningOpRef<ModuleOp> readBytecode(std::unique_ptr<llvm::MemoryBuffer> file, MLIRContext *context,
                                   unsigned seconds = 5);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_IMPORT_READBYTECODE_H
