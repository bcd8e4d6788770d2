// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/onnx_backend/Manifest.h"

#include "tools/lib/Error.h"
#include "tools/lib/Files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <sstream>

namespace heddle::onnx_tests {
namespace {

constexpr size_t kReasonLength = 160;
constexpr std::array<const char *, 3> kStatusNames = {"pass", "fail", "out-of-scope"};
constexpr std::array<const char *, 5> kPhaseNames = {"passed", "refused", "run", "result", "crash"};

const char *nameOf(Status status) { return kStatusNames[static_cast<size_t>(status)]; }
const char *nameOf(Phase phase) { return kPhaseNames[static_cast<size_t>(phase)]; }

std::optional<Status> parseStatus(const std::string &text) {
  auto found = std::find(kStatusNames.begin(), kStatusNames.end(), text);
  if (found == kStatusNames.end())
    return std::nullopt;
  return static_cast<Status>(found - kStatusNames.begin());
}

// One line of at most kReasonLength bytes, cut between words.
std::string reasonOf(const Outcome &outcome) {
  std::string text = std::string(nameOf(outcome.phase)) + ": " + outcome.text;
  std::replace_if(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  if (text.size() > kReasonLength)
    text = text.substr(0, text.rfind(' ', kReasonLength)) + " …";
  return text;
}

bool isGenerated(const std::string &reason) {
  return std::any_of(kPhaseNames.begin(), kPhaseNames.end(),
                     [&](const char *name) { return reason.rfind(std::string(name) + ": ", 0) == 0; });
}

} // namespace

Manifest Manifest::read(const std::string &path) {
  Manifest manifest;
  if (!std::filesystem::exists(path))
    return manifest;
  std::istringstream text(tools::readText(path));
  size_t number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    std::istringstream fields(line);
    std::string name, status, reason;
    std::getline(fields, name, '\t');
    std::getline(fields, status, '\t');
    std::getline(fields, reason);
    std::optional<Status> parsed = parseStatus(status);
    std::string where = path + ":" + std::to_string(number) + ": ";
    if (!parsed)
      throw tools::Failure(where + "the status must be pass, fail or out-of-scope, got '" + status + "'");
    if ((*parsed == Status::Pass) != reason.empty())
      throw tools::Failure(where + "a test that passes has no reason, every other has one, got '" + reason + "'");
    if (!manifest.entries.emplace(name, Entry{*parsed, reason}).second)
      throw tools::Failure(where + "'" + name + "' stands here twice");
  }
  return manifest;
}

void Manifest::write(const std::string &path) const {
  tools::OutputFile file(path);
  for (const auto &[name, entry] : entries)
    file.write(name + '\t' + nameOf(entry.status) + (entry.reason.empty() ? "" : '\t' + entry.reason) + '\n');
  file.commit();
}

std::string Manifest::compare(const std::string &name, const Outcome &outcome) const {
  auto found = entries.find(name);
  std::string got = outcome.passed() ? "passes" : reasonOf(outcome);
  if (found == entries.end())
    return "is not in the manifest; it " + got;
  const Entry &entry = found->second;
  if (outcome.phase == Phase::Crashed)
    return got;
  if (entry.status == Status::Pass && !outcome.passed())
    return "passed, now " + got;
  if (entry.status != Status::Pass && outcome.passed())
    return std::string("passes, but is ") + nameOf(entry.status) + " (" + entry.reason + ")";
  if (entry.status == Status::OutOfScope && outcome.phase != Phase::Refused)
    return "is out of scope, but was not refused: " + got;
  return "";
}

std::vector<std::string> Manifest::missing(const std::vector<std::string> &names) const {
  std::vector<std::string> result;
  for (const auto &[name, entry] : entries)
    if (!std::binary_search(names.begin(), names.end(), name))
      result.push_back(name);
  return result;
}

void Manifest::update(const std::string &name, const Outcome &outcome) {
  Entry &entry = entries[name];
  if (outcome.passed())
    entry = {Status::Pass, ""};
  else if (entry.status == Status::OutOfScope)
    return;
  else if (entry.status == Status::Pass || entry.reason.empty() || isGenerated(entry.reason))
    entry = {Status::Fail, reasonOf(outcome)};
}

void Manifest::keepOnly(const std::vector<std::string> &names) {
  for (const std::string &name : missing(names))
    entries.erase(name);
}

} // namespace heddle::onnx_tests
