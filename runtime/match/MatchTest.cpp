#include "runtime/match/Match.h"

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
TargetRequirement local(int32_t ordinal = -1) { return {"local", ordinal, {"elf-x86_64"}}; }
TargetRequirement vulkan(int32_t ordinal = -1) { return {"vulkan", ordinal, {"spirv"}}; }

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
                                "--device, or see `heddle devices`\nlocal[1]: there are only 1 such devices");
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
  EXPECT_EQ(match({asks("a", {{"local", -1, {"elf-aarch64"}}})}, {cpu("local")}).status.notes()[0],
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

TEST(Match, PlanAsText) {
  std::vector<DeviceRequirement> r = {asks("a", {vulkan(), local()}), asks("b", {local()})};
  std::vector<DeviceInfo> available = {cpu("local")};
  auto plan = matchDevices(r, {}, available);
  EXPECT_EQ(describePlan(r, {}, *plan, available),
            "a = local (alternative 1 of 2: local)\n"
            "b = local (alternative 0 of 1: local), a second logical copy of local\n");
  std::vector<ExecutableRequirement> executables = {
      {"e", {{"v4", "elf-x86_64", {"avx512f"}}, {"v2", "elf-x86_64", {}}}}, {"f", {{"v2", "elf-x86_64", {}}}}};
  EXPECT_EQ(describePlan({r.data() + 1, 1}, executables, {plan->data() + 1, 1}, available),
            "b = local (alternative 0 of 1: local), a second logical copy of local, variants: v2 2\n");
}

} // namespace
