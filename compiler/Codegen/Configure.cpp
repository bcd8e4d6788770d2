#include "compiler/Codegen/Configure.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <numeric>

using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

int64_t codegen::configureWidth(Size size, int64_t elementBytes, const cpu::CpuFeatures &features) {
  // Two registers: enough independent work to hide the latency of additions and polynomials.
  int64_t width = 2 * features.vectorBytes / std::max<int64_t>(elementBytes, 4);
  if (size)
    width = std::min<int64_t>(width, llvm::PowerOf2Ceil(std::max<int64_t>(*size, 1)));
  // A vector that is never full would leave everything to the scalar remainder.
  if (!features.masks && size && *size < width)
    width /= 2;
  return std::max<int64_t>(width, 1);
}

// The tile height up to `most` that computes the fewest rows for nothing, the higher the better.
static int64_t chooseRows(Size m, int64_t usual, int64_t most) {
  if (!m)
    return usual;
  int64_t best = 1, bestCost = INT64_MAX;
  for (int64_t rows = 1; rows <= std::min(most, std::max<int64_t>(*m, 1)); ++rows) {
    int64_t tiles = llvm::divideCeil(*m, rows);
    // Each tile also loads its columns: about a row's work or two.
    int64_t cost = tiles * (rows + 2);
    if (cost <= bestCost)
      best = rows, bestCost = cost;
  }
  return best;
}

// Rows of columns a power of two apart share so few sets of the second-level cache that a tile's columns drive each
// other out before the next tile of rows reads them again.
static bool conflicts(const ContractionShape &shape) {
  constexpr int64_t kWayBytes = 131072, kWays = 8; // of 2 MiB in 16 ways, half for the other operands
  if (!shape.k || !shape.columnStride || *shape.columnStride == 0)
    return false;
  int64_t distinct = kWayBytes / std::gcd(kWayBytes, *shape.columnStride);
  return *shape.k > distinct * kWays;
}

ContractionConfig codegen::configureContraction(const ContractionShape &shape, const cpu::CpuFeatures &features) {
  ContractionConfig config;
  config.width = features.vectorBytes / shape.elementBytes;
  config.vectors = features.contractionVectors;
  if (shape.n)
    config.vectors = std::clamp<int64_t>(llvm::divideCeil(*shape.n, config.width), 1, config.vectors);
  // Accumulators, the columns' vectors and one broadcast share the registers.
  int64_t most = (features.vectorRegisters - 1 - config.vectors) / config.vectors;
  config.rows = chooseRows(shape.m, std::min(features.contractionRows, most), std::min<int64_t>(most, 14));
  if (config.rows == 1 && (!shape.n || *shape.n > config.width)) {
    // One row: independent accumulators only along n.
    config.vectors = std::min<int64_t>(8, features.vectorRegisters / 4);
    if (shape.n)
      config.vectors = std::clamp<int64_t>(llvm::divideCeil(*shape.n, config.width), 1, config.vectors);
  }
  constexpr int64_t kRows = 128; // of a workgroup: columns stay in cache for that long
  config.rowsPerWorkgroup = llvm::divideCeil(kRows, config.rows) * config.rows;
  int64_t tileColumns = config.width * config.vectors;
  bool ragged = !shape.n || *shape.n % tileColumns != 0;
  config.packing = Packing::Never;
  if (!shape.columnsContiguous || (ragged && !features.masks))
    config.packing = Packing::Always;
  else if (conflicts(shape))
    config.packing = !shape.m                                  ? Packing::ManyRows
                     : *shape.m >= kManyRowTiles * config.rows ? Packing::Always
                                                               : Packing::Never;
  return config;
}
