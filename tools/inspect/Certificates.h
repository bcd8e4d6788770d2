// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an artifact says was proved of its host program, in sentences, and the check of it (docs/design/certificate.md).
#ifndef HEDDLE_TOOLS_INSPECT_CERTIFICATES_H
#define HEDDLE_TOOLS_INSPECT_CERTIFICATES_H

#include "heddle/contract/Artifact_generated.h"
#include "tools/lib/Json.h"

#include <string>
#include <vector>

namespace heddle::tools {

// {"version", "hash", "programs": [{"name", "meshes": [name, …], "proved": [sentence, …], "assumed", "left",
// "dataflow"}]}; null: the artifact has none.
Json certificateJson(const fb::ModuleT &module);
// A line for each sentence, under those of the entry points that it is about.
std::vector<std::string> certificateLines(const Json &certificate);

// What --verify proves again. `dims` and `axes`: "NAME=SIZE", of axes several between commas. Throws Failure with the
// first thing that does not hold, UsageError where a name or size is none of the artifact's. Else
// [{"name", "cases", "refused", "complete", "told_by_data", "sizes"}, …].
Json verifyProgram(const fb::Module &module, const std::vector<std::string> &dims, const std::string &axes);
// "main: holds for every call", "main: holds in 24 cases: batch 0, 1, 3, 7, 64"
std::string checkedLine(const Json &entry);

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_INSPECT_CERTIFICATES_H
