// Times the kernels of MiniLM's and ResNet-50's dispatches: the table of docs/design/trial-codegen.md.
// heddle-kernel-bench [part of a name [cpu]]
#include "compiler/Codegen/test/Dispatches.h"
#include "compiler/Codegen/test/KernelHarness.h"

#include <cstdio>
#include <ctime>
#include <random>

using namespace heddle::test;

// Processor time of this thread: the machine may be busy with other things.
static double seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

static void bench(const Dispatch &dispatch, const std::string &cpu) {
  CompiledKernel kernel(dispatch.function, cpu);
  if (!kernel.error().empty()) {
    std::printf("%-34s %s\n", dispatch.name.c_str(), kernel.error().c_str());
    return;
  }
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
  for (int i = 0; i < 3 || seconds() < until; ++i) {
    double start = seconds();
    kernel.run(bindings, dispatch.constants);
    best = std::min(best, seconds() - start);
  }
  std::printf("%-34s compile %6.1f ms  run %9.1f us  %6.1f GFLOP/s  %6.1f GB/s  %zu bytes\n", dispatch.name.c_str(),
              kernel.compileMs(), best * 1e6, dispatch.flops / best * 1e-9, bytes / best * 1e-9,
              kernel.object().size());
}

int main(int argc, char **argv) {
  for (const Dispatch &dispatch : modelDispatches())
    if (argc < 2 || dispatch.name.find(argv[1]) != std::string::npos)
      bench(dispatch, argc < 3 ? "x86-64-v4" : argv[2]);
  return 0;
}
