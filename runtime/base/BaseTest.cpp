// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/DeviceUri.h"
#include "runtime/base/JsonText.h"

#include <gtest/gtest.h>

using namespace heddle;

namespace {

TEST(Status, NotesAndPrefix) {
  EXPECT_TRUE(Status().ok());
  EXPECT_EQ(Status().text(), "ok");
  Status status = Status(StatusCode::NotFound, "no file").note("in a").prefix("load: ");
  EXPECT_EQ(status.clone().text(), "load: no file\nin a");
  EXPECT_EQ(status.code(), StatusCode::NotFound);
  EXPECT_TRUE(Status().note("x").prefix("y").ok());
  EXPECT_STREQ(spelling(StatusCode::KernelFailed), "kernel-failed");
}

TEST(DeviceUri, Parse) {
  auto uri = DeviceUri::parse("local://0-1?cpu=x86-64-v3&memory=64m");
  ASSERT_TRUE(uri.ok());
  EXPECT_EQ(uri->driver, "local");
  EXPECT_EQ(uri->path, "0-1");
  EXPECT_EQ(*uri->find("cpu"), "x86-64-v3");
  EXPECT_EQ(*uri->find("memory"), "64m");
  EXPECT_EQ(uri->find("other"), nullptr);
  EXPECT_EQ(uri->text(), "local://0-1?cpu=x86-64-v3&memory=64m");
  EXPECT_EQ(DeviceUri::parse("local")->text(), "local");
}

TEST(DeviceUri, Malformed) {
  for (const char *text : {"", "://0", "local://", "local?", "local?cpu", "local?=a", "local?cpu=", "lo cal"})
    EXPECT_FALSE(DeviceUri::parse(text).ok()) << text;
  EXPECT_EQ(DeviceUri::parse("a b").status().message(),
            "a device is driver[://which][?key=value[&key=value]…], got 'a b'; for example local://0-1");
}

TEST(DeviceUri, UnknownOption) {
  static constexpr std::string_view known[] = {"cpu", "memory"};
  EXPECT_EQ(DeviceUri::parse("local?memroy=1")->refuseUnknownOptions(known).message(),
            "the driver 'local' has the options cpu, memory, got 'memroy'; did you mean 'memory'?");
  EXPECT_TRUE(DeviceUri::parse("local?cpu=1")->refuseUnknownOptions(known).ok());
}

TEST(ByteCount, Suffixes) {
  EXPECT_EQ(*parseByteCount("7"), 7u);
  EXPECT_EQ(*parseByteCount("64m"), 64u << 20);
  EXPECT_EQ(*parseByteCount("2g"), uint64_t{2} << 30);
  for (const char *bad : {"", "m", "5x", "-1", "99999999999g"})
    EXPECT_FALSE(parseByteCount(bad).ok()) << bad;
}

TEST(JsonText, EscapesWhatJsonHasNot) {
  EXPECT_EQ(jsonText("a\"b\\c\n\x7f"), R"("a\"b\\c\u000a\u007f")");
  EXPECT_EQ(jsonText("\u00e9\u20ac\U0001f600"), "\"\u00e9\u20ac\U0001f600\"");
  EXPECT_EQ(jsonText("\xc3"), R"("\ufffd")") << "cut";
  EXPECT_EQ(jsonText("\xed\xa0\x80"), R"("\ufffd\ufffd\ufffd")") << "a surrogate";
  EXPECT_EQ(jsonText("\xc0\xaf"), R"("\ufffd\ufffd")") << "overlong";
}

} // namespace
