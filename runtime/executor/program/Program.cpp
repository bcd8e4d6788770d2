// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/program/Program.h"

#include <algorithm>

namespace heddle {

const fb::Location *Function::locationOf(const fb::Module &module, const Head &head) const {
  const auto *pairs = source->code_locations();
  if (!pairs || pairs->size() < 2)
    return nullptr;
  uint32_t unit = static_cast<uint32_t>(&head - reinterpret_cast<const Head *>(code.data()));
  auto word = std::lower_bound(words.begin(), words.end(), std::pair(unit, 0u));
  const fb::Location *found = nullptr;
  for (uint32_t i = 0; i < pairs->size() && pairs->Get(i) <= word->second; i += 2)
    found = module.locations()->Get(pairs->Get(i + 1));
  return found;
}

std::string describe(const fb::Location *location) {
  std::string name = location && location->name() ? location->name()->str() : "";
  std::string file = location && location->file() ? location->file()->str() : "";
  if (!file.empty())
    file += ":" + std::to_string(location->line());
  if (name.empty() || file.empty())
    return name.empty() ? file : "'" + name + "'";
  return "'" + name + "' (" + file + ")";
}

Status locate(const Function &function, const fb::Module &module, const Head &head, Status failure) {
  std::string where = describe(function.locationOf(module, head));
  return where.empty() ? std::move(failure) : std::move(failure).note("in " + where);
}

} // namespace heddle
