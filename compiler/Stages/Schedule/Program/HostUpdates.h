// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slices that are written where they lie: rows of a tensor that a loop carries, parts of an argument that the call may
// write.
#ifndef HEDDLE_COMPILER_STAGES_SCHEDULE_PROGRAM_HOSTUPDATES_H
#define HEDDLE_COMPILER_STAGES_SCHEDULE_PROGRAM_HOSTUPDATES_H

#include "compiler/Dialect/Flow/IR/Pitch.h"
#include "compiler/Stages/Schedule/Program/Storages.h"

namespace mlir::heddle {

// Whether the slice's bytes lie side by side: after the first dimension that is cut, every dimension is whole, and
// before it all sizes are 1.
bool isContiguous(tensor::ExtractSliceOp op);

// The op's result lies where its destination does; its source is copied there, or was computed there (placePart).
// Failure: a diagnostic, where that may not be written.
LogicalResult buildUpdate(tensor::InsertSliceOp op, HostScalars &scalars, Issue &issue, Storages &storages);

// Where the update that alone reads the dispatch's result wants it: a view of the destination, in which the dispatch
// writes it, with a pitch where it has one. Null where it cannot be written there: another device or queue writes it,
// or its place is not known yet.
Value placePart(OpResult result, const std::optional<flow::Pitch> &pitch, HostScalars &scalars, Issue &issue,
                Storages &storages);

// A result that has a pitch and no place: memory for what it spans, and a dense copy of it.
struct SpannedResult {
  RankedTensorType type;
  SmallVector<Value> dims;
  int64_t outer;
  Value pitch;     // in elements
  Value span = {}; // its memory

  // The view of it that the dispatch writes.
  Value allocate(FlatSymbolRefAttr device, HostScalars &scalars);
  void copyTo(Value target, Value stream, HostScalars &scalars) const;
  Value runBytes(HostScalars &scalars) const;
  Value pitchBytes(HostScalars &scalars) const;
};

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_SCHEDULE_PROGRAM_HOSTUPDATES_H
