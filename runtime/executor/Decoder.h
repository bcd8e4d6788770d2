// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the artifact's code words to the executor's instructions. Needs a verified artifact and matched devices.
#ifndef HEDDLE_RUNTIME_EXECUTOR_DECODER_H
#define HEDDLE_RUNTIME_EXECUTOR_DECODER_H

#include "runtime/executor/DeviceSlot.h"
#include "runtime/executor/Fold.h"
#include "runtime/executor/ParameterStore.h"
#include "runtime/executor/Program.h"

namespace heddle {

struct DecodeContext {
  const fb::Module &module;
  std::span<const DeviceSlot> devices;
  std::span<const BoundValue> bounds;
  const ParameterStore &parameters;
  // labels[firstExport[executable] + export]
  std::span<const hal::DispatchLabel> labels;
  std::span<const uint32_t> firstExport;
};

// `function` must be at its final address: its infos point into it. What `folded` found out is left out: it stands in
// Function::scalars. Unsupported: a dispatch goes to a stream register that may hold streams of different devices.
// Internal: a value of bind time was not bound.
Status decode(const DecodeContext &context, const FoldedFunction &folded, Function &function);

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
void collectUsage(const fb::Module &module, const FoldedFunction &folded, Usage &usage);

// Devices that a function may use or ask about, whatever they turn out to be: those that need a match. `runs`:
// those that executables may run on.
void collectNeeded(const fb::Function &source, std::vector<bool> &needed, std::vector<bool> &runs);

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_DECODER_H
