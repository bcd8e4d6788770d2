// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flags that say what a model is compiled for, shared by the programs that compile: from texts of the command line
// to what CompileOptions has. All throw UsageError, with the remedy, for what a flag does not take.
#ifndef HEDDLE_TOOLS_COMPILE_TARGETFLAGS_H
#define HEDDLE_TOOLS_COMPILE_TARGETFLAGS_H

#include "compiler/Pipelines/Stages.h"
#include "compiler/Stages/Devices/DeviceFlags.h"
#include "tools/cache/FlagHelp.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle::tools {

// The processors of `--target-cpu=`, each of which exists: "x86-64-v3,host" is two.
std::vector<std::string> parseTargetCpus(const std::vector<std::string> &flags);

// The flags `--target-device=`, in order; nobody parses them again. Throws for texts that are none, or name a device
// that no artifact can be made for. `targetCpu`: `--target-cpu=` is given too.
std::vector<mlir::heddle::DeviceFlag> parseTargetDevices(const std::vector<std::string> &texts, bool targetCpu);

// The bytes of `--max-transient=`: of "64MiB" 67108864. None where it is not given.
std::optional<int64_t> parseMaxTransient(const std::optional<std::string> &text);

// Throws for a name of `--layout-resolver=` that nothing has.
void checkLayoutResolver(const std::string &names);

// What `--data-tiling=` and the `--strategy=` say together, put into `options`. Throws for an unknown word, and for
// early and late data tiling at the same time.
void parseStrategies(const std::optional<std::string> &dataTiling, const std::vector<std::string> &strategies,
                     mlir::heddle::CompileOptions &options);

// What `--precision=` says, "f32" where it is not given (CompileOptions::precision). Throws for an unknown word, and
// for a narrower type beside --strict-float: that would round what was to be kept as it is.
//   parsePrecision("bf16", false)  is "bf16"
//   parsePrecision("bf16", true)   throws: give one of the two
//   parsePrecision({}, true)       is "f32"
std::string parsePrecision(const std::optional<std::string> &precision, bool strictFloat);

// Whether `--place=` or `--shard=` (`flag`, for messages) asks for the cost model: "auto", the one word there is.
bool parseAuto(const std::string &flag, const std::optional<std::string> &value);

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_COMPILE_TARGETFLAGS_H
