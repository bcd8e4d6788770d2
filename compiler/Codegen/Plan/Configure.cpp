// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Plan/Configure.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <numeric>
#include <vector>

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

int64_t ContractionConfig::rows() const {
  return std::accumulate(tile.begin(), tile.end(), int64_t{1}, std::multiplies<>());
}

int64_t ContractionConfig::blockRows() const {
  return std::accumulate(block.begin(), block.end(), int64_t{1}, std::multiplies<>());
}

namespace {

// The steps a dimension of rows takes: full tiles, then a smaller one.
struct Steps {
  int64_t full, rest;
  Steps(int64_t size, int64_t tile) : full(size / tile), rest(size % tile) {}
};

// Rows that only the call knows: a multiple of every tile that is tried.
constexpr int64_t kManyRows = 5040;

// What a tile costs for each k, in sixths of a cycle: its multiply-adds, two a cycle; or what the latency of as many
// leaves of a small one's time; or its instructions, three a cycle (of a core that another thread uses as well: six).
// A row is one more instruction, its element loaded into all lanes; a vector of columns another; the loop takes five.
int64_t tileCost(int64_t rows, int64_t vectors, const ContractionBody &body) {
  constexpr int64_t kAccumulators = 8; // hide the latency
  int64_t terms = rows * vectors * body.termOps;
  if (rows * vectors == 0)
    return 0;
  int64_t instructions = terms + rows * body.rowValues + vectors * body.columnOps + 5;
  return std::max(3 * std::max(terms, kAccumulators), 2 * instructions);
}

// Of all rows, by these tiles; sizes that are not known are many. The first tile waits for its columns to come from the
// third-level cache, a vector in six cycles.
int64_t coverCost(const ContractionShape &shape, const std::vector<int64_t> &tile, int64_t vectors) {
  const std::vector<Size> &m = shape.m;
  auto tileCost = [&](int64_t rows, int64_t count) { return ::tileCost(rows, count, shape.body); };
  constexpr int64_t kArrival = 38;
  if (m.empty())
    return std::max(tileCost(1, vectors), vectors * kArrival);
  size_t last = m.size() - 1;
  auto size = [&](size_t dim) { return std::max<int64_t>(m[dim].value_or(kManyRows), 1); };
  Steps down(last > 0 ? size(last - 1) : 1, last > 0 ? tile[last - 1] : 1), along(size(last), tile[last]);
  int64_t height = last > 0 ? tile[last - 1] : 1, length = tile[last];
  int64_t wait = std::max<int64_t>(vectors * kArrival - tileCost(height * length, vectors), 0);
  return down.full * along.full * tileCost(height * length, vectors) +
         down.full * tileCost(height * along.rest, vectors) + along.full * tileCost(down.rest * length, vectors) +
         tileCost(down.rest * along.rest, vectors) + wait;
}

// The tile of up to `most` rows, over the last two dimensions, that costs least; the longer along the last the better.
std::vector<int64_t> chooseTile(const ContractionShape &shape, int64_t most, int64_t vectors) {
  constexpr int64_t kMostOpen = 9; // of rows that are not known each number up to the tile's has code of its own
  const std::vector<Size> &m = shape.m;
  std::vector<int64_t> tile(m.size(), 1);
  if (m.empty())
    return tile;
  size_t last = m.size() - 1;
  if (!m[last])
    most = std::min(most, kMostOpen);
  int64_t inner = std::max<int64_t>(m[last].value_or(most), 1);
  int64_t outer = last > 0 && m[last] ? std::max<int64_t>(m[last - 1].value_or(1), 1) : 1;
  int64_t bestCost = INT64_MAX;
  std::vector<int64_t> candidate = tile;
  for (int64_t height = 1; height <= std::min(most, outer); ++height)
    for (int64_t length = std::min(most / height, inner); length > 0; --length) {
      candidate[last] = length;
      if (last > 0)
        candidate[last - 1] = height;
      if (int64_t cost = coverCost(shape, candidate, vectors); cost < bestCost) {
        bestCost = cost;
        tile = candidate;
      }
    }
  return tile;
}

// As many rows as `target` in one workgroup, whole inner dimensions first.
std::vector<int64_t> chooseBlock(const std::vector<Size> &m, const std::vector<int64_t> &tile, int64_t target) {
  std::vector<int64_t> block(m.size(), 1);
  for (size_t i = m.size(); i-- > 0;) {
    int64_t rows = std::max(target, tile[i]);
    if (m[i] && *m[i] <= rows) {
      block[i] = std::max<int64_t>(*m[i], 1);
    } else {
      if (m[i]) // blocks of about the same size
        rows = llvm::divideCeil(*m[i], llvm::divideCeil(*m[i], rows));
      block[i] = llvm::divideCeil(rows, tile[i]) * tile[i];
    }
    target = std::max<int64_t>(target / block[i], 1);
  }
  return block;
}

} // namespace

