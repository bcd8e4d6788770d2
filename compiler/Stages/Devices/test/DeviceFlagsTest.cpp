// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Devices/DeviceFlags.h"

#include <gtest/gtest.h>

using namespace mlir::heddle;

namespace {

std::string spell(const FlagValue &value) {
  if (value.kind != FlagValue::List)
    return (value.kind == FlagValue::Number ? "#" : "") + value.text;
  std::string text;
  for (const FlagValue &item : value.items)
    text += (text.empty() ? "[" : " ") + spell(item);
  return text + "]";
}

// The flag in another notation, or the error with its position.
std::string parse(const std::string &text) {
  DeviceFlag flag;
  if (auto error = parseDeviceFlag(text, flag))
    return std::to_string(error->position) + ": " + error->message;
  std::string result = flag.name.empty() ? "" : flag.name + " is ";
  for (const DeviceSpec &spec : flag.specs) {
    result += &spec == &flag.specs.front() ? "" : " or ";
    result += spec.kind == DeviceSpec::Attribute ? "attribute " : spec.kind == DeviceSpec::Fallback ? "as " : "";
    result += spec.text + (spec.ordinal ? " number " + std::to_string(*spec.ordinal) : "");
    for (const auto &[key, value] : spec.options)
      result += " " + key + ":" + spell(value);
  }
  return result + (flag.count ? " times " + std::to_string(*flag.count) : "");
}

TEST(DeviceFlags, Grammar) {
  EXPECT_EQ(parse("local"), "local");
  EXPECT_EQ(parse("vulkan,local"), "vulkan or local");
  EXPECT_EQ(parse("cuda[0]"), "cuda number 0");
  EXPECT_EQ(parse("gpu=vulkan"), "gpu is vulkan");
  EXPECT_EQ(parse("gpu=vulkan,fallback(@cpu)"), "gpu is vulkan or as cpu");
  EXPECT_EQ(parse("cpu=local{cpu=[x86-64-v3,x86-64-v4+avxvnni]}"), "cpu is local cpu:[x86-64-v3 x86-64-v4+avxvnni]");
  EXPECT_EQ(parse("local{cpu=host}"), "local cpu:host");
  EXPECT_EQ(parse("cuda[3]{arch=sm_90,memory=2GiB,units=132,scale=0.5,at=1.2.3},local"),
            "cuda number 3 arch:sm_90 memory:2GiB units:#132 scale:#0.5 at:1.2.3 or local");
  EXPECT_EQ(parse("a{b=[[1,2],[c]]}"), "a b:[[#1 #2] [c]]");
  EXPECT_EQ(parse("a{gflops=1e3,memory=2TiB,x=1.5E-2,y=1-2,z=1e}"), "a gflops:#1e3 memory:2TiB x:#1.5E-2 y:1-2 z:1e");
}

TEST(DeviceFlags, KindsAreWrittenOut) {
  EXPECT_EQ(parse("cpu"), "local");
  EXPECT_EQ(parse("gpu"), "cuda or vulkan");
  EXPECT_EQ(parse("x=gpu[1],cpu{cpu=generic}"), "x is cuda number 1 or vulkan number 1 or local cpu:generic");
  EXPECT_EQ(parse("fallback(@gpu)"), "as gpu");
}

TEST(DeviceFlags, AttributesReachToTheNextCommaOutsideBrackets) {
  EXPECT_EQ(parse("#device.target<\"a,b>\", [#x<{c = [1, 2]}>]>,local"),
            "attribute #device.target<\"a,b>\", [#x<{c = [1, 2]}>]> or local");
  EXPECT_EQ(parse("g=#t.l<@a -> @b>"), "g is attribute #t.l<@a -> @b>");
  EXPECT_EQ(parse("#device.alias<\"\\\"\">"), "attribute #device.alias<\"\\\"\">");
  // An '=' inside an attribute or braces is no name.
  EXPECT_EQ(parse("#a<{x = 1}>"), "attribute #a<{x = 1}>");
}

TEST(DeviceFlags, ErrorsPointAtTheCharacter) {
  EXPECT_EQ(parse(""), "0: expected a device such as local, vulkan[0] or #device.target<…>, got the end");
  EXPECT_EQ(parse("=local"), "0: expected a device's name before '=', such as gpu=vulkan");
  EXPECT_EQ(parse("a=b=c"), "3: expected ',', '*' or the end after a device, got '='");
  EXPECT_EQ(parse("local,"), "6: expected a device such as local, vulkan[0] or #device.target<…>, got the end");
  EXPECT_EQ(parse("cuda[x]"), "5: expected an ordinal, a number from 0 on, got 'x'");
  EXPECT_EQ(parse("cuda[ö]"), "5: expected an ordinal, a number from 0 on, got 'ö'");
  EXPECT_EQ(pointAt("#a<\"ö\">x", {"m", 8}), "m\n  #a<\"ö\">x\n         ^");
  EXPECT_EQ(parse("cuda[]"), "5: expected an ordinal, a number from 0 on, got ']'");
  EXPECT_EQ(parse("cuda[-1]"), "5: expected an ordinal, a number from 0 on, got '-'");
  EXPECT_EQ(parse("cuda[1"), "6: expected ']' after an ordinal, got the end");
  EXPECT_EQ(parse("cuda[99999999999]"), "5: an ordinal is at most 2147483647, got 99999999999");
  EXPECT_EQ(parse("cuda[1]x"), "7: expected ',', '*' or the end after a device, got 'x'");
  EXPECT_EQ(parse("local{}"), "6: expected an option, key=value, got '}'");
  EXPECT_EQ(parse("local{cpu}"), "9: expected '=' after an option's key, got '}'");
  EXPECT_EQ(parse("local{cpu=}"), "10: expected a value: a word, a number or [value,…], got '}'");
  EXPECT_EQ(parse("local{cpu=[a,}"), "13: expected a value: a word, a number or [value,…], got '}'");
  EXPECT_EQ(parse("local{cpu=[a}"), "12: expected ']' after the values of a list, got '}'");
  EXPECT_EQ(parse("local{cpu=a,cpu=b}"), "12: option 'cpu' is given twice");
  EXPECT_EQ(parse("local{cpu=a"), "11: expected '}' after the options of a device, got the end");
  EXPECT_EQ(parse("#device.target<\"a]>"), "15: this string has no end");
  EXPECT_EQ(parse("#device.alias<\"\\"), "14: this string has no end");
  EXPECT_EQ(parse("#device.alias<\"a\\\""), "14: this string has no end");
  EXPECT_EQ(parse("#device.target<["), "16: expected ']', got the end");
  EXPECT_EQ(parse("#device.target<]"), "15: unexpected ']', expected '>'");
  EXPECT_EQ(parse("fallback(cpu)"), "9: expected '@' before the name of the device to fall back to, got 'c'");
  EXPECT_EQ(parse("fallback(@)"), "10: expected the name of a device, such as fallback(@cpu), got ')'");
}

TEST(DeviceFlags, Counts) {
  EXPECT_EQ(parse("local*4"), "local times 4");
  EXPECT_EQ(parse("gpu=cuda[2]{arch=sm_90}*8"), "gpu is cuda number 2 arch:sm_90 times 8");
  EXPECT_EQ(parse("gpu=vulkan,local*4096"), "gpu is vulkan or local times 4096");
  EXPECT_EQ(parse("#device.ordinal<1>*2"), "attribute #device.ordinal<1> times 2");
  EXPECT_EQ(parse("#a<{b = \"*\"}>*1"), "attribute #a<{b = \"*\"}> times 1");
  EXPECT_EQ(parse("local*"), "6: expected a count of devices, such as cuda*8, got the end");
  EXPECT_EQ(parse("local*x"), "6: expected a count of devices, such as cuda*8, got 'x'");
  EXPECT_EQ(parse("local*0"), "6: an artifact has from 1 to 4096 devices, got 0");
  EXPECT_EQ(parse("local*4097"), "6: an artifact has from 1 to 4096 devices, got 4097");
  EXPECT_EQ(parse("local*99999999999999999999"), "6: an artifact has from 1 to 4096 devices, got 99999999999999999999");
  EXPECT_EQ(parse("local*2,vulkan"), "7: expected the end after a count, got ','");
  EXPECT_EQ(parse("*2"), "0: expected a device such as local, vulkan[0] or #device.target<…>, got '*'");
}

TEST(DeviceFlags, Pointing) { EXPECT_EQ(pointAt("cuda[x]", {"what", 5}), "what\n  cuda[x]\n       ^"); }

std::string parseAll(const std::vector<std::string> &texts, bool targetCpu = false) {
  std::vector<DeviceFlag> flags;
  return parseDeviceFlags(texts, targetCpu, flags);
}

TEST(DeviceFlags, NamesForAllOrNone) {
  EXPECT_EQ(parseAll({}), "");
  EXPECT_EQ(parseAll({"a=local", "b=local"}), "");
  EXPECT_EQ(parseAll({"local", "local"}), "");
  EXPECT_EQ(parseAll({"gpu=vulkan", "local"}),
            "--target-device: 'gpu=vulkan' has a name and 'local' has none: name all devices, or none");
  EXPECT_EQ(parseAll({"local", "gpu=vulkan"}),
            "--target-device: 'gpu=vulkan' has a name and 'local' has none: name all devices, or none");
  EXPECT_EQ(parseAll({"a=local", "b=local", "a=vulkan"}),
            "--target-device: the name 'a' is given twice, to 'a=local' and 'a=vulkan'");
  EXPECT_EQ(parseAll({"local", "x["}),
            "--target-device: expected an ordinal, a number from 0 on, got the end\n  x[\n    ^");
}

TEST(DeviceFlags, MembersHaveNames) {
  DeviceFlag flag;
  EXPECT_FALSE(parseDeviceFlag("gpu=vulkan*3", flag));
  EXPECT_EQ(flag.nameOf(2), "gpu_2");
  EXPECT_FALSE(parseDeviceFlag("gpu=vulkan", flag));
  EXPECT_EQ(flag.nameOf(0), "gpu");
  EXPECT_FALSE(parseDeviceFlag("vulkan*3", flag));
  EXPECT_EQ(flag.nameOf(2), "");
  EXPECT_EQ(parseAll({"a=local*3", "a=local", "a_3=local"}), "");
  EXPECT_EQ(parseAll({"a=local*3", "a_2=vulkan"}),
            "--target-device: the name 'a_2' is given twice, to 'a=local*3' and 'a_2=vulkan'");
  EXPECT_EQ(parseAll({"local*4000", "null*97"}), "--target-device: an artifact has at most 4096 devices, got 4097");
  EXPECT_EQ(parseAll({"local*4000", "null*96"}), "");
}

TEST(DeviceFlags, TargetCpuBelongsToOneDevice) {
  EXPECT_EQ(parseAll({"local"}, true), "");
  EXPECT_EQ(parseAll({}, true), "");
  EXPECT_EQ(
      parseAll({"local", "local"}, true),
      "--target-cpu belongs to one device, got 2: say it with the device, as in --target-device=local{cpu=x86-64-v3}");
  EXPECT_EQ(parseAll({"local*1"}, true), "");
  EXPECT_EQ(
      parseAll({"local*2"}, true),
      "--target-cpu belongs to one device, got 2: say it with the device, as in --target-device=local{cpu=x86-64-v3}");
}

} // namespace
