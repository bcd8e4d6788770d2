// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of the command line matched with what an entry point takes and gives.
#ifndef HEDDLE_TOOLS_LIB_ARGUMENTS_H
#define HEDDLE_TOOLS_LIB_ARGUMENTS_H

#include "heddle/heddle.h"
#include "tools/lib/HostTensor.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace heddle::tools {

// "[batch]x128xi64"; "?" for a dynamic dimension without a name.
std::string formatValueType(const heddle_value_info &info);

// A table for people: "  input_ids: [batch]x[length]xi64", a line each.
std::string describeValues(std::span<const heddle_value_info> values);

// Assigns texts `NAME=value` and `value` to slots: named ones first, the others fill what is left in order. `flag` and
// `kind` ("input") are for messages. Throws UsageError: no such name (with the nearest), a name twice, too many.
std::vector<std::optional<std::string>> assignValues(std::span<const heddle_value_info> slots,
                                                     std::span<const std::string> texts, const std::string &flag,
                                                     const std::string &kind);

// The tensors of a call: every argument must be given, or have a default, else a UsageError lists what is taken.
// `defaults`: by argument, null for none; may be empty. Types and sizes are checked by the runtime, not here.
std::vector<HostTensor> bindInputs(const heddle_entry_point_info &entryPoint, std::span<const std::string> texts,
                                   std::span<const heddle_tensor *const> defaults = {});

// The first half of it: the text for each argument, or nothing where its default stands in. Throws as bindInputs().
std::vector<std::optional<std::string>> assignInputs(const heddle_entry_point_info &entryPoint,
                                                     std::span<const std::string> texts,
                                                     std::span<const heddle_tensor *const> defaults = {});

// A copy.
HostTensor copyOf(const heddle_tensor &tensor);

// parseValue(); a .npy file with the carrier of `type` (NumPy has no bf16) becomes `type`.
HostTensor parseValueAs(const std::string &text, ElementType type);

// --output=[NAME=]@FILE: file names per result.
std::vector<std::optional<std::string>> assignOutputs(std::span<const heddle_value_info> results,
                                                      std::span<const std::string> texts);

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_LIB_ARGUMENTS_H
