// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where each rank of a launch is, told in a file that every process of the host maps: a rank that is killed cannot say
// any more in which collective it was, `heddle launch` reads it here. The file is a header and a record for each rank
// of the world. It is made by the launcher, named by an environment variable, and written by the ranks
// (runtime/base/RankStatus.h). Of this machine only, of one version of Heddle only.
#ifndef HEDDLE_CONTRACT_RANKSTATUS_H
#define HEDDLE_CONTRACT_RANKSTATUS_H

#include <atomic>
#include <cstdint>

namespace heddle::contract {

inline constexpr const char *kRankStatusVariable = "HEDDLE_RANK_STATUS";
inline constexpr uint64_t kRankStatusMagic = 0x3153'4b4e'4152'4448; // "HDRANKS1"

// What a rank was last seen at. Every collective increases `sequence`; it is 0 before the first.
struct RankRecord {
  std::atomic<uint32_t> version;      // odd while the rest is written: a reader takes it again
  std::atomic<uint32_t> inCollective; // 1: it waits in the collective or moves its bytes; 0: it left it
  std::atomic<uint64_t> sequence;     // of the collective that is named here, by 1
  std::atomic<uint64_t> changedNs;    // CLOCK_MONOTONIC, of the last change
  std::atomic<uint64_t> failedNs;     // when its program failed, which will end it; 0: it did not
  char name[112];                     // the collective, NUL-terminated, cut where it is longer
  char location[240];                 // its node in the model
};
static_assert(sizeof(RankRecord) == 384 && std::atomic<uint64_t>::is_always_lock_free);

struct RankStatusHeader {
  uint64_t magic;
  uint32_t ranks; // records that follow
  uint32_t recordBytes;
  char unused[48];
};
static_assert(sizeof(RankStatusHeader) == 64);

} // namespace heddle::contract

#endif // HEDDLE_CONTRACT_RANKSTATUS_H
