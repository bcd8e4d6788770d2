// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matching a program's devices with the machine's: a pure function from plain data to a plan, tested without devices.
//
// Each device of the program has alternatives in the order of preference. A target exists when some available device
// has its driver, enough memory and cores, and can run one of its executable targets (an artifact that lists formats
// only: one of them, and at least one executable of the program); an ordinal counts only such devices; `given` counts
// all, and that one must be such a device. A fallback exists when the device that it names got one, and is that very
// device. The first alternative that exists is taken.
//
// Each device of the program gets a device of its own as far as that is possible (Assignment.h): in their order the
// first that fits and that another, which has less choice, does not need; where none of the first alternative is left,
// one of a later one. One that names a position or an ordinal has that device, with all that name it. Where there are
// fewer devices than the program has, the rest are logical copies of the match with the fewest, and the plan says so.
#ifndef HEDDLE_RUNTIME_MATCH_MATCH_H
#define HEDDLE_RUNTIME_MATCH_MATCH_H

#include "runtime/base/Status.h"
#include "runtime/match/DeviceInfo.h"

#include <span>

namespace heddle {

struct TargetRequirement {
  std::string driver;
  int32_t ordinal = -1; // among the devices that match; -1: any
  int32_t given = -1;   // among all available ones, as they were given; -1: any. Not with an ordinal
  std::vector<std::string> formats;
  struct Executable {
    std::string format;
    std::vector<std::string> features; // of DeviceInfo::features, or a limit that it keeps: "subgroupSize>=16"
    std::string name = {};             // for messages: "x86-64-v3"; may be empty
  };
  std::vector<Executable> executables; // any one of them; empty: `formats` says it
  uint64_t minMemory = 0;              // bytes; a device that does not know how much it has fits
  uint32_t minCores = 0;
  std::string fallback; // the name of another device: none of the above counts
};

struct DeviceRequirement {
  std::string name;
  std::vector<TargetRequirement> alternatives;
  bool needed = true; // false: the program does not use it, and it may stay without a match
  bool runs = true;   // false: no executable runs on it: it needs a driver, and what it could run does not count
};

struct VariantRequirement {
  std::string target;
  std::string format;
  std::vector<std::string> features;
};

struct ExecutableRequirement {
  std::string name;
  std::vector<VariantRequirement> variants;
};

struct DeviceMatch {
  bool matched = true;
  size_t device = 0; // index into the available devices
  uint32_t alternative = 0;
  bool copy = false;   // a second logical copy: open it anew
  size_t instance = 0; // index of a requirement that got this logical device: equal instances are the same device
  std::string note;
};

// One match per requirement. Fallbacks must not form a cycle. NotFound names the device, what it asked for, and why
// each runtime device was refused.
StatusOr<std::vector<DeviceMatch>> matchDevices(std::span<const DeviceRequirement> requirements,
                                                std::span<const ExecutableRequirement> executables,
                                                std::span<const DeviceInfo> available);

// What the program's device `index` was taken for: the alternative that matched, that of the other device for a
// fallback.
const TargetRequirement &takenFor(std::span<const DeviceRequirement> requirements, std::span<const DeviceMatch> plan,
                                  size_t index);

// The variant to load on a device that was taken for `target`: among those made for one of the target's executables
// (all, where the target lists none) and that the device can run, the one with the most features, ties to the first.
// Variants differ in how they read memory, so one made for another device's target does not serve; only where none has
// the very features of the target, as code may need less, any of its format does. Unsupported lists what each lacks.
// Devices that accept all run all.
StatusOr<size_t> chooseVariant(const ExecutableRequirement &executable, const DeviceInfo &device,
                               const TargetRequirement &target = {});

// Whether some variant was made for an executable of the target, as far as its features tell.
bool hasMadeFor(const ExecutableRequirement &executable, const TargetRequirement &target);

// As messages name it: "vulkan[0]", "fallback to cpu", "ordinal<1> as local".
std::string describeTarget(const TargetRequirement &target);

} // namespace heddle

#endif // HEDDLE_RUNTIME_MATCH_MATCH_H
