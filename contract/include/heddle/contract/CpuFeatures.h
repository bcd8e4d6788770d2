// The CPU features an artifact may require, as LLVM spells them. The compiler uses no other feature without requiring
// it, and the runtime can tell of each whether this machine has it (runtime/drivers/local/CpuFeatures.cpp; a test holds
// its table against this list). Append only.
#ifndef HEDDLE_CONTRACT_CPUFEATURES_H
#define HEDDLE_CONTRACT_CPUFEATURES_H

#include <string_view>

namespace heddle::contract {

inline constexpr std::string_view kX86Features[] = {
    "sse2",        "sse3",    "ssse3",      "cx16",       "sse4.1",     "sse4.2",       "popcnt",
    "sahf",        "fma",     "movbe",      "xsave",      "avx",        "f16c",         "lzcnt",
    "bmi",         "avx2",    "bmi2",       "avx512f",    "avx512dq",   "avx512cd",     "avx512bw",
    "avx512vl",    "pclmul",  "aes",        "adx",        "avx512ifma", "sha",          "avx512vbmi",
    "avx512vbmi2", "gfni",    "vaes",       "vpclmulqdq", "avx512vnni", "avx512bitalg", "avx512vpopcntdq",
    "avx512fp16",  "avxvnni", "avx512bf16",
};

} // namespace heddle::contract

#endif // HEDDLE_CONTRACT_CPUFEATURES_H
