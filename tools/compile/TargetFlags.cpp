// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/compile/TargetFlags.h"

#include "compiler/Dialect/Quantities.h"
#include "compiler/Target/CPU/CpuTarget.h"
#include "compiler/Target/LayoutResolvers.h"
#include "compiler/Target/TargetRegistry.h"
#include "tools/lib/Error.h"
#include "tools/lib/Suggest.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using mlir::heddle::DeviceFlag;

namespace heddle::tools {

std::vector<std::string> parseTargetCpus(const std::vector<std::string> &flags) {
  std::vector<std::string> cpus;
  for (const std::string &flag : flags)
    for (llvm::StringRef spec : llvm::split(flag, ',')) {
      if (std::string reason = mlir::heddle::cpu::explainUnknown(spec); !reason.empty())
        throw UsageError("--target-cpu: " + reason);
      cpus.push_back(spec.str());
    }
  return cpus;
}

std::vector<DeviceFlag> parseTargetDevices(const std::vector<std::string> &texts, bool targetCpu) {
  std::vector<DeviceFlag> flags;
  if (std::string message = mlir::heddle::parseDeviceFlags(texts, targetCpu, flags); !message.empty())
    throw UsageError(message);
  std::vector<std::string> aliases;
  for (const mlir::heddle::Target *target : mlir::heddle::getTargets())
    for (const mlir::heddle::DeviceAlias &alias : target->getAliases())
      aliases.push_back(alias.name);
  for (const DeviceFlag &flag : flags)
    for (const mlir::heddle::DeviceSpec &spec : flag.specs)
      if (spec.kind == mlir::heddle::DeviceSpec::Alias && !mlir::heddle::findTargetOfAlias(spec.text)) {
        std::string message = "unknown target device '" + spec.text + "'; known: " + mlir::heddle::listAliases() +
                              didYouMean(spec.text, aliases);
        throw UsageError("--target-device: " + mlir::heddle::pointAt(flag.text, {message, spec.position}));
      }
  return flags;
}

std::optional<int64_t> parseMaxTransient(const std::optional<std::string> &text) {
  if (!text)
    return std::nullopt;
  std::optional<int64_t> bytes = mlir::heddle::parseBytes(*text);
  if (!bytes)
    throw UsageError("--max-transient takes bytes, such as 4096, 64MiB or 2GB, got '" + *text + "'");
  return bytes;
}

void checkLayoutResolver(const std::string &names) {
  if (std::string message = mlir::heddle::explainUnknownResolver(names); !message.empty())
    throw UsageError("--layout-resolver: " + message);
}

// The number of pieces of `overlap:…`: -2 as the load decides, 0 by the compiler's account, 1 off, -1 from each rank as
// it is; none for another strategy, or not a number of pieces.
static std::optional<int64_t> parsePieces(const std::string &strategy) {
  constexpr std::string_view kPrefix = "overlap:";
  constexpr int64_t kMost = 1024;
  if (!strategy.starts_with(kPrefix))
    return std::nullopt;
  llvm::StringRef word = llvm::StringRef(strategy).drop_front(kPrefix.size());
  if (word == "default" || word == "bind")
    return -2;
  if (word == "compile")
    return 0;
  if (word == "off")
    return 1;
  if (word == "around")
    return -1;
  int64_t pieces = 0;
  if (word.getAsInteger(10, pieces) || pieces < 1 || pieces > kMost)
    throw UsageError("--strategy=overlap: takes default, off, around, compile, bind or a number of pieces up to " +
                     std::to_string(kMost) + ", got '" + word.str() + "'");
  return pieces;
}

void parseStrategies(const std::optional<std::string> &dataTiling, const std::vector<std::string> &strategies,
                     mlir::heddle::CompileOptions &options) {
  const std::vector<std::string> words{"on", "off"},
      known{"early-data-tiling", "split:default",   "split:off",   "streams:default",
            "streams:off",       "overlap:default", "overlap:off", "winograd:default",
            "winograd:off",      "winograd:2",      "winograd:4"};
  auto check = [](const std::string &flag, const std::string &word, const std::vector<std::string> &known) {
    if (std::find(known.begin(), known.end(), word) == known.end())
      throw UsageError(flag + ": unknown value '" + word + "'; known: " + quotedList(known) + didYouMean(word, known));
  };
  if (dataTiling)
    check("--data-tiling", *dataTiling, words);
  bool early = false;
  for (const std::string &strategy : strategies) {
    if (std::optional<int64_t> pieces = parsePieces(strategy)) {
      options.ranks.overlapPieces = *pieces;
      continue;
    }
    check("--strategy", strategy, known);
    early |= strategy == "early-data-tiling";
    if (strategy.starts_with("streams:"))
      options.split.overlapBranches = strategy == "streams:default";
    if (strategy.starts_with("winograd:"))
      options.code.winograd = strategy.substr(9);
    if (strategy.starts_with("split:"))
      options.split.strategy = strategy == "split:off" ? "" : strategy.substr(6);
  }
  if (dataTiling == "on" && early)
    throw UsageError(
        "--data-tiling=on lays operands out late and --strategy=early-data-tiling early: give one of the two");
  if (dataTiling == "off")
    options.layout.dataTiling = mlir::heddle::DataTiling::Off;
  else
    options.layout.dataTiling = early ? mlir::heddle::DataTiling::Early : mlir::heddle::DataTiling::Late;
}

std::string parsePrecision(const std::optional<std::string> &precision, bool strictFloat) {
  const std::vector<std::string> known{"f32", "bf16", "f16"};
  std::string word = precision.value_or("f32");
  if (std::find(known.begin(), known.end(), word) == known.end())
    throw UsageError("--precision: unknown value '" + word + "'; known: " + quotedList(known) +
                     didYouMean(word, known));
  if (strictFloat && word != "f32")
    throw UsageError("--precision=" + word +
                     " rounds operands of products and --strict-float rounds nothing: give one of the two");
  return word;
}

bool parseAuto(const std::string &flag, const std::optional<std::string> &value) {
  const std::vector<std::string> known{"auto"};
  if (value && *value != "auto")
    throw UsageError(flag + ": unknown value '" + *value + "'; known: " + quotedList(known) +
                     didYouMean(*value, known));
  return value.has_value();
}

} // namespace heddle::tools
