// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Times the kernels of MiniLM's and ResNet-50's dispatches and other convolutions and pools: the tables of
// docs/design/codegen.md and log/trial-codegen.md.
// "memory" is what plain loops reach on this machine at the moment: the rates' yardstick.
// heddle-kernel-bench [part of a name [cpu [file for the shared object]]]
// heddle-kernel-bench gemm [cpu [MxKxN or all [kernel.tile …]]] [objects=folder]
#include "compiler/Codegen/test/ConvForms.h"
#include "compiler/Codegen/test/Dispatches.h"
#include "compiler/Codegen/test/GemmBench.h"
#include "compiler/Codegen/test/KernelHarness.h"
#include "compiler/Codegen/test/RowDispatches.h"

#include <cstdio>
#include <ctime>
#include <fstream>
#include <random>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

using namespace heddle::test;

// Processor time of this thread: the machine may be busy with other things.
static double seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

static void bench(const Dispatch &dispatch, const std::string &cpu, const char *object) {
  CompiledKernel kernel(dispatch.function, cpu);
  if (!kernel.error().empty()) {
    std::printf("%-34s %s\n", dispatch.name.c_str(), kernel.error().c_str());
    return;
  }
  if (object)
    std::ofstream(object, std::ios::binary).write(kernel.object().data(), kernel.object().size());
  std::vector<GuardedArray> arrays;
  std::vector<void *> bindings;
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(-1, 1);
  double bytes = 0;
  for (int64_t size : dispatch.elements) {
    arrays.emplace_back((size * 4 + 63) / 64 * 64);
    for (float &x : arrays.back().as<float>())
      x = uniform(random);
    bindings.push_back(arrays.back().data());
    bytes += size * 4;
  }
  double best = 1e9, until = seconds() + 0.3;
  for (int i = 0; i < 5 || seconds() < until; ++i) {
    double start = seconds();
    kernel.run(bindings, dispatch.constants);
    best = std::min(best, seconds() - start);
  }
  std::printf("%-34s compile %6.1f ms  run %9.1f us  %6.1f GFLOP/s  %6.1f GB/s  %zu bytes\n", dispatch.name.c_str(),
              kernel.compileMs(), best * 1e6, dispatch.flops / best * 1e-9, bytes / best * 1e-9,
              kernel.object().size());
}

// The best of a few runs of a loop over arrays of 64 MiB, in GB/s.
template <typename Loop> static void benchMemory(const char *name, double arrays, Loop loop) {
  constexpr size_t kCount = size_t{1} << 24;
  std::vector<float> a(kCount, 1), b(kCount, 2), c(kCount, 3);
  double best = 1e9;
  for (int i = 0; i < 5; ++i) {
    double start = seconds();
    loop(a.data(), b.data(), c.data(), kCount);
    best = std::min(best, seconds() - start);
  }
  std::printf("%-34s %.1f GB/s\n", name, arrays * kCount * sizeof(float) / best * 1e-9);
}

static void benchMemory() {
  benchMemory("memory copy", 2, [](float *a, float *, float *c, size_t n) {
    for (size_t i = 0; i < n; ++i)
      c[i] = a[i];
    asm volatile("" ::"r"(c) : "memory");
  });
  benchMemory("memory add", 3, [](float *a, float *b, float *c, size_t n) {
    for (size_t i = 0; i < n; ++i)
      c[i] = a[i] + b[i];
    asm volatile("" ::"r"(c) : "memory");
  });
#ifdef __SSE2__
  auto stream = [](float *a, float *b, float *c, size_t n, bool add) {
    for (size_t i = 0; i < n; i += 4) {
      __m128 value = _mm_loadu_ps(a + i);
      _mm_stream_ps(c + i, add ? _mm_add_ps(value, _mm_loadu_ps(b + i)) : value);
    }
    _mm_sfence();
    asm volatile("" ::"r"(c) : "memory");
  };
  benchMemory("memory copy, non-temporal", 2,
              [&](float *a, float *b, float *c, size_t n) { stream(a, b, c, n, false); });
  benchMemory("memory add, non-temporal", 3, [&](float *a, float *b, float *c, size_t n) { stream(a, b, c, n, true); });
#endif
}

static Dispatch makeDispatch(const std::string &name, const ConvForm &form) {
  return {name, form.text(), form.elements(), form.constants(), form.flops()};
}

// Square maps and windows, channels last, batch 1.
static ConvForm square(ConvForm::Kind kind, int64_t size, int64_t channels, int64_t filters, int64_t kernel,
                       int64_t stride, int64_t pad = 0) {
  ConvForm form{.kind = kind, .channels = channels, .filters = filters};
  form.output = {size, size}, form.kernel = {kernel, kernel}, form.stride = {stride, stride}, form.dilation = {1, 1};
  if (pad > 0)
    form.pad = {pad, pad, pad, pad};
  return form;
}

