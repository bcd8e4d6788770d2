// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/match/PlanText.h"

#include "runtime/base/JsonText.h"

#include <algorithm>

namespace heddle {
namespace {

using Counts = std::vector<std::pair<std::string, size_t>>;

// What would be loaded, and how many executables of it, in the order of the variants: x86-64-v4 12, x86-64-v3 1.
Counts countVariants(const MatchedPlan &plan, size_t index) {
  Counts counts;
  const DeviceInfo &device = plan.available[plan.matches[index].device];
  const TargetRequirement &target = takenFor(plan.requirements, plan.matches, index);
  bool exact = std::any_of(plan.executables.begin(), plan.executables.end(),
                           [&](const ExecutableRequirement &executable) { return hasMadeFor(executable, target); });
  for (const ExecutableRequirement &executable : plan.executables) {
    if (exact && !hasMadeFor(executable, target))
      continue; // no dispatch runs it there
    StatusOr<size_t> choice = chooseVariant(executable, device, target);
    std::string name = choice.ok() ? executable.variants[*choice].target : "none";
    auto known = std::find_if(counts.begin(), counts.end(), [&](auto &count) { return count.first == name; });
    if (known == counts.end())
      counts.emplace_back(name, 1);
    else
      ++known->second;
  }
  return counts;
}

// Whether executables run on this device of the program for it, or for one that fell back to it.
bool runsHere(const MatchedPlan &plan, size_t i) {
  for (size_t j = 0; j < plan.matches.size(); ++j) {
    const DeviceRequirement &other = plan.requirements[j];
    bool fellBack = plan.matches[j].matched &&
                    other.alternatives[plan.matches[j].alternative].fallback == plan.requirements[i].name;
    if (other.runs && (j == i || fellBack))
      return true;
  }
  return false;
}

std::string describeUse(const MatchedPlan &plan, size_t i) {
  if (!plan.requirements[i].needed)
    return ", not used";
  if (!runsHere(plan, i))
    return ", runs no executable";
  std::string out;
  for (const auto &[name, count] : countVariants(plan, i))
    out += (out.empty() ? ", variants: " : ", ") + name + " " + std::to_string(count);
  return out;
}

// The first of those that are the same device; SIZE_MAX when it is that one.
size_t sameAs(const MatchedPlan &plan, size_t i) {
  for (size_t j = 0; j < i; ++j)
    if (plan.matches[j].matched && plan.matches[j].instance == plan.matches[i].instance)
      return j;
  return SIZE_MAX;
}

const char *textOf(bool value) { return value ? "true" : "false"; }

std::string deviceJson(const MatchedPlan &plan, size_t i) {
  const DeviceMatch &match = plan.matches[i];
  const DeviceRequirement &requirement = plan.requirements[i];
  std::string alternatives, variants;
  for (const TargetRequirement &target : requirement.alternatives)
    alternatives += (alternatives.empty() ? "" : ", ") + jsonText(describeTarget(target));
  bool runs = match.matched && requirement.needed && runsHere(plan, i);
  for (const auto &[name, count] : runs ? countVariants(plan, i) : Counts())
    variants += (variants.empty() ? "" : ", ") + jsonText(name) + ": " + std::to_string(count);
  size_t same = match.matched ? sameAs(plan, i) : SIZE_MAX;
  return "{\"name\": " + jsonText(requirement.name) +
         ", \"device\": " + (match.matched ? jsonText(plan.available[match.device].uri) : "null") +
         ", \"alternative\": " + (match.matched ? std::to_string(match.alternative) : "null") +
         ", \"alternatives\": [" + alternatives +
         "], \"same_as\": " + (same == SIZE_MAX ? "null" : jsonText(plan.requirements[same].name)) +
         ", \"copy\": " + textOf(match.matched && match.copy) + ", \"used\": " + textOf(requirement.needed) +
         ", \"runs\": " + textOf(runs) + ", \"variants\": {" + variants + "}, \"note\": " + jsonText(match.note) + "}";
}

} // namespace

std::string describePlan(const MatchedPlan &plan) {
  std::string out;
  for (size_t i = 0; i < plan.matches.size(); ++i) {
    const DeviceMatch &match = plan.matches[i];
    const auto &alternatives = plan.requirements[i].alternatives;
    out += plan.requirements[i].name + " = ";
    if (match.matched)
      out += plan.available[match.device].uri + " (alternative " + std::to_string(match.alternative) + " of " +
             std::to_string(alternatives.size()) + ": " + describeTarget(alternatives[match.alternative]) + ")" +
             (match.note.empty() ? "" : ", " + match.note) + describeUse(plan, i) + "\n";
    else
      out += "none (the program does not use it)\n";
  }
  return out;
}

std::vector<size_t> unusedDevices(const MatchedPlan &plan) {
  std::vector<size_t> out;
  for (size_t d = 0; d < plan.available.size(); ++d)
    if (std::none_of(plan.matches.begin(), plan.matches.end(),
                     [&](const DeviceMatch &match) { return match.matched && match.device == d; }))
      out.push_back(d);
  return out;
}

std::string planJson(const MatchedPlan &plan) {
  std::string devices, unused;
  for (size_t i = 0; i < plan.matches.size(); ++i)
    devices += (i ? ",\n    " : "\n    ") + deviceJson(plan, i);
  for (size_t d : unusedDevices(plan))
    unused += (unused.empty() ? "\n    " : ",\n    ") + ("{\"device\": " + jsonText(plan.available[d].uri)) +
              ", \"available\": " + textOf(plan.available[d].available) +
              ", \"reason\": " + jsonText(plan.available[d].reason) + "}";
  return "{\n  \"devices\": [" + devices + "\n  ],\n  \"unused\": [" + unused + (unused.empty() ? "" : "\n  ") +
         "]\n}\n";
}

} // namespace heddle
