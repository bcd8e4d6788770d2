// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The decisions of code generation, without compiling.
#include "compiler/Codegen/Plan/Configure.h"

#include <gtest/gtest.h>

using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

namespace {
constexpr cpu::CpuFeatures kAvx512 = {.name = "avx512",
                                      .vectorBytes = 64,
                                      .vectorRegisters = 32,
                                      .masks = true,
                                      .contractionRows = 8,
                                      .contractionVectors = 4,
                                      .secondLevelBytes = 2 << 20};
// A smaller second-level cache, a narrower tile: as the table has it.
constexpr cpu::CpuFeatures kSmallAvx512 = {.name = "avx512",
                                           .vectorBytes = 64,
                                           .vectorRegisters = 32,
                                           .masks = true,
                                           .contractionRows = 8,
                                           .contractionVectors = 3,
                                           .secondLevelBytes = 1 << 20};
constexpr cpu::CpuFeatures kAvx2 = {"avx2", 32, 16, false, 6, 2};
} // namespace

TEST(Configure, WidthIsTwoRegisters) {
  EXPECT_EQ(configureWidth(std::nullopt, 4, kAvx512), 32);
  EXPECT_EQ(configureWidth(std::nullopt, 8, kAvx512), 16);
  EXPECT_EQ(configureWidth(std::nullopt, 1, kAvx512), 32);
  EXPECT_EQ(configureWidth(std::nullopt, 4, kAvx2), 16);
}

TEST(Configure, WidthIsNotMuchMoreThanTheSize) {
  EXPECT_EQ(configureWidth(5, 4, kAvx512), 8); // masked
  EXPECT_EQ(configureWidth(5, 4, kAvx2), 4);   // one vector, then one by one
  EXPECT_EQ(configureWidth(1, 4, kAvx2), 1);
  EXPECT_EQ(configureWidth(0, 4, kAvx512), 1);
}

TEST(Configure, DynamicRowsTakeTheTileOfMany) {
  ContractionConfig config = configureContraction({{std::nullopt}, 512, 384}, kAvx512);
  EXPECT_EQ(config.rows(), 6);
  EXPECT_EQ(config.vectors, 4);
  EXPECT_EQ(config.width, 16);
  EXPECT_EQ(config.packing, Packing::Never);
  EXPECT_EQ(config.block[0] % config.tile[0], 0);
}

// Each number of rows has code of its own: of tiles that cost about as much those with fewer rows, and without a
// narrower last tile of columns.
TEST(Configure, DynamicRowsTakeTheShortestCode) {
  for (const cpu::CpuFeatures &features : {kAvx512, kSmallAvx512}) {
    auto tile = [&](int64_t n, int64_t k) {
      ContractionConfig config = configureContraction({{std::nullopt}, n, k, 4, true, 64, 16}, features);
      return std::tuple(config.rows(), config.vectors, config.lastVectors);
    };
    EXPECT_EQ(tile(512, 512), std::tuple(6, 4, 0));
    EXPECT_EQ(tile(768, 512), std::tuple(6, 4, 0));
    EXPECT_EQ(tile(48, 512), std::tuple(9, 3, 0));
  }
}

// Long sums of floats are in blocks: within a tile where its columns stay in the cache, else outside of all rows.
TEST(Configure, LongSumsAreInBlocks) {
  auto configure = [](std::vector<Size> m, Size k, bool blocks) {
    ContractionShape shape{std::move(m), 512, k};
    shape.blocks = blocks;
    return configureContraction(shape, kSmallAvx512);
  };
  EXPECT_EQ(configure({128}, 1024, true).depth, 0);
  EXPECT_EQ(configure({128}, 5000, false).depth, 0);
  EXPECT_EQ(configure({128}, 1100, true).depth, kDepth);
  EXPECT_FALSE(configure({128}, 1100, true).depthOutside);
  EXPECT_TRUE(configure({128}, 50000, true).depthOutside);
  EXPECT_TRUE(configure({128}, std::nullopt, true).depthOutside);
  EXPECT_TRUE(configure({std::nullopt}, 1100, true).depthOutside); // code for each number of rows
  EXPECT_FALSE(configure({1}, 50000, true).depthOutside);          // nothing to share a block with
  EXPECT_EQ(configure({1}, 50000, true).depth, kDepth);
}

