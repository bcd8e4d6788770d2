// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel that computes parts of reductions: an scf.forall over the parts, around what one part computes.
//
// The body becomes a function of its own, whose nests are planned and emitted as those of any other kernel: slices of
// the kernel's arguments are its arguments, its last argument is the number of the part. All parts have the same
// workgroups, those of the last part, which is the longest (flow.split_count): workgroup w is workgroup w mod G of part
// w / G.
#ifndef HEDDLE_COMPILER_CODEGEN_EMIT_PARTLOOP_H
#define HEDDLE_COMPILER_CODEGEN_EMIT_PARTLOOP_H

#include "compiler/Codegen/Emit/ElementEmitter.h"

#include "mlir/IR/IRMapping.h"

namespace mlir::heddle::codegen {

class PartLoop {
public:
  // Whether all results of the function are those of one scf.forall.
  static bool isPartLoop(func::FuncOp source);
  // Makes the part's function beside `source`; it is erased with the PartLoop. Fails with a diagnostic where the loop
  // is anything else than slices of tensors, what is computed of them, and its insertion in the results.
  static FailureOr<std::unique_ptr<PartLoop>> create(func::FuncOp source);
  ~PartLoop();

  func::FuncOp getPart() { return part; }
  // How many parts; `scalars` are those of the source.
  Value count(FunctionScalars &scalars);
  // Scalars of part `number`, created by `at`, which must come after `number`. Memory of fixed size is made where the
  // source's scalars are.
  FunctionScalars scalarsOf(FunctionScalars &scalars, OpBuilder at, Value number);
  // Those of the last part.
  FunctionScalars lastScalars(FunctionScalars &scalars);

  // The slice that is argument `argument` of the part, in memory that holds the whole tensor.
  struct Slice {
    BlockArgument argument; // of the part
    BlockArgument source;   // of the source
  };
  ArrayRef<Slice> getSlices() { return slices; }
  // `whole`: memory of the slice's source.
  Buffer sliceOf(const Slice &slice, const Buffer &whole, FunctionScalars &partScalars);
  // Where the result `value` of part `number` begins in memory that holds those of all parts.
  static Value offsetOf(Value value, Value number, FunctionScalars &partScalars) {
    return partScalars.mul(number, partScalars.product(partScalars.sizes(value)));
  }

private:
  explicit PartLoop(func::FuncOp source) : source(source) {}
  LogicalResult build();

  func::FuncOp source, part;
  scf::ForallOp loop;
  SmallVector<Slice> slices;
  DenseMap<BlockArgument, tensor::ExtractSliceOp> ops; // of the slices, as clones in the part
  IRMapping mapping;                                   // from the source to the part
};

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_EMIT_PARTLOOP_H
