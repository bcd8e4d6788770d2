// From the artifact's code words to the executor's instructions. Needs a verified artifact and matched devices.
#ifndef HEDDLE_RUNTIME_EXECUTOR_DECODER_H
#define HEDDLE_RUNTIME_EXECUTOR_DECODER_H

#include "runtime/executor/Module.h"

namespace heddle {

struct DecodeContext {
  const fb::Module &module;
  std::span<const std::byte> data; // the artifact's parameters
  std::span<const DeviceSlot> devices;
  // kernels[firstExport[executable] + export][device]
  std::span<const std::vector<const hal::Kernel *>> kernels;
  std::span<const uint32_t> firstExport;
};

// `function` must be at its final address: its infos point into it. Unsupported: a dispatch that depends on the variant
// goes to a stream that may belong to devices of different variants.
Status decode(const DecodeContext &context, const fb::Function &source, Function &function);

// Which devices and executables a function may use, from the devices its stream registers can hold.
struct Usage {
  std::vector<bool> devices;                  // opened
  std::vector<std::vector<bool>> executables; // [device][executable]: loaded
};
void collectUsage(const fb::Module &module, const fb::Function &source, Usage &usage);

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_DECODER_H
