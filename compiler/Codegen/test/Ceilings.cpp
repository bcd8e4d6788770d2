#include "compiler/Codegen/test/Ceilings.h"

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <vector>

namespace heddle::test {

double processorSeconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

template <typename Body> static double bestSeconds(int runs, Body body) {
  double best = 1e9;
  for (int i = 0; i < runs; ++i) {
    double start = processorSeconds();
    body();
    best = std::min(best, processorSeconds() - start);
  }
  return best;
}

#if defined(__x86_64__)

// Twelve chains hide the latency of four cycles at two a cycle. Assembly: compilers spill or move accumulators.
#define HEDDLE_CHAINS(R)                                                                                               \
  "vfmadd231ps %%" R "13, %%" R "14, %%" R "0\n vfmadd231ps %%" R "13, %%" R "14, %%" R "1\n"                          \
  "vfmadd231ps %%" R "13, %%" R "14, %%" R "2\n vfmadd231ps %%" R "13, %%" R "14, %%" R "3\n"                          \
  "vfmadd231ps %%" R "13, %%" R "14, %%" R "4\n vfmadd231ps %%" R "13, %%" R "14, %%" R "5\n"                          \
  "vfmadd231ps %%" R "13, %%" R "14, %%" R "6\n vfmadd231ps %%" R "13, %%" R "14, %%" R "7\n"                          \
  "vfmadd231ps %%" R "13, %%" R "14, %%" R "8\n vfmadd231ps %%" R "13, %%" R "14, %%" R "9\n"                          \
  "vfmadd231ps %%" R "13, %%" R "14, %%" R "10\n vfmadd231ps %%" R "13, %%" R "14, %%" R "11\n"
#define HEDDLE_MULTIPLY_ADDS(R)                                                                                        \
  asm volatile("1:\n" HEDDLE_CHAINS(R) "dec %0\n jnz 1b\n"                                                             \
               : "+r"(steps)::"xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", \
                 "xmm11", "xmm13", "xmm14", "cc")

static void clearRegisters() {
  asm volatile("vzeroall" ::
                   : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
                     "xmm12", "xmm13", "xmm14", "xmm15");
}

double measurePeak(int vectorBytes) {
  bool has = __builtin_cpu_supports("fma") && (vectorBytes < 64 || __builtin_cpu_supports("avx512f"));
  if (!has)
    return 0;
  constexpr int64_t kSteps = 50000;
  double seconds = bestSeconds(100, [&] {
    int64_t steps = kSteps;
    clearRegisters();
    if (vectorBytes == 64)
      HEDDLE_MULTIPLY_ADDS("zmm");
    else if (vectorBytes == 32)
      HEDDLE_MULTIPLY_ADDS("ymm");
    else
      HEDDLE_MULTIPLY_ADDS("xmm");
    asm volatile("vzeroupper" ::: "memory");
  });
  return kSteps * 12 * 2 * (vectorBytes / 4) / seconds * 1e-9;
}

#else

double measurePeak(int) { return 0; }

#endif

double measureRead(size_t bytes) {
  std::vector<uint64_t> data(bytes / 8, 1);
  uint64_t total = 0;
  double seconds = bestSeconds(5, [&] {
    // Eight sums of neighbours: the compiler makes vectors of them.
    uint64_t sums[8] = {};
    for (size_t i = 0; i + 8 <= data.size(); i += 8)
      for (size_t j = 0; j < 8; ++j)
        sums[j] ^= data[i + j];
    for (uint64_t sum : sums)
      total ^= sum;
    asm volatile("" : "+r"(total)::"memory");
  });
  return data.size() * 8 / seconds * 1e-9;
}

} // namespace heddle::test
