// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heddle/contract/Packing.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>

using namespace heddle::contract;

namespace {

using Bytes = std::vector<std::byte>;
using Shape = std::vector<int64_t>;

int64_t product(const Shape &shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
}

Bytes randomBytes(std::mt19937 &random, size_t count) {
  Bytes bytes(count);
  for (std::byte &byte : bytes)
    byte = static_cast<std::byte>(1 + random() % 255); // never what padding is
  return bytes;
}

// The definition, element by element of the target: where its index comes from, or padding.
Bytes packNaively(const Tiling &tiling, size_t elementBytes, const Shape &shape, const Bytes &source) {
  Shape physical = physicalShape(tiling, shape);
  Bytes target(product(physical) * elementBytes);
  size_t rank = shape.size();
  for (int64_t at = 0; at < product(physical); ++at) {
    Shape index(physical.size()), plain(rank, 0);
    for (int64_t dim = physical.size(), rest = at; dim-- > 0; rest /= physical[dim])
      index[dim] = rest % physical[dim];
    for (size_t i = 0; i < rank; ++i)
      plain[tiling.perm[i]] = index[i];
    for (size_t i = 0; i < tiling.innerDims.size(); ++i)
      plain[tiling.innerDims[i]] *= tiling.innerTiles[i];
    for (size_t i = 0; i < tiling.innerDims.size(); ++i)
      plain[tiling.innerDims[tiling.swizzle.empty() ? i : tiling.swizzle[i]]] += index[rank + i];
    int64_t from = 0;
    bool inside = true;
    for (size_t dim = 0; dim < rank; ++dim) {
      inside &= plain[dim] < shape[dim];
      from = from * shape[dim] + plain[dim];
    }
    if (inside)
      std::memcpy(&target[at * elementBytes], &source[from * elementBytes], elementBytes);
  }
  return target;
}

Tiling randomTiling(std::mt19937 &random, size_t rank) {
  Tiling tiling;
  tiling.perm.resize(rank);
  std::iota(tiling.perm.begin(), tiling.perm.end(), 0);
  tiling.innerDims = tiling.perm;
  std::shuffle(tiling.perm.begin(), tiling.perm.end(), random);
  std::shuffle(tiling.innerDims.begin(), tiling.innerDims.end(), random);
  tiling.innerDims.resize(random() % (rank + 1));
  for (size_t i = 0; i < tiling.innerDims.size(); ++i)
    tiling.innerTiles.push_back(1 + random() % 17);
  if (random() % 2) {
    tiling.swizzle.resize(tiling.innerDims.size());
    std::iota(tiling.swizzle.begin(), tiling.swizzle.end(), 0);
    std::shuffle(tiling.swizzle.begin(), tiling.swizzle.end(), random);
  }
  return tiling;
}

void expectSame(const Tiling &tiling, size_t elementBytes, const Shape &shape, std::mt19937 &random) {
  Bytes source = randomBytes(random, product(shape) * elementBytes);
  Bytes expected = packNaively(tiling, elementBytes, shape, source);
  Bytes packed(expected.size(), std::byte{0xcd}), back(source.size());
  ASSERT_EQ(packBytes(tiling, elementBytes, shape, source, packed), "");
  EXPECT_TRUE(packed == expected);
  ASSERT_EQ(unpackBytes(tiling, elementBytes, shape, packed, back), "");
  EXPECT_TRUE(back == source);
}

TEST(Packing, RandomTilingsMatchTheDefinition) {
  const char *given = std::getenv("HEDDLE_TEST_SEED");
  unsigned seed = given ? std::strtoul(given, nullptr, 10) : std::random_device()();
  SCOPED_TRACE("HEDDLE_TEST_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 500; ++round) {
    size_t rank = random() % 5;
    Shape shape;
    for (size_t dim = 0; dim < rank; ++dim)
      shape.push_back(random() % (rank > 3 ? 9 : 40));
    SCOPED_TRACE("round " + std::to_string(round));
    expectSame(randomTiling(random, rank), size_t(1) << random() % 4, shape, random);
    if (HasFailure())
      return;
  }
}

// Those that processors use, at sizes beyond a block.
TEST(Packing, PanelsAndGroups) {
  std::mt19937 random(7);
  expectSame({{1, 0}, {1}, {16}, {}}, 4, {1100, 77}, random);
  expectSame({{1, 0}, {1, 0}, {16, 4}, {}}, 1, {515, 77}, random);
  expectSame({{3, 0, 1, 2}, {3}, {16}, {}}, 4, {3, 3, 70, 40}, random);
  expectSame({{0, 2, 1}, {2, 1}, {16, 4}, {}}, 1, {3, 130, 33}, random);
  expectSame({{1, 0}, {}, {}, {}}, 4, {300, 301}, random);
}

TEST(Packing, PhysicalShape) {
  EXPECT_EQ(physicalShape({{1, 0}, {1}, {16}, {}}, Shape{64, 40}), (Shape{3, 64, 16}));
  EXPECT_EQ(physicalShape({{1, 0}, {1, 0}, {16, 4}, {1, 0}}, Shape{10, 17}), (Shape{2, 3, 4, 16}));
  EXPECT_EQ(physicalShape({{0, 1}, {0}, {8}, {}}, Shape{0, 5}), (Shape{0, 5, 8}));
}

TEST(Packing, RefusesWhatIsNoTiling) {
  Bytes source(24), target(24);
  auto pack = [&](const Tiling &tiling, size_t elementBytes, const Shape &shape) {
    return packBytes(tiling, elementBytes, shape, source, target);
  };
  EXPECT_EQ(pack({{0, 0}, {}, {}, {}}, 4, {2, 3}), "perm is a permutation of the tensor's 2 dimensions");
  EXPECT_EQ(pack({{0}, {}, {}, {}}, 4, {2, 3}), "perm is a permutation of the tensor's 2 dimensions");
  EXPECT_EQ(pack({{0, 1}, {1}, {}, {}}, 4, {2, 3}), "each inner dimension has a tile");
  EXPECT_EQ(pack({{0, 1}, {2}, {4}, {}}, 4, {2, 3}), "inner dimensions are different dimensions of the tensor");
  EXPECT_EQ(pack({{0, 1}, {1}, {0}, {}}, 4, {2, 3}), "tiles have at least one element");
  EXPECT_EQ(pack({{0, 1}, {1}, {4}, {1}}, 4, {2, 3}), "swizzle is a permutation of the inner dimensions");
  EXPECT_EQ(pack({{0, 1}, {}, {}, {}}, 3, {2, 3}), "elements have 1, 2, 4 or 8 bytes, got 3");
  EXPECT_EQ(pack({{0, 1}, {}, {}, {}}, 4, {-2, 3}),
            "the sizes of a tensor are not negative and their product fits in 63 bits");
  EXPECT_EQ(pack({{0, 1}, {}, {}, {}}, 4, {int64_t(1) << 40, int64_t(1) << 40}),
            "the sizes of a tensor are not negative and their product fits in 63 bits");
  EXPECT_EQ(pack({{0, 1}, {1}, {16}, {}}, 4, {2, 3}), "needs 24 bytes of source and 128 of target, got 24 and 24");
  EXPECT_EQ(pack({{0, 1}, {}, {}, {}}, 4, {2, 3}), "");
}

// 64 MB of a fully connected layer. The bound is ten times what a slow machine needs.
TEST(Packing, IsAsFastAsMemory) {
  Shape shape = {4096, 4096};
  for (auto [tiling, elementBytes] : {std::pair<Tiling, size_t>{{{1, 0}, {1}, {16}, {}}, 4},
                                      std::pair<Tiling, size_t>{{{1, 0}, {1, 0}, {16, 4}, {}}, 1}}) {
    Bytes source(product(shape) * elementBytes, std::byte{1}), target(source.size(), std::byte{2});
    timespec begin, end;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    ASSERT_EQ(packBytes(tiling, elementBytes, shape, source, target), "");
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    double ms = (end.tv_sec - begin.tv_sec) * 1e3 + (end.tv_nsec - begin.tv_nsec) / 1e6;
    std::printf("%zu MB in %.1f ms\n", source.size() >> 20, ms);
#ifdef NDEBUG
    EXPECT_LT(ms, 400);
#endif
  }
}

} // namespace
