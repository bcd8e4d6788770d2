// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/lib/Arguments.h"

#include "tools/lib/Error.h"
#include "tools/lib/Npy.h"
#include "tools/lib/Suggest.h"
#include "tools/lib/ValueSyntax.h"

#include <algorithm>
#include <cstring>

namespace heddle::tools {
namespace {

std::string counted(size_t count, const std::string &noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::vector<std::string> namesOf(std::span<const heddle_value_info> values) {
  std::vector<std::string> names;
  for (const heddle_value_info &value : values)
    names.emplace_back(value.name);
  return names;
}

std::vector<std::optional<std::string>> assign(std::span<const heddle_value_info> slots,
                                               std::span<const NamedValue> values, const std::string &flag,
                                               const std::string &kind) {
  std::vector<std::string> names = namesOf(slots);
  std::vector<std::optional<std::string>> out(slots.size());
  for (const NamedValue &value : values) {
    if (value.name.empty())
      continue;
    auto found = std::find(names.begin(), names.end(), value.name);
    if (found == names.end())
      throw UsageError(flag + ": the model has no " + kind + " '" + value.name + "'" + didYouMean(value.name, names) +
                       "\nits " + kind + "s are:\n" + describeValues(slots));
    std::optional<std::string> &slot = out[static_cast<size_t>(found - names.begin())];
    if (slot)
      throw UsageError(flag + ": " + kind + " '" + value.name + "' is given twice");
    slot = value.value;
  }
  for (const NamedValue &value : values) {
    if (!value.name.empty())
      continue;
    auto slot = std::find(out.begin(), out.end(), std::nullopt);
    if (slot == out.end())
      throw UsageError(flag + ": the model has " + counted(slots.size(), kind) + ", got " +
                       std::to_string(values.size()) + "\n" + describeValues(slots));
    *slot = value.value;
  }
  return out;
}

const heddle_tensor *defaultOf(std::span<const heddle_tensor *const> defaults, ptrdiff_t i) {
  return defaults.empty() ? nullptr : defaults[static_cast<size_t>(i)];
}

} // namespace

std::string formatValueType(const heddle_value_info &info) {
  std::string out;
  for (uint32_t i = 0; i < info.rank; ++i) {
    const heddle_dim &dim = info.dims[i];
    std::string symbol = dim.symbol ? dim.symbol : "";
    out += (dim.size >= 0 ? std::to_string(dim.size) : symbol.empty() ? "?" : "[" + symbol + "]") + "x";
  }
  return out + std::string(contract::spelling(static_cast<ElementType>(info.type)));
}

std::string describeValues(std::span<const heddle_value_info> values) {
  std::string out;
  for (const heddle_value_info &value : values)
    out += (out.empty() ? "  " : "\n  ") + std::string(value.name) + ": " + formatValueType(value);
  return out;
}

std::vector<std::optional<std::string>> assignValues(std::span<const heddle_value_info> slots,
                                                     std::span<const std::string> texts, const std::string &flag,
                                                     const std::string &kind) {
  std::vector<NamedValue> values;
  std::vector<std::string> names = namesOf(slots);
  for (const std::string &text : texts)
    values.push_back(splitName(text, names));
  return assign(slots, values, flag, kind);
}

HostTensor copyOf(const heddle_tensor &tensor) {
  HostTensor out(static_cast<ElementType>(tensor.type), {tensor.dims, tensor.dims + tensor.rank});
  std::memcpy(out.data().data(), tensor.data, out.data().size());
  return out;
}

std::vector<std::optional<std::string>> assignInputs(const heddle_entry_point_info &entryPoint,
                                                     std::span<const std::string> texts,
                                                     std::span<const heddle_tensor *const> defaults) {
  std::span<const heddle_value_info> slots(entryPoint.arguments, entryPoint.argument_count);
  std::vector<std::optional<std::string>> given = assignValues(slots, texts, "--input", "input");
  auto missing = given.begin();
  while (missing != given.end() && (*missing || defaultOf(defaults, missing - given.begin())))
    ++missing;
  if (missing != given.end())
    throw UsageError("--input: '" + std::string(entryPoint.name) + "' takes " + counted(slots.size(), "input") +
                     ", got " + std::to_string(texts.size()) + "; '" +
                     slots[static_cast<size_t>(missing - given.begin())].name + "' is missing\n" +
                     describeValues(slots));
  return given;
}

std::vector<HostTensor> bindInputs(const heddle_entry_point_info &entryPoint, std::span<const std::string> texts,
                                   std::span<const heddle_tensor *const> defaults) {
  std::span<const heddle_value_info> slots(entryPoint.arguments, entryPoint.argument_count);
  std::vector<std::optional<std::string>> given = assignInputs(entryPoint, texts, defaults);
  std::vector<HostTensor> out;
  for (size_t i = 0; i < slots.size(); ++i)
    out.push_back(given[i] ? parseValueAs(*given[i], static_cast<ElementType>(slots[i].type))
                           : copyOf(*defaultOf(defaults, static_cast<ptrdiff_t>(i))));
  return out;
}

HostTensor parseValueAs(const std::string &text, ElementType type) {
  HostTensor tensor = parseValue(text);
  return text.starts_with('@') ? fromCarrier(std::move(tensor), type) : std::move(tensor);
}

std::vector<std::optional<std::string>> assignOutputs(std::span<const heddle_value_info> results,
                                                      std::span<const std::string> texts) {
  std::vector<NamedValue> values;
  std::vector<std::string> names = namesOf(results);
  for (const std::string &text : texts) {
    size_t at = text.starts_with('@') ? 0 : text.find("=@"), longest = 0;
    for (const std::string &name : names) // a name of the module may have an '=@' in it
      if (name.size() > longest && text.starts_with(name + "=@"))
        at = longest = name.size();
    if (at == text.npos || !text.ends_with(".npy"))
      throw UsageError("--output takes @FILE.npy or NAME=@FILE.npy, got '" + text + "'");
    values.push_back(at == 0 ? NamedValue{"", text.substr(1)} : NamedValue{text.substr(0, at), text.substr(at + 2)});
  }
  std::vector<std::optional<std::string>> out = assign(results, values, "--output", "result");
  for (size_t i = 0; i < out.size(); ++i)
    if (out[i] && std::find(out.begin(), out.begin() + static_cast<ptrdiff_t>(i), out[i]) !=
                      out.begin() + static_cast<ptrdiff_t>(i))
      throw UsageError("--output: two results cannot go to one file, '" + *out[i] + "'");
  return out;
}

} // namespace heddle::tools
