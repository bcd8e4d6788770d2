// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What differs between the ranks that run a host program: its scalars, and the bytes of its buffers where it reads
// them.
//
// A value may differ along axes of a mesh, between members of a mesh and others, with the device, or in any way. Sizes
// that dimensions of arguments name are alike on all ranks, which each call makes sure of. Bytes are alike where all
// that computed them was, and behind all_reduce, all_gather and broadcast along their axes; kernels compute alike from
// equal operands, which the loader makes sure of where a program decides by what it reads.
//
//   Variances variances(func);
//   if (!variances.of(branch.getCondition()).fits(collective)) …
#ifndef HEDDLE_COMPILER_DIALECT_HOST_ANALYSIS_VARIANCE_H
#define HEDDLE_COMPILER_DIALECT_HOST_ANALYSIS_VARIANCE_H

#include "compiler/Dialect/Host/Analysis/Accesses.h"

#include <map>

namespace mlir::heddle::host {

class Variance {
public:
  static Variance anything();
  static Variance byDevice();
  // Between members of the mesh and others, and along these axes of it (bits).
  static Variance over(StringRef mesh, uint64_t axes);

  // Whether that said anything new.
  bool join(const Variance &other);
  // Of bytes that are made alike on all members of a mesh that differ along some axes: those along the others are left.
  Variance alikeBut(StringRef mesh, uint64_t others) const;
  void eraseDevice() { device = false; }
  // Whether the value is the same on all members of each of the collective's groups.
  bool fits(CollectiveOp op) const;
  // "along 'x' of @m", for messages.
  std::string describe(Operation *op) const;

private:
  bool any = false, device = false;
  std::map<std::string, uint64_t> meshes;
};

// The axes that a collective's members differ along; all of the mesh where it lists groups.
uint64_t axesOf(CollectiveOp op);

class Variances {
public:
  explicit Variances(FuncOp func);
  Variance of(Value value) const;
  // Of the number of times that the regions of an op run, and which.
  Variance ofRegions(Operation *op) const;

private:
  void addOwnSizes();
  bool visit(Operation *op);
  bool visitControlFlow(Operation *op);
  bool visitWrites(Operation *op);
  Variance ownOf(Operation *op);
  Variance boundOf(BoundOp op);
  Variance writtenBy(Operation *op);
  Variance writtenBy(CollectiveOp op);
  bool raise(Value value, const Variance &variance);
  Variance join(ValueRange values) const;
  Variance joinScalars(Operation *op) const;

  Variance contentOf(Value buffer, Operation *at);
  bool readBack(Value buffer, const BufferRegion &region, Operation *at, Variance &found);
  void readAll(Value buffer, const BufferRegion &region, Operation *within, Variance &found);
  Variance initial(Value root);

  FuncOp func;
  bool readsData = false; // what buffers hold decides something
  llvm::DenseMap<Value, Variance> values;
  llvm::DenseMap<Operation *, Variance> writes; // the bytes that an op writes
};

} // namespace mlir::heddle::host

#endif // HEDDLE_COMPILER_DIALECT_HOST_ANALYSIS_VARIANCE_H
