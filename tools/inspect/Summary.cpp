// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/inspect/Summary.h"

#include "heddle/contract/Text.h"
#include "tools/inspect/Certificates.h"
#include "tools/inspect/Meshes.h"
#include "tools/lib/Characters.h"
#include "tools/lib/Quantities.h"

#include <algorithm>
#include <map>
#include <vector>

namespace heddle::tools {
namespace {

std::string str(const Json &json) { return json.is_string() ? json.get<std::string>() : json.dump(); }

std::string joined(const Json &list) {
  std::string out;
  for (const Json &element : list)
    out += (out.empty() ? "" : ", ") + str(element);
  return out;
}

// "[batch]x128xi64"
std::string typeText(const Json &value) {
  std::string out;
  for (const Json &dim : value["shape"])
    out += (dim.is_string() && dim != "?" ? "[" + str(dim) + "]" : str(dim)) + "x";
  return out + str(value["type"]);
}

// A value that may be long, as far as a line holds it.
std::string shortened(const std::string &text) {
  constexpr size_t kMost = 40;
  return text.size() <= kMost ? text : text.substr(0, text.rfind(' ', kMost - 4)) + " ...]";
}

// "a: 2x3xf32, b: i64"
std::string signature(const Json &values) {
  std::string out;
  for (const Json &value : values)
    out += (out.empty() ? "" : ", ") + str(value["name"]) + ": " + typeText(value) +
           shardingText(value.value("sharding", Json())) +
           (value.contains("donated_to") ? " (donated to " + str(value["donated_to"]) + ")" : "") +
           (value.contains("default") ? " (default " + shortened(str(value["default"])) + ")" : "");
  return out;
}

// "main(x: 4xf32) -> (y: 4xf32), keeps cache (in place), reads step"
std::string entryPointLine(const Json &entry) {
  std::string out =
      str(entry["name"]) + "(" + signature(entry["arguments"]) + ") -> (" + signature(entry["results"]) + ")";
  for (const Json &use : entry["state"])
    out += (use["writes"] ? ", keeps " : ", reads ") + str(use["global"]) + (use["in_place"] ? " (in place)" : "");
  return out;
}

// "cache: 1x?x4xf32 on device_0, at first zeros"
std::string globalLine(const Json &global) {
  return str(global["name"]) + ": " + typeText(global) + " on " + str(global["device"]) + ", at first " +
         (global["initial"].is_null() ? "zeros" : "parameter " + str(global["initial"]));
}

std::string section(const std::string &title, const std::vector<std::string> &lines, size_t limit) {
  std::string out = title + "\n";
  for (size_t i = 0; i < std::min(limit, lines.size()); ++i)
    out += "  " + lines[i] + "\n";
  if (lines.size() > limit)
    out += "  … " + std::to_string(lines.size() - limit) + " more (--json lists all)\n";
  return out;
}

std::string deviceLine(const Json &device) {
  std::string out;
  for (const Json &target : device["alternatives"]) {
    out += out.empty() ? "" : ", else ";
    if (target.contains("fallback")) {
      out += "the same as " + str(target["fallback"]);
      continue;
    }
    out += str(target["driver"]);
    if (!target["ordinal"].is_null())
      out += "[" + str(target["ordinal"]) + "]";
    if (target.contains("given"))
      out += " at position " + str(target["given"]) + " of the devices given";
    if (!target["formats"].empty())
      out += " (" + joined(target["formats"]) + ")";
  }
  return str(device["name"]) + ": " + out;
}

std::string executableLine(const Json &executable) {
  std::string exports, variants;
  for (const Json &entry : executable["exports"])
    exports += (exports.empty() ? "" : ", ") + str(entry["name"]);
  for (const Json &variant : executable["variants"])
    variants += (variants.empty() ? "" : "; ") + str(variant["target"]) + " " + formatBytes(variant["bytes"]);
  return str(executable["name"]) + " {" + exports + "}: " + variants;
}

// "dispatch 12, view 30, …", the most frequent first.
std::string counts(const Json &host, const char *key) {
  std::map<std::string, size_t> count;
  for (const Json &instruction : host)
    ++count[str(instruction[key])];
  std::vector<std::pair<std::string, size_t>> sorted(count.begin(), count.end());
  std::sort(sorted.begin(), sorted.end(),
            [](auto &a, auto &b) { return a.second != b.second ? a.second > b.second : a.first < b.first; });
  std::string out;
  for (auto &[name, n] : sorted)
    out += (out.empty() ? "" : ", ") + name + " " + std::to_string(n);
  return out;
}

template <typename F> std::vector<std::string> lines(const Json &list, F &&line) {
  std::vector<std::string> out;
  for (const Json &element : list)
    out.push_back(line(element));
  return out;
}

// A long text is cut: the whole of it is in --json.
std::vector<std::string> pairLines(const Json &pairs) {
  constexpr size_t kMost = 100;
  std::vector<std::string> out;
  for (const auto &[key, value] : pairs.items()) {
    std::string text = str(value);
    std::string_view shown = beginningOf(text, kMost);
    out.push_back(contract::showText(key, contract::Lines::One) + ": " +
                  contract::showText(shown, contract::Lines::One) + (shown.size() < text.size() ? "…" : ""));
  }
  return out;
}

} // namespace

std::string summarizeArtifact(const Json &artifact, const std::string &path, size_t limit) {
  const Json &executables = artifact["executables"], &parameters = artifact["parameters"], &host = artifact["host"];
  std::string out = path + ": " + formatBytes(artifact["file_bytes"]) + ", format " +
                    str(artifact["format"]["version"]) + ", by " + str(artifact["producer"]) + "\n";
  if (!artifact["model"].empty())
    out += section("model", pairLines(artifact["model"]), limit);
  if (!artifact["metadata"].empty())
    out += section("metadata", pairLines(artifact["metadata"]), limit);
  out += section("entry points", lines(artifact["entry_points"], entryPointLine), limit);
  if (!artifact["globals"].empty())
    out += section("kept between calls", lines(artifact["globals"], globalLine), limit);
  out += section("devices", lines(artifact["devices"], deviceLine), limit);
  if (!artifact["meshes"].empty())
    out += section("meshes", lines(artifact["meshes"], meshLine), limit);
  if (!artifact["collectives"].empty())
    out += section("collectives", lines(artifact["collectives"], collectiveLine), limit);
  if (!artifact["overlaps"].empty())
    out += section("overlaps", lines(artifact["overlaps"], overlapLine), limit);
  if (artifact.contains("plan"))
    out += section("would run as", lines(artifact["plan"], str), limit);
  uint64_t code = 0, data = 0;
  for (const Json &executable : executables)
    for (const Json &variant : executable["variants"])
      code += variant["bytes"].get<uint64_t>();
  for (const Json &parameter : parameters)
    data += parameter["bytes"].get<uint64_t>();
  out += section("executables: " + std::to_string(executables.size()) + ", " + formatBytes(code),
                 lines(executables, executableLine), limit);
  out += section("parameters: " + std::to_string(parameters.size()) + ", " + formatBytes(data),
                 lines(parameters,
                       [](const Json &parameter) {
                         std::string layout = str(parameter["layout"]);
                         return str(parameter["key"]) + ": " + typeText(parameter) + ", " +
                                formatBytes(parameter["bytes"]) + (layout.empty() ? "" : ", " + layout);
                       }),
                 limit);
  out += "host program: " + std::to_string(host.size()) + " instructions\n";
  if (!host.empty())
    out += "  " + counts(host, "op") + "\n  known at: " + counts(host, "binding") + "\n";
  if (artifact.contains("certificate") && !artifact["certificate"].is_null())
    out += section("certificate", certificateLines(artifact["certificate"]), limit);
  return out;
}

} // namespace heddle::tools