// Tiles of two vectors are no taller than others.
TEST(Configure, DynamicRowsTakeNoTallTiles) {
  EXPECT_EQ(configureContraction({{std::nullopt}, 512, 4096}, kSmallAvx512).tile, (std::vector<int64_t>{9}));
  EXPECT_EQ(configureContraction({{std::nullopt}, 512, 4096}, kSmallAvx512).vectors, 2);
  EXPECT_EQ(configureContraction({{std::nullopt, std::nullopt}, 512, 384}, kAvx512).tile, (std::vector<int64_t>{1, 6}));
  EXPECT_EQ(configureContraction({{std::nullopt}, 512, 384}, kAvx2).rows(), 6);
}

// Images of 7x7 positions: how many there are changes nothing, neither do free ones.
TEST(Configure, ImagesHaveTilesOfOne) {
  ContractionShape shape{{7, 7}, 512, 4608, 4, true, 64, 16};
  shape.blocks = true;
  ContractionConfig one = configureContraction(shape, kSmallAvx512);
  for (Size images : {Size(8), Size()}) {
    shape.m = {images, 7, 7};
    ContractionConfig many = configureContraction(shape, kSmallAvx512);
    EXPECT_EQ(many.vectors, one.vectors);
    EXPECT_EQ(many.tile, (std::vector<int64_t>{1, one.tile[0], one.tile[1]}));
  }
}

TEST(Configure, OneRowIsCheaperInWideTiles) {
  for (const cpu::CpuFeatures &features : {kAvx512, kSmallAvx512, kAvx2}) {
    ContractionConfig many = configureContraction({{std::nullopt}, 512, 384}, features);
    ContractionConfig one = configureContraction({{1}, 512, 384}, features);
    EXPECT_GT(one.vectors, many.vectors);
    EXPECT_TRUE(isCheaperForRows(1, {}, one, many));
    EXPECT_FALSE(isCheaperForRows(2, {}, configureContraction({{2}, 512, 384}, features), many));
  }
}

// Columns that are taken apart fill registers that accumulators would spill from.
TEST(Configure, BodiesThatTakeColumnsApartHaveFewerAccumulators) {
  ContractionShape shape{{std::nullopt}, 128, 512};
  shape.body = {.columnValues = 3, .columnOps = 10, .rowValues = 2, .termOps = 3};
  for (Size rows : {Size(), Size(17), Size(100)}) {
    shape.m = {rows};
    ContractionConfig config = configureContraction(shape, kSmallAvx512);
    EXPECT_LE(config.rows() * config.vectors + 3 * config.vectors + 2, kSmallAvx512.vectorRegisters);
  }
}

TEST(Configure, StaticRowsDivideWell) {
  EXPECT_EQ(configureContraction({{28}, 64, 64}, kAvx512).rows(), 14);
  EXPECT_EQ(configureContraction({{7}, 64, 64}, kAvx512).rows(), 7);
  EXPECT_EQ(configureContraction({{1}, 64, 64}, kAvx512).rows(), 1);
}

TEST(Configure, SmallMapsTakeRowsOfTwoDimensions) {
  ContractionConfig config = configureContraction({{std::nullopt, 7, 7}, 512, 4608}, kAvx512);
  EXPECT_EQ(config.tile, (std::vector<int64_t>{1, 2, 7}));
  EXPECT_EQ(config.block, (std::vector<int64_t>{2, 7, 7}));
  EXPECT_EQ(configureContraction({{4, 3}, 64, 64}, kAvx512).rows(), 12);
  // Two rows of the map share three columns of the filter's window.
  EXPECT_EQ(configureContraction({{56, 56}, 64, 576}, kAvx512).tile, (std::vector<int64_t>{2, 3}));
}

TEST(Configure, FewRowsTakeTallTiles) {
  // Columns come from memory once, so a second tile of rows costs nothing; what it adds is instructions.
  for (int64_t m : {2, 4, 8})
    EXPECT_EQ(configureContraction({{m}, 1024, 1024, 4, true, 64, 16}, kAvx512).rows(), m);
  EXPECT_EQ(configureContraction({{16}, 1024, 1024, 4, true, 64, 16}, kAvx512).rows(), 14);
}