// Rows of a workgroup: columns stay in cache for that long.
static constexpr int64_t kBlockRows = 128;

// Steps of the reduction after which columns are other ones: all, or those of a block where tiles of rows share it.
static Size countResidentSteps(const ContractionShape &shape) {
  bool isLong = !shape.k || *shape.k > kMostInOneSum;
  return shape.blocks && isLong && !shape.m.empty() ? Size(kDepth) : shape.k;
}

// Whether a tile's columns take too much of the second-level cache: a quarter or, of three vectors, three eighths.
static bool isTooDeep(Size steps, const ContractionShape &shape, int64_t vectors, const cpu::CpuFeatures &features) {
  int64_t eighths = vectors > 3 ? 2 : 3;
  int64_t columnBytes =
      shape.integer ? features.vectorBytes / shape.dotGroup : features.vectorBytes; // of a vector, for each k
  return steps && *steps * vectors * columnBytes > features.secondLevelBytes / 8 * eighths;
}

// Rows of columns a power of two apart share so few sets of the second-level cache that a tile's columns drive each
// other out before the next tile of rows reads them again.
static bool conflicts(const ContractionShape &shape, const cpu::CpuFeatures &features) {
  constexpr int64_t kWays = 16, kOfColumns = kWays / 2; // the other half holds the other operands
  Size steps = countResidentSteps(shape);
  if (!steps || !shape.columnStride || *shape.columnStride == 0)
    return false;
  int64_t wayBytes = features.secondLevelBytes / kWays;
  int64_t distinct = wayBytes / std::gcd(wayBytes, *shape.columnStride);
  return *steps > distinct * kOfColumns;
}

// Copying the columns pays where there are rows enough.
static Packing chooseConflictPacking(const std::vector<Size> &m, int64_t tileRows) {
  int64_t rows = 1;
  for (Size size : m) {
    if (!size)
      return Packing::ManyRows;
    rows *= *size;
  }
  return rows >= kManyRowTiles * tileRows ? Packing::Always : Packing::Never;
}

// Vectors of a tile: the table's, but another number where its tiles cover clearly fewer vectors of nothing.
static int64_t chooseVectors(Size n, int64_t width, const cpu::CpuFeatures &features) {
  constexpr int64_t kFewestRows = 4, kMostVectors = 5;
  int64_t best = std::min<int64_t>(features.contractionVectors, 2);
  if (!n)
    return best;
  int64_t needed = std::max<int64_t>(llvm::divideCeil(*n, width), 1);
  if (needed <= best)
    return needed;
  auto covered = [&](int64_t vectors) { return llvm::divideCeil(needed, vectors) * vectors; };
  for (int64_t vectors = 2; vectors <= kMostVectors; ++vectors) // one would load a row's element for each product
    if ((features.vectorRegisters - 1 - vectors) / vectors >= kFewestRows &&
        covered(vectors) * 16 <= covered(best) * 15)
      best = vectors;
  return best;
}

