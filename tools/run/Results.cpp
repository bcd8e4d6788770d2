// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/run/Results.h"

#include "heddle/contract/Text.h"
#include "tools/lib/Arguments.h"
#include "tools/lib/Error.h"
#include "tools/lib/Npy.h"
#include "tools/lib/Print.h"

#include <cstdio>

namespace heddle::tools {

Results::Results(const Team &team, uint32_t entryPoint, const ResultOptions &options)
    : team_(team), entryPoint_(entryPoint), entry_(team.module().entryPoint(entryPoint)),
      tolerance_(options.tolerance) {
  auto files = assignOutputs(resultsOf(entry_), options.outputs);
  auto values = assignValues(resultsOf(entry_), options.expected, "--expected-output", "result");
  for (uint32_t i = 0; i < entry_.result_count; ++i) {
    bool isOwn = (files[i] && hasRank(*files[i])) || (values[i] && hasRank(*values[i]));
    isWhole_.push_back(!isOwn && resultShare(team, 0, entryPoint, i));
    if (files[i] && !isWhole_[i] && !hasRank(*files[i]) && team.size() > 1)
      throw UsageError("--output: each of " + std::to_string(team.size()) + " ranks has a result '" +
                       contract::showText(entry_.results[i].name, contract::Lines::One) +
                       "' of its own, which cannot go to one file; put {rank} into its name, as in @y.{rank}.npy");
    sinks_.emplace_back();
    if (!isWhole_[i])
      for (uint32_t member = 0; member < team.members(); ++member)
        sinks_[i].push_back(makeSink(i, files[i], values[i], team.rank(member)));
    else if (team.isLeader())
      sinks_[i].push_back(makeSink(i, files[i], values[i], 0));
  }
}

Results::Sink Results::makeSink(uint32_t result, const std::optional<std::string> &file,
                                const std::optional<std::string> &expected, uint32_t rank) const {
  Sink sink;
  if (file)
    sink.file.emplace(withRank(*file, rank));
  if (expected)
    sink.expected =
        parseValueAs(withRank(*expected, rank), static_cast<contract::ElementType>(entry_.results[result].type));
  return sink;
}

std::string Results::nameOf(uint32_t result, uint32_t member) const {
  std::string name = "'" + contract::showText(entry_.results[result].name, contract::Lines::One) + "'";
  bool isOneOfMany = !isWhole_[result] && team_.isProgram() && team_.size() > 1;
  return isOneOfMany ? name + " of rank " + std::to_string(team_.rank(member)) : name;
}

bool Results::deliver(const std::vector<std::vector<Tensor>> &results) {
  bool same = true;
  for (uint32_t i = 0; i < entry_.result_count; ++i) {
    if (isWhole_[i]) {
      if (std::optional<HostTensor> whole = gatherResult(team_, entryPoint_, i, results))
        same &= deliverOne(nameOf(i, 0), whole->view(), sinks_[i][0]);
      continue;
    }
    for (uint32_t member = 0; member < team_.members(); ++member)
      same &= deliverOne(nameOf(i, member), view(results[member][i]), sinks_[i][member]);
  }
  return same;
}

// False when the result is not as expected.
bool Results::deliverOne(const std::string &name, TensorView result, Sink &sink) const {
  if (sink.file) {
    writeNpy(*sink.file, result);
    sink.file->commit();
  }
  if (sink.expected)
    return compareOne(name, result, sink.expected->view());
  if (!sink.file)
    std::printf("result %s: %s\n", name.c_str(), formatTensor(result).c_str());
  return true;
}

// Prints one line about a compared result; true when it is as expected.
bool Results::compareOne(const std::string &name, TensorView got, TensorView expected) const {
  Tolerance tolerance = tolerance_.value_or(defaultTolerance(got.type));
  if (auto difference = describeDifference(got, expected, tolerance)) {
    std::fflush(stdout);
    std::fprintf(stderr, "heddle run: result %s is not as expected: %s\n", name.c_str(), difference->c_str());
    return false;
  }
  std::printf("result %s: %s as expected, largest error %.3g\n", name.c_str(), formatType(got.type, got.dims).c_str(),
              compare(got, expected, tolerance).worstError);
  return true;
}

} // namespace heddle::tools