TEST(Configure, DeepColumnsTakeNarrowTiles) {
  // Of the second-level cache a tile's columns take a quarter at most.
  EXPECT_EQ(configureContraction({{196}, 256, 2048, 4, true, 64, 16}, kAvx512).vectors, 4);
  EXPECT_EQ(configureContraction({{196}, 256, 2304, 4, true, 64, 16}, kAvx512).vectors, 2);
  cpu::CpuFeatures small = kAvx512;
  small.secondLevelBytes = 1 << 20;
  EXPECT_EQ(configureContraction({{196}, 256, 2048, 4, true, 64, 16}, small).vectors, 2);
}

TEST(Configure, ThreeVectorsStayInASmallerCache) {
  auto tile = [](int64_t m, int64_t n, int64_t k) {
    ContractionConfig config = configureContraction({{m}, n, k, 4, true, 64, 16}, kSmallAvx512);
    return std::pair(config.tile[0], config.vectors);
  };
  EXPECT_EQ(tile(513, 528, 500), std::pair(int64_t{9}, int64_t{3}));
  EXPECT_EQ(tile(512, 528, 2048), std::pair(int64_t{9}, int64_t{3}));
  EXPECT_EQ(tile(512, 528, 2304).second, 2);
}

TEST(Configure, RowsOfATileDoNotDriveEachOtherOutOfTheFirstLevelCache) {
  auto rows = [](Size rowStride) {
    ContractionShape shape{{504}, 528, 1024, 4, true, 64, 16};
    shape.rowStride = rowStride;
    return configureContraction(shape, kSmallAvx512).rows();
  };
  EXPECT_EQ(rows(std::nullopt), 9);
  EXPECT_EQ(rows(2048), 9); // in two sets
  EXPECT_EQ(rows(4096), 8);
  EXPECT_EQ(rows(3 * 4096), 8);
  EXPECT_EQ(rows(4), 9); // in one line
}

// By the ways and sets of the processor's first-level cache.
TEST(Configure, OtherFirstLevelCachesKeepOtherRows) {
  ContractionShape shape{{504}, 528, 1024, 4, true, 64, 16};
  shape.rowStride = 4096;
  cpu::CpuFeatures features = kSmallAvx512;
  auto rows = [&](int64_t bytes, int64_t ways) {
    features.firstLevelBytes = bytes;
    features.firstLevelWays = ways;
    return configureContraction(shape, features).rows();
  };
  EXPECT_EQ(rows(32 << 10, 8), 8);
  EXPECT_EQ(rows(48 << 10, 12), 9);
  EXPECT_EQ(rows(64 << 10, 4), 9); // in four of 256 sets
  shape.rowStride = 1 << 14;       // in one
  EXPECT_EQ(rows(64 << 10, 4), 4);
}

TEST(Configure, RowsThatWouldCrowdASetAreCopied) {
  ContractionShape shape{{504}, 528, 1024, 4, true, 64, 16};
  auto copied = [&](int64_t stride, Size n) {
    shape.rowStride = stride;
    shape.rowBytes = stride;
    shape.n = n;
    ContractionConfig config = configureContraction(shape, kSmallAvx512);
    return config.copiesRows && config.rows() == 9;
  };
  EXPECT_TRUE(copied(4096, 528));
  EXPECT_TRUE(copied(4092, 528)); // eight of nine rows in one set
  EXPECT_FALSE(copied(2048, 528));
  EXPECT_FALSE(copied(4096, 128)); // too few columns to pay for it
  EXPECT_FALSE(copied(4096, std::nullopt));
  EXPECT_FALSE(copied(1 << 16, 528)); // a block would not stay near
  shape.rowBytes = std::nullopt;      // no run of memory
  shape.rowStride = 4096;
  shape.n = 528;
  EXPECT_FALSE(configureContraction(shape, kSmallAvx512).copiesRows);
  shape.rowsCopied = true; // in any case
  EXPECT_TRUE(configureContraction(shape, kSmallAvx512).copiesRows);
}

