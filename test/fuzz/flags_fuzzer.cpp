// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libFuzzer target: any text is a device's URI, a number of bytes, a command line, or a value with a name, or an error
// with a message.
#include "runtime/base/DeviceUri.h"
#include "test/fuzz/Target.h"
#include "tools/lib/Arguments.h"
#include "tools/lib/CommandLine.h"
#include "tools/lib/ValueSyntax.h"

#include <cstdint>

using namespace heddle;
using namespace heddle::fuzz;

namespace {

template <typename T> bool worked(const StatusOr<T> &result) {
  require(result.ok() || !result.status().message().empty());
  return result.ok();
}

void parseUri(std::string_view text) {
  StatusOr<DeviceUri> uri = DeviceUri::parse(text);
  if (!worked(uri))
    return;
  StatusOr<DeviceUri> again = DeviceUri::parse(uri->text());
  require(worked(again) && again->text() == uri->text());
  static constexpr std::string_view kKnown[] = {"memory", "cpu", "threads"};
  Status known = uri->refuseUnknownOptions(kKnown);
  require(known.ok() || !known.message().empty());
  for (const auto &[key, value] : uri->options)
    worked(parseByteCount(value));
}

// Of all kinds of flags, an argument a line.
void parseLine(std::string_view text) {
  std::vector<std::string> words = {"heddle"};
  for (size_t at = 0; at <= text.size() && words.size() < 32;) {
    size_t end = std::min(text.find('\n', at), text.size());
    words.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  std::vector<const char *> arguments;
  for (const std::string &word : words)
    arguments.push_back(word.c_str());
  std::string file, output;
  std::vector<std::string> devices;
  std::optional<double> seconds;
  std::optional<uint64_t> count;
  std::optional<std::string> explain;
  bool timing = false;
  worksOrSays([&] {
    tools::CommandLine line("heddle fuzz", "Parses", "Examples: none");
    line.positional(file, "FILE", "a file");
    line.value(output, "-o,--output", "FILE", "a text");
    line.value(seconds, "--seconds", "N", "a number");
    line.value(count, "--count", "N", "a whole number");
    line.optionalValue(explain, "--explain", "FILE", "a text or none");
    line.flag(timing, "--timing", "a flag");
    line.list(devices, "--device", "URI", "a list");
    line.parse(static_cast<int>(arguments.size()), arguments.data());
  });
}

// Texts of lines, for two arguments.
void assign(std::string_view text) {
  heddle_value_info slots[2] = {};
  slots[0].name = "x";
  slots[1].name = "past.0=key";
  std::vector<std::string> texts;
  for (size_t at = 0; at <= text.size() && texts.size() < 4;) {
    size_t end = std::min(text.find('\n', at), text.size());
    texts.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  worksOrSays([&] { tools::assignValues(slots, texts, "--input", "input"); });
  worksOrSays([&] { tools::assignOutputs(slots, texts); });
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  switch (takeChoice(text, 4)) {
  case 0: parseUri(text); break;
  case 1: parseLine(text); break;
  case 2: assign(text); break;
  default: worksOrSays([&] { tools::splitName(text); });
  }
  return 0;
}
