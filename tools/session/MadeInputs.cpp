// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/session/MadeInputs.h"

#include "heddle/contract/Artifact_generated.h"
#include "tools/lib/Arguments.h"
#include "tools/lib/Json.h"
#include "tools/lib/MakeUp.h"
#include "tools/session/Session.h"

#include <cstdio>

namespace heddle::tools {

namespace {

// Of an artifact that says nothing: none.
std::map<std::string, int64_t> boundsOf(const std::string &path, const std::string &entryPoint) {
  Artifact artifact(path);
  uint64_t bytes = 0;
  const auto *report = fb::GetModule(heddle_artifact_metadata(artifact.raw(), &bytes))->report();
  Json json = Json::parse(report ? report->str() : "", nullptr, /*allow_exceptions=*/false);
  std::map<std::string, int64_t> bounds;
  if (!json.is_object() || !json.contains("index_bounds") || !json["index_bounds"].is_object() ||
      !json["index_bounds"].contains(entryPoint))
    return bounds;
  for (const auto &[name, bound] : json["index_bounds"][entryPoint].items())
    if (bound.is_number_integer())
      bounds[name] = bound.get<int64_t>();
  return bounds;
}

} // namespace

std::vector<HostTensor> makeInputs(const Module &module, uint32_t entryPoint, const std::string &artifact,
                                   std::span<const std::string> texts, std::span<const std::string> dims, uint64_t seed,
                                   std::vector<std::optional<HostTensor>> values) {
  const heddle_entry_point_info &entry = module.entryPoint(entryPoint);
  std::vector<std::optional<std::string>> assigned = assignValues(argumentsOf(entry), texts, "--input", "input");
  std::vector<const heddle_tensor *> defaults = defaultsOf(module, entryPoint);
  values.resize(assigned.size());
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i])
      continue;
    else if (assigned[i])
      values[i] = parseValueAs(*assigned[i], static_cast<ElementType>(entry.arguments[i].type));
    else if (i < defaults.size() && defaults[i])
      values[i] = copyOf(*defaults[i]);
  std::string made = makeUp(argumentsOf(entry), dims, seed, values, boundsOf(artifact, entry.name));
  if (!made.empty())
    std::fprintf(stderr, "%s\n", made.c_str());
  std::vector<HostTensor> inputs;
  for (std::optional<HostTensor> &value : values)
    inputs.push_back(std::move(*value));
  return inputs;
}

} // namespace heddle::tools
