// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which bytes of which buffer an op touches, and whether two of them may overlap.
//
// A buffer value resolves through its views to a root: an argument, parameter, result, slab, allocation, or a value
// that scf carries. Offsets are polynomials of index values, so that equal formulas cancel; what iterations touch is
// compared by inequalities (Formulas.h). What is not known overlaps.
#ifndef HEDDLE_COMPILER_DIALECT_HOST_ANALYSIS_REGIONS_H
#define HEDDLE_COMPILER_DIALECT_HOST_ANALYSIS_REGIONS_H

#include "compiler/Dialect/Host/Analysis/Assumptions.h"
#include "compiler/Dialect/Host/Analysis/Polynomial.h"

namespace mlir::heddle::host {

struct ByteRange {
  Polynomial offset;
  std::optional<Polynomial> size; // nothing: to the end of the root
};

struct BufferRegion : ByteRange {
  Value root;
  ByteRange within; // the view of the root that it is part of; of a root itself all of it
  Value slot;       // the host.plan offset whose planned bytes it lies in, if so
  Value slotBase;   // then: where the plan's part of the slab begins, null for 0
  Value runs;       // the view of several runs that it is, in this range; null: all of its bytes
};

// The region of a buffer value. What arith.select chooses is looked through where the assumptions decide it.
BufferRegion regionOf(Value buffer, const Assumptions &assumptions = {});

// The values that a value carried by scf, or chosen by arith.select, may be; empty for a root of its own. Branches that
// the assumptions exclude give nothing.
SmallVector<Value> sourcesOf(Value value, const Assumptions &assumptions);

// What a value from inside of `left` may be that is defined outside of it; empty for what only the inside knows.
SmallVector<Value> outerSources(Value value, Operation *left, const Assumptions &assumptions);

// Whether two roots, seen at one point of the program, may be one buffer.
bool mayAlias(Value a, Value b, const Assumptions &assumptions);

// Whether region `now` may overlap region `before` of the same root. `crossed`: the outermost loop whose next iteration
// began since `before` was touched, or that ended since; what it defines had other values then. Null: no such loop.
// `isOfSlot`: `crossed` is a loop over streams, and the iteration had the slot that this one has; else iterations of
// one slot are taken to be in order, so that only those of different slots are asked about.
bool mayOverlap(const BufferRegion &now, const BufferRegion &before, Operation *crossed, bool isOfSlot = false);

} // namespace mlir::heddle::host

#endif // HEDDLE_COMPILER_DIALECT_HOST_ANALYSIS_REGIONS_H
