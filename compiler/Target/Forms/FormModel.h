// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What importers ask of targets before any op is placed: numbers that decide which of two forms an op is emitted in.
//
// Both forms are right on every target; the numbers say which of them the kernels of a target run faster. They are the
// only numbers of machines or of code generation that an importer sees (docs/design/import.md). A target that differs
// overrides Target::getFormModel().
#ifndef HEDDLE_COMPILER_TARGET_FORMS_FORMMODEL_H
#define HEDDLE_COMPILER_TARGET_FORMS_FORMMODEL_H

#include <cstdint>

namespace mlir::heddle {

struct FormModel {
  //===--- Rows of scalar code (flow.rows) ---===//
  // One of many invocations runs a row: a row must not walk all of a tensor, also where short ones take more work.
  bool shortRows = false;
  // Neighbouring columns that one row of a sum or a triangular system goes along, and the least number of them, and of
  // elements of the sum, for which that pays.
  int64_t rowColumns = 64, leastRowColumns = 8, leastRowSteps = 5;
  // With `shortRows`: most elements of a sum that one row computes so.
  int64_t mostRowSteps = 4096;

  // With `shortRows`: elements of a list that one row walks, and most of a list whose sums before each element one row
  // makes.
  int64_t partElements = 256, serialElements = 4096;

  //===--- Sums of all elements before each (CumSum) ---===//
  // Elements of a block, most of a list that is one block, and levels of blocks that a free size is taken to need.
  int64_t sumBlock = 16, sumInOneBlock = 64, freeSumLevels = 2;
  // Without `shortRows`: integers of one sum that one core adds one by one; more are worth several cores.
  int64_t mostInOrder = 1 << 16;

  //===--- Sorting ---===//
  // Fewer elements than `leastSkipping` are all looked at, as they are where more than one of `keptOfSkipping` is kept;
  // else blocks whose best comes too late are skipped.
  int64_t leastSkipping = 512, keptOfSkipping = 16;
  int64_t skippedBlock = 64; // elements of such a block, a power of two
  // With `shortRows`: so many elements are still sorted by one row.
  int64_t sortedByOneRow = 256;
  // With `shortRows`: entries that a row sorts before runs are merged, and makes of a merged run.
  int64_t runEntries = 64;

  //===--- Scatters ---===//
  // A row writes so many columns of a block of positions. There are at most `mostScatterBlocks` such blocks, each of
  // `scatterPositions` positions for each update, since all look at all updates, and `scatterElements` elements.
  int64_t scatterColumns = 256, scatterElements = 4096, scatterPositions = 8, mostScatterBlocks = 1024;
  // With `shortRows`: of so few updates every element looks at all.
  int64_t updatesLookedAt = 16;
  // With `shortRows`, of updates whose order matters: from so many of them on, and so many steps if every element
  // looked at all, they are written one by one.
  int64_t updatesInOrder = 64, stepsInOrder = 1 << 19;
  // Slices of a cache that the host places, one write each; more are one kernel that looks at each element.
  int64_t hostSlices = 16;

  //===--- Products ---===//
  // Rows of a product that a kernel computes together: where there are more, its right side is transposed once.
  int64_t productRows = 32;
  // Products of so few rows are bound by the bytes of their weights.
  int64_t bandwidthRows = 8;
  // Rows of products with quantised weights are rounded to bytes: nowhere, where the model allows it, or everywhere
  // (`--round-activations`). Where nothing adds up products of bytes it would be slower.
  enum class Rounding { Never, Allowed, Always } rounding = Rounding::Allowed;
  // With weights that have a scale for a column, in blocks of so many.
  int64_t roundedBlock = 64;
  // A constant table of so many bytes stays in bytes where floats are asked for.
  int64_t narrowTableBytes = 4096;
  // Up to this length a Fourier transform is one product, and up to the second where it has no factors.
  int64_t directTransform = 256, directPrimeTransform = 512;

  //===--- Results in phases (ConvTranspose) ---===//
  // Phases of depthwise convolutions that are a dispatch each, and neighbours of which each element chooses its own
  // without interleaving.
  int64_t phaseDispatches = 16, chosenPhases = 4;

  //===--- Reads at computed places ---===//
  // Channels that fill a vector: the least number of them for which an image is read with channels last.
  int64_t vectorChannels = 8;
};

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_TARGET_FORMS_FORMMODEL_H
