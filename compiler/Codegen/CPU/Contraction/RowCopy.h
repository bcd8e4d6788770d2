// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of a block of a contraction, copied to scratch memory once for all its tiles of columns: lines of their own,
// and in no two rows of a tile in the same set of the first-level cache.
#ifndef HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_ROWCOPY_H
#define HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_ROWCOPY_H

#include "compiler/Codegen/CPU/Contraction/ContractionIndex.h"

namespace mlir::heddle::codegen {

class RowCopy {
public:
  // Scratch memory begins at byte `scratch` and has bytes() of it.
  RowCopy(const ContractionIndex &place, Value scratch) : place(place), scratch(scratch) {}

  static Value bytes(const ContractionPlan &nest, FunctionScalars &scalars);

  // Copies the rows of the block where the place is.
  void fill();
  // Between the two, the operand is read from the copy.
  void bind();
  void release();

private:
  OpOperand &operand() const;
  Buffer makeBuffer() const;

  const ContractionIndex &place;
  Value scratch;
  std::optional<Buffer> source;
};

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_ROWCOPY_H
