// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What functions of a program use of devices, executables and parameters: what a load has to open and upload.
//
// Flow-insensitive: a stream register may hold the streams of all devices that some instruction puts there. Pure.
//
//   Usage usage(module);
//   collectUsage(module, folded, usage); // for each function that stays
#ifndef HEDDLE_RUNTIME_EXECUTOR_PROGRAM_USAGE_H
#define HEDDLE_RUNTIME_EXECUTOR_PROGRAM_USAGE_H

#include "runtime/executor/program/Fold.h"

#include <utility>
#include <vector>

namespace heddle {

// For each stream register the devices that it can hold, by all writes that are reached: ascending, each once. The
// stream of collectives is of none: it counts as the one behind the last device.
std::vector<std::vector<uint32_t>> devicesOfStreams(const FoldedFunction &folded, size_t devices);

// What a function may use, from the devices its stream registers can hold. A bind function uses its own device where it
// loads a parameter: what it binds must be where the entry points' kernels read it. An entry point does not, as it may
// only hand the bytes to the caller.
struct Usage {
  std::vector<bool> devices;                         // opened
  std::vector<std::vector<bool>> executables;        // [device][executable]: loaded
  std::vector<std::vector<bool>> parameters;         // [device][parameter]: read by kernels of the device
  std::vector<std::pair<uint32_t, uint32_t>> packed; // parameter and layout: packed at bind time; any may come twice
  explicit Usage(const fb::Module &module);
};
// Adds what the function uses.
void collectUsage(const fb::Module &module, const FoldedFunction &folded, Usage &usage);

// Devices that a function may use or ask about, whatever they turn out to be: those that need a match. `runs`:
// those that executables may run on.
void collectNeeded(const fb::Function &source, std::vector<bool> &needed, std::vector<bool> &runs);

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_PROGRAM_USAGE_H
