// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives of CUDA devices by NCCL. CI tests it against a recording fake of the library (test/FakeNccl.cpp), by its
// documentation; NcclHardwareTest.cpp is for a machine with a GPU.
#ifndef HEDDLE_RUNTIME_COLLECTIVES_NCCL_NCCLGROUP_H
#define HEDDLE_RUNTIME_COLLECTIVES_NCCL_NCCLGROUP_H

#include "runtime/collectives/DeviceGroup.h"

namespace heddle::collectives {

// Zeros on the stream, for members that receive nothing.
using FillWithZeros = std::function<Status(void *target, uint64_t bytes, void *stream)>;

// Collective over `ranks`, whose members it joins: each has its device's context current on the calling thread, and no
// two one device. `ranks` is used for the duration of the call only; it fails on all members when one has no NCCL.
// NCCL 2.14 and later are waited for until the deadline, or until the world fails, which then has the cause: of a
// member that never joins, its name. Older ones keep the thread until all have joined.
//
// Supported: all_gather, broadcast, all_to_all, permute, gather, scatter of elements of whole bytes; sum and product of
// i8, u8, i32, u32, i64, u64, f16, bf16, f32, f64; min and max of these integers, and `and`, `or` of i1. Not min and
// max of floats, which lose NaN there, no all_to_all or permute in place, no all_to_all that is cut, and no exchange.
// Pieces of several sizes are a broadcast or a reduction each, or messages, of one group of NCCL's.
StatusOr<std::unique_ptr<DeviceGroup>> createNcclGroup(Group &ranks, FillWithZeros zeros,
                                                       Group::Clock::time_point deadline = Group::kNoDeadline);

} // namespace heddle::collectives

#endif // HEDDLE_RUNTIME_COLLECTIVES_NCCL_NCCLGROUP_H
