// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/lib/CommandLine.h"

#include "tools/lib/Error.h"
#include "tools/lib/test/Expect.h"

namespace heddle::tools {
namespace {

using test::messageOf;

struct Flags {
  std::string file, function;
  std::vector<std::string> devices;
  std::optional<double> atol;
  std::optional<uint64_t> iterations;
  bool json = false;

  std::optional<int> parse(std::vector<const char *> arguments) {
    CommandLine line("heddle try", "Tries", "");
    line.positional(file, "FILE", "the file");
    line.list(devices, "--device", "URI", "a device");
    line.value(function, "--function", "NAME", "a function");
    line.value(atol, "--atol", "X", "a number");
    line.value(iterations, "--iterations", "N", "a count");
    line.flag(json, "--json", "as JSON");
    arguments.insert(arguments.begin(), "heddle-try");
    return line.parse(static_cast<int>(arguments.size()), arguments.data());
  }
};

std::string refusal(std::vector<const char *> arguments) {
  return messageOf<UsageError>([&] { Flags().parse(arguments); });
}

TEST(CommandLine, Values) {
  Flags flags;
  EXPECT_EQ(flags.parse({"--device=a", "--device", "b", "m.heddle", "--atol=1e-3", "--function=f=g", "--json",
                         "--iterations=7"}),
            std::nullopt);
  EXPECT_EQ(flags.file, "m.heddle");
  EXPECT_EQ(flags.devices, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(flags.function, "f=g");
  EXPECT_EQ(flags.atol, 1e-3);
  EXPECT_EQ(flags.iterations, 7u);
  EXPECT_TRUE(flags.json);
}

TEST(CommandLine, BracketsAndCommasStayInTheValue) {
  Flags flags;
  flags.parse({"m.heddle", "--device=[1,2]", "--device=2x2xf32=[[1 2][3 4]]"});
  EXPECT_EQ(flags.devices, (std::vector<std::string>{"[1,2]", "2x2xf32=[[1 2][3 4]]"}));
}

TEST(CommandLine, Absent) {
  Flags flags;
  flags.function = "main";
  flags.parse({"m"});
  EXPECT_EQ(flags.function, "main");
  EXPECT_EQ(flags.atol, std::nullopt);
  EXPECT_FALSE(flags.json);
}

TEST(CommandLine, Refused) {
  EXPECT_EQ(refusal({}), "FILE is missing: heddle try FILE …");
  EXPECT_EQ(refusal({"m", "--devise=a"}), "unknown flag '--devise'; did you mean '--device'?");
  EXPECT_EQ(refusal({"--jsno"}), "unknown flag '--jsno'; did you mean '--json'?");
  EXPECT_EQ(refusal({"m", "--frobnicate"}), "unknown flag '--frobnicate'");
  EXPECT_EQ(refusal({"m", "n"}), "unexpected argument 'n'; there is one FILE, 'm'");
  EXPECT_EQ(refusal({"m", "--device="}), "--device needs a value, got nothing after '='");
  EXPECT_EQ(refusal({"m", "--device"}), "--device: 1 required URI missing");
  EXPECT_EQ(refusal({"m", "--atol=abc"}), "--atol takes a number, got 'abc'");
  EXPECT_EQ(refusal({"m", "--iterations=-1"}), "--iterations takes a whole number, got '-1'");
}

} // namespace
} // namespace heddle::tools
