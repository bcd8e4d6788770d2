// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What this build was made from, for `heddle --version` and the artifacts that it writes. A library of its own
// (heddle_build_text): each commit makes it anew, and the programs that it is in.
#ifndef HEDDLE_TOOLS_LIB_BUILD_H
#define HEDDLE_TOOLS_LIB_BUILD_H

#include <string>

namespace heddle::tools {

// "heddle 0.1.0 (commit 0123456789ab, LLVM 22.1.8)". Without the commit where the sources have none (a copy without
// git), without LLVM where the build has no compiler.
std::string buildText();

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_LIB_BUILD_H
