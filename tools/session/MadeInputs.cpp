// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/session/MadeInputs.h"

#include "tools/lib/Arguments.h"
#include "tools/lib/MakeUp.h"
#include "tools/session/Session.h"

#include <cstdio>

namespace heddle::tools {

std::vector<HostTensor> makeInputs(const Module &module, uint32_t entryPoint, std::span<const std::string> texts,
                                   std::span<const std::string> dims, uint64_t seed,
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
  std::string made = makeUp(argumentsOf(entry), dims, seed, values);
  if (!made.empty())
    std::fprintf(stderr, "%s\n", made.c_str());
  std::vector<HostTensor> inputs;
  for (std::optional<HostTensor> &value : values)
    inputs.push_back(std::move(*value));
  return inputs;
}

} // namespace heddle::tools
