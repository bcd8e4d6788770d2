// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How one value of a kernel is computed on a processor, as plain data: a plan for each strategy, and what all have in
// common. Strategies (CPU/Strategy.h) emit what a plan says; planNests decides it.
#ifndef HEDDLE_COMPILER_CODEGEN_PLAN_NEST_H
#define HEDDLE_COMPILER_CODEGEN_PLAN_NEST_H

#include "compiler/Analysis/Winograd.h"
#include "compiler/Codegen/Plan/Configure.h"
#include "compiler/Codegen/Plan/DecodedColumns.h"
#include "compiler/Codegen/Plan/IntegerContraction.h"
#include "compiler/Codegen/Plan/NestAnalysis.h"
#include "compiler/Codegen/Plan/RoundedProduct.h"
#include "compiler/Codegen/Plan/RowJoins.h"
#include "compiler/Codegen/Plan/Window.h"

#include <variant>

namespace mlir::heddle::codegen {

// What every plan has. Dimensions are the value's.
struct PlanCommon {
  Value value;
  int64_t binding = -1;    // that receives it; -1: memory of the kernel's own
  bool overwrites = false; // the binding may be memory of an operand (Overwrites.h)
  // Dimensions that are not one with the next in the binding's memory, as it does not go on where they end.
  llvm::SmallBitVector apart;
  std::optional<unsigned> laneDim; // that vectors walk; none: a scalar
  int64_t width = 1;               // of a vector
  bool masks = false;              // vectors may have lanes that are off
};

// Rows of elements, vectors along a row.
struct ElementsPlan : PlanCommon {
  static constexpr bool kStoresOnce = true;

  SmallVector<unsigned> rowDims; // walked by workgroups, in order
  unsigned collapsed = 0;        // this many leading row dimensions are one
  // Dimensions before that of the lanes whose rows are one with it. Their indices are 0, that of the lanes runs over
  // all their elements.
  SmallVector<unsigned> joined;
  RowJoins joins;         // those that the call tells
  int64_t together = 1;   // vectors of a step, after which elements are interleaved as before
  bool oneVector = false; // a row is at most one vector
};

// Reductions of each row, vectors along what is reduced; then the row's elements.
struct RowsPlan : PlanCommon {
  static constexpr bool kStoresOnce = true;

  SmallVector<unsigned> rowDims, innerDims; // walked by workgroups, in order; and inside of a row
  SmallVector<RowStep> steps;
  SmallVector<Value> rowLoads; // arguments read where the value is written, row by row
  bool oneVector = false;      // what vectors walk is at most one of them

  // Up to how many elements, or steps of a reduction, rows are so short that two are computed side by side.
  int64_t mostSideBySide() const;
};

// Vectors of rows: what is reduced is walked one by one.
struct ColumnsPlan : PlanCommon {
  static constexpr bool kStoresOnce = true;

  SmallVector<unsigned> rowDims, innerDims;
  SmallVector<unsigned> joined; // as of elements
  SmallVector<RowStep> steps;   // reductions
  int64_t together = 1;         // vectors side by side, where there are as many columns
};

// Columns whose windows overlap: register tiles of neighbouring positions.
struct WindowsPlan : PlanCommon {
  static constexpr bool kStoresOnce = false;

  RowStep step;
  SmallVector<unsigned> batchDims, tileDims; // the latter are walked in tiles
  WindowConfig window;

  // Vectors lie along positions, not along channels.
  bool alongPositions() const { return liesAlongPositions(tileDims, *laneDim); }
};

// Register tiles of rows times vectors.
struct ContractionPlan : PlanCommon {
  static constexpr bool kStoresOnce = true;

  RowStep step;
  SmallVector<unsigned> tileDims;  // dimensions the tile's rows walk, outermost first
  SmallVector<unsigned> batchDims; // dimensions, but that of the lanes, that the columns depend on
  SmallVector<unsigned> packed;    // operands whose columns are copied, tile by tile
  std::optional<unsigned> copied;  // operand whose rows are copied, block by block
  ContractionConfig contraction;
  std::optional<IntegerContraction> integer; // by dot products
  // Columns are codes: where they are packed, decoded into scratch; else a block's scale is applied to its sum.
  std::optional<DecodedColumns> decoding;
  std::optional<RoundedProduct> rounded; // rows and columns are codes

