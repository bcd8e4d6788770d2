// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The launch record: how a kernel of a variant is started on a device whose kernels run in workgroups of invocations.
// The compiler writes one for each export of a variant of such a format (table Launch of Artifact.fbs, "ptx" and
// "spirv"), the driver reads it; nobody looks into the code for it. Plain data.
//
// The grid is one dimension, the number of workgroups that `@workgroups` gives for the call; how it becomes the
// device's grid the format says (PtxAbi.h, SpirvAbi.h). A block is a workgroup: its invocations along x, y and z.
//
//   Launch{{128, 1, 1}, 65536} is workgroups of 128 invocations that share 64 KiB
#ifndef HEDDLE_CONTRACT_LAUNCH_H
#define HEDDLE_CONTRACT_LAUNCH_H

#include <cstdint>

namespace heddle::contract {

struct Launch {
  uint32_t block[3] = {1, 1, 1};
  uint32_t sharedBytes = 0; // of each workgroup, given at the launch ("ptx") or stated by the code ("spirv")

  constexpr uint64_t invocations() const { return uint64_t{block[0]} * block[1] * block[2]; }
};

// What a record may say at all; a device may take less.
inline constexpr uint32_t kMaxInvocations = 1024; // of a workgroup
inline constexpr uint32_t kMaxSharedBytes = 1 << 20;

} // namespace heddle::contract

#endif // HEDDLE_CONTRACT_LAUNCH_H
