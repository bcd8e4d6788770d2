// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/drivers/local/CpuFeatures.h"

#include "heddle/contract/CpuFeatures.h"
#include "heddle/contract/Suggest.h"
#include "runtime/base/DeviceUri.h"

#include <algorithm>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#else
#include <sys/auxv.h>
#endif
#include <sys/syscall.h>
#include <unistd.h>

namespace heddle::local {
namespace {

#if defined(__x86_64__)

enum Register { Eax, Ebx, Ecx, Edx };
// Bits of XCR0 the system must have enabled.
enum State : uint32_t { None = 0, Avx = 0x6, Avx512 = 0xe6, Tiles = 0x60000 };

constexpr std::string_view kArchitecture = "x86_64";

struct Feature {
  const char *name;
  uint32_t leaf, subleaf;
  Register where;
  int bit;
  State state;
};

// Intel SDM volume 2A, CPUID.
constexpr Feature kFeatures[] = {
    {"sse2", 1, 0, Edx, 26, None},
    {"sse3", 1, 0, Ecx, 0, None},
    {"ssse3", 1, 0, Ecx, 9, None},
    {"cx16", 1, 0, Ecx, 13, None},
    {"sse4.1", 1, 0, Ecx, 19, None},
    {"sse4.2", 1, 0, Ecx, 20, None},
    {"popcnt", 1, 0, Ecx, 23, None},
    {"sahf", 0x80000001, 0, Ecx, 0, None},
    {"fma", 1, 0, Ecx, 12, Avx},
    {"movbe", 1, 0, Ecx, 22, None},
    {"xsave", 1, 0, Ecx, 26, None},
    {"avx", 1, 0, Ecx, 28, Avx},
    {"f16c", 1, 0, Ecx, 29, Avx},
    {"lzcnt", 0x80000001, 0, Ecx, 5, None},
    {"bmi", 7, 0, Ebx, 3, None},
    {"avx2", 7, 0, Ebx, 5, Avx},
    {"bmi2", 7, 0, Ebx, 8, None},
    {"avx512f", 7, 0, Ebx, 16, Avx512},
    {"avx512dq", 7, 0, Ebx, 17, Avx512},
    {"avx512cd", 7, 0, Ebx, 28, Avx512},
    {"avx512bw", 7, 0, Ebx, 30, Avx512},
    {"avx512vl", 7, 0, Ebx, 31, Avx512},
    {"pclmul", 1, 0, Ecx, 1, None},
    {"aes", 1, 0, Ecx, 25, None},
    {"adx", 7, 0, Ebx, 19, None},
    {"avx512ifma", 7, 0, Ebx, 21, Avx512},
    {"sha", 7, 0, Ebx, 29, None},
    {"avx512vbmi", 7, 0, Ecx, 1, Avx512},
    {"avx512vbmi2", 7, 0, Ecx, 6, Avx512},
    {"gfni", 7, 0, Ecx, 8, None},
    {"vaes", 7, 0, Ecx, 9, Avx},
    {"vpclmulqdq", 7, 0, Ecx, 10, Avx},
    {"avx512vnni", 7, 0, Ecx, 11, Avx512},
    {"avx512bitalg", 7, 0, Ecx, 12, Avx512},
    {"avx512vpopcntdq", 7, 0, Ecx, 14, Avx512},
    {"avx512fp16", 7, 0, Edx, 23, Avx512},
    {"avxvnni", 7, 1, Eax, 4, Avx},
    {"avx512bf16", 7, 1, Eax, 5, Avx512},
    {"amx-tile", 7, 0, Edx, 24, Tiles},
    {"amx-int8", 7, 0, Edx, 25, Tiles},
    {"amx-bf16", 7, 0, Edx, 22, Tiles},
};

uint32_t enabledState() {
  uint32_t r[4];
  if (!__get_cpuid(1, &r[0], &r[1], &r[2], &r[3]) || !(r[Ecx] >> 27 & 1)) // OSXSAVE
    return 0;
  uint32_t low, high;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

// Tile registers want the system's permission, for the whole process: 8 KiB more are saved with each thread (Linux,
// Documentation/arch/x86/xstate.rst). Refused where a thread's alternate signal stack is too small for them.
uint32_t usableState() {
  constexpr int kRequestPermission = 0x1023, kTileData = 18;
  uint32_t state = enabledState();
  if ((state & Tiles) == Tiles && syscall(SYS_arch_prctl, kRequestPermission, kTileData) != 0)
    state &= ~uint32_t{Tiles};
  return state;
}

bool has(const Feature &feature) {
  static const uint32_t state = usableState();
  uint32_t r[4];
  return __get_cpuid_count(feature.leaf, feature.subleaf, &r[0], &r[1], &r[2], &r[3]) &&
         (r[feature.where] >> feature.bit & 1) && (state & feature.state) == feature.state;
}

std::string brand() {
  uint32_t words[12];
  for (uint32_t i = 0; i < 3; ++i)
    if (!__get_cpuid(0x80000002 + i, &words[4 * i], &words[4 * i + 1], &words[4 * i + 2], &words[4 * i + 3]))
      return "";
  char text[49] = {};
  std::memcpy(text, words, 48);
  return text;
}

#elif defined(__aarch64__)

constexpr std::string_view kArchitecture = "aarch64";

struct Feature {
  const char *name;
  unsigned long type; // of the auxiliary vector
  uint64_t bits;      // all of them
};

constexpr uint64_t bit(int n) { return uint64_t{1} << n; }

// Linux, Documentation/arch/arm64/elf_hwcaps.rst; the bits: arch/arm64/include/uapi/asm/hwcap.h.
constexpr Feature kFeatures[] = {
    {"neon", AT_HWCAP, bit(0) | bit(1)},
    {"crc", AT_HWCAP, bit(7)},
    {"aes", AT_HWCAP, bit(3) | bit(4)},
    {"sha2", AT_HWCAP, bit(5) | bit(6)},
    {"lse", AT_HWCAP, bit(8)},
    {"rdm", AT_HWCAP, bit(12)},
    {"fullfp16", AT_HWCAP, bit(9) | bit(10)},
    {"dotprod", AT_HWCAP, bit(20)},
    {"rcpc", AT_HWCAP, bit(15)},
    {"jsconv", AT_HWCAP, bit(13)},
    {"complxnum", AT_HWCAP, bit(14)},
    {"fp16fml", AT_HWCAP, bit(23)},
    {"sha3", AT_HWCAP, bit(17) | bit(21)},
    {"sm4", AT_HWCAP, bit(18) | bit(19)},
    {"flagm", AT_HWCAP, bit(27)},
    {"bf16", AT_HWCAP2, bit(14)},
    {"i8mm", AT_HWCAP2, bit(13)},
    {"sve", AT_HWCAP, bit(22)},
    {"sve2", AT_HWCAP2, bit(1)},
};

bool has(const Feature &feature) { return (getauxval(feature.type) & feature.bits) == feature.bits; }
std::string brand() { return "AArch64 processor"; }

#elif defined(__riscv) && __riscv_xlen == 64

constexpr std::string_view kArchitecture = "riscv64";

struct Feature {
  const char *name;
  char letter;   // of AT_HWCAP; 0: none
  uint64_t bits; // of hwprobe's key IMA_EXT_0
};

constexpr uint64_t bit(int n) { return uint64_t{1} << n; }

// Linux, Documentation/arch/riscv/hwprobe.rst; the bits: arch/riscv/include/uapi/asm/hwprobe.h.
constexpr Feature kFeatures[] = {
    {"m", 'm', 0},      {"a", 'a', 0},       {"f", 'f', 0},        {"d", 'd', 0},
    {"c", 'c', 0},      {"v", 'v', bit(2)},  {"zba", 0, bit(3)},   {"zbb", 0, bit(4)},
    {"zbs", 0, bit(5)}, {"zfh", 0, bit(27)}, {"zvfh", 0, bit(30)},
};

// 0 where the system is too old to say (Linux before 6.4).
uint64_t probedExtensions() {
  struct Pair {
    int64_t key;
    uint64_t value;
  } pair = {4, 0};
  constexpr long kHwprobe = 258;
  return syscall(kHwprobe, &pair, 1, 0, nullptr, 0) == 0 && pair.key == 4 ? pair.value : 0;
}

bool has(const Feature &feature) {
  static const uint64_t probed = probedExtensions();
  bool named = feature.letter && (getauxval(AT_HWCAP) >> (feature.letter - 'a') & 1);
  return named || (feature.bits && (probed & feature.bits) == feature.bits);
}
std::string brand() { return "RISC-V processor"; }

#else
#error "the local driver knows x86-64, AArch64 and RISC-V with 64 bits"
#endif

constexpr bool sameNames(std::span<const std::string_view> listed) {
  size_t i = 0;
  for (const Feature &feature : kFeatures)
    if (i == listed.size() || listed[i++] != feature.name)
      return false;
  return i == listed.size();
}
#if defined(__x86_64__)
static_assert(sameNames(contract::kX86Features));
#elif defined(__aarch64__)
static_assert(sameNames(contract::kAArch64Features));
#else
static_assert(sameNames(contract::kRiscV64Features));
#endif

} // namespace

std::string cpuName() {
  std::string name = brand();
  name.erase(0, name.find_first_not_of(' '));
  name.erase(name.find_last_not_of(' ') + 1);
  return name.empty() ? "cpu" : name;
}

const std::vector<std::string> &hostFeatures() {
  static const std::vector<std::string> features = [] {
    std::vector<std::string> found;
    for (const Feature &feature : kFeatures)
      if (has(feature))
        found.emplace_back(feature.name);
    return found;
  }();
  return features;
}

StatusOr<std::vector<std::string>> featuresOfCpu(std::string_view cpu) {
  if (cpu == "host")
    return hostFeatures();
  auto known = contract::featuresOfCpu(kArchitecture, cpu);
  if (!known) {
    std::vector<std::string_view> names = contract::namedCpus(kArchitecture);
    std::string list = "host";
    for (std::string_view name : names)
      list += ", " + std::string(name);
    return Status(StatusCode::InvalidArgument,
                  "cpu= takes " + list + "; got '" + std::string(cpu) + "'" + contract::didYouMean(cpu, names));
  }
  std::vector<std::string> features;
  std::string lacking;
  for (std::string_view feature : *known) {
    features.emplace_back(feature);
    if (std::find(hostFeatures().begin(), hostFeatures().end(), feature) == hostFeatures().end())
      lacking += (lacking.empty() ? "" : ", ") + std::string(feature);
  }
  if (!lacking.empty())
    return Status(StatusCode::Unsupported, "this CPU cannot stand for " + std::string(cpu) + ": it lacks " + lacking);
  return features;
}

std::string_view hostFormat() {
  static const std::string format = "elf-" + std::string(kArchitecture);
  return format;
}

} // namespace heddle::local