TEST(Configure, TheLastTileOfColumnsIsNarrow) {
  auto last = [](int64_t n, const cpu::CpuFeatures &features) {
    return configureContraction({{1000}, n, 64, 4, true, 64, 16}, features).lastVectors;
  };
  EXPECT_EQ(last(512, kAvx512), 0);
  EXPECT_EQ(last(100, kAvx512), 3);
  EXPECT_EQ(last(777, kAvx512), 1);
  EXPECT_EQ(last(100, kAvx2), 0); // no masks
}

TEST(Configure, TilesOfRowsAskForTheNextColumns) {
  auto next = [](Size m, int64_t panel) {
    return configureContraction({{m}, 1024, 1024, 4, true, 64, panel}, kAvx512).prefetchNext;
  };
  EXPECT_FALSE(configureContraction({{1000}, 512, 512, 4, true, 64, 16}, kAvx512).prefetchNext); // they all stay
  EXPECT_TRUE(next(1000, 16));
  EXPECT_TRUE(next(std::nullopt, 16));
  EXPECT_FALSE(next(8, 16)); // there is one
  EXPECT_FALSE(next(1000, 0));
}

TEST(Configure, WhatIsSetIsNotChosen) {
  ContractionShape shape{{std::nullopt}, 384, 384};
  ContractionConfig config = configureContraction(shape, kAvx512, {{6}, 4, {48}, {}});
  EXPECT_EQ(config.tile, std::vector<int64_t>{6});
  EXPECT_EQ(config.vectors, 4);
  EXPECT_EQ(config.block, std::vector<int64_t>{48});
  EXPECT_EQ(configureContraction(shape, kAvx512, {{}, 4, {}, {}}).rows(), 6); // what four vectors leave room for
  EXPECT_EQ(explainRefused(shape, kAvx512, {{6}, 4, {48}, {}}), "");
  // A tile of three vectors would end inside the next panel, or outside all.
  EXPECT_EQ(explainRefused({{64}, 33, 64, 4, true, 64, 16}, kAvx2, {{}, 3, {}, {}}),
            "vectors that end with a panel of 16 columns, got 3 vectors of 8");
}

TEST(Configure, BlocksHoldWholeTiles) {
  for (Size outer : {Size(), Size(1), Size(5), Size(100)})
    for (Size inner : {Size(), Size(3), Size(29), Size(300)}) {
      ContractionConfig config = configureContraction({{outer, inner}, 64, 64}, kAvx2);
      EXPECT_TRUE(config.block[0] % config.tile[0] == 0 || config.block[0] == outer);
      EXPECT_TRUE(config.block[1] % config.tile[1] == 0 || config.block[1] == inner);
    }
}

TEST(Configure, TilesCoverFewColumnsForNothing) {
  auto vectors = [](int64_t n, const cpu::CpuFeatures &features) {
    return configureContraction({{100}, n, 64}, features).vectors;
  };
  EXPECT_EQ(vectors(34, kAvx512), 3);
  EXPECT_EQ(vectors(68, kAvx512), 3);
  EXPECT_EQ(vectors(48, kAvx512), 3);
  EXPECT_EQ(vectors(16, kAvx512), 1);
  EXPECT_EQ(vectors(64, kAvx512), 4);
  EXPECT_EQ(vectors(1000, kAvx512), 4);
  EXPECT_EQ(vectors(24, kAvx2), 3);
}

TEST(Configure, OneRowUsesMoreVectors) {
  EXPECT_EQ(configureContraction({{1}, 1000, 64}, kAvx512).vectors, 8);
  EXPECT_EQ(configureContraction({{1}, 20, 64}, kAvx512).vectors, 2);
}

TEST(Configure, TilesFitTheRegisters) {
  for (const cpu::CpuFeatures &features : {kAvx512, kAvx2})
    for (Size m : {Size(), Size(1), Size(13), Size(100)})
      for (Size n : {Size(), Size(1), Size(17), Size(384)}) {
        ContractionConfig config = configureContraction({{m, m}, n, 64}, features);
        EXPECT_LT(config.rows() * config.vectors, features.vectorRegisters);
        EXPECT_GE(config.rows(), 1);
        EXPECT_GE(config.vectors, 1);
      }
}

TEST(Configure, ColumnsArePackedWhereTheyCannotBeLoaded) {
  EXPECT_EQ(configureContraction({{64}, 64, 64, 4, false}, kAvx512).packing, Packing::Always);
  EXPECT_EQ(configureContraction({{64}, 33, 64}, kAvx512).packing, Packing::Never); // masks
  EXPECT_EQ(configureContraction({{64}, 33, 64}, kAvx2).packing, Packing::Always);
}

