// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/LaunchedRank.h"

#include <gtest/gtest.h>
#include <map>

using namespace heddle;

namespace {

using Variables = std::map<std::string, std::string>;

StatusOr<std::optional<LaunchedRank>> of(const Variables &variables) {
  return launchedRank([&](const char *name) -> const char * {
    auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

void expectRank(const Variables &variables, LaunchedRank::Launcher launcher, std::vector<uint32_t> numbers) {
  auto got = of(variables);
  ASSERT_TRUE(got.ok()) << got.status().text();
  ASSERT_TRUE(got->has_value());
  const LaunchedRank &rank = **got;
  EXPECT_EQ(rank.launcher, launcher);
  EXPECT_EQ((std::vector{rank.rank, rank.size, rank.localRank, rank.localSize}), numbers);
}

TEST(LaunchedRank, Launchers) {
  expectRank({{"OMPI_COMM_WORLD_RANK", "5"},
              {"OMPI_COMM_WORLD_SIZE", "8"},
              {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
              {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"}},
             LaunchedRank::Launcher::OpenMpi, {5, 8, 1, 4});
  expectRank({{"PMI_RANK", "2"}, {"PMI_SIZE", "3"}}, LaunchedRank::Launcher::Pmi, {2, 3, 0, 1});
  expectRank({{"PMI_RANK", "2"}, {"PMI_SIZE", "3"}, {"MPI_LOCALRANKID", "2"}, {"MPI_LOCALNRANKS", "3"}},
             LaunchedRank::Launcher::Pmi, {2, 3, 2, 3});
  expectRank({{"SLURM_PROCID", "7"}, {"SLURM_STEP_NUM_TASKS", "8"}, {"SLURM_STEP_ID", "0"}, {"SLURM_LOCALID", "3"}},
             LaunchedRank::Launcher::Slurm, {7, 8, 3, 4});
  expectRank({{"RANK", "0"},
              {"WORLD_SIZE", "2"},
              {"MASTER_ADDR", "127.0.0.1"},
              {"LOCAL_RANK", "0"},
              {"LOCAL_WORLD_SIZE", "2"}},
             LaunchedRank::Launcher::Torchrun, {0, 2, 0, 2});
}

TEST(LaunchedRank, None) {
  EXPECT_FALSE(of({})->has_value());
  EXPECT_FALSE(of({{"RANK", "1"}, {"WORLD_SIZE", "2"}})->has_value());           // anybody's names
  EXPECT_FALSE(of({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}})->has_value()); // the job's script
}

TEST(LaunchedRank, Malformed) {
  for (const char *text : {"", "x", "-1", "1x", "99999999999"})
    EXPECT_EQ(of({{"PMI_RANK", text}, {"PMI_SIZE", "3"}}).status().message(),
              std::string("the launcher's variable PMI_RANK must be a number that is not negative, got '") + text +
                  "'");
  EXPECT_EQ(of({{"PMI_RANK", "3"}, {"PMI_SIZE", "3"}}).status().message(),
            "the launcher's variable PMI_RANK must be below PMI_SIZE, got 3 and 3");
  EXPECT_FALSE(of({{"PMI_RANK", "0"}, {"PMI_SIZE", "0"}}).ok());
  EXPECT_FALSE(of({{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}, {"MPI_LOCALRANKID", "2"}, {"MPI_LOCALNRANKS", "2"}}).ok());
}

} // namespace
