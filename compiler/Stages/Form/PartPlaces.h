// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the parts of a program's scf.forall lie in the tensors that they read and write, as far as it is known now.
#ifndef HEDDLE_COMPILER_STAGES_FORM_PARTPLACES_H
#define HEDDLE_COMPILER_STAGES_FORM_PARTPLACES_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace mlir::heddle::parts {

// Slices and insertions are the loop body's own tensor.extract_slice and tensor.parallel_insert_slice.
struct Places {
  llvm::SmallPtrSet<Operation *, 8> unproved; // slices and insertions that may lie outside of their tensors
  SmallVector<bool> covers;                   // of each result: whether the parts write all of it
  bool areApart = false;                      // no two parts write the same element
  // Where the part whose slices are all at least as long as any other's is: for each dimension of the loop, whether at
  // its end (else at its begin). None: there is no such part, or nobody knows.
  std::optional<SmallVector<bool>> longest;
};

// Fails with a diagnostic where a part lies outside of a tensor, or two parts write the same element.
FailureOr<Places> findPlaces(scf::ForallOp loop);

} // namespace mlir::heddle::parts

#endif // HEDDLE_COMPILER_STAGES_FORM_PARTPLACES_H
