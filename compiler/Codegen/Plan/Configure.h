// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a nest is computed, decided from plain data: sizes that are known and the processor's features. Tested without
// compiling. Reasons and measurements: docs/design/codegen.md.
#ifndef HEDDLE_COMPILER_CODEGEN_PLAN_CONFIGURE_H
#define HEDDLE_COMPILER_CODEGEN_PLAN_CONFIGURE_H

#include "compiler/Target/CPU/CpuFeatures.h"

#include <optional>
#include <string>
#include <vector>

namespace mlir::heddle::codegen {

using Size = std::optional<int64_t>; // none: known only at run time

// Elements computed at a time along a dimension of this size, for elements of this many bytes. A power of two.
int64_t configureWidth(Size size, int64_t elementBytes, const cpu::CpuFeatures &features);

// What a step of a contraction computes beside one multiply-add of a row's element and a vector of columns: columns of
// few bits are taken apart first.
struct ContractionBody {
  int64_t columnValues = 1; // vectors that each vector of columns becomes, which all rows read
  int64_t columnOps = 1;    // instructions for that
  int64_t rowValues = 1;    // elements of each row
  int64_t termOps = 1;      // instructions for each row and vector
};

// result[m…, n] op= row[m…, k] * column[k, n]: the rows of a tile share what is loaded along `n`.
struct ContractionShape {
  std::vector<Size> m; // the dimensions of rows, outermost first: those of a convolution's result, one of a matrix
  Size n, k;
  int64_t elementBytes = 4;
  bool columnsContiguous = true; // neighbours along n are neighbours in memory
  Size columnStride = {};        // bytes from one k to the next
  int64_t panel = 0;             // columns lie in panels of so many, the last one padded; 0: in rows of n
  bool integer = false;          // by dot products, whose operands are gathered
  int64_t dotGroup = 4;          // of dot products: elements of k in 32 bits
  bool rowsCopied = false;       // rows go to scratch before they are used
  bool functions = false;        // the epilogue computes polynomials: in wide tiles they would spill registers
  Size rowStride = {};           // bytes from one row of the last dimension to the next
  Size rowBytes = {};            // of one row, a run of memory that can be copied as it is
  bool blocks = false;           // what is reduced may be summed in blocks
  bool decoded = false;          // columns are decoded to scratch, a block at a time
  ContractionBody body = {};
};

// Whether the columns of a tile are copied to scratch first.
enum class Packing { Never, Always, ManyRows }; // ManyRows: decided by the rows there are at run time

struct ContractionConfig {
  std::vector<int64_t> tile; // register tile: rows along each dimension of rows …
  int64_t vectors = 1;       // … times vectors of `width` elements
  int64_t width = 1;
  int64_t groups = 0;         // of four bytes of the reduction in a tile register; 0: sums in vector registers
  std::vector<int64_t> block; // rows of a workgroup along each dimension: the whole dimension or a multiple of the tile
  Packing packing = Packing::Never;
  int64_t lastVectors = 0;          // vectors of the last tile of columns, where it is narrower
  bool copiesRows = false;          // a block's rows go to scratch, once for all its tiles of columns
  bool paddedColumns = false;       // the last vector may be loaded whole
  bool prefetchNext = false;        // while a tile of columns is used, the second-level cache is asked for the next one
  bool prefetchResult = false;      // during short sums the first-level cache is asked for the lines of a large result
  bool sharesCode = true;           // functions that kernels share may compute it: they widen by instructions alone
  int64_t depth = 0;                // steps of the reduction that are summed by themselves; 0: all
  bool depthOutside = false;        // all tiles of rows take such a block before one takes the next
  bool storesFromRegisters = false; // a short epilogue is computed in registers, not from the tile's memory

  int64_t rows() const;      // of a full tile
  int64_t blockRows() const; // of a workgroup
};

// Set from outside (`kernel.tile`, TileAttribute.h) instead of chosen; what is empty or 0 is chosen.
struct ContractionOverride {
  std::vector<int64_t> tile;
  int64_t vectors = 0;
  std::vector<int64_t> block;
  std::optional<bool> prefetchNext;

