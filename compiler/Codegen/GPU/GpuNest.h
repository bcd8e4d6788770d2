// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How one value of a GPU kernel is computed, as plain data: a plan for each strategy (GpuStrategy.h), from what the
// value needs (NestAnalysis.h):
//
//   elements   an invocation for each element, which computes all it needs, reductions as loops
//   tiles      a contraction or convolution: an invocation for a few rows times a few columns, so that what it reads
//              serves several of its elements
//   blocks     a contraction or convolution that is large enough: a workgroup for a block of rows times columns, by way
//              of shared memory (GpuBlock.h)
//   rows       a workgroup for each row: reductions that a whole row needs are computed by all invocations together,
//              each a part, combined in shared memory; what a row reads several times (scores and weights of attention,
//              exponentials) is computed once, to shared memory where it fits; then the row's elements
//   border     an invocation for each element of a pad's result, of which those that the pad adds are stored
//
// The same ElementEmitter as on CPUs, one lane wide, emits the elements: every op a CPU computes, a GPU does.
#ifndef HEDDLE_COMPILER_CODEGEN_GPU_GPUNEST_H
#define HEDDLE_COMPILER_CODEGEN_GPU_GPUNEST_H

#include "compiler/Codegen/GPU/GpuBlock.h"
#include "compiler/Codegen/Plan/Combiner.h"
#include "compiler/Codegen/Plan/NestAnalysis.h"
#include "compiler/Target/GPU/GpuFeatures.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <variant>

namespace mlir::heddle::codegen {

// A reduction is shared by a workgroup from this many elements on, where there are not too many results.
constexpr int64_t kLongReduction = 128, kFewResults = 4096;
// From this many on it is however many results there are: drivers end loops that are long (LoopLimit.h).
constexpr int64_t kEndlessReduction = 1 << 14;

// What a workgroup computes before the elements of its row.
struct GpuStep {
  linalg::GenericOp op;
  SmallVector<int64_t> position;  // of result 0: the nest's dimension each index is, -1: 0, or (isRow) walked
  std::optional<unsigned> walked; // a row of the op's result, to shared memory; none: one element, to registers
};

// The elements an invocation computes of a contraction: `rows` neighbouring rows times `columns`, which are a block of
// columns apart, so that neighbouring invocations have neighbouring columns.
struct GpuTile {
  linalg::GenericOp op;
  SmallVector<int64_t> position;            // of result 0, as in GpuStep
  SmallVector<unsigned> batchDims, rowDims; // of the value; rows do not depend on the columns' operand
  unsigned columnDim = 0;
  int64_t rows = 4, columns = 4;
};

// A contraction that workgroups compute in blocks. Rows are dimensions of the value that only `rowInputs` depend on,
// columns those that only `columnInputs` do; both walked as one. Dimensions of size 1 are in no list.
struct GpuPanels {
  linalg::GenericOp op;
  SmallVector<int64_t> position;                        // of result 0, as in GpuStep
  SmallVector<unsigned> batchDims, rowDims, columnDims; // of the value
  SmallVector<OpOperand *> rowInputs, columnInputs;     // of the op
  SmallVector<OpOperand *> uniformInputs;               // the same element for all of the batch, rows, columns and k
  GpuBlock block;
};

// An invocation for each element.
struct GpuElements {};

// What a pad adds to its source, which another nest computes: an invocation for each element of the pad's result.
struct GpuBorder {
  tensor::PadOp pad;
};

// A workgroup for each row.
struct GpuRows {
  SmallVector<unsigned> rowDims, innerDims; // of the value
  SmallVector<GpuStep> steps;
  // Each element has reductions of its own, these among them: rows of one element where their lengths and the number of
  // elements turn out to be such that it pays, else elements.
  SmallVector<linalg::GenericOp> longReductions;
};

using GpuPlan = std::variant<GpuElements, GpuRows, GpuTile, GpuPanels, GpuBorder>;

struct GpuNest {
  Value value;
  int64_t binding = 0;
  tensor::PadOp inside; // the binding is this pad's result, whose source the value is
  GpuPlan plan;
};

// Blocks only where the nest `isAlone` in its kernel: shared memory is for one.
GpuNest planGpuNest(Value value, int64_t binding, const gpu::GpuFeatures &features, bool isAlone);
// None where the value is no contraction, or one that is not computed in blocks.
std::optional<GpuPanels> planGpuPanels(Value value, const NestAnalysis &analysis, const gpu::GpuFeatures &features);
// None where the value is no contraction, or one with too few rows or columns.
std::optional<GpuTile> planGpuTile(Value value, const NestAnalysis &analysis);

// The combiners of a reduction whose parts invocations combine in shared memory, which holds no booleans; else none.
std::optional<SmallVector<Combiner>> getSharedCombiners(linalg::GenericOp op);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_GPU_GPUNEST_H