// How many rows of a tile, up to `most`, have no more lines than `ways` in one set of the first-level cache: each line
// is read again for as many k as it has elements.
static int64_t countRowsThatStay(Size rowStride, int64_t most, int64_t ways, const cpu::CpuFeatures &features) {
  constexpr int64_t kLine = 64;
  std::vector<int64_t> lines(std::max<int64_t>(features.firstLevelBytes / features.firstLevelWays / kLine, 1));
  int64_t sets = lines.size();
  for (int64_t row = 0, last = -1; rowStride && row < most; ++row) {
    int64_t line = row * *rowStride / kLine;
    if (line != last && ++lines[line % sets] > ways)
      return row;
    last = line;
  }
  return most;
}

// Whether so many rows of a tile would leave the columns no way in some set of the first-level cache.
static bool areCrowded(const ContractionShape &shape, int64_t rows, const cpu::CpuFeatures &features) {
  return countRowsThatStay(shape.rowStride, rows, features.firstLevelWays - 1, features) < rows;
}

// Whether the result is known to be larger than so many bytes.
static bool isBeyond(const ContractionShape &shape, int64_t bytes) {
  int64_t size = shape.n.value_or(0) * shape.elementBytes;
  for (Size rows : shape.m)
    size *= rows.value_or(0);
  return size > bytes;
}

// Copying rows takes about as long as multiplying them with a few vectors of columns.
static bool paysToCopyRows(const ContractionShape &shape, const cpu::CpuFeatures &features) {
  constexpr int64_t kFewestColumns = 256;
  return shape.rowBytes && shape.n && *shape.n >= kFewestColumns &&
         *shape.rowBytes * kBlockRows <= 2 * features.secondLevelBytes;
}

// Accumulators, the columns' vectors and a row's broadcast elements share the registers; where columns are taken apart,
// constants, too, and of a number of rows that is not known all rows' elements, which LLVM loads first: their addresses
// are no constants apart for it.
static std::vector<int64_t> chooseRows(const ContractionShape &shape, int64_t vectors,
                                       const cpu::CpuFeatures &features) {
  const ContractionBody &body = shape.body;
  bool takesApart = body.columnValues > 1, isOpen = !shape.m.empty() && !shape.m.back();
  int64_t left = features.vectorRegisters - body.rowValues - vectors * body.columnValues - (takesApart ? 2 : 0);
  int64_t most = std::clamp<int64_t>(left / (vectors + (takesApart && isOpen ? body.rowValues : 0)), 1, 14);
  if (!shape.rowsCopied && !paysToCopyRows(shape, features))
    most = countRowsThatStay(shape.rowStride, most, features.firstLevelWays, features);
  return chooseTile(shape, most, vectors);
}

// What rows cost each tile of columns for each k, in sixths of a cycle, where all that is reduced of them is more than
// the second-level cache holds: they come from further away each time, a line in eight cycles.
static int64_t rowArrival(const ContractionShape &shape, const cpu::CpuFeatures &features) {
  constexpr int64_t kPerRow = 3;
  int64_t rows = 1, covered = 1; // all, and those of the last two dimensions, whose tiles coverCost counts
  for (auto [i, size] : llvm::enumerate(shape.m)) {
    int64_t many = std::max<int64_t>(size.value_or(kManyRows), 1);
    rows *= many;
    covered *= i + 2 >= shape.m.size() ? many : 1;
  }
  int64_t block = std::min(rows, kBlockRows);
  bool stays = shape.k && *shape.k * block * 4 <= features.secondLevelBytes;
  return shape.blocks && !stays && (!shape.k || *shape.k > kMostInOneSum) ? covered * kPerRow : 0;
}

// How many accumulators the code of all tiles has, in each tile of columns and the last: of a number of rows that is
// not known each number up to the tile's is written out.
static int64_t countWritten(int64_t rows, int64_t vectors, int64_t lastVectors) {
  return rows * (rows + 1) / 2 * (vectors + lastVectors);
}