static std::vector<Dispatch> otherDispatches() {
  using Kind = ConvForm::Kind;
  std::vector<Dispatch> all;
  for (auto [size, channels, stride] :
       {std::tuple{112, 32, 1}, {56, 64, 1}, {56, 144, 1}, {28, 192, 1}, {28, 192, 2}, {14, 384, 1}, {7, 960, 1}})
    for (int pad : {0, 1})
      all.push_back(makeDispatch("depthwise " + std::to_string(size) + " " + std::to_string(channels) + " k3 s" +
                                     std::to_string(stride) + (pad ? " padded" : ""),
                                 square(Kind::Depthwise, size, channels, 1, 3, stride, pad)));
  all.push_back(makeDispatch("maxpool 56 64 k3 s2", square(Kind::MaxPool, 56, 64, 1, 3, 2)));
  all.push_back(makeDispatch("maxpool 56 64 k3 s2 padded", square(Kind::MaxPool, 56, 64, 1, 3, 2, 1)));
  all.push_back(makeDispatch("sumpool 28 128 k2 s2", square(Kind::SumPool, 28, 128, 1, 2, 2)));
  all.push_back(makeDispatch("sumpool 1 2048 k7 (global)", square(Kind::SumPool, 1, 2048, 1, 7, 1)));
  for (auto [size, channels, filters, kernel, stride] :
       {std::tuple{56, 64, 64, 3, 1}, {56, 64, 64, 1, 1},    {56, 64, 256, 1, 1},   {56, 256, 64, 1, 1},
        {56, 256, 128, 1, 1},         {28, 128, 128, 3, 2},  {28, 256, 512, 1, 2},  {28, 128, 512, 1, 1},
        {28, 512, 128, 1, 1},         {28, 128, 128, 3, 1},  {28, 512, 256, 1, 1},  {14, 256, 256, 3, 2},
        {14, 512, 1024, 1, 2},        {14, 256, 1024, 1, 1}, {14, 1024, 256, 1, 1}, {14, 256, 256, 3, 1},
        {14, 1024, 512, 1, 1},        {7, 512, 512, 3, 2},   {7, 1024, 2048, 1, 2}, {7, 512, 2048, 1, 1},
        {7, 2048, 512, 1, 1},         {7, 512, 512, 3, 1},   {1, 2048, 1000, 1, 1}, {112, 3, 64, 7, 2}}) {
    ConvForm form = square(Kind::Full, size, channels, filters, kernel, stride);
    form.panel = 16;
    if (kernel == 1 && stride == 1) // as stage encode makes it: a product over all positions
      form.output = {size * size}, form.kernel = form.stride = form.dilation = {1};
    all.push_back(makeDispatch("resnet " + std::to_string(size) + " " + std::to_string(channels) + "->" +
                                   std::to_string(filters) + " k" + std::to_string(kernel) + " s" +
                                   std::to_string(stride),
                               form));
  }
  ConvForm grouped = square(Kind::Full, 28, 8, 8, 3, 1);
  grouped.groups = 32;
  all.push_back(makeDispatch("groups 32 of 28 8->8 k3", grouped));
  grouped = square(Kind::Full, 14, 60, 60, 1, 1);
  grouped.groups = 4;
  all.push_back(makeDispatch("groups 4 of 14 60->60 k1", grouped));
  for (auto [size, width] : {std::pair{14, 68}, {28, 34}, {7, 136}}) { // shufflenet's, weights as encode lays them out
    grouped = square(Kind::Full, size, width, width, 1, 1);
    grouped.groups = 4, grouped.panel = 16;
    all.push_back(makeDispatch("groups 4 of " + std::to_string(size) + " " + std::to_string(width), grouped));
  }
  all.push_back(makeDispatch("few filters 112 32->3 k3", square(Kind::Full, 112, 32, 3, 3, 1)));
  all.push_back(makeDispatch("padded conv 56 64->64 k3", square(Kind::Full, 56, 64, 64, 3, 1, 1)));
  all.push_back(makeDispatch("padded conv 14 256->256 k3", square(Kind::Full, 14, 256, 256, 3, 1, 1)));
  return all;
}

int main(int argc, char **argv) {
  machineHas("amx-tile"); // and wants leave to use it
  if (argc > 1 && std::string(argv[1]) == "gemm") {
    GemmBench(std::vector<std::string>(argv + 2, argv + argc)).run();
    return 0;
  }
  std::vector<Dispatch> dispatches = modelDispatches();
  for (const std::vector<Dispatch> &others : {rowDispatches(), otherDispatches()})
    dispatches.insert(dispatches.end(), others.begin(), others.end());
  if (argc < 2 || std::string("memory").find(argv[1]) != std::string::npos)
    benchMemory();
  for (const Dispatch &dispatch : dispatches)
    if (argc < 2 || dispatch.name.find(argv[1]) != std::string::npos)
      bench(dispatch, argc < 3 ? "x86-64-v4" : argv[2], argc < 4 ? nullptr : argv[3]);
  return 0;
}
