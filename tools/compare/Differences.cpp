// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/compare/Differences.h"

#include "heddle/contract/Text.h"
#include "tools/lib/Quantities.h"

#include <algorithm>
#include <map>

namespace heddle::tools {
namespace {

std::string shown(const std::string &name) { return "'" + contract::showText(name, contract::Lines::One) + "'"; }

// "only in a.onnx: 'x', 'y' and 3 more"
std::string listOf(const std::vector<std::string> &names, const std::string &where, size_t limit) {
  if (names.empty())
    return "";
  std::string text = "only in " + where + ":";
  for (size_t i = 0; i < std::min(limit, names.size()); ++i)
    text += (i ? ", " : " ") + shown(names[i]);
  return text + (names.size() > limit ? " and " + std::to_string(names.size() - limit) + " more" : "") + "\n";
}

} // namespace

Differences findDifferences(std::span<const NamedTensor> one, std::span<const NamedTensor> other,
                            std::optional<Tolerance> tolerance) {
  Differences found;
  std::map<std::string, const NamedTensor *> rest;
  for (const NamedTensor &value : other)
    rest.emplace(value.name, &value);
  for (const NamedTensor &expected : one) {
    auto got = rest.find(expected.name);
    if (got == rest.end()) {
      found.onlyOne.push_back(expected.name);
      continue;
    }
    ++found.compared;
    if (auto text = describeDifference(got->second->value, expected.value,
                                       tolerance.value_or(defaultTolerance(expected.value.type))))
      found.different.push_back({expected.name, *text});
    rest.erase(got);
  }
  for (const NamedTensor &value : other)
    if (rest.count(value.name))
      found.onlyOther.push_back(value.name);
  return found;
}

std::string toText(const Differences &found, const std::string &one, const std::string &other, size_t limit) {
  std::string text = listOf(found.onlyOne, one, limit) + listOf(found.onlyOther, other, limit);
  for (size_t i = 0; i < std::min(limit, found.different.size()); ++i)
    text += (i == 0 ? "first difference: " : "then: ") + shown(found.different[i].name) + ": " +
            found.different[i].text + "\n";
  if (found.different.size() > limit)
    text += "… " + std::to_string(found.different.size() - limit) + " more differ (--limit=N shows N)\n";
  return text + formatCount(found.compared, "value") + " compared, " +
         (found.different.empty() ? "all agree" : std::to_string(found.different.size()) + " differ") + "\n";
}

} // namespace heddle::tools
