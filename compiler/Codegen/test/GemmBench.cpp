// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/test/GemmBench.h"

#include "compiler/Codegen/test/Ceilings.h"
#include "compiler/Codegen/test/Dispatches.h"
#include "compiler/Codegen/test/KernelHarness.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <random>

namespace heddle::test {

namespace {

struct Product {
  int64_t m, k, n;
  std::string name() const { return std::to_string(m) + "x" + std::to_string(k) + "x" + std::to_string(n); }
  double flops() const { return 2.0 * m * k * n; }
};

constexpr int64_t kPanel = 16; // of the resolver

const std::vector<Product> kProducts = {
    {512, 512, 512},  {500, 500, 500}, {1024, 1024, 1024}, {2048, 2048, 2048}, {384, 384, 1536},
    {1000, 999, 777}, {128, 384, 384}, {128, 384, 1536},   {128, 1536, 384},   {1, 1024, 1024},
    {2, 1024, 1024},  {4, 1024, 1024}, {8, 1024, 1024},    {16, 1024, 1024},   {32, 1024, 1024},
    {512, 512, 1},    {512, 512, 8},   {512, 512, 24},     {1024, 512, 100},   {1, 4096, 4096},
};

// The bindings of a product, filled with numbers.
struct Operands {
  std::vector<GuardedArray> arrays;
  std::vector<void *> bindings;

  explicit Operands(const Product &p) {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> uniform(-1, 1);
    for (int64_t size : {p.m * p.k, p.k * ((p.n + kPanel - 1) / kPanel * kPanel), p.m * p.n}) {
      arrays.emplace_back((size * 4 + 63) / 64 * 64);
      for (float &x : arrays.back().as<float>())
        x = uniform(random);
      bindings.push_back(arrays.back().data());
    }
  }
};

// A kernel ready to be called.
struct Candidate {
  std::string tile;
  CompiledKernel kernel;
  int64_t workgroups = 0;
  GuardedArray scratch;
  double best = 1e9;

  Candidate(const Product &product, const std::string &cpu, const std::string &tile)
      : tile(tile), kernel(gemmText(product.m, product.k, product.n, kPanel), cpu, tile),
        workgroups(kernel.error().empty() ? kernel.workgroups({}) : 0),
        scratch(kernel.error().empty() ? (kernel.scratchBytes({}) + 63) / 64 * 64 : 0) {}

  // Calls for about `seconds`; keeps the shortest.
  void run(const std::vector<void *> &bindings, double seconds) {
    HeddleKernelState state{bindings.data(), nullptr};
    double until = processorSeconds() + seconds;
    do {
      double start = processorSeconds();
      kernel.entry()(&state, 0, workgroups, scratch.data());
      best = std::min(best, processorSeconds() - start);
    } while (processorSeconds() < until);
  }

  // Whether some elements are what they should be.
  bool isRight(const Product &p, const Operands &operands) const {
    const auto *a = static_cast<const float *>(operands.bindings[0]),
               *b = static_cast<const float *>(operands.bindings[1]);
    const auto *c = static_cast<const float *>(operands.bindings[2]);
    for (int64_t i = 0; i < p.m; i += std::max<int64_t>(p.m / 7 - 1, 1))
      for (int64_t j = 0; j < p.n; j += std::max<int64_t>(p.n / 11 - 1, 1)) {
        double sum = 0;
        for (int64_t k = 0; k < p.k; ++k)
          sum += double(a[i * p.k + k]) * b[(j / kPanel * p.k + k) * kPanel + j % kPanel];
        if (!(std::abs(sum - c[i * p.n + j]) <= 1e-5 * p.k))
          return false;
      }
    return true;
  }
};

} // namespace

// Of the peak that a kernel for `cpu` is compared with; for a named processor what this machine's best is.
static int vectorBytes(const std::string &cpu) {
  if (cpu == "x86-64-v3")
    return 32;
  if (cpu == "x86-64" || cpu == "x86-64-v2")
    return 16;
  return measurePeak(64) > 0 ? 64 : 32;
}

static void report(const Product &product, const Candidate &candidate, double peak, bool right) {
  double bytes = 4.0 * (product.m * product.k + product.k * product.n + product.m * product.n);
  double speed = product.flops() / candidate.best * 1e-9;
  std::printf("%-16s %-40s %9.1f us %7.1f GFLOP/s %5.1f %% of %5.1f  %6.1f GB/s%s\n", product.name().c_str(),
              candidate.tile.c_str(), candidate.best * 1e6, speed, 100 * speed / peak, peak,
              bytes / candidate.best * 1e-9, right ? "" : "  WRONG");
  std::fflush(stdout);
}

static void benchProduct(const Product &product, const GemmBench &bench) {
  constexpr int kRounds = 5;
  std::vector<std::unique_ptr<Candidate>> candidates;
  for (const std::string &tile : bench.tiles) {
    auto candidate = std::make_unique<Candidate>(product, bench.cpu, tile);
    const CompiledKernel &kernel = candidate->kernel;
    std::string file = bench.objects + "/" + product.name() + "." + std::to_string(candidates.size()) + ".so";
    if (!kernel.error().empty()) {
      std::printf("%-16s %-40s %s", product.name().c_str(), tile.c_str(), kernel.error().c_str());
      continue;
    }
    if (!bench.objects.empty())
      std::ofstream(file, std::ios::binary).write(kernel.object().data(), kernel.object().size());
    candidates.push_back(std::move(candidate));
  }
  Operands operands(product);
  double peak = 0;
  std::vector<bool> right;
  for (int round = 0; round < kRounds; ++round) {
    peak = std::max(peak, measurePeak(vectorBytes(bench.cpu)));
    for (auto &candidate : candidates) {
      if (round == 0)
        std::ranges::fill(operands.arrays.back().as<float>(), NAN);
      candidate->run(operands.bindings, 0.03);
      if (round == 0)
        right.push_back(candidate->isRight(product, operands));
    }
  }
  for (size_t i = 0; i < candidates.size(); ++i)
    report(product, *candidates[i], peak, right[i]);
}

GemmBench::GemmBench(std::vector<std::string> arguments) {
  const std::string prefix = "objects=";
  std::vector<std::string> rest;
  for (const std::string &argument : arguments)
    argument.starts_with(prefix) ? void(objects = argument.substr(prefix.size())) : rest.push_back(argument);
  if (rest.size() > 0)
    cpu = rest[0];
  if (rest.size() > 1)
    only = rest[1];
  tiles.assign(rest.begin() + std::min<size_t>(rest.size(), 2), rest.end());
  if (tiles.empty())
    tiles = {"{}"};
}

void GemmBench::run() const {
  Product one;
  if (std::sscanf(only.c_str(), "%ldx%ldx%ld", &one.m, &one.k, &one.n) == 3)
    benchProduct(one, *this);
  else
    for (const Product &product : kProducts)
      benchProduct(product, *this);
  std::printf("peak of floats: %.1f GFLOP/s, of bytes (VNNI): %.1f GOP/s\n", measurePeak(vectorBytes(cpu)),
              measureBytePeak());
  std::printf("read 64 MiB: %.1f GB/s\n", measureRead(64 << 20));
}

} // namespace heddle::test