TEST(Configure, PanelsNeedNoPacking) {
  for (const cpu::CpuFeatures &features : {kAvx512, kAvx2}) {
    EXPECT_EQ(configureContraction({{49}, 512, 4608, 4, true, 64, 16}, features).packing, Packing::Never);
    EXPECT_EQ(configureContraction({{49}, 33, 64, 4, true, 64, 16}, features).packing, Packing::Never); // padded
    ContractionConfig row = configureContraction({{}, 1000, 2048, 4, true, 64, 16}, features);
    EXPECT_EQ(row.packing, Packing::Never);
    EXPECT_TRUE(features.masks || row.vectors * row.width == 16); // no further than the padding
  }
  EXPECT_EQ(configureContraction({{49}, 512, 64, 4, true, 32, 8}, kAvx512).packing, Packing::Always); // too narrow
}

TEST(Configure, ColumnsArePackedWhereTheyDriveEachOtherOut) {
  EXPECT_EQ(configureContraction({{508}, 512, 1280, 4, true, 2048}, kAvx512).packing, Packing::Always);
  EXPECT_EQ(configureContraction({{std::nullopt}, 512, 1280, 4, true, 2048}, kAvx512).packing, Packing::ManyRows);
  EXPECT_EQ(configureContraction({{1}, 512, 1280, 4, true, 2048}, kAvx512).packing, Packing::Never);
  EXPECT_EQ(configureContraction({{508}, 512, 256, 4, true, 2048}, kAvx512).packing,
            Packing::Never); // few rows of columns
  EXPECT_EQ(configureContraction({{508}, 384, 1536, 4, true, 1536}, kAvx512).packing,
            Packing::Never); // spread over the sets
  cpu::CpuFeatures small = kAvx512;
  small.secondLevelBytes = 1 << 20;
  EXPECT_EQ(configureContraction({{508}, 384, 1536, 4, true, 1536}, small).packing, Packing::Always);
}

TEST(Configure, TilesOfWindowsFitTheRegistersAndShareInputs) {
  for (const cpu::CpuFeatures &features : {kAvx512, kAvx2})
    for (int64_t kernel : {2, 3, 5, 7})
      for (Size size : {Size(), Size(1), Size(7), Size(13), Size(56)}) {
        WindowAxis axis{size, kernel, 1, kernel - 1, size};
        WindowConfig config = configureWindow({{axis, axis}, kernel * kernel}, features);
        EXPECT_LT(config.height * config.length, features.vectorRegisters - 2);
        EXPECT_TRUE(!size || *size % config.height == 0);
        EXPECT_LE(config.length, size.value_or(56));
      }
  WindowConfig config = configureWindow({{{56, 3, 1, 2, 54}, {56, 3, 1, 2, 54}}, 9}, kAvx512);
  EXPECT_GT(config.height, 1);
  EXPECT_TRUE(config.keepsWeights);
  EXPECT_FALSE(configureWindow({{{56, 7, 1, 6, 50}, {56, 7, 1, 6, 50}}, 49}, kAvx512).keepsWeights);
}

TEST(Configure, LongWindowsHaveSumsThatDoNotWaitForEachOther) {
  auto window = [](Size length, int64_t kernel) {
    WindowAxis rows{14, kernel, 1, kernel - 1, 14}, columns{length, kernel, 1, kernel - 1, length};
    return configurePositionWindow({{rows, columns}, kernel * kernel}, kAvx512);
  };
  EXPECT_EQ(window(56, 3).parts, 1); // tiles of nine taps overlap
  EXPECT_EQ(window(56, 7).height * window(56, 7).parts, 8);
  EXPECT_EQ(window(14, 7).height, 7); // a row of one vector has no code for borders
  EXPECT_EQ(window(14, 7).parts, 1);
}

