// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Trying in a process of its own what may crash: MLIR's parser and verifiers on texts that no program has.
#ifndef HEDDLE_TOOLS_REDUCE_SURVIVES_H
#define HEDDLE_TOOLS_REDUCE_SURVIVES_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::heddle {

// Whether a copy of this process comes to the end of `work`. Threads are not copied: `work` must not wait for any. True
// where the system gives no process.
bool survives(llvm::function_ref<void()> work);

} // namespace mlir::heddle

#endif // HEDDLE_TOOLS_REDUCE_SURVIVES_H
