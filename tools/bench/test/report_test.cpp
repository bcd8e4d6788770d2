// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/bench/Report.h"

#include "tools/lib/Error.h"
#include "tools/lib/Json.h"
#include "tools/lib/test/Expect.h"

namespace heddle::tools {
namespace {

std::vector<uint64_t> upTo(uint64_t n) {
  std::vector<uint64_t> out;
  for (uint64_t i = n; i > 0; --i)
    out.push_back(i * 1000);
  return out;
}

BenchReport report() {
  BenchReport out;
  out.latency = {10, 12.5, 20, 2000};
  out.iterations = 100;
  out.loadMs = 1.5;
  out.firstCallMs = 3;
  out.dispatches = 4;
  out.hostUsPerDispatch = 0.25;
  out.peakRssMib = 12;
  out.load.faults = 7;
  out.firstCall.cpuMs = 2.5;
  out.devices = {{"cpu", "local://0", 1}};
  return out;
}

TEST(Summarize, Percentiles) {
  Latency hundred = summarize(upTo(100));
  EXPECT_EQ(hundred.min, 1);
  EXPECT_EQ(hundred.median, 50.5);
  EXPECT_EQ(hundred.p90, 90);
  EXPECT_EQ(hundred.p99, 99);
  Latency three = summarize(upTo(3));
  EXPECT_EQ(three.median, 2);
  EXPECT_EQ(three.p90, 3);
  Latency one = summarize({7000});
  EXPECT_EQ(one.min, 7);
  EXPECT_EQ(one.median, 7);
  EXPECT_EQ(one.p99, 7);
}

TEST(Report, Keys) {
  Json json = Json::parse(toJson(report(), std::nullopt, ""));
  std::string keys;
  for (auto &[key, value] : json.items())
    keys += key + " ";
  EXPECT_EQ(keys,
            "latency_us iterations in_flight calls_per_second load_ms first_call_ms dispatches host_us_per_dispatch "
            "peak_rss_mib cpu_ms page_faults devices ");
  EXPECT_EQ(json["cpu_ms"]["first_call"], 2.5);
  EXPECT_EQ(json["page_faults"]["load"], 7);
  EXPECT_EQ(json["latency_us"]["median"], 12.5);
  EXPECT_EQ(json["host_us_per_dispatch"], 0.25);
  EXPECT_EQ(json["devices"][0]["uri"], "local://0");
}

TEST(Report, NoDispatches) {
  BenchReport empty = report();
  empty.dispatches = 0;
  empty.hostUsPerDispatch.reset();
  EXPECT_TRUE(Json::parse(toJson(empty, std::nullopt, ""))["host_us_per_dispatch"].is_null());
  EXPECT_NE(toTable(empty, std::nullopt).find("0 dispatches per call\n"), std::string::npos);
}

TEST(Report, Baseline) {
  test::TemporaryFolder folder;
  BenchReport old = report();
  old.latency.median = 25;
  std::string path = folder.write("old.json", toJson(old, std::nullopt, ""));
  BenchReport baseline = readBaseline(path);
  Json json = Json::parse(toJson(report(), baseline, path));
  EXPECT_EQ(json["baseline"]["speedup"], 2);
  EXPECT_EQ(json["baseline"]["latency_us"]["p99"], 2000);
  EXPECT_NE(toTable(report(), baseline).find("median             12.5        25.0       0.500"), std::string::npos)
      << toTable(report(), baseline);
}

TEST(Report, BaselineRefused) {
  test::TemporaryFolder folder;
  auto refusal = [&](const std::string &text) {
    std::string path = folder.write("old.json", text);
    std::string message = test::messageOf<Failure>([&] { readBaseline(path); });
    return message.starts_with("'" + path + "': ") ? message.substr(path.size() + 4) : "<no path> " + message;
  };
  const std::string it = "not a report of heddle bench --json: it has no positive number latency_us.";
  EXPECT_EQ(refusal(""), it + "min");
  EXPECT_EQ(refusal("[1"), it + "min");
  EXPECT_EQ(refusal("3"), it + "min");
  EXPECT_EQ(refusal("{\"latency_us\": 3}"), it + "min");
  EXPECT_EQ(refusal("{\"latency_us\": {\"min\": 1, \"median\": \"x\"}}"), it + "median");
  EXPECT_EQ(refusal("{\"latency_us\": {\"min\": 1, \"median\": 0}}"), it + "median");
}

} // namespace
} // namespace heddle::tools
