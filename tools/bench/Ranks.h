// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The latency of a program of many ranks: all call it at the same time, and a call takes as long as its slowest rank.
#ifndef HEDDLE_TOOLS_BENCH_RANKS_H
#define HEDDLE_TOOLS_BENCH_RANKS_H

#include "tools/session/RankValues.h"

#include <optional>
#include <vector>

namespace heddle::tools {

struct RankBench {
  std::vector<uint64_t> samples;  // by call: ns of the slowest rank
  double firstCallMs = 0;         // of the slowest rank
  heddle_statistics statistics{}; // of one call of rank 0
};

struct RankBenchOptions {
  std::optional<uint64_t> iterations;
  double minTimeSeconds = 1; // where there are no iterations
  uint64_t warmup = 10, mostIterations = 1000000;
};

// Collective. Every process gets all of it. How many calls `minTimeSeconds` are is told by the calls of the warm-up, at
// least one, since all ranks must make equally many.
RankBench benchRanks(const Team &team, uint32_t entryPoint, const RankInputs &inputs, const RankBenchOptions &options);

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_BENCH_RANKS_H
