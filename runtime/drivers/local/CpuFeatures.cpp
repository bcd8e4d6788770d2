#include "runtime/drivers/local/CpuFeatures.h"

#include "heddle/contract/CpuFeatures.h"

#include <algorithm>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace heddle::local {
namespace {

#if defined(__x86_64__)

enum Register { Eax, Ebx, Ecx, Edx };
enum State : uint32_t { None = 0, Avx = 0x6, Avx512 = 0xe6 }; // bits of XCR0 the system must have enabled

struct Feature {
  const char *name;
  int level; // 1..4: of x86-64-v<level>; 5: in none
  uint32_t leaf, subleaf;
  Register where;
  int bit;
  State state;
};

// Intel SDM volume 2A, CPUID; the levels: x86-64 psABI, table 3.1.
constexpr Feature kFeatures[] = {
    {"sse2", 1, 1, 0, Edx, 26, None},
    {"sse3", 2, 1, 0, Ecx, 0, None},
    {"ssse3", 2, 1, 0, Ecx, 9, None},
    {"cx16", 2, 1, 0, Ecx, 13, None},
    {"sse4.1", 2, 1, 0, Ecx, 19, None},
    {"sse4.2", 2, 1, 0, Ecx, 20, None},
    {"popcnt", 2, 1, 0, Ecx, 23, None},
    {"sahf", 2, 0x80000001, 0, Ecx, 0, None},
    {"fma", 3, 1, 0, Ecx, 12, Avx},
    {"movbe", 3, 1, 0, Ecx, 22, None},
    {"xsave", 3, 1, 0, Ecx, 26, None},
    {"avx", 3, 1, 0, Ecx, 28, Avx},
    {"f16c", 3, 1, 0, Ecx, 29, Avx},
    {"lzcnt", 3, 0x80000001, 0, Ecx, 5, None},
    {"bmi", 3, 7, 0, Ebx, 3, None},
    {"avx2", 3, 7, 0, Ebx, 5, Avx},
    {"bmi2", 3, 7, 0, Ebx, 8, None},
    {"avx512f", 4, 7, 0, Ebx, 16, Avx512},
    {"avx512dq", 4, 7, 0, Ebx, 17, Avx512},
    {"avx512cd", 4, 7, 0, Ebx, 28, Avx512},
    {"avx512bw", 4, 7, 0, Ebx, 30, Avx512},
    {"avx512vl", 4, 7, 0, Ebx, 31, Avx512},
    {"pclmul", 5, 1, 0, Ecx, 1, None},
    {"aes", 5, 1, 0, Ecx, 25, None},
    {"adx", 5, 7, 0, Ebx, 19, None},
    {"avx512ifma", 5, 7, 0, Ebx, 21, Avx512},
    {"sha", 5, 7, 0, Ebx, 29, None},
    {"avx512vbmi", 5, 7, 0, Ecx, 1, Avx512},
    {"avx512vbmi2", 5, 7, 0, Ecx, 6, Avx512},
    {"gfni", 5, 7, 0, Ecx, 8, None},
    {"vaes", 5, 7, 0, Ecx, 9, Avx},
    {"vpclmulqdq", 5, 7, 0, Ecx, 10, Avx},
    {"avx512vnni", 5, 7, 0, Ecx, 11, Avx512},
    {"avx512bitalg", 5, 7, 0, Ecx, 12, Avx512},
    {"avx512vpopcntdq", 5, 7, 0, Ecx, 14, Avx512},
    {"avx512fp16", 5, 7, 0, Edx, 23, Avx512},
    {"avxvnni", 5, 7, 1, Eax, 4, Avx},
    {"avx512bf16", 5, 7, 1, Eax, 5, Avx512},
};

constexpr bool sameNames() {
  size_t i = 0;
  for (const Feature &feature : kFeatures)
    if (i == std::size(contract::kX86Features) || contract::kX86Features[i++] != feature.name)
      return false;
  return i == std::size(contract::kX86Features);
}
static_assert(sameNames(), "the features an artifact may require (contract/CpuFeatures.h) are those detected here");

uint32_t enabledState() {
  uint32_t r[4];
  if (!__get_cpuid(1, &r[0], &r[1], &r[2], &r[3]) || !(r[Ecx] >> 27 & 1)) // OSXSAVE
    return 0;
  uint32_t low, high;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

bool has(const Feature &feature, uint32_t state) {
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

#else
struct Feature {
  const char *name;
  int level;
};
constexpr Feature kFeatures[] = {{"", 5}};
uint32_t enabledState() { return 0; }
bool has(const Feature &, uint32_t) { return false; }
std::string brand() { return ""; }
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
    uint32_t state = enabledState();
    for (const Feature &feature : kFeatures)
      if (has(feature, state))
        found.emplace_back(feature.name);
    return found;
  }();
  return features;
}

StatusOr<std::vector<std::string>> featuresOfLevel(std::string_view level) {
  if (level == "host")
    return hostFeatures();
  static constexpr std::string_view levels[] = {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"};
  int wanted = static_cast<int>(std::find(std::begin(levels), std::end(levels), level) - levels) + 1;
  if (wanted > 4)
    return Status(StatusCode::InvalidArgument,
                  "cpu= takes host, x86-64, x86-64-v2, x86-64-v3 or x86-64-v4, got '" + std::string(level) + "'");
  std::vector<std::string> features;
  for (const Feature &feature : kFeatures) {
    if (feature.level > wanted)
      continue;
    if (std::find(hostFeatures().begin(), hostFeatures().end(), feature.name) == hostFeatures().end())
      return Status(StatusCode::Unsupported, "this CPU is below " + std::string(level) + ": it lacks " + feature.name);
    features.emplace_back(feature.name);
  }
  return features;
}

std::string_view hostFormat() {
#if defined(__x86_64__)
  return "elf-x86_64";
#elif defined(__aarch64__)
  return "elf-aarch64";
#else
  return "elf-unknown";
#endif
}

} // namespace heddle::local
