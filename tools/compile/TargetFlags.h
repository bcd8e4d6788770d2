// The flags that say what a model is compiled for, shared by the programs that compile.
#ifndef HEDDLE_TOOLS_COMPILE_TARGETFLAGS_H
#define HEDDLE_TOOLS_COMPILE_TARGETFLAGS_H

#include "compiler/Pipelines/Stages.h"
#include "compiler/Target/CPU/CpuTarget.h"
#include "tools/lib/Error.h"

#include "llvm/ADT/StringExtras.h"

namespace heddle::tools {

inline constexpr const char *kTargetCpuHelp = "a processor, [ARCHITECTURE:]CPU[+FEATURE]…, where CPU is host, generic "
                                              "or a name LLVM knows; several, with commas or by "
                                              "repeating the flag, share one artifact (host)";

// The processors of `--target-cpu=`. Throws UsageError for one that does not exist.
inline std::vector<std::string> parseTargetCpus(const std::vector<std::string> &flags) {
  std::vector<std::string> cpus;
  for (const std::string &flag : flags)
    for (llvm::StringRef spec : llvm::split(flag, ',')) {
      if (std::string reason = mlir::heddle::cpu::explainUnknown(spec); !reason.empty())
        throw UsageError("--target-cpu: " + reason);
      cpus.push_back(spec.str());
    }
  return cpus;
}

// Throws UsageError for a device that no artifact can be made for.
inline void checkTargetDevices(const std::vector<std::string> &specs) {
  for (const std::string &spec : specs)
    if (spec != "local")
      throw UsageError("--target-device: unknown target device '" + spec + "'; known: local");
}

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_COMPILE_TARGETFLAGS_H
