// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/trace/RankClocks.h"
#include "tools/trace/RankTimelines.h"

#include "tools/lib/Json.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

using namespace heddle::tools;

namespace {

Slice slice(heddle_trace_kind kind, int32_t device, uint64_t begin, uint64_t end, uint64_t event = 0) {
  Slice out;
  out.kind = kind;
  out.name = "s";
  out.device = device;
  out.begin = begin;
  out.end = end;
  out.event = event;
  return out;
}

// a: dispatch 0-100, event; b waits 0-110, copies 4096 bytes 110-150, dispatches 150-200 beside a's second 100-180.
Timeline twoDevices() {
  Timeline timeline;
  timeline.title = "x.heddle: main";
  timeline.devices = {{"a", "local://0", 1}, {"b<1>", "local://1", 1}};
  timeline.calls = {{1000, 1210}};
  timeline.slices = {slice(HEDDLE_TRACE_DISPATCH, 0, 1000, 1100), slice(HEDDLE_TRACE_RECORD, 0, 1100, 1100, 1),
                     slice(HEDDLE_TRACE_WAIT, 1, 1000, 1110, 1),  slice(HEDDLE_TRACE_COPY, 1, 1110, 1150),
                     slice(HEDDLE_TRACE_DISPATCH, 0, 1100, 1180), slice(HEDDLE_TRACE_DISPATCH, 1, 1150, 1200),
                     slice(HEDDLE_TRACE_HOST, -1, 1001, 1005)};
  timeline.slices[3].from = 0;
  timeline.slices[3].to = 1;
  timeline.slices[3].bytes = 4096;
  normalize(timeline);
  return timeline;
}

TEST(Timeline, Figures) {
  Timeline timeline = twoDevices();
  EXPECT_EQ(timeline.makespan(), 210u);
  EXPECT_EQ(timeline.busy(0), 180u);
  EXPECT_EQ(timeline.busy(1), 90u); // waiting is not work
  std::vector<std::pair<int32_t, uint32_t>> lanes = {{-1, 0}, {0, 0}, {1, 0}};
  EXPECT_EQ(timeline.lanes(), lanes);
  timeline.slices.push_back(slice(HEDDLE_TRACE_DISPATCH, 0, 50, 190)); // a second stream's overlaps count once
  EXPECT_EQ(timeline.busy(0), 190u);
}

TEST(Timeline, FlowsFollowEvents) {
  Timeline timeline = twoDevices();
  std::vector<Flow> flows = timeline.flows();
  ASSERT_EQ(flows.size(), 1u);
  EXPECT_EQ(flows[0].from, 0u);
  EXPECT_EQ(flows[0].to, 3u);
  EXPECT_TRUE(flows[0].transfer);
  timeline.slices[3].kind = HEDDLE_TRACE_DISPATCH; // an alias instead of a copy: still what b waited for
  flows = timeline.flows();
  ASSERT_EQ(flows.size(), 1u);
  EXPECT_FALSE(flows[0].transfer);
}

TEST(Timeline, TransferWithoutEventFollowsTheLastWorkOfItsSource) {
  Timeline timeline = twoDevices();
  timeline.slices.erase(timeline.slices.begin() + 1, timeline.slices.begin() + 3);
  std::vector<Flow> flows = timeline.flows();
  ASSERT_EQ(flows.size(), 1u);
  EXPECT_EQ(flows[0].from, 0u);
  EXPECT_TRUE(flows[0].transfer);
}

TEST(Timeline, ChromeTraceIsWellFormed) {
  Json trace = Json::parse(toChromeTrace(twoDevices()));
  std::map<std::pair<int, int>, double> last;
  std::set<std::pair<int, int>> named;
  std::map<int, int> flows; // by id: starts minus ends
  std::set<std::string> processes;
  for (const Json &event : trace["traceEvents"]) {
    std::pair<int, int> lane{event["pid"], event["tid"]};
    std::string phase = event["ph"];
    if (phase == "M") {
      if (event["name"] == "thread_name")
        named.insert(lane);
      if (event["name"] == "process_name")
        processes.insert(event["args"]["name"]);
      continue;
    }
    EXPECT_TRUE(named.count(lane)) << event;
    double ts = event["ts"];
    EXPECT_GE(ts, last[lane]) << event;
    last[lane] = ts;
    if (phase == "X")
      EXPECT_GE(event["dur"].get<double>(), 0);
    else
      flows[event["id"]] += phase == "s" ? 1 : -1;
  }
  EXPECT_EQ(processes, (std::set<std::string>{"host", "a = local://0", "b<1> = local://1"}));
  EXPECT_EQ(flows, (std::map<int, int>{{1, 0}}));
}

TEST(Timeline, SummaryAndPicture) {
  Timeline timeline = twoDevices();
  timeline.slices[3].source = timeline.slices[5].source = "/Add_1";
  std::string summary = toSummary(timeline);
  EXPECT_NE(summary.find("x.heddle: main: 1 call in 210 ns\n"), std::string::npos) << summary;
  EXPECT_NE(summary.find("1 transfer, 4.0 KiB\n  a -> b<1>  1, 4.0 KiB in 40 ns"), std::string::npos) << summary;
  EXPECT_NE(summary.find("busy 180 ns   85.7 %   2 dispatches"), std::string::npos) << summary;
  std::string head = "where the time goes, of 270 ns of work a call\n       %      time   runs  device  kernel  node\n"
                     "  66.7 %    180 ns      2  a       s\n";
  EXPECT_TRUE(summary.ends_with(head + "  33.3 %     90 ns      2  b<1>    s       /Add_1\n")) << summary;
  EXPECT_TRUE(toSummary(timeline, 1).ends_with(head + "  33.3 %  in 1 more (--rows=2 shows all)\n"));
  std::string svg = toSvg(twoDevices());
  EXPECT_NE(svg.find("class=\"move\""), std::string::npos);
  EXPECT_NE(svg.find("marker-end"), std::string::npos);
  EXPECT_NE(svg.find("b&#60;1&#62;"), std::string::npos);
  EXPECT_EQ(svg.find("b<1>"), std::string::npos);
}

TEST(Timeline, DevicesWithATimeOfTheirOwn) {
  Timeline timeline = twoDevices();
  timeline.calls = {{70000, 90000}}; // of the host
  timeline.slices.back().begin = timeline.slices.back().end = 80000;
  useDeviceTime(timeline);
  EXPECT_EQ(timeline.makespan(), 200u);
  EXPECT_EQ(timeline.lanes().front().first, 0);
}

// A rank: a dispatch 0-100 and a collective from `arrives` to 120, all times from `begin`.
Timeline oneRank(uint64_t begin, uint64_t arrives) {
  Timeline timeline;
  timeline.title = "x.heddle: main";
  timeline.devices = {{"gpu", "local://0", 1}};
  timeline.calls = {{begin, begin + 130}};
  timeline.slices = {slice(HEDDLE_TRACE_DISPATCH, 0, begin, begin + 100),
                     slice(HEDDLE_TRACE_COLLECTIVE, -1, begin + arrives, begin + 120)};
  timeline.slices[1].name = "psum";
  timeline.slices[1].stream = 1;
  timeline.slices[1].bytes = 64;
  timeline.slices[1].groupSize = 2;
  return timeline;
}

TEST(Ranks, MergedByTheirClocks) {
  Timeline one = decodeTimeline(encodeTimeline(oneRank(5000, 110)));
  Timeline merged = mergeRanks({oneRank(1000, 60), one}, {0, 4000});
  normalize(merged);
  EXPECT_EQ(merged.makespan(), 130u);
  ASSERT_EQ(merged.devices.size(), 2u);
  EXPECT_EQ(merged.devices[1].name, "rank 1: gpu");
  std::vector<std::pair<int32_t, uint32_t>> lanes = {{-1, 1}, {0, 0}, {-2, 1}, {1, 0}};
  EXPECT_EQ(merged.lanes(), lanes);
  EXPECT_EQ(merged.deviceName(-2), "rank 1: host");
  std::vector<CollectiveTotal> totals = summarizeCollectives(merged);
  ASSERT_EQ(totals.size(), 1u);
  EXPECT_EQ(totals[0].count, 1u);
  EXPECT_EQ(totals[0].slices, 2u);
  EXPECT_EQ(totals[0].ns, 70u);       // 60 and 10
  EXPECT_EQ(totals[0].waitNs, 50u);   // rank 0 from 60 to 110
  EXPECT_EQ(totals[0].hiddenNs, 40u); // rank 0 from 60 to 100
  EXPECT_NE(
      toSummary(merged).find("psum              1 among 2 ranks, 64 B of each, 35 ns (25 ns until all are there), "
                             "57.1 % behind compute"),
      std::string::npos)
      << toSummary(merged);
  EXPECT_NE(toSvg(merged).find("class=\"meet\""), std::string::npos);
}

// Each rank has an event 1.
TEST(Ranks, EventsOfRanksAreApart) {
  Timeline merged = mergeRanks({twoDevices(), twoDevices()}, {0, 0});
  std::vector<Flow> flows = merged.flows();
  ASSERT_EQ(flows.size(), 2u);
  for (const Flow &flow : flows)
    EXPECT_EQ(merged.rankOf(merged.slices[flow.from].device), merged.rankOf(merged.slices[flow.to].device));
}

TEST(Ranks, ClocksOfMachines) {
  std::vector<ClockSamples> samples(3);
  samples[2].machine = 7;
  for (int i = 0; i < ClockSamples::kBarriers; ++i) {
    samples[1].leftNs[i] = 100; // the same clock, a slow rank
    samples[2].leftNs[i] = 1000000 + (i == 3 ? 50000 : i % 3);
  }
  std::vector<int64_t> offsets = clockOffsets(samples);
  EXPECT_EQ(offsets[0], 0);
  EXPECT_EQ(offsets[1], 0);
  EXPECT_EQ(offsets[2], 1000001);
}

TEST(Timeline, NothingHappened) {
  Timeline timeline;
  timeline.title = "x.heddle: nothing";
  timeline.calls = {{5, 5}};
  normalize(timeline);
  EXPECT_NE(toSummary(timeline).find("no transfers between devices"), std::string::npos);
  EXPECT_NE(toSvg(timeline).find("</svg>"), std::string::npos);
  EXPECT_TRUE(Json::parse(toChromeTrace(timeline)).is_object());
}

} // namespace
