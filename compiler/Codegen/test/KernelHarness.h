// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiles a dispatch function through the stage `codegen` and runs its kernel, for tests and the kernel benchmark.
//
//   CompiledKernel kernel("func.func @f(%a: tensor<?xf32>, %n: index) -> tensor<?xf32> { … }");
//   GuardedArray a(n * 4), r(n * 4);
//   kernel.run({a.data(), r.data()}, {n});
#ifndef HEDDLE_COMPILER_CODEGEN_TEST_KERNELHARNESS_H
#define HEDDLE_COMPILER_CODEGEN_TEST_KERNELHARNESS_H

#include "heddle/contract/KernelAbi.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace heddle::test {

// Memory between two pages that fault on access; the bytes end at the second or start after the first.
class GuardedArray {
public:
  enum class At { End, Start };
  explicit GuardedArray(size_t bytes, At at = At::End);
  ~GuardedArray();
  GuardedArray(const GuardedArray &) = delete;
  GuardedArray(GuardedArray &&other) noexcept;
  void *data() const { return pointer; }
  template <typename T> std::span<T> as() const { return {static_cast<T *>(pointer), bytes / sizeof(T)}; }

private:
  void *mapping = nullptr;
  size_t mapped = 0, bytes = 0;
  void *pointer = nullptr;
};

// Whether kernels that need this feature (contract/CpuFeatures.h) run on this machine. Tile registers do only after it
// has been asked once.
bool machineHas(const std::string &feature);
// Whether kernels for this processor run on this machine; of processors that tests name.
bool runsHere(const std::string &cpu);
// The highest level of x86-64 that runs here.
const char *hostLevel();

// The pairs of bindings that stage `codegen` promises for a function and a processor (flow.overwrites).
std::vector<std::pair<int64_t, int64_t>> findOverwrites(const std::string &function, const std::string &cpu);

class CompiledKernel {
public:
  struct Impl;
  // `function`: one func.func in MLIR. A function that does not compile leaves `error()` set.
  // `tile`: the attribute kernel.tile, "{vectors = 2}". `overwrites`: pairs of bindings, the second written over the
  // first.
  explicit CompiledKernel(const std::string &function, const std::string &cpu = hostLevel(),
                          const std::string &tile = "{}",
                          const std::vector<std::pair<int64_t, int64_t>> &overwrites = {});
  ~CompiledKernel();

  const std::string &error() const { return message; }
  double compileMs() const { return milliseconds; }
  std::span<const char> object() const { return bytes; }
  // Of the variant's host functions, which are interpreted.
  int64_t workgroups(const std::vector<int64_t> &constants) const;
  int64_t scratchBytes(const std::vector<int64_t> &constants) const;
  // All workgroups in `parts` calls; the first status that is not 0.
  int32_t run(const std::vector<void *> &bindings, const std::vector<int64_t> &constants, int parts = 1) const;
  // The kernel itself, for callers that count workgroups and scratch once.
  HeddleKernel entry() const { return kernel; }

private:
  std::unique_ptr<Impl> impl;
  std::string message;
  std::vector<char> bytes;
  double milliseconds = 0;
  HeddleKernel kernel = nullptr;
  void *library = nullptr;
  int file = -1; // open while the library is: dlopen takes equal paths for one library
};

} // namespace heddle::test

#endif // HEDDLE_COMPILER_CODEGEN_TEST_KERNELHARNESS_H
