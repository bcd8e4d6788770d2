// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the tensors of a program live in the host program that is being built.
//
// Every tensor value has a Storage: a buffer of exactly its bytes, with a layout those in memory, all its dimensions,
// which a layout does not change, and its device. Reshapes share their source's storage. A value can be claimed before
// it is built: whoever computes it writes it where the claim says.
#ifndef HEDDLE_COMPILER_STAGES_SCHEDULE_PROGRAM_STORAGES_H
#define HEDDLE_COMPILER_STAGES_SCHEDULE_PROGRAM_STORAGES_H

#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Stages/Schedule/Program/Issue.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::heddle {

struct Storage {
  Value buffer;
  SmallVector<Value> dims;
  FlatSymbolRefAttr device = {};
};

class Storages {
public:
  Storages(func::FuncOp source, HostScalars &scalars, Issue &issue) : source(source), scalars(scalars), issue(issue) {}

  Storage &operator[](Value tensor) { return storage[tensor]; }

  // Where a tensor of the source is or will be, also one that is not built yet. A value that control flow carries lies
  // where the first of those does that may become it.
  FlatSymbolRefAttr deviceOf(Value tensor, unsigned depth = 0);
  // Where a tensor is made that the host makes: where its affinity says, else where its first user runs.
  FailureOr<FlatSymbolRefAttr> deviceOfMade(Operation *op);
  // Null for scalars.
  SmallVector<FlatSymbolRefAttr> devicesOf(ValueRange values);
  // What `tensor` is a view of that has all its bytes.
  Value findWritten(Value tensor);

  // Claims: a value is written straight into a result, or into the buffer of what a branch gives.
  void claimResult(Value tensor, unsigned result) { resultOf.try_emplace(tensor, result); }
  void claimTarget(Value tensor, Value buffer) { targetOf.try_emplace(tensor, buffer); }
  bool isResult(Value tensor) const { return resultOf.contains(tensor); }
  bool hasTarget(Value tensor) const { return targetOf.contains(tensor); }
  // The buffer of a result, null until something is written there.
  Value &resultBuffer(unsigned result) { return resultBuffers[result]; }

  // A part that is computed where the whole has it: its insertion does nothing any more.
  void placeSlice(Operation *insertion) { placed.insert(insertion); }
  bool isPlaced(Operation *insertion) const { return placed.contains(insertion); }

  // Where a dispatch or transfer writes: a result's or a branch's storage if it was claimed, else a buffer.
  Value destination(Value tensor, ArrayRef<Value> dims, FlatSymbolRefAttr device);
  Value allocate(Value tensor, ArrayRef<Value> dims, FlatSymbolRefAttr device);
  // The buffer of a tensor that `op` reads on `device`. Fails with a diagnostic where it cannot.
  FailureOr<Value> bufferOn(Operation *op, Value tensor, FlatSymbolRefAttr device);

  // `target` lies on `device`.
  void copy(Value target, Value tensor, FlatSymbolRefAttr device, int64_t queue = 0);
  // All at once: a value that lies, or may lie, in another one's target goes through a buffer of its own. Null targets
  // are left out.
  void copyToTargets(ValueRange values, ArrayRef<Storage> targets);
  // A call fails where the value has not the target's sizes.
  void checkSizes(const Storage &value, const Storage &target);

private:
  func::FuncOp source;
  HostScalars &scalars;
  Issue &issue;
  llvm::DenseMap<Value, Storage> storage;
  llvm::DenseMap<Value, unsigned> resultOf;
  llvm::DenseMap<Value, Value> targetOf;
  llvm::DenseMap<unsigned, Value> resultBuffers;
  llvm::DenseSet<Operation *> placed;
};

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_SCHEDULE_PROGRAM_STORAGES_H
