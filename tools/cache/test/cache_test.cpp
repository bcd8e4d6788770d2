// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cache/CompileCache.h"
#include "tools/cache/Digest.h"
#include "tools/cache/ExternalFiles.h"
#include "tools/cache/Folder.h"
#include "tools/cache/Identity.h"
#include "tools/cache/Key.h"
#include "tools/lib/Error.h"

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle::tools {
namespace {

namespace fs = std::filesystem;

class Cache : public testing::Test {
protected:
  void SetUp() override {
    char name[] = "/tmp/heddle-cache-test-XXXXXX";
    root = mkdtemp(name);
  }
  void TearDown() override { fs::remove_all(root); }

  std::string write(const std::string &name, const std::string &content) const {
    std::ofstream(root + "/" + name, std::ios::binary) << content;
    return root + "/" + name;
  }
  static std::string read(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  Compilation made(const std::string &content = "artifact") const {
    return {"folder/m.onnx", write("out.heddle", content), 0, 0, "warning: x\n", "{}", {}, {}};
  }
  std::string entry(const std::string &key) const { return root + "/cache/compile/" + key + ".entry"; }

  std::string root;
  static constexpr uint64_t kMuch = 1 << 20;
};

TEST(Digest, KnowsLengths) {
  Digest a, b;
  a.add("ab");
  a.add("c");
  b.add("a");
  b.add("bc");
  EXPECT_NE(a.hex(), b.hex());
  EXPECT_EQ(a.hex().size(), 64u);
}

TEST_F(Cache, DigestOfAFileIsOfAllItsPieces) {
  std::string content(9 << 20, 'x');
  std::string before = digestFile(write("f", content));
  EXPECT_EQ(digestFile(root + "/f"), before);
  for (size_t at : {size_t{0}, size_t{4 << 20}, content.size() - 1}) {
    std::string other = content;
    other[at] = 'y';
    EXPECT_NE(digestFile(write("f", other)), before) << at;
  }
  EXPECT_NE(digestFile(write("f", content + "x")), before);
  EXPECT_THROW(digestFile(root + "/none"), Failure);
  ASSERT_EQ(mkfifo((root + "/pipe").c_str(), 0600), 0);
  EXPECT_THROW(digestFile(root + "/pipe"), Failure); // and does not wait for who writes
}

TEST_F(Cache, KeepsAndFinds) {
  CompileCache cache(root + "/cache");
  ASSERT_EQ(cache.reason(), "");
  EXPECT_FALSE(cache.find("k"));
  EXPECT_EQ(cache.keep("k", made(), kMuch), "");
  std::optional<Compilation> found = cache.find("k");
  ASSERT_TRUE(found);
  EXPECT_EQ(read(found->artifact), "artifact");
  EXPECT_EQ(found->messages, "warning: x\n");
  EXPECT_EQ(found->model, "m.onnx");
  EXPECT_EQ(cache.list().at(0).uses, 1u);
  EXPECT_FALSE(found->libraries.empty());
}

TEST_F(Cache, WhatIsDamagedIsNotThere) {
  CompileCache cache(root + "/cache");
  auto damage = [&](const std::string &path, const std::string &content) {
    ASSERT_EQ(cache.keep("k", made(), kMuch), "");
    ASSERT_TRUE(cache.find("k"));
    std::ofstream(path, std::ios::binary) << content;
    EXPECT_FALSE(cache.find("k")) << content;
  };
  ASSERT_EQ(cache.keep("k", made(), kMuch), "");
  std::string artifact = cache.find("k")->artifact, good = read(entry("k"));
  damage(artifact, "");
  damage(artifact, "artifacs");
  damage(artifact, "artifact.");
  damage(entry("k"), "");
  for (size_t size : {size_t{10}, size_t{80}, good.size() / 2, good.size() - 1})
    damage(entry("k"), good.substr(0, size));
  for (size_t at = 0; at < good.size(); at += 7) {
    std::string other = good;
    other[at] ^= 1;
    damage(entry("k"), other);
  }
}

TEST_F(Cache, AnotherLibraryIsAnotherCompiler) {
  CompileCache cache(root + "/cache");
  ASSERT_EQ(cache.keep("k", made(), kMuch), "");
  std::string library = cache.find("k")->libraries.front().first, text = read(entry("k"));
  text.replace(text.find(library), library.size(), write("none.so", "x"));
  size_t line = text.find('\n');
  std::ofstream(entry("k")) << text.substr(0, line - 64) << digestText(text.substr(line + 1)) << text.substr(line);
  EXPECT_FALSE(cache.find("k"));
}

TEST_F(Cache, IsBounded) {
  CompileCache cache(root + "/cache");
  std::string content(1000, 'x');
  for (const char *key : {"a", "b", "c"}) {
    ASSERT_EQ(cache.keep(key, made(content), kMuch), "");
    timespec times[2] = {{key[0], 0}, {key[0], 0}}; // used one after the other
    for (const fs::directory_entry &file : fs::directory_iterator(root + "/cache/compile"))
      if (file.path().filename().string()[0] == key[0])
        utimensat(AT_FDCWD, file.path().c_str(), times, 0);
  }
  ASSERT_TRUE(cache.find("a")); // the last used now
  uint64_t total = 0;
  for (const Stored &stored : listStored(root + "/cache"))
    total += stored.bytes;
  pruneStored(root + "/cache", total - 1);
  EXPECT_TRUE(cache.find("a"));
  EXPECT_FALSE(cache.find("b"));
  EXPECT_TRUE(cache.find("c"));
  EXPECT_NE(cache.keep("d", made(content), 999), "");
  pruneStored(root + "/cache", 0);
  EXPECT_TRUE(fs::is_empty(root + "/cache/compile"));
}

TEST_F(Cache, LeftoversOfTheKilledGo) {
  CompileCache cache(root + "/cache");
  std::string old = write("cache/compile/k.entry.tmp-ABCDEF", "x"),
              fresh = write("cache/compile/l.entry.tmp-ABCDEF", "x");
  timespec times[2] = {{1, 0}, {1, 0}};
  utimensat(AT_FDCWD, old.c_str(), times, 0);
  pruneStored(root + "/cache", kMuch);
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(fresh));
}

TEST_F(Cache, TrustsOnlyOwnFolders) {
  fs::create_directory(root + "/open");
  chmod((root + "/open").c_str(), 0777);
  EXPECT_NE(CompileCache(root + "/open").reason(), "");
  EXPECT_NE(CompileCache(write("file", "")).reason(), "");
  EXPECT_NE(CompileCache("").reason(), "");
  CompileCache cache(root + "/cache");
  ASSERT_EQ(cache.keep("k", made(), kMuch), "");
  fs::rename(entry("k"), root + "/elsewhere");
  fs::create_symlink(root + "/elsewhere", entry("k"));
  EXPECT_FALSE(cache.find("k"));
  struct stat info;
  stat((root + "/cache").c_str(), &info);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  if (geteuid() == 0) {
    ASSERT_EQ(chown((root + "/cache/compile").c_str(), 1234, 1234), 0);
    EXPECT_NE(CompileCache(root + "/cache").reason(), "");
  }
}

TEST_F(Cache, KeyIsOfEverything) {
  std::string compiler = write("compiler", "code"), model = write("m.mlir", "model"), file = write("place", "rules");
  KeyInputs inputs{compiler, {model}, "", {file}, {{"--mesh", {"x=2"}}}};
  std::string key = makeKey(inputs);
  EXPECT_EQ(makeKey(inputs), key);
  auto differs = [&](KeyInputs other) { EXPECT_NE(makeKey(other), key); };
  KeyInputs other = inputs;
  other.flags[0].second = {"x=", "2"};
  differs(other);
  other = inputs;
  other.content = "c";
  differs(other);
  fs::create_directory(root + "/sub");
  other = inputs;
  other.models = {write("sub/m.mlir", "model")};
  EXPECT_EQ(makeKey(other), key); // where it lies does not matter
  for (const char *name : {"compiler", "m.mlir", "place"}) {
    std::string before = read(root + "/" + name);
    write(name, before + "!");
    differs(inputs);
    write(name, before);
  }
  EXPECT_EQ(makeKey(inputs), key);
  setenv("LD_LIBRARY_PATH", "/nowhere", 1);
  differs(inputs);
  unsetenv("LD_LIBRARY_PATH");
}

// A field of bytes.
std::string field(int number, const std::string &content) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(content.size())} + content;
}

