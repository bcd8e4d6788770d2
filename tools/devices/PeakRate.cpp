// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/devices/PeakRate.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#pragma clang fp contract(fast)

namespace heddle::tools {
namespace {

constexpr int kChains = 10; // enough to hide the latency of two units
constexpr int64_t kSteps = 4000000;

// Chains of a = a * b + c on vectors of `Bytes` bytes: floats computed by one step of one chain times two.
template <int Bytes> using Vector __attribute__((vector_size(Bytes))) = float;

#define HEDDLE_CHAINS(Bytes)                                                                                           \
  Vector<Bytes> chains[kChains];                                                                                       \
  for (int i = 0; i < kChains; ++i)                                                                                    \
    chains[i] = Vector<Bytes>{} + static_cast<float>(i);                                                               \
  Vector<Bytes> b = Vector<Bytes>{} + 0.999f, c = Vector<Bytes>{} + 1e-3f;                                             \
  for (int64_t step = 0; step < steps; ++step)                                                                         \
    _Pragma("clang loop unroll(full)") for (int i = 0; i < kChains; ++i) chains[i] = chains[i] * b + c;                \
  float sum = 0;                                                                                                       \
  for (int i = 0; i < kChains; ++i)                                                                                    \
    sum += chains[i][0];                                                                                               \
  return sum;

float plainChains(int64_t steps) { HEDDLE_CHAINS(16) }
#ifdef __x86_64__
__attribute__((target("avx2,fma"))) float avx2Chains(int64_t steps) { HEDDLE_CHAINS(32) }
__attribute__((target("avx512f,fma"))) float avx512Chains(int64_t steps) { HEDDLE_CHAINS(64) }
#endif

struct Kernel {
  float (*run)(int64_t steps);
  int lanes;
};

Kernel kernelFor(const DeviceInfo &info) {
#ifdef __x86_64__
  auto has = [&](const char *name) {
    return std::find(info.features.begin(), info.features.end(), name) != info.features.end();
  };
  if (has("avx512f"))
    return {avx512Chains, 16};
  if (has("avx2") && has("fma"))
    return {avx2Chains, 8};
#endif
  (void)info;
  return {plainChains, 4};
}

std::atomic<float> gSink; // keeps the work

} // namespace

std::optional<double> measurePeakGflops(const DeviceInfo &info) {
  if (info.driver != "local" || info.cores == 0)
    return std::nullopt;
  Kernel kernel = kernelFor(info);
  double best = 0;
  for (int round = 0; round < 3; ++round) {
    auto start = std::chrono::steady_clock::now();
    std::vector<std::thread> threads;
    for (uint32_t i = 0; i < info.cores; ++i)
      threads.emplace_back([&] { gSink.store(kernel.run(kSteps), std::memory_order_relaxed); });
    for (std::thread &thread : threads)
      thread.join();
    std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    best = std::max(best, 2.0 * kernel.lanes * kChains * kSteps * info.cores / took.count());
  }
  return best;
}

} // namespace heddle::tools