// The vectors whose tiles cost clearly less than the table's; the last tile of columns is as narrow as it can be. Few
// vectors where a tile's columns would take too much of the second-level cache, a quarter or, of three vectors, three
// eighths. Where the rows are not known, those of tiles that cost about as much whose code is shorter by a quarter.
static int64_t chooseVectorsByCost(const ContractionShape &shape, int64_t width, const cpu::CpuFeatures &features) {
  constexpr int64_t kMany = 840, kMost = 8, kOfDeep = 2, kFewestOpenRows = 5;
  int64_t needed = shape.n ? std::max<int64_t>(llvm::divideCeil(*shape.n, width), 1) : kMany;
  int64_t arrival = rowArrival(shape, features);
  auto cost = [&](int64_t vectors) {
    std::vector<int64_t> tile = chooseRows(shape, vectors, features);
    Steps steps(needed, vectors);
    return steps.full * coverCost(shape, tile, vectors) + coverCost(shape, tile, steps.rest) +
           llvm::divideCeil(needed, vectors) * arrival;
  };
  bool dynamic = !shape.m.empty() && !shape.m.back();
  auto isTooWide = [&](int64_t vectors) {
    return isTooDeep(countResidentSteps(shape), shape, vectors, features) ||
           (dynamic && chooseRows(shape, vectors, features).back() < kFewestOpenRows);
  };
  auto written = [&](int64_t vectors) {
    return countWritten(chooseRows(shape, vectors, features).back(), vectors, needed % vectors);
  };
  int64_t best = std::min(isTooWide(features.contractionVectors) ? kOfDeep : features.contractionVectors, needed);
  int64_t bestCost = cost(best);
  for (int64_t vectors = kOfDeep; vectors <= std::min(kMost, needed); ++vectors) {
    if (vectors > kOfDeep && isTooWide(vectors))
      continue;
    int64_t other = cost(vectors);
    bool isCheaper = other * 16 <= bestCost * 15;
    bool isShorter = dynamic && other * 15 <= bestCost * 16 && written(vectors) * 4 <= written(best) * 3;
    if (isCheaper || isShorter) {
      best = vectors;
      bestCost = std::min(other, bestCost);
    }
  }
  return best;
}

bool codegen::isCheaperForRows(int64_t rows, const ContractionBody &body, const ContractionConfig &few,
                               const ContractionConfig &many) {
  return tileCost(rows, few.vectors, body) * many.vectors * 8 <= tileCost(rows, many.vectors, body) * few.vectors * 7;
}

// The chosen register tile: rows along each dimension and vectors.
static void chooseRegisterTile(ContractionConfig &config, const ContractionShape &shape,
                               const cpu::CpuFeatures &features, const ContractionOverride &set) {
  bool narrows = features.masks; // else the last tile costs as much as the others
  config.vectors = set.vectors > 0               ? set.vectors
                   : narrows && !shape.functions ? chooseVectorsByCost(shape, config.width, features)
                                                 : chooseVectors(shape.n, config.width, features);
  config.tile = set.tile.empty() ? chooseRows(shape, config.vectors, features) : set.tile;
  if (set.vectors == 0 && config.rows() == 1 && (!shape.n || *shape.n > config.width)) {
    // One row: independent accumulators only along n.
    config.vectors = std::min<int64_t>(8, features.vectorRegisters / 4);
    if (shape.n)
      config.vectors = std::clamp<int64_t>(llvm::divideCeil(*shape.n, config.width), 1, config.vectors);
  }
}