TEST(Configure, TileRegistersWhereTheyPay) {
  cpu::CpuFeatures amx = kAvx512;
  EXPECT_EQ(configureByteTiles({{128}, 384, 384}, amx), std::nullopt);
  amx.byteTiles = true;
  auto tile = [&](std::vector<Size> m, Size n, Size depth) {
    auto config = configureByteTiles({std::move(m), n, depth}, amx);
    return config ? std::tuple(config->tile, config->vectors, config->groups)
                  : std::tuple(std::vector<int64_t>{}, int64_t{0}, int64_t{0});
  };
  using Tile = std::vector<int64_t>;
  EXPECT_EQ(tile({128}, 384, 384), std::tuple(Tile{32}, 2, 16));
  EXPECT_EQ(tile({std::nullopt}, 384, 96), std::tuple(Tile{32}, 2, 12)); // two steps of 12 groups
  EXPECT_EQ(tile({3136}, 16, 64), std::tuple(Tile{32}, 1, 16));
  EXPECT_EQ(tile({196}, 256, 1024), std::tuple(Tile{28}, 2, 16)); // 7 whole tiles
  EXPECT_EQ(tile({28, 28}, 64, 64), std::tuple(Tile({1, 28}), 2, 16));
  EXPECT_EQ(tile({14, 14}, 64, 64), std::tuple(Tile({2, 14}), 2, 16)); // two lines of a map
  for (auto [m, depth] : {std::tuple<Size, Size>{3, 64}, {128, 3}, {128, 68}, {128, std::nullopt}})
    EXPECT_EQ(configureByteTiles({{m}, 64, depth}, amx), std::nullopt);
}

TEST(Configure, ShortReductionsSpareTheTilesMemory) {
  EXPECT_TRUE(configureContraction({{3136}, 64, 64}, kAvx512).storesFromRegisters);
  EXPECT_FALSE(configureContraction({{49}, 512, 4608}, kAvx512).storesFromRegisters);
  EXPECT_FALSE(configureContraction({{49}, 512, std::nullopt}, kAvx512).storesFromRegisters);
}

TEST(Configure, ShortSumsAskForTheLinesOfALargeResult) {
  auto asks = [](Size m, Size n, Size k, bool integer = false) {
    return configureContraction({.m = {m}, .n = n, .k = k, .panel = integer ? 0 : 16, .integer = integer}, kSmallAvx512)
        .prefetchResult;
  };
  EXPECT_TRUE(asks(3136, 256, 64));
  EXPECT_FALSE(asks(3136, 64, 64)); // stays in the second-level cache
  EXPECT_FALSE(asks(std::nullopt, 256, 64));
  EXPECT_FALSE(asks(3136, 256, 1024));       // stores have time
  EXPECT_TRUE(asks(1024, 1024, 1024, true)); // 256 groups
  EXPECT_FALSE(asks(3136, 256, 16));         // fewer steps than lines
}

TEST(Configure, TransposesTurnWholeRegisters) {
  TransposeConfig config = configureTranspose(std::nullopt, 4096, 4, kAvx512);
  EXPECT_EQ(config.tile, 16);
  EXPECT_EQ(config.rows * 4, 4096); // a page of the source from end to end
  EXPECT_EQ(config.columns % config.tile, 0);
  EXPECT_EQ(configureTranspose(std::nullopt, std::nullopt, 4, kAvx2).tile, 8);
  EXPECT_EQ(configureTranspose(std::nullopt, std::nullopt, 1, kAvx512).tile, 16);
  // No square is larger than the matrix; three channels are gathered.
  EXPECT_EQ(configureTranspose(9, 4096, 4, kAvx512).tile, 8);
  EXPECT_EQ(configureTranspose(3, 4096, 4, kAvx512).tile, 0);
}

TEST(Configure, ChainsTakeWholeTilesOrAllRows) {
  for (int64_t tile : {1, 4, 6, 8, 12}) {
    EXPECT_EQ(configureChainRows(std::nullopt, tile) % tile, 0);
    EXPECT_GE(configureChainRows(std::nullopt, tile), 24);
    EXPECT_LE(configureChainRows(4096, tile), 32);
  }
  EXPECT_EQ(configureChainRows(7, 6), 7);
  EXPECT_EQ(configureChainRows(1, 1), 1);
}

TEST(Configure, FunctionsKeepTilesNarrow) {
  ContractionShape shape{{128}, 1536, 384};
  shape.panel = 64;
  shape.functions = true;
  EXPECT_LE(configureContraction(shape, kAvx512).vectors, 2);
}
