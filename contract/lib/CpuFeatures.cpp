// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heddle/contract/CpuFeatures.h"

namespace heddle::contract {
namespace {

struct NamedCpu {
  std::string_view architecture, name;
  std::string_view base;     // has all features of this one; "" for none
  std::string_view features; // and these, separated by blanks
};

// Levels: x86-64 psABI, table 3.1.
constexpr NamedCpu kCpus[] = {
    {"x86_64", "x86-64", "", "sse2"},
    {"x86_64", "x86-64-v2", "x86-64", "sse3 ssse3 cx16 sse4.1 sse4.2 popcnt sahf"},
    {"x86_64", "x86-64-v3", "x86-64-v2", "fma movbe xsave avx f16c lzcnt bmi avx2 bmi2"},
    {"x86_64", "x86-64-v4", "x86-64-v3", "avx512f avx512dq avx512cd avx512bw avx512vl"},
    {"x86_64", "generic", "x86-64", ""},
    {"x86_64", "haswell", "x86-64-v3", "pclmul"},
    {"x86_64", "skylake", "haswell", "aes adx"},
    {"x86_64", "alderlake", "skylake", "sha gfni vaes vpclmulqdq avxvnni"},
    {"x86_64", "skylake-avx512", "x86-64-v4", "pclmul aes adx"},
    {"x86_64", "cascadelake", "skylake-avx512", "avx512vnni"},
    {"x86_64", "cooperlake", "cascadelake", "avx512bf16"},
    {"x86_64", "icelake-server", "cascadelake",
     "avx512ifma sha avx512vbmi avx512vbmi2 gfni vaes vpclmulqdq avx512bitalg avx512vpopcntdq"},
    {"x86_64", "sapphirerapids", "icelake-server", "avx512fp16 avxvnni avx512bf16 amx-tile amx-int8 amx-bf16"},
    {"x86_64", "graniterapids", "sapphirerapids", ""},
    {"x86_64", "znver1", "skylake", "sha"},
    {"x86_64", "znver2", "znver1", ""},
    {"x86_64", "znver3", "znver2", "vaes vpclmulqdq"},
    {"x86_64", "znver4", "icelake-server", "avx512bf16"},
    {"x86_64", "znver5", "znver4", "avxvnni"},
    {"aarch64", "generic", "", "neon"},
    {"aarch64", "cortex-a72", "generic", "crc aes sha2"},
    {"aarch64", "cortex-a76", "cortex-a72", "lse rdm fullfp16 dotprod rcpc"},
    {"aarch64", "neoverse-n1", "cortex-a76", ""},
    {"riscv64", "generic", "", "m a f d c"},
};

} // namespace

std::span<const std::string_view> featuresOfArchitecture(std::string_view architecture) {
  if (architecture == "x86_64")
    return kX86Features;
  if (architecture == "aarch64")
    return kAArch64Features;
  if (architecture == "riscv64")
    return kRiscV64Features;
  return {};
}

std::vector<std::string_view> namedCpus(std::string_view architecture) {
  std::vector<std::string_view> names;
  for (const NamedCpu &cpu : kCpus)
    if (cpu.architecture == architecture)
      names.push_back(cpu.name);
  return names;
}

std::optional<std::vector<std::string_view>> featuresOfCpu(std::string_view architecture, std::string_view cpu) {
  std::vector<std::string_view> features;
  for (const NamedCpu &known : kCpus) {
    if (known.architecture != architecture || known.name != cpu)
      continue;
    if (!known.base.empty())
      features = *featuresOfCpu(architecture, known.base);
    for (std::string_view rest = known.features; !rest.empty();) {
      size_t end = rest.find(' ');
      features.push_back(rest.substr(0, end));
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    return features;
  }
  return std::nullopt;
}

} // namespace heddle::contract
