// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CPU's features by LLVM's names, on x86-64, AArch64 and RISC-V.
#ifndef HEDDLE_RUNTIME_DRIVERS_LOCAL_CPUFEATURES_H
#define HEDDLE_RUNTIME_DRIVERS_LOCAL_CPUFEATURES_H

#include "runtime/base/Status.h"

namespace heddle::local {

// "Intel(R) Xeon(R) Processor"; "cpu" when the CPU does not say.
std::string cpuName();
// What this CPU and its system offer, for example {"sse4.2", "avx2", "fma", "avx512f"}: of the features that an
// artifact may require (contract/CpuFeatures.h). The first call asks the system for the process's permission to use
// tile registers (AMX), where the CPU has them; without it they are not among the features.
const std::vector<std::string> &hostFeatures();
// The features of a processor known by name ("x86-64-v3", "znver4", contract/CpuFeatures.h); "host": hostFeatures().
// InvalidArgument for another name, Unsupported when this CPU lacks one of them.
StatusOr<std::vector<std::string>> featuresOfCpu(std::string_view cpu);
// The executable format of this machine: "elf-x86_64".
std::string_view hostFormat();

} // namespace heddle::local

#endif // HEDDLE_RUNTIME_DRIVERS_LOCAL_CPUFEATURES_H
