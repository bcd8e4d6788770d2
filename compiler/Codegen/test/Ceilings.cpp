// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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

// Twelve chains hide the latency of four or five cycles at two a cycle. Assembly: compilers spill or move accumulators.
#define HEDDLE_CHAIN(OP, R, I) OP " %%" R "13, %%" R "14, %%" R I "\n"
#define HEDDLE_CHAINS(OP, R)                                                                                           \
  HEDDLE_CHAIN(OP, R, "0")                                                                                             \
  HEDDLE_CHAIN(OP, R, "1")                                                                                             \
  HEDDLE_CHAIN(OP, R, "2")                                                                                             \
  HEDDLE_CHAIN(OP, R, "3")                                                                                             \
  HEDDLE_CHAIN(OP, R, "4")                                                                                             \
  HEDDLE_CHAIN(OP, R, "5")                                                                                             \
  HEDDLE_CHAIN(OP, R, "6")                                                                                             \
  HEDDLE_CHAIN(OP, R, "7")                                                                                             \
  HEDDLE_CHAIN(OP, R, "8")                                                                                             \
  HEDDLE_CHAIN(OP, R, "9")                                                                                             \
  HEDDLE_CHAIN(OP, R, "10")                                                                                            \
  HEDDLE_CHAIN(OP, R, "11")
#define HEDDLE_RUN_CHAINS(OP, R)                                                                                       \
  asm volatile("1:\n" HEDDLE_CHAINS(OP, R) "dec %0\n jnz 1b\n"                                                         \
               : "+r"(steps)::"xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", \
                 "xmm11", "xmm13", "xmm14", "cc")

static void clearRegisters() {
  asm volatile("vzeroall" ::
                   : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
                     "xmm12", "xmm13", "xmm14", "xmm15");
}

// Steps of twelve chained instructions a second, best of a hundred runs of 0.1 ms; `run` does so many steps.
template <typename Run> static double measureSteps(Run run) {
  constexpr int64_t kSteps = 50000;
  double seconds = bestSeconds(100, [&] {
    clearRegisters();
    run(kSteps);
    asm volatile("vzeroupper" ::: "memory");
  });
  return kSteps / seconds;
}

double measurePeak(int vectorBytes) {
  if (!__builtin_cpu_supports("fma") || (vectorBytes == 64 && !__builtin_cpu_supports("avx512f")))
    return 0;
  double steps = measureSteps([&](int64_t steps) {
    if (vectorBytes == 64)
      HEDDLE_RUN_CHAINS("vfmadd231ps", "zmm");
    else if (vectorBytes == 32)
      HEDDLE_RUN_CHAINS("vfmadd231ps", "ymm");
    else
      HEDDLE_RUN_CHAINS("vfmadd231ps", "xmm");
  });
  return steps * 12 * 2 * (vectorBytes / 4) * 1e-9;
}

double measureBytePeak() {
  if (__builtin_cpu_supports("avx512vnni"))
    return measureSteps([](int64_t steps) { HEDDLE_RUN_CHAINS("vpdpbusd", "zmm"); }) * 12 * 2 * 64 * 1e-9;
  if (__builtin_cpu_supports("avxvnni"))
    return measureSteps([](int64_t steps) { HEDDLE_RUN_CHAINS("%{vex%} vpdpbusd", "ymm"); }) * 12 * 2 * 32 * 1e-9;
  return 0;
}

#else

double measurePeak(int) { return 0; }
double measureBytePeak() { return 0; }

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
