// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One value of a kernel and how its elements are computed: plan and emission.
#ifndef HEDDLE_COMPILER_CODEGEN_PLAN_NEST_H
#define HEDDLE_COMPILER_CODEGEN_PLAN_NEST_H

#include "compiler/Codegen/Emit/ElementEmitter.h"
#include "compiler/Codegen/Plan/Configure.h"
#include "compiler/Codegen/Plan/DecodedColumns.h"
#include "compiler/Codegen/Plan/IntegerContraction.h"
#include "compiler/Codegen/Plan/NestAnalysis.h"
#include "compiler/Codegen/Plan/RowJoins.h"

namespace mlir::heddle::codegen {

enum class NestKind {
  Elements,    // rows of elements, vectors along a row
  Rows,        // reductions of each row, vectors along what is reduced; then the row's elements
  Columns,     // vectors of rows: what is reduced is walked one by one
  Windows,     // columns whose windows overlap: register tiles of neighbouring positions
  Contraction, // register tiles of rows times vectors
  Transpose,   // elements of which some lie along another dimension than the result's: squares turned in registers
  Chain,       // a contraction of rows of another one, in blocks of rows (ChainNest.h)
  Border,      // what a pad adds to its source, which another nest computes (Border.h)
};

// Computed once for each row before the row's elements.
struct RowStep {
  linalg::GenericOp op;
  bool isReduction;              // to registers; else elementwise, to scratch
  SmallVector<int64_t> position; // of result 0: the nest's dimension each index is, -1: not known from the row
};

struct Nest {
  Value value;
  int64_t binding = -1;    // that receives it; -1: memory of the kernel's own
  bool overwrites = false; // the binding may be memory of an operand (Overwrites.h)
  // Of the value's dimensions: in the binding's memory the next one does not go on where it ends, so they are not one.
  llvm::SmallBitVector apart;
  tensor::PadOp pad; // the binding is this pad's result: `value` is its source, or (Border) the result
  NestKind kind = NestKind::Elements;
  SmallVector<unsigned> rowDims; // walked by workgroups, in order
  SmallVector<unsigned> innerDims;
  std::optional<unsigned> laneDim; // of the value's dimensions; none: a scalar
  int64_t width = 1;
  bool masks = false;
  unsigned collapsed = 0; // this many leading row dimensions are one
  // Elements, Columns, Transpose: dimensions before that of the lanes whose rows are one with it. Their indices are 0,
  // that of the lanes runs over all their elements.
  SmallVector<unsigned> joined;
  RowJoins joins;       // Elements: those that the call tells
  int64_t together = 1; // Elements: vectors of a step, after which elements are interleaved as before
  SmallVector<RowStep> steps;
  SmallVector<Value> rowLoads; // Rows: arguments read where the value is written, row by row
  bool oneVector = false;      // Rows, Elements: what vectors walk is at most one of them
  // Transpose
  unsigned turnedDim = 0; // of the value: along which the sources' elements are neighbours
  SmallVector<Load> turned;
  SmallVector<unsigned> turnedJoined; // as `joined`, of turnedDim
  TransposeConfig transpose;
  WindowConfig window; // Windows: batchDims, then tiles along tileDims
  // Chain
  std::vector<Nest> stages;                    // scores, weights, the value's own contraction
  std::vector<SmallVector<int64_t>> stageDims; // the value's dimension each of a stage's is; -1: whole
  std::optional<unsigned> rowDim;              // of the value, walked in blocks of `chainRows`; none: one row
  int64_t chainRows = 0;
  std::optional<unsigned> groupDim; // of the value, whole in a block: heads that share columns
  int64_t groupRows = 1;            // its size
  // Contraction
  SmallVector<unsigned> tileDims;  // dimensions the tile's rows walk, outermost first
  SmallVector<unsigned> batchDims; // dimensions, but that of the lanes, that the columns depend on
  SmallVector<unsigned> packed;    // operands whose columns are copied, tile by tile
  std::optional<unsigned> copied;  // operand whose rows are copied, block by block
  ContractionConfig contraction;
  std::optional<IntegerContraction> integer; // by dot products
  // Columns are codes: where they are packed, decoded into scratch; else a block's scale is applied to its sum.
  std::optional<DecodedColumns> decoding;
  // Row classes: the same value for up to `mostRows` rows, fewest first, each with a grid of its own. Any of them
  // computes any number of rows; beyond the last one's this nest itself does it. Of Rows and Elements: rows of up to
  // so many elements, and no more.
  std::vector<Nest> fewer;
  int64_t mostRows = 0;
  int64_t mostColumns = 0; // of a contraction's class, else 0: it is for up to so many columns instead, any rows

