// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle trace: what a call does when, as a timeline. docs/cli.md
#include "heddle/contract/Text.h"
#include "heddle/ranks.hpp"
#include "tools/lib/Arguments.h"
#include "tools/lib/CommandLine.h"
#include "tools/lib/Error.h"
#include "tools/lib/Files.h"
#include "tools/session/RankValues.h"
#include "tools/trace/RankClocks.h"
#include "tools/trace/RankTimelines.h"

#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>

namespace heddle::tools {
namespace {

constexpr uint64_t kMostCalls = 1000;
constexpr const char *kFooter = R"(The JSON opens in ui.perfetto.dev and chrome://tracing, the SVG in any browser.
Times include the clock around each operation (about 0.1 µs).
Examples:
  heddle trace model.heddle --input=1x16xi64=7 -o trace.json --svg=trace.svg
  heddle trace model.heddle --device=local://0 --device=local://1 --input=@x.npy -o trace.json --calls=3
Exit status: 0 done, 1 failed, 2 wrong usage.)";

struct Options {
  std::string artifact, function, json, svg;
  std::vector<std::string> devices, inputs;
  std::optional<uint64_t> calls, warmup;
  RankFlags ranks;
};

std::optional<int> parse(int argc, char **argv, Options &to) {
  CommandLine line("heddle trace", "Writes a timeline of calls: a lane per device and stream, arrows for transfers.",
                   kFooter);
  line.positional(to.artifact, "ARTIFACT", "what heddle compile wrote (.heddle)");
  line.value(to.json, "-o,--output", "FILE.json", "write the timeline here, in Chrome's and Perfetto's format");
  line.value(to.svg, "--svg", "FILE.svg", "write a picture for a document here");
  line.list(
      to.devices, "--device", "URI",
      "run on this device; repeat in order. Default: all devices of the drivers that the program names, and local");
  line.value(to.function, "--function", "NAME", "the entry point; default: main, or the only one");
  line.list(to.inputs, "--input", "[NAME=]VALUE", "an input, by name or in the model's order");
  line.value(to.calls, "--calls", "N", "trace N calls; default 1");
  line.value(to.warmup, "--warmup", "N", "make N calls before those, not traced; default 2");
  to.ranks.addTo(line);
  std::optional<int> status = line.parse(argc, argv);
  if (status)
    return status;
  if (to.json.empty() && to.svg.empty())
    throw UsageError("where to write is missing: heddle trace ARTIFACT -o trace.json, or --svg=trace.svg");
  if (to.calls.value_or(1) == 0 || to.calls.value_or(1) > kMostCalls)
    throw UsageError("--calls takes 1 to " + std::to_string(kMostCalls) + ", got " + std::to_string(*to.calls));
  return status;
}

uint64_t nowNs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

Slice toSlice(const heddle_trace_slice &from, size_t call) {
  return {from.kind,       from.name,        from.source,      from.device,    from.stream, from.begin_ns,
          from.end_ns,     from.bytes,       from.from_device, from.to_device, from.event,  static_cast<uint32_t>(call),
          from.group_size, from.group_first, from.sequence};
}

uint32_t simulated(const Module &module) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < module.devices(); ++i)
    count += std::string_view(module.device(i).uri).starts_with("sim");
  return count;
}

Timeline record(const Module &module, Invocation &call, const std::vector<Tensor> &arguments, const Options &options) {
  Timeline timeline;
  for (uint32_t i = 0; i < module.devices(); ++i)
    timeline.devices.push_back({module.device(i).name, module.device(i).uri, module.device(i).cores});
  std::vector<Tensor> results = call(arguments);
  for (uint64_t i = 0; i < options.warmup.value_or(2); ++i)
    call.call(arguments, results);
  call.setTrace(
      [&](const heddle_trace_slice &slice) { timeline.slices.push_back(toSlice(slice, timeline.calls.size())); });
  for (uint64_t i = 0; i < options.calls.value_or(1); ++i) {
    uint64_t begin = nowNs();
    call.call(arguments, results);
    timeline.calls.push_back({begin, nowNs()});
  }
  call.setTrace({});
  if (simulated(module) == module.devices() && module.devices())
    useDeviceTime(timeline);
  return timeline;
}

