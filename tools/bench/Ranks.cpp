// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/bench/Ranks.h"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace heddle::tools {
namespace {

using Clock = std::chrono::steady_clock;

uint64_t since(Clock::time_point start) {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count());
}

// By position the greatest of the ranks' numbers, of which all have equally many. Collective.
std::vector<uint64_t> slowest(const Team &team, const std::vector<std::vector<uint64_t>> &members) {
  auto all = team.gather([&](uint32_t member) {
    auto raw = std::as_bytes(std::span(members[member]));
    return std::vector<std::byte>(raw.begin(), raw.end());
  });
  std::vector<uint64_t> out(members[0].size(), 0);
  for (const std::vector<std::byte> &bytes : all)
    for (size_t i = 0; i < out.size(); ++i) {
      uint64_t number = 0;
      std::memcpy(&number, bytes.data() + i * sizeof(number), sizeof(number));
      out[i] = std::max(out[i], number);
    }
  return out;
}

} // namespace

RankBench benchRanks(const Team &team, uint32_t entryPoint, const RankInputs &inputs, const RankBenchOptions &options) {
  const char *name = team.module().entryPoint(entryPoint).name;
  RankBench out;
  std::vector<std::optional<Invocation>> calls(team.members());
  std::vector<std::vector<Tensor>> arguments(team.members()), results(team.members());
  std::vector<std::vector<uint64_t>> times(team.members());
  auto callAll = [&](uint64_t count) {
    team.onEach([&](uint32_t member) {
      times[member].clear();
      for (uint64_t i = 0; i < count; ++i) {
        Clock::time_point start = Clock::now();
        calls[member]->call(arguments[member], results[member]);
        times[member].push_back(since(start));
      }
    });
    return slowest(team, times);
  };
  team.onEach([&](uint32_t member) {
    Clock::time_point start = Clock::now();
    calls[member].emplace(team.module(member), name);
    arguments[member] = inputs.of(member);
    results[member] = (*calls[member])(arguments[member]);
    times[member] = {since(start)};
  });
  out.firstCallMs = static_cast<double>(slowest(team, times)[0]) / 1e6;
  out.statistics = calls[0]->statistics();
  std::vector<uint64_t> warm = callAll(std::max<uint64_t>(options.warmup, options.iterations ? 0 : 1));
  uint64_t count = options.iterations.value_or(1);
  if (!options.iterations) {
    double fastest = static_cast<double>(std::max<uint64_t>(*std::min_element(warm.begin(), warm.end()), 1));
    count = static_cast<uint64_t>(
        std::clamp(options.minTimeSeconds * 1e9 / fastest, 1.0, static_cast<double>(options.mostIterations)));
  }
  out.samples = callAll(count);
  return out;
}

} // namespace heddle::tools
