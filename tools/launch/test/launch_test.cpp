// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What needs no processes: the report of a failure, lines of many ranks, where mpiexec is looked for.
#include "tools/launch/Mpiexec.h"
#include "tools/launch/RankOutput.h"
#include "tools/launch/Report.h"

#include "tools/lib/Error.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>

namespace heddle::tools {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

RankPlace place(uint64_t sequence, bool isInside, const std::string &name, uint64_t sinceNs = 0) {
  return {sequence, isInside, sinceNs, 0, name, ""};
}

TEST(Report, Ranks) {
  EXPECT_EQ(formatRanks({0}), "0");
  EXPECT_EQ(formatRanks({0, 1}), "0 and 1");
  EXPECT_EQ(formatRanks({0, 1, 2, 5, 7, 8, 9}), "0-2, 5 and 7-9");
  EXPECT_EQ(formatRanks({0, 2}, ", "), "0, 2");
}

TEST(Report, Places) {
  EXPECT_EQ(formatPlace(place(0, false, "")), "before its first collective");
  for (auto [sequence, text] : {std::pair(1, "1st"),
                                {2, "2nd"},
                                {3, "3rd"},
                                {4, "4th"},
                                {11, "11th"},
                                {12, "12th"},
                                {21, "21st"},
                                {112, "112th"},
                                {10, "10th"}})
    EXPECT_EQ(formatPlace(place(static_cast<uint64_t>(sequence), true, "x")),
              "in x, its " + std::string(text) + " collective");
  RankPlace named = place(2, false, "all_reduce 'psum'");
  named.location = "layer\n1";
  EXPECT_EQ(formatPlace(named), "after all_reduce 'psum', its 2nd collective (layer\\n1)");
}

TEST(Report, Failures) {
  std::vector<RankPlace> places = {place(2, true, "psum", kSecond), place(1, false, "psum", 2 * kSecond),
                                   place(2, true, "psum", kSecond * 3 / 2)};
  EXPECT_EQ(describeFailure({{1, SIGKILL, 0}}, places, 4 * kSecond),
            "rank 1 of 3 was ended by signal 9 (Killed) after psum, its 1st collective\n"
            "ranks 0 and 2 were in psum, its 2nd collective, for 3.0 s");
  EXPECT_EQ(describeFailure({{0, 1 << 8, 0}, {2, 1 << 8, 0}}, places, 4 * kSecond),
            "ranks 0 and 2 of 3 ended with status 1\nrank 1 was after psum, its 1st collective, for 2.0 s");
  EXPECT_EQ(describeFailure({{2, 7 << 8, 0}}, std::vector<RankPlace>(3), 0), "rank 2 of 3 ended with status 7");
  EXPECT_EQ(statusOf({{2, 7 << 8, 0}, {0, SIGKILL, 0}}), 7);
  EXPECT_EQ(statusOf({{0, SIGKILL, 0}, {2, 7 << 8, 0}}), kFailed);
}

struct Lines {
  std::string out, error;
  RankOutput output{true, [this](bool isError, const std::string &text) { (isError ? error : out) += text; }};
};

TEST(RankOutput, WholeLines) {
  Lines lines;
  lines.output.add(0, false, "a", 0);
  lines.output.add(1, false, "b\nc", 0);
  lines.output.add(0, false, "a\n", 0);
  EXPECT_EQ(lines.out, "[1] b\n[0] aa\n");
  lines.output.finish();
  EXPECT_EQ(lines.out, "[1] b\n[0] aa\n[1] c\n");
}

TEST(RankOutput, WhatSeveralSayIsSaidOnce) {
  Lines lines;
  for (uint32_t rank : {2u, 0u, 1u})
    lines.output.add(rank, true, "same\nend " + std::to_string(rank / 2) + "\n", 10);
  EXPECT_EQ(lines.output.flush(20), 10 + RankOutput::kMomentNs);
  EXPECT_EQ(lines.error, "");
  EXPECT_EQ(lines.output.flush(10 + RankOutput::kMomentNs), UINT64_MAX);
  EXPECT_EQ(lines.error, "[0-2] same\n[2] end 1\n[0, 1] end 0\n");
}

// A rank's own lines keep their order.
TEST(RankOutput, OrderOfARank) {
  Lines lines;
  lines.output.add(0, true, "x\ny\n", 0);
  lines.output.add(1, true, "y\nx\n", 0);
  lines.output.finish();
  EXPECT_EQ(lines.error, "[0] x\n[0, 1] y\n[1] x\n");
}

class Mpiexec : public ::testing::Test {
protected:
  Mpiexec() : root_(std::filesystem::temp_directory_path() / "heddle-mpiexec-XXXXXX") {
    std::string path = root_.string();
    root_ = mkdtemp(path.data());
  }
  ~Mpiexec() override { std::filesystem::remove_all(root_); }

  std::string program(const std::string &path) {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << "#!/bin/sh\n";
    std::filesystem::permissions(root_ / path, std::filesystem::perms::owner_all);
    return (root_ / path).string();
  }
  std::string find(const std::string &asked = "", const std::string &self = "/usr/bin/heddle-launch") {
    return findMpiexec(asked, self, [&](const char *name) -> const char * {
      auto found = variables.find(name);
      return found == variables.end() ? nullptr : found->second.c_str();
    });
  }
  std::filesystem::path root_;
  std::map<std::string, std::string> variables;
};

TEST_F(Mpiexec, Order) {
  EXPECT_THROW(find(), Failure);
  std::string onPath = program("path/mpirun");
  variables["PATH"] = "/nowhere:" + (root_ / "path").string();
  EXPECT_EQ(find(), onPath);
  std::string preferred = program("path/mpiexec");
  EXPECT_EQ(find(), preferred);
  std::string installed = program("env/bin/mpiexec");
  EXPECT_EQ(find("", (root_ / "env/lib/python3/site-packages/heddle/bin/heddle-launch").string()), installed);
  std::string active = program("venv/bin/mpiexec");
  variables["VIRTUAL_ENV"] = (root_ / "venv").string();
  EXPECT_EQ(find(), active);
  std::string ofLibrary = program("mpi/bin/mpiexec");
  std::filesystem::create_directories(root_ / "mpi/lib");
  variables["HEDDLE_MPI"] = (root_ / "mpi/lib").string();
  EXPECT_EQ(find(), ofLibrary);
  variables["HEDDLE_MPI"] = (root_ / "mpi/lib/libmpi_abi.so.1").string();
  EXPECT_EQ(find(), ofLibrary);
  variables["HEDDLE_MPIEXEC"] = onPath;
  EXPECT_EQ(find(), onPath);
  EXPECT_EQ(find("mpiexec"), preferred);
  EXPECT_THROW(find("/nowhere/mpiexec"), Failure);
}

TEST_F(Mpiexec, ItsLibrary) {
  std::string mpiexec = program("mpi/bin/mpiexec");
  EXPECT_EQ(libraryFolderOf(mpiexec), "");
  program("mpi/lib/libmpi.so.40");
  EXPECT_EQ(libraryFolderOf(mpiexec), std::filesystem::canonical(root_ / "mpi/lib").string());
}

} // namespace
} // namespace heddle::tools
