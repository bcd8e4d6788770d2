// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The calling convention between generated PTX kernels and the runtime: format "ptx", text, not ended by a zero.
//
// One `.visible .entry` per export, named as the variant's symbol. What a launch needs to know is in the variant's
// launch record (Launch.h), which a variant of this format always has. All parameters are words of 64 bits, by value,
// n being the number of tensors and k that of constants:
//
//   parameter i < n   the global address of the dispatch's i-th tensor, where it starts
//   parameter n + c   constant c (KernelAbi.h: sizes and scalars), c < k
//   parameter n + k   the global address of the status, a 32-bit word that is 0 at the start; a kernel that fails
//                     stores a HeddleKernelStatus (plainly: which of several failures is kept does not matter). It may
//                     lie in memory of the host, which the device addresses.
//
// The grid is {number of workgroups, 1, 1}: workgroup w is the one with ctaid.x = w, and there is none beyond the last.
// Shared memory is that of the launch, `.extern .shared`: sharedBytes of it, aligned to kSharedAlignment. There is no
// scratch: `@scratch` gives 0.
//
// The variant's `features` are the architecture the text is for (`.target`), "sm_80", the version of PTX (`.version`),
// "ptx80", and kConvention, so that no runtime starts a kernel by another convention than this. A device has every sm_N
// up to its own and sm_90a, … only of exactly its own; a driver has every version up to the newest it reads. Shared
// memory above kLeastSharedBytes is one of the features, too: "maxSharedMemoryPerBlockOptin>=N".
#ifndef HEDDLE_CONTRACT_PTXABI_H
#define HEDDLE_CONTRACT_PTXABI_H

#include "heddle/contract/Launch.h"
#include "heddle/contract/SpirvAbi.h"

namespace heddle::contract::ptx {

inline constexpr std::string_view kFormat = "ptx";
// Bumped with the convention. The first one had an argument block in memory of the host and no launch record.
inline constexpr std::string_view kConvention = "convention2";
inline constexpr uint32_t kMaxThreads = kMaxInvocations; // of a workgroup
inline constexpr uint32_t kLeastSharedBytes = 48 << 10;  // that every device has without being asked
inline constexpr uint32_t kSharedAlignment = 16;
inline constexpr std::string_view kSharedLimit = "maxSharedMemoryPerBlockOptin";
// The most that a device of compute capability 9.0 gives a workgroup.
inline constexpr uint32_t kMostSharedBytes = 227 << 10;
// What every device since CUDA 11 takes by value.
inline constexpr uint64_t kMaxParameterBytes = 4096;

// 64-bit words of a kernel's parameters.
constexpr uint64_t parameterWords(uint64_t bindings, uint64_t constants) { return bindings + constants + 1; }
constexpr uint64_t kMostParameters = kMaxParameterBytes / 8 - 1; // tensors and constants together

} // namespace heddle::contract::ptx

#endif // HEDDLE_CONTRACT_PTXABI_H
