// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files that belong to this machine and user.
#ifndef HEDDLE_TOOLS_LIB_MACHINEFILES_H
#define HEDDLE_TOOLS_LIB_MACHINEFILES_H

#include <string>

namespace heddle::tools {

// Where `heddle devices --measure` writes and `heddle compile --topology=measured` reads: topology-HOST.json under
// $HEDDLE_CACHE_DIR, else the user's cache folder. Throws Failure when there is neither.
std::string measuredTopologyPath();

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_LIB_MACHINEFILES_H
