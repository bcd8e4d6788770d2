// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heddle/contract/RankStatus.h"
#include "runtime/base/RankStatus.h"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace heddle;

namespace {

// The variable is read once, so all that there is to see lies in one test.
TEST(RankStatus, WritesItsRecord) {
  std::string path = testing::TempDir() + "rank_status_" + std::to_string(getpid());
  contract::RankStatusHeader header{contract::kRankStatusMagic, 2, sizeof(contract::RankRecord), {}};
  std::string bytes(sizeof(header) + 2 * sizeof(contract::RankRecord), 0);
  std::memcpy(bytes.data(), &header, sizeof(header));
  std::ofstream(path, std::ios::binary) << bytes;
  setenv(contract::kRankStatusVariable, path.c_str(), 1);

  rankstatus::enter(1, "psum", std::string(1000, 'n'));
  rankstatus::enter(2, "beyond", ""); // no such record
  auto record = [&] {
    std::ifstream file(path, std::ios::binary);
    file.seekg(sizeof(header) + sizeof(contract::RankRecord));
    std::string read(sizeof(contract::RankRecord), 0);
    file.read(read.data(), static_cast<std::streamsize>(read.size()));
    return read;
  };
  std::string raw = record();
  const auto *now = reinterpret_cast<const contract::RankRecord *>(raw.data());
  EXPECT_EQ(now->version.load(), 2u);
  EXPECT_EQ(now->inCollective.load(), 1u);
  EXPECT_EQ(now->sequence.load(), 1u);
  EXPECT_STREQ(now->name, "psum");
  EXPECT_EQ(std::string(now->location), std::string(sizeof(now->location) - 1, 'n'));
  EXPECT_NE(now->changedNs.load(), 0u);

  rankstatus::leave(1);
  raw = record();
  now = reinterpret_cast<const contract::RankRecord *>(raw.data());
  EXPECT_EQ(now->inCollective.load(), 0u);
  EXPECT_EQ(now->sequence.load(), 1u);
  EXPECT_EQ(now->failedNs.load(), 0u);
  rankstatus::fail(1);
  raw = record();
  now = reinterpret_cast<const contract::RankRecord *>(raw.data());
  EXPECT_GE(now->failedNs.load(), now->changedNs.load());
  unlink(path.c_str());
}

} // namespace