std::optional<std::set<std::string>> filesOf(const std::string &model) {
  return findExternalFiles(std::as_bytes(std::span(model)));
}

TEST_F(Cache, FindsExternalFiles) {
  auto tensor = [](const std::string &name) {
    return field(13, field(1, "location") + field(2, name)) + field(13, field(1, "offset") + field(2, "0"));
  };
  std::string graph = field(5, tensor("a")) + field(1, field(5, field(5, tensor("b")))) +
                      field(1, field(5, field(6, field(5, tensor("c")))));
  std::string model = field(7, graph) + "\x08\x09";
  EXPECT_EQ(filesOf(model), (std::set<std::string>{"a", "b", "c"}));
  EXPECT_EQ(filesOf(""), std::set<std::string>());
  for (size_t size = 1; size < model.size(); ++size)
    (void)filesOf(model.substr(0, size)); // no crash
  EXPECT_FALSE(filesOf(model.substr(0, 10)));
  EXPECT_FALSE(filesOf("<html>"));
  write("m.onnx", model);
  KeyInputs inputs{write("compiler", "code"), {root + "/m.onnx"}, "", {}, {}};
  EXPECT_THROW(makeKey(inputs), Failure);
  for (const char *name : {"a", "b", "c"})
    write(name, "1");
  std::string key = makeKey(inputs);
  write("c", "2");
  EXPECT_NE(makeKey(inputs), key);
}

TEST(Sizes, Parse) {
  EXPECT_EQ(parseSize("4096"), 4096u);
  EXPECT_EQ(parseSize("2GiB"), uint64_t{2} << 30);
  EXPECT_EQ(parseSize("500 MB"), 500000000u);
  EXPECT_EQ(parseSize("1.5GiB"), uint64_t{3} << 29);
  EXPECT_EQ(parseSize("0.5 kB"), std::nullopt); // units are as elsewhere: KB
  EXPECT_EQ(parseSize("2.25"), 2u);
  for (const char *bad :
       {"", "x", "-1", "2Gi", "2XB", "99999999999TiB", "inf", "nan", "1e3GiB", "0x10", "-0.5GiB", "1.5.5"})
    EXPECT_FALSE(parseSize(bad)) << bad;
}

TEST(Messages, PathsGoAndComeBack) {
  std::string text = withMarks("a/m.onnx:1: x\nm.onnx\n", {"m.onnx", "a/m.onnx"});
  EXPECT_EQ(withoutMarks(text, {"n.onnx", "/b/n.onnx"}), "/b/n.onnx:1: x\nn.onnx\n");
}

} // namespace
} // namespace heddle::tools