  bool usesTileRegisters() const { return integer && integer->dot == cpu::IntegerDot::Tiles; }
};

// Columns of one tile.
inline int64_t tileColumns(const ContractionPlan &nest) { return nest.contraction.vectors * nest.contraction.width; }

// Elements of which some lie along another dimension than the result's: squares turned in registers.
struct TransposePlan : PlanCommon {
  static constexpr bool kStoresOnce = false;

  unsigned turnedDim = 0; // along which the sources' elements are neighbours
  SmallVector<Load> turned;
  SmallVector<unsigned> joined, turnedJoined; // as of elements, of the lanes' dimension and of turnedDim
  TransposeConfig transpose;
};

// A contraction of rows of another one, in blocks of rows: scores, what is made of their rows, and the value.
struct ChainPlan : PlanCommon {
  static constexpr bool kStoresOnce = false;

  ContractionPlan scores;
  RowsPlan weights;
  ContractionPlan product;
  SmallVector<int64_t> scoreDims, weightDims; // the value's dimension each of theirs is; -1: whole
  std::optional<unsigned> rowDim;             // walked in blocks of `blockRows`; none: one row
  int64_t blockRows = 0;
  std::optional<unsigned> groupDim; // whole in a block: heads that share columns
  int64_t groupRows = 1;            // its size
};

// A convolution by fewer products (compiler/Analysis/Winograd.h), in blocks of tiles: the transform of the operand, the
// product of each place, and of its result the transform and what is made of it.
struct WinogradPlan : PlanCommon {
  static constexpr bool kStoresOnce = false;

  winograd::Convolution convolution;
  SmallVector<unsigned> position; // the value's dimension that each of the convolution's result is
  ContractionPlan product;        // its blocks are those of tiles
};

// What a pad adds to its source, which another nest computes. The value is the pad's result.
struct BorderPlan : PlanCommon {
  static constexpr bool kStoresOnce = false;

  tensor::PadOp pad;
};

// All of them, each once: the variant, and for processors the function that makes its strategy (CPU/Strategy.h).
#define HEDDLE_PLANS(FIRST, OTHER)                                                                                     \
  FIRST(ElementsPlan)                                                                                                  \
  OTHER(RowsPlan)                                                                                                      \
  OTHER(ColumnsPlan)                                                                                                   \
  OTHER(WindowsPlan)                                                                                                   \
  OTHER(ContractionPlan)                                                                                               \
  OTHER(TransposePlan)                                                                                                 \
  OTHER(ChainPlan)                                                                                                     \
  OTHER(WinogradPlan)                                                                                                  \
  OTHER(BorderPlan)

#define HEDDLE_FIRST(PLAN) PLAN
#define HEDDLE_OTHER(PLAN) , PLAN
using Plan = std::variant<HEDDLE_PLANS(HEDDLE_FIRST, HEDDLE_OTHER)>;
#undef HEDDLE_FIRST
#undef HEDDLE_OTHER

const PlanCommon &commonOf(const Plan &plan);
PlanCommon &commonOf(Plan &plan);

// The same value for up to `mostRows` rows (of Elements and Rows: rows of up to so many elements, and no more), or up
// to `mostColumns` columns where that is not 0. The plan is of the nest's own kind.
struct RowClass {
  int64_t mostRows = 0, mostColumns = 0;
  Plan plan;
};

struct Nest {
  Plan plan;
  // Fewest first, each with a grid of its own. A class of a contraction computes any number of rows; what is beyond the
  // last class the plan itself computes.
  std::vector<RowClass> fewer;
  tensor::PadOp inside; // the binding is this pad's result, whose source the value is

  const PlanCommon &common() const { return commonOf(plan); }
  // Sets something of the plan and of all classes.
  void forEach(function_ref<void(PlanCommon &)> set);
};

// Plans the nests of the values a kernel returns, in the order to compute them. Reductions that no nest can compute on
// its way come first, as nests with memory of the kernel's own; then the kernel is one workgroup. Fails with a
// diagnostic where `tile` does not suit one of its contractions. `results`: what a function's return has, each by its
// position; some may have a pitch (Dialect/Flow/IR/Pitch.h). `findApart`: PlanCommon::apart of a result, instead of
// what its pitch says.
using FindApart = std::function<llvm::SmallBitVector(unsigned result)>;
FailureOr<std::vector<Nest>> planNests(ValueRange results, int64_t firstBinding, const cpu::CpuFeatures &features,
                                       const ContractionOverride &tile, const FindApart &findApart = {});

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_PLAN_NEST_H
