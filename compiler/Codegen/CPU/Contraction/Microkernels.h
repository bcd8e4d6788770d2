// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which products of a contraction are computed by functions that kernels share (kernel.microkernel), and calls of them.
// Such code is compiled once for a target, whatever the sizes: for a tile, element types and a short epilogue. What
// differs is left in kernels: loops over blocks, and an epilogue that is not short.
#ifndef HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_MICROKERNELS_H
#define HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_MICROKERNELS_H

#include "compiler/Codegen/CPU/Contraction/DotProducts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::heddle::codegen {

// Ops on an element from the contraction's result to `value`; none where there is more than arithmetic on elements.
std::optional<int64_t> countEpilogue(Value value, linalg::GenericOp contraction);

// Whether tiles may be computed so: a multiply-add of floats that lie in memory, or a dot product of bytes, of columns
// in panels or decoded to one; rows along one dimension; and sums so long that a call costs nothing.
bool mayUseMicrokernel(const ContractionPlan &nest);

class Microkernels {
public:
  // Emits the function of the epilogue, where it is short and its operands lie in memory.
  Microkernels(const ContractionIndex &place, const Buffer &output);

  // Whether, where the place is, functions store what the nest is to give; else whether they store sums to the memory
  // of a tile, for an epilogue that reads them from there.
  bool storesResult() const;
  bool storesSums() const;

  // Rows of the result: those of `tile` and, along the innermost dimension, as many as it says.
  void emitRows(const RowTile &tile, int64_t vectors) const;
  // The sums of a tile to `memory`, one row after the other. `products`: of an integer contraction, else null. `panel`:
  // the tile's decoded columns (Decoding), else null.
  void emitSums(const RowTile &tile, int64_t vectors, Value memory, DotProducts *products, Value panel) const;

private:
  struct Operand {
    Value tensor;
    AffineMap map; // from the dimensions of the nest's value
  };
  struct Target {
    Value memory, offset, stride, last;
  };
  bool collect(Value value, AffineMap map);
  func::FuncOp emitEpilogue() const;
  SmallVector<LaneValue> indexAt(ArrayRef<Value> row) const;
  Value addAddress(OpOperand &operand, ArrayRef<LaneValue> dims, Value &memory) const;
  Value panelStrideOf(OpOperand &columns) const;
  void emitDots(const RowTile &tile, int64_t vectors, const Target &target, DotProducts &products) const;
  void emitDecoded(const RowTile &tile, int64_t vectors, const Target &target, Value panel) const;
  struct Rows {
    Value memory, offset, stride;
    SmallVector<Value> strides; // of all loops of the reduction but the innermost
  };
  Rows locateRows(OpOperand &operand, const RowTile &tile) const;
  IntegerAttr restOf() const;
  void emit(const RowTile &tile, int64_t vectors, const Target &target, bool epilogue) const;

  const ContractionIndex &place;
  const Buffer &output;
  Value sums; // the contraction's result
  bool mayUse;
  std::vector<Operand> operands; // of the epilogue
  bool isStored = false;         // the result, by functions
  func::FuncOp function;         // the epilogue; null where the sums are the result
};

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_CPU_CONTRACTION_MICROKERNELS_H
