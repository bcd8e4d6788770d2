// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle trace: what a call does when, as a timeline. docs/cli.md
#include "heddle/contract/Text.h"
#include "heddle/ranks.hpp"
#include "tools/lib/Arguments.h"
#include "tools/lib/CommandLine.h"
#include "tools/lib/Error.h"
#include "tools/lib/Files.h"
#include "tools/session/MadeInputs.h"
#include "tools/session/ModelFile.h"
#include "tools/session/RankValues.h"
#include "tools/trace/RankClocks.h"
#include "tools/trace/RankTimelines.h"

#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <span>

namespace heddle::tools {
namespace {

constexpr uint64_t kMostCalls = 1000, kRows = 10, kTableCalls = 5;
constexpr const char *kFooter =
    R"(A model is compiled first, or comes from the cache. Inputs that are not given are made up, as by heddle bench. The JSON opens in ui.perfetto.dev and chrome://tracing, the SVG in any browser.
Times include the clock around each operation (about 0.1 µs).
Examples:
  heddle trace model.onnx --dim=batch=1
  heddle trace model.heddle --input=1x16xi64=7 -o trace.json --svg=trace.svg
  heddle trace model.heddle --device=local://0 --device=local://1 --input=@x.npy -o trace.json --calls=3
Exit status: 0 done, 1 failed, 2 wrong usage.)";

struct Options {
  std::string artifact, function, json, svg;
  std::vector<std::string> devices, inputs;
  std::optional<uint64_t> calls, warmup, seed, rows;
  RankFlags ranks;
  ModelFlags model;
};

std::optional<int> parse(int argc, char **argv, Options &to) {
  CommandLine line("heddle trace",
                   "Says where the time of calls goes, by node of the model, and writes a timeline of them.", kFooter);
  line.positional(to.artifact, "MODEL", "a model (.onnx, .mlir, .mlirbc), or what heddle compile wrote (.heddle)");
  line.group("What is written");
  line.value(to.json, "-o,--output", "FILE.json", "write the timeline here, in Chrome's and Perfetto's format");
  line.value(to.svg, "--svg", "FILE.svg", "write a picture for a document here");
  line.value(to.rows, "--rows", "N", "print the N longest kinds of work; default 10");
  line.group("Program and devices");
  line.list(
      to.devices, "--device", "URI",
      "run on this device; repeat in order. Default: all devices of the drivers that the program names, and local");
  line.value(to.function, "--function", "NAME", "the entry point; default: main, or the only one");
  line.list(to.inputs, "--input", "[NAME=]VALUE", "an input, by name or in the model's order");
  line.value(to.seed, "--seed", "N", "seed the inputs that are made up; default 1");
  line.group("Calls");
  line.value(to.calls, "--calls", "N", "trace N calls; default 1, or 5 where no file is written");
  line.value(to.warmup, "--warmup", "N", "make N calls before those, not traced; default 2");
  line.group("Ranks and threads");
  to.ranks.addTo(line);
  to.model.addTo(line,
                 "fix a size that the model leaves free, by its name, or by input and dimension (input.0); repeated; "
                 "of an artifact the size of what is made up");
  std::optional<int> status = line.parse(argc, argv);
  if (status)
    return status;
  if (to.calls.value_or(1) == 0 || to.calls.value_or(1) > kMostCalls)
    throw UsageError("--calls takes 1 to " + std::to_string(kMostCalls) + ", got " + std::to_string(*to.calls));
  if (!to.calls)
    to.calls = to.json.empty() && to.svg.empty() ? kTableCalls : 1;
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
  for (uint64_t i = 0; i < *options.calls; ++i) {
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

// Of each member: of a program of many ranks its part of what is given, else what is given and made up.
class Arguments {
public:
  Arguments(const Team &team, uint32_t entryPoint, const ModelFile &file, const Options &options) {
    if (team.isProgram() && team.size() > 1) {
      ranks_.emplace(team, entryPoint, options.inputs);
      return;
    }
    std::vector<std::string> texts;
    for (const std::string &text : options.inputs)
      texts.push_back(withRank(text, team.rank(0)));
    std::span<const std::string> dims(options.model.dims); // of a model it has them already
    made_ = makeInputs(team.module(), entryPoint, file.artifact(), texts,
                       isModel(options.artifact) ? dims.first(0) : dims, options.seed.value_or(1));
  }
  std::vector<Tensor> of(uint32_t member) const { return ranks_ ? ranks_->of(member) : borrow(made_); }

private:
  std::optional<RankInputs> ranks_;
  std::vector<HostTensor> made_;
};

int run(int argc, char **argv) {
  Options options;
  if (std::optional<int> status = parse(argc, argv, options))
    return *status;
  ModelFile file(options.artifact, options.model);
  Team team({file.artifact(), options.devices, options.ranks});
  const Module &module = team.module();
  if (uint32_t count = simulated(module); count && count != module.devices())
    throw UsageError(
        "devices of sim have a time of their own, got other devices with them; trace the program on sim alone");
  uint32_t index = findEntryPoint(module, options.function);
  const heddle_entry_point_info &entry = module.entryPoint(index);
  Arguments arguments(team, index, file, options);
  bool isWriter = team.isLeader() || !team.isProgram();
  std::optional<OutputFile> json, svg;
  if (isWriter && !options.json.empty())
    json.emplace(fileOf(options.json, "-o", team));
  if (isWriter && !options.svg.empty())
    svg.emplace(fileOf(options.svg, "--svg", team));

  std::vector<Timeline> members(team.members());
  team.onEach([&](uint32_t member) {
    Invocation call(team.module(member), entry.name);
    members[member] = record(team.module(member), call, arguments.of(member), options);
  });
  Timeline timeline = team.isProgram() ? mergeTimelines(team, std::move(members)) : std::move(members[0]);
  if (!isWriter)
    return kDone;
  normalize(timeline);
  timeline.title = std::filesystem::path(options.artifact).filename().string() + ": " + entry.name;
  write(json, toChromeTrace(timeline));
  if (svg)
    write(svg, toSvg(timeline));
  std::fputs(contract::showText(toSummary(timeline, options.rows.value_or(kRows))).c_str(), stdout);
  if (std::string pieces = piecesOf(module); !pieces.empty())
    std::fputs(contract::showText("chosen at load:\n" + pieces).c_str(), stdout);
  return kDone;
}

} // namespace
} // namespace heddle::tools

int main(int argc, char **argv) {
  return heddle::tools::runTool("heddle trace", [&] { return heddle::tools::run(argc, argv); });
}
