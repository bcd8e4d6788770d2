// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The values of a whole program as one rank has them, while ranks-partition rewrites it.
//
//   values.define(whole, local, sharding);              // what the rank computed instead of `whole`
//   Value rows = values.get(op, whole, wanted);         // the same value in another form, at hand in front of `op`
//
// Whole values stay as keys until the end: their ops are erased last.
#ifndef HEDDLE_COMPILER_STAGES_RANKS_LOCALVALUES_H
#define HEDDLE_COMPILER_STAGES_RANKS_LOCALVALUES_H

#include "compiler/Dialect/Flow/IR/FlowShardings.h"
#include "compiler/Stages/Ranks/Reshard/Exchange.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::heddle {

// The value as `type`, which differs in what is static only.
Value castTo(OpBuilder &builder, Location loc, Value value, Type type);

class LocalValues {
public:
  // `mesh`: all ranks. Whatever of their values every one of them has whole has the sharding null here.
  explicit LocalValues(device::MeshOp mesh) : mesh(mesh) {}

  // Null where the sharding says that all ranks have all of the value.
  flow::ShardingAttr simplify(flow::ShardingAttr sharding) const;

  // What stands for `whole` from here on. `sizes` of the whole; those that are neither known nor given are those of
  // `local`, which then is not cut along them.
  void define(Value whole, Value local, flow::ShardingAttr sharding, ArrayRef<OpFoldResult> sizes = {});
  // `whole` is `source` with a sharding of its own: either is at hand where the other is asked for.
  void defineShard(Value whole, Value source, Value local, flow::ShardingAttr sharding);
  // A rank's own value, or one that is no tensor: it has one form.
  void defineOwn(Value old, Value now);

  bool isDefined(Value whole) const { return entries.contains(whole); }

  // How the value's producer gave it; null: every rank has all of it.
  flow::ShardingAttr getSharding(Value whole) const { return entries.lookup(whole).sharding; }

  // The value in the wanted form, in front of `use` or of the outermost loop around it that the value comes from
  // outside of. Values that nobody defined, and own ones, are what they are. Where it cannot be done there is an error,
  // and hasFailed().
  Value get(Operation *use, Value whole, flow::ShardingAttr wanted);

  // The value's positions that windows of this rank's loops reach, along the dimensions that they are of, and as
  // `wanted` along the others; null where it moves no less to bring the value to `wanted`, in which they are whole.
  Value getWindows(Operation *use, Value whole, flow::ShardingAttr wanted, ArrayRef<WindowedDim> dims);

  bool hasFailed() const { return failed; }

  // The sizes of the whole, at hand where its local value is.
  SmallVector<OpFoldResult> getSizes(Value whole);

  // The type that the value has in that form.
  RankedTensorType getType(Value whole, flow::ShardingAttr wanted) const;

  // What is null here as an attribute says it.
  flow::ShardingAttr complete(Value whole, flow::ShardingAttr sharding) const;

private:
  struct Entry {
    Value local;
    Value source; // of which it is a request; null: of none
    flow::ShardingAttr sharding;
    SmallVector<OpFoldResult> sizes; // of the whole; null: not asked for yet
    bool isOwn = false;
  };
  // Forms that were made, in the order of the program.
  using Forms = SmallVector<Value, 1>;

  Value findSource(Value whole, flow::ShardingAttr wanted) const;
  Value makeForm(OpBuilder &builder, Location loc, Value whole, flow::ShardingAttr wanted);
  Value findForm(const Forms &forms, Operation *place) const;
  Value makeFree(OpBuilder &builder, Location loc, Value whole, flow::ShardingAttr wanted);

  device::MeshOp mesh;
  bool failed = false;
  llvm::DenseMap<Value, Entry> entries;
  llvm::DenseMap<std::pair<Value, Attribute>, Forms> made;
};

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_RANKS_LOCALVALUES_H
