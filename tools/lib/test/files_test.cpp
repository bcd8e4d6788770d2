// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/lib/Files.h"

#include "tools/lib/Error.h"
#include "tools/lib/test/Expect.h"

#include <unistd.h>

namespace heddle::tools {
namespace {

using test::messageOf;
using test::TemporaryFolder;

TEST(Files, OldFileStandsUntilCommit) {
  TemporaryFolder folder;
  std::string path = folder.write("a", "old");
  {
    OutputFile file(path);
    file.write("new, not committed");
    EXPECT_EQ(TemporaryFolder::read(path), "old");
  }
  EXPECT_EQ(TemporaryFolder::read(path), "old");
  EXPECT_EQ(folder.files(), 1u);
  {
    OutputFile file(path);
    file.write("new");
    file.commit();
  }
  EXPECT_EQ(TemporaryFolder::read(path), "new");
  EXPECT_EQ(folder.files(), 1u);
}

TEST(Files, SymbolicLinkIsFollowed) {
  TemporaryFolder folder;
  std::string target = folder.write("target", "old"), link = folder.path("link");
  ASSERT_EQ(symlink(target.c_str(), link.c_str()), 0);
  OutputFile file(link);
  file.write("new");
  file.commit();
  EXPECT_EQ(TemporaryFolder::read(target), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(link));
}

TEST(Files, DeviceIsNotReplaced) {
  OutputFile file("/dev/null");
  file.write("x");
  file.commit();
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(Files, Unwritable) {
  TemporaryFolder folder;
  EXPECT_EQ(messageOf<Failure>([&] { OutputFile(folder.path("none/a")); }),
            "cannot write '" + folder.path("none/a") + "': No such file or directory");
  EXPECT_EQ(messageOf<Failure>([&] { OutputFile(folder.path("")); }),
            "cannot write '" + folder.path("") + "': Is a directory");
  EXPECT_EQ(messageOf<UsageError>([] { OutputFile(""); }), "an output file needs a name");
  EXPECT_EQ(messageOf<Failure>([] {
              OutputFile file("/dev/full");
              file.write("x");
            }),
            "cannot write '/dev/full': No space left on device");
}

TEST(Files, Unreadable) {
  TemporaryFolder folder;
  EXPECT_EQ(messageOf<Failure>([&] { readText(folder.path("none")); }),
            "cannot read '" + folder.path("none") + "': No such file or directory");
  EXPECT_EQ(messageOf<Failure>([&] { readText("/dev/null"); }), "cannot read '/dev/null': not a regular file");
  InputFile file(folder.write("a", "abc"));
  std::byte four[4];
  EXPECT_NE(messageOf<Failure>([&] { file.read(0, four); }).find("became shorter"), std::string::npos);
}

TEST(Files, ScratchFolder) {
  TemporaryFolder folder;
  setenv("TMPDIR", folder.path("").c_str(), 1);
  std::string path;
  {
    ScratchFolder scratch("x-");
    path = scratch.path();
    OutputFile(scratch.at("a")).commit();
    EXPECT_TRUE(std::filesystem::exists(path + "/a"));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  setenv("TMPDIR", folder.path("none").c_str(), 1);
  EXPECT_EQ(messageOf<Failure>([] { ScratchFolder("x-"); }),
            "cannot make a temporary folder in '" + folder.path("none") +
                "': No such file or directory; set TMPDIR to a folder that can be written");
  unsetenv("TMPDIR");
}

} // namespace
} // namespace heddle::tools
