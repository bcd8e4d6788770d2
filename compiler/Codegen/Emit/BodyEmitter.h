// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code for the body of a structured op: one evaluation, for the lanes' elements.
//
//   BodyEmitter(source, op, dims, {}).results();   // what the body yields at loop indices `dims`
#ifndef HEDDLE_COMPILER_CODEGEN_EMIT_BODYEMITTER_H
#define HEDDLE_COMPILER_CODEGEN_EMIT_BODYEMITTER_H

#include "compiler/Codegen/Emit/ElementSource.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::heddle::codegen {

class BodyEmitter {
public:
  // `dims`: the loops' indices. `known`: values of the body that are not evaluated.
  BodyEmitter(ElementSource &source, linalg::GenericOp generic, ArrayRef<LaneValue> dims,
              DenseMap<Value, LaneValue> known);

  SmallVector<LaneValue> results();
  // A value of the body, or one from outside of it.
  LaneValue evaluate(Value value);

private:
  // An index of a read that is `yes` in all lanes or `no` in all lanes.
  struct IndexChoice {
    size_t position;
    Value condition;
    LaneValue yes, no;
  };

  LaneValue compute(Operation *op, unsigned result);
  LaneValue evaluateLoop(scf::ForOp op, unsigned result);
  LaneValue evaluateExtract(tensor::ExtractOp op);
  // `open`: what is still to be chosen; the other indices are as given.
  LaneValue extractChosen(tensor::ExtractOp op, ArrayRef<LaneValue> index, ArrayRef<IndexChoice> open);
  LaneValue extractAt(tensor::ExtractOp op, ArrayRef<LaneValue> index);
  LaneValue checkIndex(LaneValue index, LaneValue size);
  // `cast` in 32 bits, where what it narrows is a loop's index between constant bounds; else none.
  std::optional<LaneValue> clampIn32Bits(arith::IndexCastOp cast);
  LaneValue divideByCallSize(Operation *op, ArrayRef<LaneValue> operands);
  bool dividesByReciprocal(arith::DivFOp op, ArrayRef<LaneValue> operands);
  LaneValue divideByReciprocal(arith::DivFOp op, LaneValue dividend, Value divisor);

  ElementSource &source;
  LaneBuilder &lanes;
  OpBuilder &builder;
  Location loc;
  linalg::GenericOp generic;
  SmallVector<LaneValue> dims;
  DenseMap<Value, LaneValue> values; // known so far
};

// Whether each tensor has elements that bodies of the source's function read at computed places; the call knows.
Value findElements(ElementSource &source);

// The op's loop indices where a result is at `index`; 0 for reductions.
SmallVector<LaneValue> loopIndices(ElementSource &source, linalg::GenericOp op, unsigned result,
                                   ArrayRef<LaneValue> index);

// The results of a structured op with reductions, at the position `index` of result 0: a loop over its reductions.
SmallVector<LaneValue> evaluateReduction(ElementSource &source, linalg::GenericOp op, ArrayRef<LaneValue> index);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_EMIT_BODYEMITTER_H