  bool usesTileRegisters() const {
    return kind == NestKind::Contraction && integer && integer->dot == cpu::IntegerDot::Tiles;
  }
};

// Plans the nests of the values a kernel returns, in the order to compute them. Reductions that no nest can compute on
// its way come first, as nests with memory of the kernel's own; then the kernel is one workgroup. Fails with a
// diagnostic where `tile` does not suit one of its contractions. `results`: operands of a function's return; some may
// have a pitch (Dialect/Flow/IR/Pitch.h).
FailureOr<std::vector<Nest>> planNests(ValueRange results, int64_t firstBinding, const cpu::CpuFeatures &features,
                                       const ContractionOverride &tile);
std::string describe(const Nest &nest);

// Of a nest without row classes: blocks of its grid.
Value countWorkgroups(const Nest &nest, FunctionScalars &scalars);
// How many of these a call's workgroup takes, so that it is worth a core.
Value workgroupGrain(const Nest &nest, FunctionScalars &scalars);
// Bytes, a multiple of 64; of the row class that the call takes (RowClasses.h).
Value countScratch(const Nest &nest, FunctionScalars &scalars);
// Of a nest without row classes: computes one workgroup into `output`; scratch memory begins at byte `scratch` and has
// what the workgroup before left there, but for that of the number `first`.
void emitWorkgroup(const Nest &nest, ElementEmitter &emitter, Value workgroup, Value first, const Buffer &output,
                   Value scratch);

// Shared by the kinds of nests (VectorLoops.cpp).

// Runs `body` with `lanes` set for each vector of [begin, end) along one dimension: full vectors, `together` of them a
// step, then the rest by mask or one by one.
void forEachVector(ElementEmitter &emitter, Value begin, Value end, int64_t width, bool masks,
                   function_ref<void(LaneValue)> body, int64_t together = 1);
// The same of [0, end), which is at most one vector.
void forOneVector(ElementEmitter &emitter, Value end, int64_t width, function_ref<void(LaneValue)> body);
// The mask of the lanes below `count`.
Value maskBelow(ElementEmitter &emitter, Value count, int64_t width);
// Splits a linear position; the last size varies fastest.
SmallVector<Value> delinearize(ElementEmitter &emitter, Value linear, ArrayRef<Value> sizes);

// Workgroups of a nest of kind Windows along each dimension: batch dimensions, rows of tiles, blocks of channels.
SmallVector<Value> windowGrid(const Nest &nest, FunctionScalars &scalars);
void emitWindow(const Nest &nest, ElementEmitter &emitter, Value workgroup, const Buffer &output);

// Of kinds Elements, Rows and Columns (RowNest.cpp).
Value countRowWorkgroups(const Nest &nest, FunctionScalars &scalars);
Value countRowScratch(const Nest &nest, FunctionScalars &scalars);
void emitRows(const Nest &nest, ElementEmitter &emitter, Value workgroup, const Buffer &output, Value scratch);
// The most elements or steps that vectors walk in a row.
Value countAlongRows(const Nest &nest, FunctionScalars &scalars);
// Up to how many elements, or steps of a reduction, rows are so short that two are computed side by side (kind Rows).
int64_t mostSideBySide(const Nest &nest);
// One row into `output`; `index` of the value, its inner dimensions are not used.
void emitRow(const Nest &nest, ElementEmitter &emitter, ArrayRef<LaneValue> index, const Buffer &output, Value scratch);

void emitContraction(const Nest &nest, ElementEmitter &emitter, Value workgroup, Value first, const Buffer &output,
                     Value scratch);
// All tiles of columns of one block; `at`: batch dimensions, then blocks of rows.
void emitContractionBlock(const Nest &nest, ElementEmitter &emitter, ArrayRef<Value> at, const Buffer &output,
                          Value scratch);
Value countContractionWorkgroups(const Nest &nest, FunctionScalars &scalars);
Value countContractionScratch(const Nest &nest, FunctionScalars &scalars);

void emitChain(const Nest &nest, ElementEmitter &emitter, Value workgroup, const Buffer &output, Value scratch);
Value countChainWorkgroups(const Nest &nest, FunctionScalars &scalars);
Value countChainScratch(const Nest &nest, FunctionScalars &scalars);

// The transpose of a square of as many vectors as they have elements, a power of two.
SmallVector<Value> turnSquare(OpBuilder &builder, Location loc, ArrayRef<Value> rows);
void emitTranspose(const Nest &nest, ElementEmitter &emitter, Value workgroup, const Buffer &output);
Value countTransposeWorkgroups(const Nest &nest, FunctionScalars &scalars);

// Whether the result may be so large that it is written past the caches.
bool mayStream(const Nest &nest, FunctionScalars &scalars);
// Emits `body` for a result that is written past the caches and for one that is not, chosen by its size and address at
// run time; only the latter where the size is known to be too small or vectors may not be whole. `rowElements`: of the
// contiguous pieces that `body` writes, whose first one begins at the result's beginning.
void emitStreaming(const Nest &nest, ElementEmitter &emitter, const Buffer &output, Value rowElements,
                   function_ref<void()> body);

// What makes partial results possible: each result is `accumulator op f(inputs)` with an associative op.
struct Combiner {
  vector::CombiningKind kind;
  TypedAttr neutral;
};
// One for each result; none where the op's results are no such.
std::optional<SmallVector<Combiner>> getCombiners(linalg::GenericOp op);

// Reduces to registers with vectors along the op's innermost reduction. `index`: of result 0. `oneVector`: there is
// one reduction, of at most `width` steps.
SmallVector<LaneValue> emitRowReduction(ElementEmitter &emitter, linalg::GenericOp op, ArrayRef<LaneValue> index,
                                        int64_t width, bool masks, bool oneVector = false);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_PLAN_NEST_H
