// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A rank says where it is, for `heddle launch` (contract/RankStatus.h). Without $HEDDLE_RANK_STATUS, or where the file
// it names is none of these, nothing happens: nobody watches then. The variable is read at the first use, the file
// stays mapped. Each rank is written by one thread at a time, different ranks by any threads; neither call blocks,
// allocates (but for the first) or fails.
#ifndef HEDDLE_RUNTIME_BASE_RANKSTATUS_H
#define HEDDLE_RUNTIME_BASE_RANKSTATUS_H

#include <cstdint>
#include <string_view>

namespace heddle::rankstatus {

// This rank of the world arrives at a collective; `location`: the model's node, or "". `isNew`: it was not there
// before.
void enter(uint32_t rank, std::string_view name, std::string_view location, bool isNew = true);
// It is done there, well or not.
void leave(uint32_t rank);
// The rank failed, and its process is about to end. Of programs that end with their failure: those of the tools.
void fail(uint32_t rank);

} // namespace heddle::rankstatus

#endif // HEDDLE_RUNTIME_BASE_RANKSTATUS_H
