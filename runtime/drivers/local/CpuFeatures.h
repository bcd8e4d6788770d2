// The CPU's features by LLVM's names, and the x86-64 levels that group them.
#ifndef HEDDLE_RUNTIME_DRIVERS_LOCAL_CPUFEATURES_H
#define HEDDLE_RUNTIME_DRIVERS_LOCAL_CPUFEATURES_H

#include "runtime/base/Status.h"

namespace heddle::local {

// "Intel(R) Xeon(R) Processor"; "cpu" when the CPU does not say.
std::string cpuName();
// What this CPU and its system offer, for example {"sse4.2", "avx2", "fma", "avx512f"}. Empty on other architectures.
const std::vector<std::string> &hostFeatures();
// Those of hostFeatures() that belong to a level: "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"; "host": all.
// InvalidArgument for another name, Unsupported when this CPU is below the level.
StatusOr<std::vector<std::string>> featuresOfLevel(std::string_view level);
// The executable format of this machine: "elf-x86_64".
std::string_view hostFormat();

} // namespace heddle::local

#endif // HEDDLE_RUNTIME_DRIVERS_LOCAL_CPUFEATURES_H