// By rank, how much its clock is ahead of rank 0's.
std::vector<int64_t> measureClocks(const Team &team) {
  if (team.members() == team.size())
    return std::vector<int64_t>(team.size(), 0);
  ClockSamples samples;
  samples.machine = thisMachine();
  for (int64_t &left : samples.leftNs) {
    team.gather([](uint32_t) { return std::vector<std::byte>(1); });
    left = static_cast<int64_t>(nowNs());
  }
  std::vector<ClockSamples> all(team.size());
  auto bytes = team.gather([&](uint32_t) {
    auto raw = std::as_bytes(std::span(&samples, 1));
    return std::vector<std::byte>(raw.begin(), raw.end());
  });
  for (size_t rank = 0; rank < all.size(); ++rank)
    std::memcpy(&all[rank], bytes[rank].data(), sizeof(all[rank]));
  return clockOffsets(all);
}

// The timelines of all ranks in one; on the process of rank 0. Collective.
Timeline mergeTimelines(const Team &team, std::vector<Timeline> members) {
  std::vector<int64_t> offsets = measureClocks(team);
  if (team.members() == team.size())
    return mergeRanks(std::move(members), offsets);
  std::vector<std::vector<std::byte>> texts = team.gather([&](uint32_t member) {
    std::string text = encodeTimeline(members[member]);
    auto raw = std::as_bytes(std::span(text));
    return std::vector<std::byte>(raw.begin(), raw.end());
  });
  std::vector<Timeline> ranks;
  for (const std::vector<std::byte> &text : texts)
    ranks.push_back(decodeTimeline(std::string(reinterpret_cast<const char *>(text.data()), text.size())));
  return mergeRanks(std::move(ranks), offsets);
}

void write(std::optional<OutputFile> &file, const std::string &text) {
  if (!file)
    return;
  file->write(text);
  file->commit();
}

// The ranks of a program write one file; ranks that are each alone write one each.
std::string fileOf(const std::string &name, const char *flag, const Team &team) {
  if (!team.isProgram() && team.size() > 1 && !hasRank(name))
    throw UsageError(std::string(flag) + ": each of " + std::to_string(team.size()) +
                     " ranks has a timeline of its own; put {rank} into the name, as in t.{rank}.json");
  return team.isProgram() ? name : withRank(name, team.rank(0));
}

int run(int argc, char **argv) {
  Options options;
  if (std::optional<int> status = parse(argc, argv, options))
    return *status;
  Team team({options.artifact, options.devices, options.ranks});
  const Module &module = team.module();
  if (uint32_t count = simulated(module); count && count != module.devices())
    throw UsageError(
        "devices of sim have a time of their own, got other devices with them; trace the program on sim alone");
  uint32_t index = findEntryPoint(module, options.function);
  const heddle_entry_point_info &entry = module.entryPoint(index);
  RankInputs inputs(team, index, options.inputs);
  bool isWriter = team.isLeader() || !team.isProgram();
  std::optional<OutputFile> json, svg;
  if (isWriter && !options.json.empty())
    json.emplace(fileOf(options.json, "-o", team));
  if (isWriter && !options.svg.empty())
    svg.emplace(fileOf(options.svg, "--svg", team));

  std::vector<Timeline> members(team.members());
  team.onEach([&](uint32_t member) {
    Invocation call(team.module(member), entry.name);
    members[member] = record(team.module(member), call, inputs.of(member), options);
  });
  Timeline timeline = team.isProgram() ? mergeTimelines(team, std::move(members)) : std::move(members[0]);
  if (!isWriter)
    return kDone;
  normalize(timeline);
  timeline.title = std::filesystem::path(options.artifact).filename().string() + ": " + entry.name;
  write(json, toChromeTrace(timeline));
  if (svg)
    write(svg, toSvg(timeline));
  std::fputs(contract::showText(toSummary(timeline)).c_str(), stdout);
  if (std::string pieces = piecesOf(module); !pieces.empty())
    std::fputs(contract::showText("chosen at load:\n" + pieces).c_str(), stdout);
  return kDone;
}

} // namespace
} // namespace heddle::tools

int main(int argc, char **argv) {
  return heddle::tools::runTool("heddle trace", [&] { return heddle::tools::run(argc, argv); });
}
