// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The calling convention between generated PTX kernels and the runtime: format "ptx", text, not ended by a zero.
//
// One `.visible .entry` per export, named as the variant's symbol, with `.reqntid x, y, z`: the workgroup's size, which
// the runtime reads from the text. Parameters are 64-bit global addresses:
//
//   parameter i < n   the dispatch's i-th tensor, where it starts
//   parameter n       the argument block: the same words as in SpirvAbi.h; the words of tensors' offsets are 0. It lies
//                     in host memory that the device addresses; a kernel reads it and stores at most its status.
//
// Workgroups are numbered as there: id = ctaid.x + ctaid.y * nctaid.x, and a kernel returns at once where id is not
// below the number of workgroups. Shared memory is static. There is no scratch: `@scratch` gives 0.
//
// The variant's `features` are the architecture the text is for (`.target`), "sm_80", and the version of PTX
// (`.version`), "ptx80". A device has every sm_N up to its own and sm_90a, … only of exactly its own; a driver has
// every version up to the newest it reads.
#ifndef HEDDLE_CONTRACT_PTXABI_H
#define HEDDLE_CONTRACT_PTXABI_H

#include "heddle/contract/SpirvAbi.h"

namespace heddle::contract::ptx {

inline constexpr std::string_view kFormat = "ptx";
inline constexpr uint32_t kMaxThreads = 1024;           // of a workgroup
inline constexpr uint32_t kLeastSharedBytes = 48 << 10; // static shared memory that every device has
inline constexpr uint32_t kMaxGroupsX = INT32_MAX;

} // namespace heddle::contract::ptx

#endif // HEDDLE_CONTRACT_PTXABI_H
