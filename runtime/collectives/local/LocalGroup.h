// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks that are threads of one process. Members read and write each other's memory in place: a reduction is divided by
// elements, and each member writes its part into all targets. No lock is on that path. A wait spins for some
// microseconds where every rank can have a core, then sleeps.
//
//   StatusOr<std::vector<std::unique_ptr<Group>>> world = createLocalWorld(4); // one for each thread
#ifndef HEDDLE_RUNTIME_COLLECTIVES_LOCAL_LOCALGROUP_H
#define HEDDLE_RUNTIME_COLLECTIVES_LOCAL_LOCALGROUP_H

#include "runtime/collectives/Group.h"

#include <vector>

namespace heddle::collectives {

// The members of the world, by rank; at least one, at most contract::kMaxRanks. A member that is destroyed while others
// wait for it, or come to wait for it, fails the world. In the child of a fork a group is of no use.
StatusOr<std::vector<std::unique_ptr<Group>>> createLocalWorld(uint32_t ranks);

} // namespace heddle::collectives

#endif // HEDDLE_RUNTIME_COLLECTIVES_LOCAL_LOCALGROUP_H
