// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What heddle run does with results: prints, writes, compares. Of a program of many ranks a result is one whole tensor
// where the entry point says how it is spread, which rank 0 delivers; else each rank delivers its own.
#ifndef HEDDLE_TOOLS_RUN_RESULTS_H
#define HEDDLE_TOOLS_RUN_RESULTS_H

#include "tools/lib/Compare.h"
#include "tools/lib/Files.h"
#include "tools/session/RankValues.h"

#include <string>
#include <vector>

namespace heddle::tools {

// What the flags ask for.
struct ResultOptions {
  std::vector<std::string> outputs, expected; // as the flags have them
  std::optional<Tolerance> tolerance;         // by type where there is none
};

class Results {
public:
  // Opens files and reads expected values, so that a bad one costs no run. Throws UsageError, Failure. The team must
  // outlive it.
  Results(const Team &team, uint32_t entryPoint, const ResultOptions &options);
  // By member and result. False where one is not as expected. Collective.
  bool deliver(const std::vector<std::vector<Tensor>> &results);

private:
  // Where one result goes; with neither it is printed.
  struct Sink {
    std::optional<OutputFile> file;     // is written
    std::optional<HostTensor> expected; // is compared with it
  };
  Sink makeSink(uint32_t result, const std::optional<std::string> &file, const std::optional<std::string> &expected,
                uint32_t rank) const;
  // False where the result is not as its sink expects.
  bool deliverOne(const std::string &name, TensorView result, Sink &sink) const;
  bool compareOne(const std::string &name, TensorView got, TensorView expected) const;
  // With the rank, where each has a result of its own.
  std::string nameOf(uint32_t result, uint32_t member) const;

  const Team &team_;
  uint32_t entryPoint_;
  const heddle_entry_point_info &entry_;
  std::optional<Tolerance> tolerance_;
  std::vector<bool> isWhole_;            // by result
  std::vector<std::vector<Sink>> sinks_; // by result and member; of a whole one there is one, on the leader
};

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_RUN_RESULTS_H
