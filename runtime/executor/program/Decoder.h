// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the artifact's code words to the executor's instructions. Needs a verified artifact and matched devices.
#ifndef HEDDLE_RUNTIME_EXECUTOR_PROGRAM_DECODER_H
#define HEDDLE_RUNTIME_EXECUTOR_PROGRAM_DECODER_H

#include "runtime/executor/program/DeviceSlot.h"
#include "runtime/executor/program/Fold.h"
#include "runtime/executor/program/Program.h"

#include <functional>

namespace heddle {

// What decoding resolves names with. Borrowed.
struct DecodeContext {
  const fb::Module &module;
  std::span<const DeviceSlot> devices;
  std::span<const BoundValue> bounds;
  // Where kernels of a device read a parameter.
  std::function<PlacedBuffer(uint32_t parameter, uint32_t device)> findParameter;
  // labels[firstExport[executable] + export]
  std::span<const hal::DispatchLabel> labels;
  std::span<const uint32_t> firstExport;
  std::span<const MeshPlace> meshes = {};
};

// `function` must be at its final address: its infos point into it. What `folded` found out is left out: it stands in
// Function::scalars. Unsupported: a dispatch goes to a stream register that may hold streams of different devices.
// Malformed: other work than collectives goes to one that may hold their stream.
// Internal: a value of bind time was not bound.
Status decode(const DecodeContext &context, const FoldedFunction &folded, Function &function);

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_PROGRAM_DECODER_H
