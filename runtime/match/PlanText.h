// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plan of the matcher for people and for programs.
#ifndef HEDDLE_RUNTIME_MATCH_PLANTEXT_H
#define HEDDLE_RUNTIME_MATCH_PLANTEXT_H

#include "runtime/match/Match.h"

namespace heddle {

// What was matched, borrowed.
struct MatchedPlan {
  std::span<const DeviceRequirement> requirements;
  std::span<const ExecutableRequirement> executables;
  std::span<const DeviceMatch> matches; // one per requirement
  std::span<const DeviceInfo> available;
};

// One line per device of the program, with the variants it would load and of how many executables:
// "device_0 = local://0-1 (alternative 0 of 2: local), variants: x86-64-v4 12, x86-64-v3 1".
std::string describePlan(const MatchedPlan &plan);

// Indices of the available devices that no device of the program got.
std::vector<size_t> unusedDevices(const MatchedPlan &plan);

// {"devices": [{"name", "device" (null: none), "alternative", "alternatives" [text], "same_as" (the name of the first
// device of the program that is the same device, or null), "copy", "used", "runs", "variants" {target: executables},
// "note"}], "unused": [{"device", "available", "reason"}]}, in the order of the program's devices and of those
// available; `unused` has those that no device of the program got.
std::string planJson(const MatchedPlan &plan);

} // namespace heddle

#endif // HEDDLE_RUNTIME_MATCH_PLANTEXT_H
