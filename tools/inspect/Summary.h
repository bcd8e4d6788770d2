// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The report of describe() as a page for people.
#ifndef HEDDLE_TOOLS_INSPECT_SUMMARY_H
#define HEDDLE_TOOLS_INSPECT_SUMMARY_H

#include "tools/lib/Json.h"

#include <string>

namespace heddle::tools {

// Long lists are cut after `limit` lines, saying how many are left out.
std::string summarizeArtifact(const Json &artifact, const std::string &path, size_t limit = 20);

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_INSPECT_SUMMARY_H