  bool isSet() const { return !tile.empty() || vectors != 0 || !block.empty() || prefetchNext; }
};

ContractionConfig configureContraction(const ContractionShape &shape, const cpu::CpuFeatures &features,
                                       const ContractionOverride &set = {});

// Whether tiles of `rows` rows cost clearly less for each column as wide as those of `few` than as those of `many`,
// once the columns are there.
bool isCheaperForRows(int64_t rows, const ContractionBody &body, const ContractionConfig &few,
                      const ContractionConfig &many);

// What `set` lacks, "…, got …" for a diagnostic; empty where configureContraction can do as it says.
std::string explainRefused(const ContractionShape &shape, const cpu::CpuFeatures &features,
                           const ContractionOverride &set);

// Of 8-bit integers in tile registers, where they pay: the processor has them, and there are rows and a known depth
// enough. `shape.k`: of the innermost reduction.
std::optional<ContractionConfig> configureByteTiles(const ContractionShape &shape, const cpu::CpuFeatures &features);

// A window's positions along one dimension of the result.
struct WindowAxis {
  Size size;
  int64_t taps;   // of the window along the dimension
  int64_t stride; // of the input for each position
  int64_t reach;  // from the first to the last tap, in the input
  Size inside;    // positions whose windows do not reach into padding
};

struct WindowShape {
  std::vector<WindowAxis> axes; // the last one or two dimensions of positions
  int64_t taps;                 // of the whole window
};

struct WindowConfig {
  int64_t height = 1,
          length = 1;        // register tile: positions (or rows of a vector of positions); `height` divides known rows
  bool keepsWeights = false; // the window's weights fit in registers beside the tile
  int64_t parts = 1;         // sums of each result that do not wait for each other
};

WindowConfig configureWindow(const WindowShape &shape, const cpu::CpuFeatures &features);
// The same where vectors lie along the last axis: tiles are one vector long.
WindowConfig configurePositionWindow(const WindowShape &shape, const cpu::CpuFeatures &features);

// Windows of more taps are loops, not unrolled.
constexpr int64_t kMostTaps = 64;

// Channels of a workgroup of windows, at most; of windows along positions, positions of a row.
constexpr int64_t kWindowLanes = 512, kWindowPositions = 16384;

// Tiles of rows from which on copying the columns pays.
constexpr int64_t kManyRowTiles = 3;

// Fewer rows of a product with codes as weights have tiles made for them.
constexpr int64_t kDecodedRows = 5;

// Of longer sums of floats blocks of about kDepth steps are summed by themselves: rounding errors are those of peers,
// and a block of a tile's columns is a small part of a second-level cache.
constexpr int64_t kMostInOneSum = 1024, kDepth = 512;

// Reductions so short that it pays to spare an epilogue the way through the tile's memory.
constexpr int64_t kShortReduction = 512;

// Sums of at least so many steps, in loops of at most so many, may be computed by functions that kernels share: where
// these store the result; where a tile has one row, whose code is short; and where the sums' way through memory is to
// cost nothing, also of bytes, four of which are one step of the code (docs/design/tiles.md).
constexpr int64_t kLeastSharedSteps = 64, kLeastStepsOfOneRow = 256, kLeastStepsThroughMemory = 256;
constexpr int64_t kLeastStepsOfKnownRows = 1024;
constexpr int64_t kMostSharedLoops = 3;
// Rows of a tile whose addresses, no constants apart, have registers in such a function.
constexpr int64_t kMostSharedRows = 9;

// Steps of the innermost reduction that columns are asked for ahead of their use: in panels they come from the
// second-level cache, rows of columns may come from memory.
constexpr int64_t kPanelPrefetchDistance = 12, kRowPrefetchDistance = 24;

// Reductions so short that rows of columns would arrive when they are over: each tile asks for the next one's.
constexpr int64_t kMostStepsForNextTile = 2 * kRowPrefetchDistance;

// Multiply-adds of a call's share of a contraction, at least: a few microseconds' work, less than that is not worth
// another core. Fewer rows than kFewRows count as so many: their time is that of the columns' way from memory.
constexpr int64_t kProductsPerWorkgroup = int64_t{1} << 18;
constexpr int64_t kFewRows = 8;

// Elements a workgroup of rows computes, at least; a few microseconds' work.
constexpr int64_t kElementsPerWorkgroup = 16384;

// result[…, i, …, j] = source[…, j, …, i]: squares of `tile` x `tile` elements are turned in registers. A workgroup
// computes `rows` x `columns` elements of the result: pages of the source from end to end.
struct TransposeConfig {
  int64_t tile = 0; // 0: one of the sizes is less than a tile, elements are gathered
  int64_t rows = 0, columns = 0;
};

// `rows`, `columns`: of the result, the two dimensions that change places.
TransposeConfig configureTranspose(Size rows, Size columns, int64_t elementBytes, const cpu::CpuFeatures &features);

// Rows of a workgroup of a chain of contractions: scores of so many rows lie in cache at a time. A multiple of `tile`,
// the rows of a register tile, or all rows. `groups`: rows of another dimension that are computed with each.
int64_t configureChainRows(Size rows, int64_t tile, int64_t groups = 1);

// Results of at least so many bytes are written past the caches (eight second-level caches of 2 MiB): their lines need
// not be read first, and what would have been driven out stays. Reasons and figures: docs/design/codegen.md.
constexpr int64_t kStreamBytes = int64_t{16} << 20;

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_PLAN_CONFIGURE_H
