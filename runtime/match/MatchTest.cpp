// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/match/PlanText.h"

#include <gtest/gtest.h>

using namespace heddle;

namespace {

DeviceInfo device(std::string uri, std::string driver, std::vector<std::string> formats,
                  std::vector<std::string> features = {}) {
  DeviceInfo info;
  info.uri = std::move(uri);
  info.driver = std::move(driver);
  info.formats = std::move(formats);
  info.features = std::move(features);
  return info;
}

DeviceInfo cpu(std::string uri, std::vector<std::string> features = {"avx2"}) {
  return device(std::move(uri), "local", {"elf-x86_64"}, std::move(features));
}
DeviceInfo gpu(std::string uri) { return device(std::move(uri), "vulkan", {"spirv"}); }

DeviceRequirement asks(std::string name, std::vector<TargetRequirement> alternatives) {
  return {std::move(name), std::move(alternatives)};
}
TargetRequirement target(std::string driver, int32_t ordinal, std::string format) {
  TargetRequirement out;
  out.driver = std::move(driver);
  out.ordinal = ordinal;
  out.formats = {std::move(format)};
  return out;
}
TargetRequirement local(int32_t ordinal = -1) { return target("local", ordinal, "elf-x86_64"); }
TargetRequirement vulkan(int32_t ordinal = -1) { return target("vulkan", ordinal, "spirv"); }
TargetRequirement fallback(std::string name) {
  TargetRequirement out;
  out.fallback = std::move(name);
  return out;
}

struct Plan {
  std::vector<DeviceMatch> matches;
  Status status;
};
Plan match(std::vector<DeviceRequirement> requirements, std::vector<DeviceInfo> available,
           std::vector<ExecutableRequirement> executables = {}) {
  auto plan = matchDevices(requirements, executables, available);
  if (!plan.ok())
    return {{}, plan.takeStatus()};
  return {*plan, {}};
}

TEST(Match, OrdinalsCountMatchingDevicesOnly) {
  Plan plan =
      match({asks("a", {local(0)}), asks("b", {local(1)})}, {gpu("vulkan"), cpu("local://0"), cpu("local://1")});
  ASSERT_TRUE(plan.status.ok()) << plan.status.text();
  EXPECT_EQ(plan.matches[0].device, 1u);
  EXPECT_EQ(plan.matches[1].device, 2u);
}

TEST(Match, MissingOrdinalIsAnError) {
  Plan plan = match({asks("a", {local(0)}), asks("b", {local(1)})}, {cpu("local://0")});
  EXPECT_EQ(plan.status.text(), "the program's device 'b' needs local[1], got no device that fits; name one with "
                                "--device, or see `heddle devices`\nlocal[1]: there is only one such device");
}

TargetRequirement given(int32_t position, TargetRequirement out) {
  out.given = position;
  return out;
}

// A position counts all devices, whatever they are; what is there decides which alternative it is.
TEST(Match, PositionsCountAllDevices) {
  std::vector<DeviceRequirement> second = {asks("b", {given(1, local()), given(1, vulkan())})};
  Plan plan = match(second, {gpu("vulkan"), cpu("local")});
  ASSERT_TRUE(plan.status.ok()) << plan.status.text();
  EXPECT_EQ(plan.matches[0].device, 1u);
  EXPECT_EQ(plan.matches[0].alternative, 0u);
  plan = match(second, {cpu("local"), gpu("vulkan")});
  ASSERT_TRUE(plan.status.ok()) << plan.status.text();
  EXPECT_EQ(plan.matches[0].device, 1u);
  EXPECT_EQ(plan.matches[0].alternative, 1u);
}

TEST(Match, PositionsAreReservedAndShared) {
  std::vector<DeviceInfo> two = {cpu("local://0"), cpu("local://1")};
  Plan plan = match({asks("any", {local()}), asks("a", {given(0, local())}), asks("b", {given(0, local())})}, two);
  ASSERT_TRUE(plan.status.ok()) << plan.status.text();
  EXPECT_EQ(plan.matches[0].device, 1u);
  EXPECT_EQ(plan.matches[1].device, 0u);
  EXPECT_FALSE(plan.matches[2].copy);
  EXPECT_EQ(plan.matches[2].instance, 1u);
}

TEST(Match, PositionThatDoesNotFit) {
  std::vector<DeviceInfo> two = {gpu("vulkan"), cpu("local")};
  EXPECT_EQ(match({asks("b", {given(2, local())})}, two).status.text(),
            "the program's device 'b' needs ordinal<2> as local, got no device that fits; name one with --device, or "
            "see `heddle devices`\nordinal<2> as local: there are 2 devices, counted from 0: vulkan, local");
  EXPECT_EQ(match({asks("b", {given(1, local())})}, {cpu("local")}).status.notes()[0],
            "ordinal<1> as local: there is 1 device, counted from 0: local");
  EXPECT_EQ(match({asks("b", {given(0, local())})}, two).status.text(),
            "the program's device 'b' needs ordinal<0> as local, got no device that fits; name one with --device, or "
            "see `heddle devices`\nordinal<0> as local: vulkan refused: its driver is 'vulkan'");
  EXPECT_EQ(match({asks("b", {given(2, local()), vulkan()})}, two).matches[0].alternative, 1u);
}

TEST(Match, SecondDeviceIsALogicalCopyWhenNoneIsLeft) {
  Plan plan = match({asks("a", {local()}), asks("b", {local()})}, {cpu("local")});
  EXPECT_FALSE(plan.matches[0].copy);
  EXPECT_TRUE(plan.matches[1].copy);
  EXPECT_EQ(plan.matches[1].note, "a second logical copy of local");
  EXPECT_FALSE(
      match({asks("a", {local()}), asks("b", {local()})}, {cpu("local://0"), cpu("local://1")}).matches[1].copy);
}

// A device with an ordinal is reserved before one without chooses, whatever their order.
TEST(Match, OrdinalGoesFirst) {
  Plan plan = match({asks("a", {local()}), asks("b", {local(0)})}, {cpu("local://0"), cpu("local://1")});
  EXPECT_EQ(plan.matches[0].device, 1u);
  EXPECT_EQ(plan.matches[1].device, 0u);
}

TEST(Match, SelectTakesTheFirstThatExists) {
  std::vector<DeviceRequirement> select = {asks("gpu", {vulkan(), local()})};
  EXPECT_EQ(match(select, {cpu("local")}).matches[0].alternative, 1u);
  EXPECT_EQ(match(select, {cpu("local"), gpu("vulkan")}).matches[0].alternative, 0u);
  EXPECT_EQ(match(select, {cpu("local"), gpu("vulkan")}).matches[0].device, 1u);
}

// Each gets one of its own where that is possible, whatever the order.
TEST(Match, WhoHasLessChoiceIsServedFirst) {
  TargetRequirement v3 = local(), v4 = local();
  v3.executables = {{"elf-x86_64", {"avx2"}}};
  v4.executables = {{"elf-x86_64", {"avx2", "avx512f"}}};
  DeviceInfo large = cpu("large", {"avx2", "avx512f"}), small = cpu("small");
  for (bool swapped : {false, true}) {
    std::vector<DeviceInfo> given = swapped ? std::vector{small, large} : std::vector{large, small};
    Plan plan = match({asks("a", {v3}), asks("b", {v4})}, given);
    EXPECT_EQ(given[plan.matches[0].device].uri, "small");
    EXPECT_EQ(given[plan.matches[1].device].uri, "large");
    EXPECT_FALSE(plan.matches[0].copy || plan.matches[1].copy);
  }
  Plan alike = match({asks("a", {v3}), asks("b", {v3})}, {large, small});
  EXPECT_EQ(alike.matches[0].device, 0u);
  EXPECT_EQ(alike.matches[1].device, 1u);
}

TEST(Match, LaterAlternativeRatherThanACopy) {
  Plan plan = match({asks("a", {local(), vulkan()}), asks("b", {local(0)})}, {cpu("c0"), gpu("v0")});
  EXPECT_EQ(plan.matches[0].device, 1u);
  EXPECT_EQ(plan.matches[0].alternative, 1u);
  EXPECT_EQ(plan.matches[0].note, "alternative 0 has no device left");
  EXPECT_EQ(plan.matches[1].device, 0u);
  // A device that the program does not use takes none away.
  DeviceRequirement idle = asks("b", {local(0)});
  idle.needed = false;
  plan = match({asks("a", {local(), vulkan()}), idle}, {cpu("c0"), gpu("v0")});
  EXPECT_EQ(plan.matches[0].alternative, 0u);
  EXPECT_EQ(plan.matches[1].instance, plan.matches[0].instance);
}

TEST(Match, NothingFits) {
  DeviceInfo absent = gpu("vulkan");
  absent.available = false;
  absent.reason = "libvulkan.so.1 is not installed";
  Plan plan = match({asks("gpu", {vulkan()})}, {absent, cpu("local")});
  EXPECT_EQ(plan.status.code(), StatusCode::NotFound);
  EXPECT_EQ(plan.status.text(),
            "the program's device 'gpu' needs vulkan, got no device that fits; name one with --device, or see `heddle "
            "devices`\nvulkan: vulkan refused: libvulkan.so.1 is not installed\nvulkan: local refused: its driver is "
            "'local'");
  EXPECT_EQ(match({asks("a", {local()})}, {}).status.notes()[0], "no device is available");
}

TEST(Match, DeviceMustRunAnExecutable) {
  std::vector<ExecutableRequirement> v4 = {{"e", {{"x86-64-v4", "elf-x86_64", {"avx512f"}}}}};
  EXPECT_EQ(match({asks("a", {local()})}, {cpu("local")}, v4).status.notes()[0],
            "local: local refused: it can run no executable: x86-64-v4 needs avx512f");
  EXPECT_TRUE(match({asks("a", {local()})}, {cpu("local", {"avx512f"})}, v4).status.ok());
  EXPECT_EQ(match({asks("a", {target("local", -1, "elf-aarch64")})}, {cpu("local")}).status.notes()[0],
            "local: local refused: it does not load elf-aarch64");
}

TEST(Match, NullStandsForAnyDevice) {
  DeviceInfo null = device("null", "null", {});
  null.acceptsAll = true;
  EXPECT_TRUE(match({asks("a", {vulkan()}), asks("b", {local(0)})}, {null}).status.ok());
  EXPECT_EQ(*chooseVariant({"e", {{"v2", "elf-x86_64", {}}}}, null), 0u);
  EXPECT_FALSE(chooseVariant({"e", {}}, null).ok());
}

TEST(Match, VariantWithMostFeaturesWins) {
  ExecutableRequirement e{"e",
                          {{"v2", "elf-x86_64", {}},
                           {"v4", "elf-x86_64", {"avx2", "avx512f"}},
                           {"v3", "elf-x86_64", {"avx2"}},
                           {"arm", "elf-aarch64", {}}}};
  EXPECT_EQ(*chooseVariant(e, cpu("local", {"avx2", "avx512f"})), 1u);
  EXPECT_EQ(*chooseVariant(e, cpu("local", {"avx2"})), 2u);
  EXPECT_EQ(*chooseVariant(e, cpu("local", {})), 0u);
  ExecutableRequirement only{"e", {{"v4", "elf-x86_64", {"avx2", "avx512f"}}, {"arm", "elf-aarch64", {}}}};
  EXPECT_EQ(chooseVariant(only, cpu("local")).status().text(),
            "executable 'e' has no variant that local can run; compile for this CPU (--target-cpu), or use another "
            "device\nvariant v4 needs avx512f\nvariant arm needs format elf-aarch64");
}

// "NAME>=N" is a limit of the device; one that it does not tell is not kept.
TEST(Match, VariantsAskForLimits) {
  ExecutableRequirement e{"e", {{"tiles", "spirv", {}}, {"blocks", "spirv", {"shaderInt8", "subgroupSize>=16"}}}};
  auto choice = [&](std::vector<std::pair<std::string, uint64_t>> limits) {
    DeviceInfo device = gpu("vulkan");
    device.features = {"shaderInt8"};
    device.limits = std::move(limits);
    return *chooseVariant(e, device);
  };
  EXPECT_EQ(choice({{"maxStorageBufferRange", 1 << 27}, {"subgroupSize", 32}}), 1u);
  EXPECT_EQ(choice({{"subgroupSize", 16}}), 1u);
  EXPECT_EQ(choice({{"subgroupSize", 15}}), 0u);
  EXPECT_EQ(choice({{"maxStorageBufferRange", 1 << 27}}), 0u);
  for (const char *malformed : {"subgroupSize>=", "subgroupSize>=x", "subgroupSize>=16x", "subgroupSize"}) {
    e.variants[1].features = {malformed};
    EXPECT_EQ(choice({{"subgroupSize", 64}}), 0u) << malformed;
  }
  ExecutableRequirement only{"e", {{"blocks", "spirv", {"subgroupSize>=16"}}}};
  EXPECT_EQ(chooseVariant(only, gpu("vulkan")).status().notes()[0], "variant blocks needs subgroupSize>=16");
}

// A variant made for another device's target may read memory in another order.
TEST(Match, VariantsAreThoseOfTheDevicesTarget) {
  ExecutableRequirement e{"e", {{"v2", "elf-x86_64", {}}, {"v3", "elf-x86_64", {"avx2"}}}};
  TargetRequirement v2 = local(), v3 = local(), arm = local();
  v2.executables = {{"elf-x86_64", {}}};
  v3.executables = {{"elf-x86_64", {"avx2"}}};
  arm.executables = {{"elf-aarch64", {}}};
  DeviceInfo able = cpu("local", {"avx2"});
  EXPECT_EQ(*chooseVariant(e, able, v2), 0u);
  EXPECT_EQ(*chooseVariant(e, able, v3), 1u);
  EXPECT_EQ(chooseVariant(e, able, arm).status().notes()[0], "variant v2 is made for another device of the program");
  // Code that needs less than its target says.
  TargetRequirement more = local();
  more.executables = {{"elf-x86_64", {"avx2", "fma"}}};
  EXPECT_EQ(*chooseVariant(e, able, more), 1u);
  able.acceptsAll = true;
  EXPECT_EQ(*chooseVariant(e, able, v3), 1u);
  // A fallback is what the other device was taken for.
  TargetRequirement fallback;
  fallback.fallback = "a";
  std::vector<DeviceRequirement> requirements = {asks("a", {v2, v3}), asks("b", {arm, fallback})};
  std::vector<DeviceMatch> plan(2);
  plan[0].alternative = plan[1].alternative = 1;
  EXPECT_EQ(takenFor(requirements, plan, 1).executables[0].features[0], "avx2");
}

// What it could run does not count, unless what runs on another device may come to it.
TEST(Match, DeviceThatRunsNothingNeedsADriver) {
  std::vector<ExecutableRequirement> kernels = {{"e", {{"v3", "elf-x86_64", {"avx2"}}}}};
  DeviceRequirement idle = asks("idle", {vulkan()});
  EXPECT_FALSE(match({idle}, {gpu("vulkan")}, kernels).status.ok());
  idle.runs = false;
  EXPECT_TRUE(match({idle}, {gpu("vulkan")}, kernels).status.ok());
  EXPECT_EQ(match({idle}, {cpu("local")}, kernels).status.notes()[0], "vulkan: local refused: its driver is 'local'");
  EXPECT_EQ(match({idle, asks("busy", {local(3), fallback("idle")})}, {gpu("vulkan")}, kernels).status.notes()[0],
            "vulkan: vulkan refused: it can run no executable: v3 needs format elf-x86_64");
  std::vector<DeviceInfo> available = {gpu("vulkan")};
  auto plan = matchDevices({&idle, 1}, kernels, available);
  EXPECT_EQ(describePlan({{&idle, 1}, kernels, *plan, available}),
            "idle = vulkan (alternative 0 of 1: vulkan), runs no executable\n");
}

// The uri that each device of the program got, with '+' for a logical copy; "-" for none, and the whole when it failed.
std::string placed(std::vector<DeviceRequirement> requirements, std::vector<DeviceInfo> available) {
  Plan plan = match(std::move(requirements), available);
  std::string out;
  for (const DeviceMatch &m : plan.matches)
    out += (out.empty() ? "" : " ") + (m.matched ? available[m.device].uri + (m.copy ? "+" : "") : "-");
  return plan.status.ok() ? out : "failed";
}

TEST(Match, Table) {
  DeviceInfo cpu0 = cpu("c0"), cpu1 = cpu("c1"), v = gpu("v0"), v1 = gpu("v1");
  DeviceRequirement host = asks("cpu", {local()});
  DeviceRequirement any = asks("gpu", {vulkan(), fallback("cpu")});
  struct Case {
    std::vector<DeviceRequirement> program;
    std::vector<DeviceInfo> machine;
    const char *got;
  };
  DeviceRequirement unused = asks("x", {vulkan()});
  unused.needed = false;
  for (const Case &c : {
           Case{{host}, {cpu0}, "c0"},
           Case{{host, any}, {cpu0, v}, "c0 v0"},
           Case{{any, host}, {v, cpu0}, "v0 c0"},
           Case{{any, host}, {cpu0}, "c0 c0"}, // the very device, not a copy
           Case{{any, host}, {v}, "failed"},
           Case{{asks("gpu", {vulkan(), local()}), host}, {cpu0}, "c0 c0+"},
           Case{{asks("gpu", {vulkan(), local()}), host}, {cpu0, cpu1}, "c0 c1"},
           Case{{asks("a", {local(1)}), asks("b", {local(0)})}, {cpu0, v, cpu1}, "c1 c0"},
           Case{{asks("a", {local(0)}), asks("b", {local(0)})}, {cpu0}, "c0 c0"},
           Case{{asks("a", {local(1)}), host}, {cpu0, cpu1}, "c1 c0"},
           Case{{asks("a", {vulkan(1), vulkan(0)})}, {v}, "v0"},
           Case{{asks("a", {local()}), asks("b", {local()}), asks("c", {local()}), asks("d", {local()})},
                {cpu0, cpu1},
                "c0 c1 c0+ c1+"},
           Case{{asks("a", {fallback("b")}), asks("b", {fallback("cpu")}), host}, {cpu0}, "c0 c0 c0"},
           Case{{asks("a", {fallback("x"), local()}), unused}, {cpu0}, "c0 -"},
           Case{{unused}, {}, "-"},
           Case{{any, host}, {v1, v, cpu0}, "v1 c0"},
       })
    EXPECT_EQ(placed(c.program, c.machine), c.got);
}

// Equal instances are the same device: a fallback and whom it fell back to, also when that is a copy.
TEST(Match, InstancesSayWhatIsTheSameDevice) {
  Plan plan = match({asks("a", {local()}), asks("b", {local()}), asks("gpu", {vulkan(), fallback("b")})}, {cpu("c0")});
  ASSERT_TRUE(plan.status.ok()) << plan.status.text();
  EXPECT_NE(plan.matches[0].instance, plan.matches[1].instance);
  EXPECT_EQ(plan.matches[2].instance, plan.matches[1].instance);
  EXPECT_EQ(plan.matches[2].note, "the same device as b");
  EXPECT_EQ(plan.matches[2].alternative, 1u);
}

TEST(Match, ExecutableTargetsMemoryAndCores) {
  TargetRequirement v4 = local();
  v4.executables = {{"elf-x86_64", {"avx2", "avx512f"}}, {"elf-aarch64", {}}};
  std::vector<DeviceRequirement> select = {asks("a", {v4, local()})};
  EXPECT_EQ(match(select, {cpu("local")}).matches[0].alternative, 1u);
  EXPECT_EQ(match(select, {cpu("local", {"avx2", "avx512f"})}).matches[0].alternative, 0u);
  EXPECT_EQ(match({asks("a", {v4})}, {cpu("local")}).status.notes()[0],
            "local: local refused: it lacks avx512f; or format elf-aarch64");
  v4.executables[0].name = "x86-64-v4";
  EXPECT_EQ(match({asks("a", {v4})}, {cpu("local")}).status.notes()[0],
            "local: local refused: it can run no executable: x86-64-v4 needs avx512f; or format elf-aarch64");
  TargetRequirement arm = local();
  arm.executables = {{"elf-aarch64", {}}, {"elf-riscv64", {}}};
  EXPECT_EQ(match({asks("a", {arm})}, {cpu("local")}).status.notes()[0],
            "local: local refused: it does not load elf-aarch64, elf-riscv64");
  TargetRequirement large = local();
  large.minMemory = 1000;
  large.minCores = 2;
  DeviceInfo device = cpu("local");
  device.cores = 2;
  EXPECT_TRUE(match({asks("a", {large})}, {device}).status.ok()) << "how much memory it has is not known";
  device.memoryBytes = 999;
  EXPECT_EQ(match({asks("a", {large})}, {device}).status.notes()[0],
            "local: local refused: it has 999 bytes of memory, the program needs 1000");
  device.memoryBytes = 1000;
  device.cores = 1;
  EXPECT_EQ(match({asks("a", {large})}, {device}).status.notes()[0],
            "local: local refused: it has 1 cores, the program needs 2");
}

TEST(Match, SharedCoresAreSaid) {
  DeviceInfo all = cpu("local://0-1"), one = cpu("local://1");
  all.units = {0, 1};
  one.units = {1};
  Plan plan = match({asks("a", {local()}), asks("b", {local()})}, {all, one});
  EXPECT_EQ(plan.matches[0].note, "");
  EXPECT_EQ(plan.matches[1].note, "shares core 1 with a");
}

TEST(Match, FallbackThatIsNotThere) {
  EXPECT_EQ(match({asks("cpu", {local()}), asks("gpu", {vulkan(), fallback("cpu")})}, {gpu("v0")}).status.message(),
            "the program's device 'cpu' needs local, got no device that fits; name one with --device, or see `heddle "
            "devices`");
  DeviceRequirement host = asks("cpu", {local()});
  host.needed = false;
  EXPECT_EQ(match({host, asks("gpu", {vulkan(), fallback("cpu")})}, {}).status.notes()[0],
            "fallback to cpu: that device was not found either");
}

TEST(Match, PlanAsText) {
  std::vector<DeviceRequirement> r = {asks("a", {vulkan(), local()}), asks("b", {local()})};
  std::vector<DeviceInfo> available = {cpu("local")};
  auto plan = matchDevices(r, {}, available);
  EXPECT_EQ(describePlan({r, {}, *plan, available}),
            "a = local (alternative 1 of 2: local)\n"
            "b = local (alternative 0 of 1: local), a second logical copy of local\n");
  std::vector<ExecutableRequirement> executables = {
      {"e", {{"v4", "elf-x86_64", {"avx512f"}}, {"v2", "elf-x86_64", {}}}}, {"f", {{"v2", "elf-x86_64", {}}}}};
  EXPECT_EQ(describePlan({{r.data() + 1, 1}, executables, {plan->data() + 1, 1}, available}),
            "b = local (alternative 0 of 1: local), a second logical copy of local, variants: v2 2\n");
}

TEST(Match, PlanAsJson) {
  DeviceRequirement idle = asks("gpu \"1\"", {vulkan()});
  idle.needed = false;
  std::vector<DeviceRequirement> r = {asks("a", {vulkan(), local()}), asks("b", {fallback("a")}), idle};
  std::vector<DeviceInfo> available = {cpu("local"), cpu("local://1")};
  std::vector<ExecutableRequirement> executables = {{"e", {{"v2", "elf-x86_64", {}}}}};
  auto plan = matchDevices(r, executables, available);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(planJson({r, executables, *plan, available}), R"({
  "devices": [
    {"name": "a", "device": "local", "alternative": 1, "alternatives": ["vulkan", "local"], "same_as": null, "copy": false, "used": true, "runs": true, "variants": {"v2": 1}, "note": ""},
    {"name": "b", "device": "local", "alternative": 0, "alternatives": ["fallback to a"], "same_as": "a", "copy": false, "used": true, "runs": true, "variants": {"v2": 1}, "note": "the same device as a"},
    {"name": "gpu \"1\"", "device": null, "alternative": null, "alternatives": ["vulkan"], "same_as": null, "copy": false, "used": false, "runs": false, "variants": {}, "note": ""}
  ],
  "unused": [
    {"device": "local://1", "available": true, "reason": ""}
  ]
}
)");
}

} // namespace
