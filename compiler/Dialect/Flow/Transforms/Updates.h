// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes into a tensor that a loop carries, or into an argument whose memory is the call's to write (heddle.donated, or
// heddle.state that the function has as a result too), which the host program does in place, without a dispatch:
//
//   scf.for %t = … iter_args(%y = %zeros) -> (tensor<?x8xf32>) {
//     …
//     %next = tensor.insert_slice %row into %y[%t, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<?x8xf32>
//     scf.yield %next : tensor<?x8xf32>
//   }
//
//   func.func @main(%rows: tensor<1x3x1x64xf32>, %cache: tensor<1x3x512x64xf32> {heddle.state = @cache}) … {
//     %new = tensor.insert_slice %rows into %cache[0, 0, %t, 0] [1, 3, 1, 64] [1, 1, 1, 1] : …
#ifndef HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_UPDATES_H
#define HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_UPDATES_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::heddle::flow {

// On a tensor.empty: a chain of tensor.insert_slice writes all of it, part by part, and what reads the tensor between
// two of them reads the parts before. A number of its own, so that no two are one op: nextFilled() of the module.
inline constexpr llvm::StringLiteral kFilledAttr = "flow.filled";
int64_t nextFilled(Operation *module);

// Whether the op writes whole rows of a carried tensor that nothing else reads, and hands the result on in its place;
// or of a tensor of free size that a branch of the same block gives and nothing else reads.
// Inner dimensions of free size are whole if the sizes are equal, which the host program checks.
bool isRowUpdate(tensor::InsertSliceOp op);

// Whether the op writes a slice of steps of one into such an argument, or into what another such op made of it, and
// nothing reads what it was before.
bool isArgumentUpdate(tensor::InsertSliceOp op);

// How a slice of steps of one lies in the memory of the tensor that it is written into.
struct SliceForm {
  // The dimension of the destination that is cut behind the first one that the slice has more than one of: with those
  // behind it, it makes the distance from one run of bytes to the next. 0: the slice is one run.
  int64_t cut = 0;
  int64_t outer = 0; // dimensions of the source before it (Dialect/Flow/IR/Pitch.h)
};

// Whether the slice is not all of the dimension. Of a dimension of free size one that begins at 0 counts as all, but
// for memory that is filled (kFilledAttr), which says how large it is.
bool cuts(tensor::InsertSliceOp op, int64_t dim);

// None where it is not runs of one length and one distance, or elements share bytes. Dimensions of free size whose
// slice begins at 0 count as whole; who writes there checks that.
std::optional<SliceForm> findForm(tensor::InsertSliceOp op);

// Whether the op writes a slice of such a form into a tensor that a loop carries and nothing else reads, and hands the
// result on in its place.
bool isPartUpdate(tensor::InsertSliceOp op);

// Whether the op writes one of the parts that fill a tensor.empty (kFilledAttr): the only reader of what the part
// before it gives, along one dimension, where the part before ends. Of a free size each part but the first is from its
// offset to that of the next one: its size is arith.subi of both, or the next offset arith.addi of offset and size, or
// the parts are no fill.
// Or each of n equal parts is at a place of its own of a ring: the s-th behind the rank's own begins at
// (%coordinate + s) mod n times its size.
bool isFill(tensor::InsertSliceOp op);

// Whether the op writes a slice into a tensor that a loop over streams (heddle.streams) carries and nothing else reads,
// and hands the result on in its place.
bool isPartOfLoop(tensor::InsertSliceOp op);

// Whether nothing but loops over streams, which carry it and change it in parts, uses the tensor.
bool startsStreamLoop(tensor::EmptyOp op);

// One of these.
bool isUpdate(tensor::InsertSliceOp op);

// The value that an update inserts, before what only changes its shape on the way; nothing else reads it. And how many
// of its leading dimensions are apart where it belongs (Dialect/Flow/IR/Pitch.h), 0: it is one run of bytes there.
struct InsertedValue {
  Value value;
  int64_t outer = 0;
};

// None where its dimensions are no runs there, or others read it.
std::optional<InsertedValue> findInserted(tensor::InsertSliceOp op);

// The value whose memory an update writes: an argument, what a loop carries, what a chain of updates begins with.
Value findMemory(tensor::InsertSliceOp op);

} // namespace mlir::heddle::flow

#endif // HEDDLE_COMPILER_DIALECT_FLOW_TRANSFORMS_UPDATES_H
