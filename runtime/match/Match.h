// Matching a program's devices with the machine's: a pure function from plain data to a plan, tested without devices.
//
// Each device of the program has alternatives in the order of preference. An alternative exists when some available
// device has its driver, one of its formats, and can run at least one executable of that format; an ordinal counts only
// such devices. The first alternative that exists is taken. A device without an ordinal gets the first match that no
// other device of the program got; when none is left, a second logical copy of the first match, and the plan says so.
#ifndef HEDDLE_RUNTIME_MATCH_MATCH_H
#define HEDDLE_RUNTIME_MATCH_MATCH_H

#include "runtime/base/Status.h"
#include "runtime/match/DeviceInfo.h"

#include <span>

namespace heddle {

struct TargetRequirement {
  std::string driver;
  int32_t ordinal = -1; // -1: any
  std::vector<std::string> formats;
};

struct DeviceRequirement {
  std::string name;
  std::vector<TargetRequirement> alternatives;
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
  size_t device = 0; // index into the available devices
  uint32_t alternative = 0;
  bool copy = false; // a second logical copy: open it anew
  std::string note;
};

// One match per requirement. NotFound names the device, what it asked for, and why each runtime device was refused.
StatusOr<std::vector<DeviceMatch>> matchDevices(std::span<const DeviceRequirement> requirements,
                                                std::span<const ExecutableRequirement> executables,
                                                std::span<const DeviceInfo> available);

// The variant to load on a device: among those it can run the one with the most features, ties to the first.
// Unsupported lists what each variant lacks. Devices that accept all take variant 0.
StatusOr<size_t> chooseVariant(const ExecutableRequirement &executable, const DeviceInfo &device);

// The plan as text, one line per device, with the variants it would load and of how many executables:
// "device_0 = local://0-1 (alternative 0 of 2: local), variants: x86-64-v4 12, x86-64-v3 1".
std::string describePlan(std::span<const DeviceRequirement> requirements,
                         std::span<const ExecutableRequirement> executables, std::span<const DeviceMatch> plan,
                         std::span<const DeviceInfo> available);

} // namespace heddle

#endif // HEDDLE_RUNTIME_MATCH_MATCH_H
