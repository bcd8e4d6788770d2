// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of mapped files that has been read and can be read again.
#ifndef HEDDLE_COMPILER_EVALUATION_FILEPAGES_H
#define HEDDLE_COMPILER_EVALUATION_FILEPAGES_H

#include "llvm/ADT/ArrayRef.h"

namespace mlir::heddle::evaluation {

// Gives back the memory of whole pages of `ranges` that are a private read-only mapping of a file. The bytes stay
// readable: the system reads them again from the file. Ranges of any other memory are left alone.
void forgetFilePages(llvm::ArrayRef<llvm::ArrayRef<char>> ranges);

} // namespace mlir::heddle::evaluation

#endif // HEDDLE_COMPILER_EVALUATION_FILEPAGES_H