// Long sums of floats in blocks. These are outside of the tiles of rows where a tile's columns would not stay for all
// of them, or where each number of rows has code of its own, which then is that of a block only.
static void chooseDepth(ContractionConfig &config, const ContractionShape &shape, const cpu::CpuFeatures &features) {
  if (!shape.blocks || (shape.k && *shape.k <= kMostInOneSum))
    return;
  config.depth = kDepth;
  bool isOpen = llvm::any_of(shape.m, [](Size size) { return !size; });
  bool isOneTile = config.blockRows() <= config.rows();
  bool isBox = config.rows() != (config.tile.empty() ? 1 : config.tile.back()); // its last rows may be left out
  if (isOneTile || (isOpen && isBox) ||
      (!isOpen && !shape.decoded && shape.k && !isTooDeep(shape.k, shape, config.vectors, features)))
    return;
  config.depthOutside = true;
  config.prefetchNext = !shape.decoded;
}

ContractionConfig codegen::configureContraction(const ContractionShape &shape, const cpu::CpuFeatures &features,
                                                const ContractionOverride &set) {
  ContractionConfig config;
  config.width = features.vectorBytes / shape.elementBytes;
  chooseRegisterTile(config, shape, features, set);
  // Without masks the last tile may read the padding of its panel, but not the next panel.
  bool wholePanels = shape.panel > 0 && shape.panel % config.width == 0;
  if (wholePanels && !features.masks && (!shape.n || *shape.n % (config.width * config.vectors) != 0))
    config.vectors = std::min(config.vectors, shape.panel / config.width);
  int64_t tileColumns = config.width * config.vectors;
  bool ragged = !shape.n || *shape.n % tileColumns != 0;
  bool padded = wholePanels && shape.panel % tileColumns == 0;
  if (!shape.columnsContiguous || (shape.panel > 0 && !wholePanels) || (ragged && !features.masks && !padded))
    config.packing = Packing::Always;
  else if (conflicts(shape, features))
    config.packing = chooseConflictPacking(shape.m, config.rows());
  config.block = set.block.empty()
                     ? chooseBlock(shape.m, config.tile, config.packing == Packing::Never ? kBlockRows : 2 * kBlockRows)
                     : set.block;
  int64_t neighbours = config.tile.empty() ? 1 : config.tile.back();
  config.copiesRows = shape.rowsCopied || (paysToCopyRows(shape, features) && areCrowded(shape, neighbours, features));
  config.paddedColumns = wholePanels;
  if (features.masks && shape.n && config.packing == Packing::Never)
    config.lastVectors = llvm::divideCeil(*shape.n, config.width) % config.vectors;
  constexpr int64_t kSharingTiles = 4; // of rows, that ask for the next columns by turns
  bool stays = shape.k && shape.n && *shape.k * *shape.n * shape.elementBytes <= features.secondLevelBytes;
  bool shares = !stays && config.blockRows() >= kSharingTiles * config.rows();
  config.prefetchNext =
      wholePanels && config.packing == Packing::Never && !shape.integer && set.prefetchNext.value_or(shares);
  Size steps = shape.k ? Size(shape.integer ? *shape.k / shape.dotGroup : *shape.k) : std::nullopt;
  config.storesFromRegisters = steps && *steps <= kShortReduction;
  chooseDepth(config, shape, features);
  constexpr int64_t kFewestSteps = 32;
  config.prefetchResult = config.storesFromRegisters && *steps >= kFewestSteps && config.rows() > 1 &&
                          isBeyond(shape, features.secondLevelBytes);
  return config;
}

static std::string explainRows(const std::vector<int64_t> &rows, size_t dims) {
  std::string got;
  for (int64_t size : rows)
    got += (got.empty() ? ", got " : "*") + std::to_string(size);
  if (!rows.empty() && rows.size() != dims)
    return "one number for each of the " + std::to_string(dims) + " dimensions of rows" + got;
  if (std::any_of(rows.begin(), rows.end(), [](int64_t size) { return size < 1; }))
    return "numbers of at least 1" + got;
  return "";
}

