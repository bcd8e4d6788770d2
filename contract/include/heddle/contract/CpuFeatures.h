// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CPU features an artifact may require, as LLVM spells them, and the processors known by name. The compiler uses no
// other feature without requiring it, and the runtime can tell of each whether this machine has it
// (runtime/drivers/local; a test holds its tables against these lists). Append only.
#ifndef HEDDLE_CONTRACT_CPUFEATURES_H
#define HEDDLE_CONTRACT_CPUFEATURES_H

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace heddle::contract {

inline constexpr std::string_view kX86Features[] = {
    "sse2",        "sse3",    "ssse3",      "cx16",       "sse4.1",     "sse4.2",       "popcnt",
    "sahf",        "fma",     "movbe",      "xsave",      "avx",        "f16c",         "lzcnt",
    "bmi",         "avx2",    "bmi2",       "avx512f",    "avx512dq",   "avx512cd",     "avx512bw",
    "avx512vl",    "pclmul",  "aes",        "adx",        "avx512ifma", "sha",          "avx512vbmi",
    "avx512vbmi2", "gfni",    "vaes",       "vpclmulqdq", "avx512vnni", "avx512bitalg", "avx512vpopcntdq",
    "avx512fp16",  "avxvnni", "avx512bf16", "amx-tile",   "amx-int8",   "amx-bf16",
};

inline constexpr std::string_view kAArch64Features[] = {
    "neon",      "crc",     "aes",  "sha2", "lse",   "rdm",  "fullfp16", "dotprod", "rcpc", "jsconv",
    "complxnum", "fp16fml", "sha3", "sm4",  "flagm", "bf16", "i8mm",     "sve",     "sve2",
};

inline constexpr std::string_view kRiscV64Features[] = {
    "m", "a", "f", "d", "c", "v", "zba", "zbb", "zbs", "zfh", "zvfh",
};

// Architectures as LLVM spells them in a triple; an executable's format is "elf-" and one of these.
inline constexpr std::string_view kArchitectures[] = {"x86_64", "aarch64", "riscv64"};

// The features that an artifact for this architecture may require; empty for an unknown one.
std::span<const std::string_view> featuresOfArchitecture(std::string_view architecture);

// Processors whose features the runtime can give a device, to hide the others (`local://0?cpu=znver4`): levels such as
// "x86-64-v3", "generic", and a few models. The compiler knows many more. A test compares each with LLVM.
std::vector<std::string_view> namedCpus(std::string_view architecture);
// The features of such a processor, each on the list of its architecture; nullopt for another name.
std::optional<std::vector<std::string_view>> featuresOfCpu(std::string_view architecture, std::string_view cpu);

} // namespace heddle::contract

#endif // HEDDLE_CONTRACT_CPUFEATURES_H
