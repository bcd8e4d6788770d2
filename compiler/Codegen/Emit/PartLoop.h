// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel that computes parts: an scf.forall over their numbers, around what one part computes. The parts of a split
// reduction (Stages/Split), or of a loop that the program has (form-part-loops).
//
// The body becomes a function of its own, whose nests are planned and emitted as those of any other kernel: slices of
// the kernel's arguments are its arguments, its last argument is the number of the part. Its results are stored where
// the body inserts them. All parts have as many workgroups as the last one, which is the longest, or as one that has
// all that its slices are cut from (flow::kUnevenPartsAttr): workgroup w is workgroup w mod G of part w / G, and does
// nothing where that part has fewer.
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
  // source's scalars are. Slices outside of their tensors fail the call. `memoryOf`: that of an argument of the source.
  using MemoryOf = std::function<Buffer(BlockArgument argument)>;
  FunctionScalars scalarsOf(FunctionScalars &scalars, OpBuilder at, Value number, MemoryOf memoryOf);
  // Whether what the part computes lies in the results; null: that is proved.
  Value fits(FunctionScalars &partScalars);
  // Those of the part that tells how many workgroups each has.
  FunctionScalars longestScalars(FunctionScalars &scalars);

  // Whether all parts have results of the same sizes, so that the workgroups of the longest are those of each.
  bool hasEqualGrids();

  // The slice that is argument `argument` of the part, in memory that holds the whole tensor.
  struct Slice {
    BlockArgument argument; // of the part
    BlockArgument source;   // of the source
  };
  ArrayRef<Slice> getSlices() { return slices; }
  // `whole`: memory of the slice's source.
  Buffer sliceOf(const Slice &slice, const Buffer &whole, FunctionScalars &partScalars);
  // Where the part's result `result` lies in `whole`, memory of the source's.
  Buffer placeOf(unsigned result, const Buffer &whole, FunctionScalars &partScalars);
  // Its dimensions that are not one with the next there.
  llvm::SmallBitVector findApart(unsigned result);

private:
  explicit PartLoop(func::FuncOp source) : source(source) {}
  LogicalResult build();
  SmallVector<tensor::ExtractSliceOp> takeSlices();
  void clone(MutableArrayRef<tensor::ExtractSliceOp> taken, ValueRange results);
  FunctionScalars openScalars(FunctionScalars &scalars, OpBuilder at, Value number);
  static void setSizes(FunctionScalars &own, BlockArgument argument, tensor::ExtractSliceOp op);
  // `whole` from where a slice begins, with the dimensions that it keeps.
  static Buffer cut(const Buffer &whole, ArrayRef<OpFoldResult> offsets, const llvm::SmallBitVector &dropped,
                    FunctionScalars &partScalars);

  func::FuncOp source, part;
  scf::ForallOp loop;
  SmallVector<tensor::ParallelInsertSliceOp> inserts; // of the loop, one for each result
  SmallVector<Slice> slices;
  DenseMap<BlockArgument, tensor::ExtractSliceOp> ops; // of the slices, as clones in the part
  IRMapping mapping;                                   // from the source to the part
};

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_EMIT_PARTLOOP_H
