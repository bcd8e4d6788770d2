// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an artifact contains, as JSON (the keys are documented in docs/cli.md).
#ifndef HEDDLE_TOOLS_INSPECT_DESCRIBE_H
#define HEDDLE_TOOLS_INSPECT_DESCRIBE_H

#include "heddle/contract/Artifact_generated.h"
#include "heddle/contract/Container.h"
#include "tools/lib/Json.h"

namespace heddle::tools {

// `entry_points`, `executables`, `parameters`, `host`, `devices`, and `format`, `producer`, `file_bytes`, `report`.
// `host` lists the instructions of all functions as {op, name, device, binding, function}: `name` is what the
// instruction speaks of (export, parameter, result, message) or "", `device` that of its operand or stream or "",
// `binding` as bindingTimes() says. Throws Failure for an index out of range; an artifact that the runtime has opened
// has none.
Json describe(const fb::ModuleT &module, const contract::Header &header);

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_INSPECT_DESCRIBE_H
