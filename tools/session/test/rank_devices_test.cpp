// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/session/RankDevices.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace heddle::tools {
namespace {

using Uris = std::vector<std::string>;

Uris of(const Uris &devices, uint32_t perRank, uint32_t index, uint32_t count, std::vector<uint32_t> cores = {0, 1}) {
  return devicesOfRank(devices, perRank, {index, count}, cores);
}

TEST(RankDevices, InTurn) {
  Uris gpus = {"cuda://0", "cuda://1"};
  EXPECT_EQ(of(gpus, 1, 0, 3), Uris{"cuda://0"});
  EXPECT_EQ(of(gpus, 1, 1, 3), Uris{"cuda://1"});
  EXPECT_EQ(of(gpus, 1, 2, 3), Uris{"cuda://0"});
  EXPECT_EQ(of(gpus, 2, 1, 2), gpus);
  EXPECT_EQ(of({"a", "b", "c", "d"}, 2, 1, 2), (Uris{"c", "d"}));
  EXPECT_EQ(of(gpus, 5, 0, 2), gpus);
  EXPECT_EQ(of(gpus, 1, 0, 1), gpus); // one rank takes what fits
  EXPECT_EQ(of({}, 1, 1, 2), Uris{});
  EXPECT_EQ(of(gpus, 0, 1, 2), Uris{"cuda://1"});
}

TEST(RankDevices, CoresAreShared) {
  EXPECT_EQ(of({"local"}, 1, 1, 2), Uris{"local://1"});
  EXPECT_EQ(of({"local"}, 1, 0, 2, {2, 3, 5, 7, 8}), Uris{"local://2,3"});
  EXPECT_EQ(of({"local"}, 1, 1, 2, {2, 3, 5, 7, 8}), Uris{"local://5,7,8"});
  EXPECT_EQ(of({"local?cpu=x86-64-v3"}, 1, 4, 5), Uris{"local://0?cpu=x86-64-v3"}); // fewer cores than ranks
  EXPECT_EQ(of({"local://0-1"}, 1, 1, 2), Uris{"local://0-1"});                     // told
  EXPECT_EQ(of({"localhost"}, 1, 1, 2), Uris{"localhost"});
  EXPECT_EQ(of({"cpu?threads=1"}, 1, 1, 2), Uris{"cpu://1?threads=1"});
  EXPECT_EQ(of({"local"}, 1, 0, 1), Uris{"local"});
}

TEST(RankDevices, EachCoreHasOneRankWhereTheyGoRound) {
  std::vector<uint32_t> cores(64);
  for (uint32_t i = 0; i < 64; ++i)
    cores[i] = i;
  for (uint32_t ranks = 2; ranks <= 64; ++ranks) {
    size_t sum = 0;
    for (uint32_t rank = 0; rank < ranks; ++rank) {
      std::string uri = of({"local"}, 1, rank, ranks, cores)[0];
      sum += static_cast<size_t>(std::count(uri.begin(), uri.end(), ',')) + 1;
    }
    EXPECT_EQ(sum, 64u) << ranks;
  }
}

} // namespace
} // namespace heddle::tools
