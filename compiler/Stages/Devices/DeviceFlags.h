// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The grammar of `--target-device=`: text in, plain data or an error that points at a character out.
//
//   flag  := [name '='] spec (',' spec)* ['*' count]                     several specs: the first that exists
//   spec  := alias ['[' ordinal ']'] ['{' key '=' value (',' key '=' value)* '}']  |  'fallback' '(' '@' name ')'
//          | '#' any attribute
//   value := word | number | '[' value (',' value)* ']'
//
//   local    vulkan,local    gpu=cuda[0]    cpu=local{cpu=[x86-64-v3,x86-64-v4]}    a=#device.target<"local",
//   [#device.executable<"…">]>
//
// The alias `cpu` is `local`, and `gpu` is `cuda,vulkan`: the kinds of devices by the names that users have for them.
//
// A count declares so many devices, members 0 to count-1 of the flag: `gpu=vulkan,local*3` is what gpu_0=vulkan,local,
// gpu_1=vulkan,local and gpu_2=vulkan,local are. An ordinal or position is that of member 0 and grows by one from
// member to member: `cuda[4]*2` is cuda[4] and cuda[5].
#ifndef HEDDLE_COMPILER_STAGES_DEVICES_DEVICEFLAGS_H
#define HEDDLE_COMPILER_STAGES_DEVICES_DEVICEFLAGS_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mlir::heddle {

struct FlagValue {
  enum Kind { Word, Number, List } kind = Word;
  std::string text;             // of a word or number
  std::vector<FlagValue> items; // of a list
};

struct DeviceSpec {
  enum Kind { Alias, Fallback, Attribute } kind = Alias;
  std::string text; // the alias, the other device's name, or the attribute from its '#' on
  std::optional<int64_t> ordinal;
  std::vector<std::pair<std::string, FlagValue>> options; // in the order given, each key once
  size_t position = 0;                                    // in the flag
};

struct DeviceFlag {
  std::string text; // as given, for messages
  std::string name; // "" where the flag gives none
  std::vector<DeviceSpec> specs;
  std::optional<uint32_t> count; // none: one device, of the flag's name

  uint32_t members() const { return count.value_or(1); }
  // The name of a member's device: "gpu_2", without a count "gpu"; "" where the flag gives none.
  std::string nameOf(uint32_t member) const;
};

// What is wrong with a flag, and where: a character's position, counted from 0.
struct FlagError {
  std::string message;
  size_t position = 0;
};

// The message, the flag, and a mark under the character, in three lines.
std::string pointAt(std::string_view flag, const FlagError &error);

// None when `text` is a flag; then `flag` is it.
std::optional<FlagError> parseDeviceFlag(std::string_view text, DeviceFlag &flag);

// All flags of a compilation: each by the grammar, names for all or for none and each once, no more devices than an
// artifact has. `targetCpu`: `--target-cpu=` is given too, which belongs to one device. "" when all is well, then
// `flags` are they; else the message.
std::string parseDeviceFlags(const std::vector<std::string> &texts, bool targetCpu, std::vector<DeviceFlag> &flags);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_DEVICES_DEVICEFLAGS_H