std::string codegen::explainRefused(const ContractionShape &shape, const cpu::CpuFeatures &features,
                                    const ContractionOverride &set) {
  for (const std::vector<int64_t> *rows : {&set.tile, &set.block})
    if (std::string reason = explainRows(*rows, shape.m.size()); !reason.empty())
      return reason;
  if (set.vectors < 0)
    return "at least one vector, got " + std::to_string(set.vectors);
  ContractionConfig config = configureContraction(shape, features, set);
  if (set.vectors > config.vectors)
    return "vectors that end with a panel of " + std::to_string(shape.panel) + " columns, got " +
           std::to_string(set.vectors) + " vectors of " + std::to_string(config.width);
  if (int64_t used = config.rows() * config.vectors + config.vectors + 1; used > features.vectorRegisters)
    return "a tile that fits " + std::to_string(features.vectorRegisters) + " registers, got one that takes " +
           std::to_string(used);
  for (size_t i = 0; i < shape.m.size(); ++i)
    if (config.block[i] % config.tile[i] != 0 && shape.m[i] != config.block[i])
      return "blocks of whole tiles of " + std::to_string(config.tile[i]) + " rows, got " +
             std::to_string(config.block[i]);
  return "";
}

TransposeConfig codegen::configureTranspose(Size rows, Size columns, int64_t elementBytes,
                                            const cpu::CpuFeatures &features) {
  constexpr int64_t kMostLanes = 16, kFewest = 4, kPage = 4096, kLines = 256; // four lines of cache
  TransposeConfig config;
  int64_t tile = std::min(features.vectorBytes / elementBytes, kMostLanes);
  for (Size size : {rows, columns})
    if (size)
      while (tile > *size)
        tile /= 2;
  if (tile < kFewest)
    return config;
  config.tile = tile;
  config.rows = kPage / elementBytes;
  config.columns = std::max(kLines / elementBytes, tile);
  return config;
}

std::optional<ContractionConfig> codegen::configureByteTiles(const ContractionShape &shape,
                                                             const cpu::CpuFeatures &features) {
  constexpr int64_t kWidth = 16, kMostRows = 16, kMostGroups = 16, kFewestRows = 4, kFewestGroups = 4;
  if (!features.byteTiles || !shape.k || shape.m.empty())
    return std::nullopt;
  ContractionConfig config;
  config.width = kWidth;
  config.vectors = shape.n && *shape.n <= kWidth ? 1 : 2;
  int64_t groups = llvm::divideCeil(*shape.k, 4);
  config.groups = std::min(groups, kMostGroups);
  while (config.groups > 0 && groups % config.groups != 0)
    --config.groups;
  // Two registers of rows: along the innermost dimension of rows, or two lines of it where it is short.
  config.tile.assign(shape.m.size(), 1);
  config.tile.back() = 2 * kMostRows;
  if (Size inner = shape.m.back()) {
    int64_t tiles = std::max<int64_t>(llvm::divideCeil(*inner, 2 * kMostRows), 1);
    config.tile.back() = llvm::divideCeil(*inner, tiles);
    size_t rank = shape.m.size();
    if (*inner <= kMostRows && rank > 1 && shape.m[rank - 2] && *shape.m[rank - 2] > 1)
      config.tile[rank - 2] = 2;
  }
  if (config.groups < kFewestGroups || config.rows() < kFewestRows)
    return std::nullopt;
  // Of a workgroup: columns that must be copied first are used by more of them.
  config.block = chooseBlock(shape.m, config.tile, shape.columnsContiguous ? 128 : 512);
  return config;
}

int64_t codegen::configureChainRows(Size rows, int64_t tile, int64_t groups) {
  // Enough that the columns are read from cache, few enough that 1,000 scores each are in it.
  constexpr int64_t kRows = 32;
  int64_t block = std::max<int64_t>(kRows / (tile * groups), 1) * tile;
  return rows && *rows <= block ? std::max<int64_t>(*rows, 1) : block;
}
