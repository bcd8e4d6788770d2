// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hand-written artifacts with real kernels (kernels.c), as files in memory.
#ifndef HEDDLE_RUNTIME_TEST_TESTMODULES_H
#define HEDDLE_RUNTIME_TEST_TESTMODULES_H

#include "contract/test/SampleArtifact.h"

#include <fstream>
#include <iterator>

namespace heddle::test {

using contract::ElementType;
using contract::test::AlignedBytes;

// The bytes of the kernels' shared object, or of another file.
inline std::vector<std::byte> kernelCode(const char *path = HEDDLE_TEST_KERNELS) {
  std::ifstream in(path, std::ios::binary);
  std::vector<char> bytes((std::istreambuf_iterator<char>(in)), {});
  const auto *first = reinterpret_cast<const std::byte *>(bytes.data());
  return {first, first + bytes.size()};
}

// Executables in this order; the export's name is the symbol.
enum Executable { kScale, kMark, kThroughScratch, kOutOfRange, kWork, kMatmul4, kNothing };

inline void addExecutables(fb::ModuleT &module) {
  using contract::test::executable;
  struct Kernel {
    const char *name;
    uint32_t bindings, constants;
  };
  for (Kernel k :
       {Kernel{"scale", 3, 1}, Kernel{"mark", 1, 0}, Kernel{"through_scratch", 1, 0}, Kernel{"out_of_range", 1, 1},
        Kernel{"work", 1, 1}, Kernel{"matmul4", 3, 0}, Kernel{"nothing", 1, 0}})
    module.executables.push_back(executable(k.name, {k.name}, k.bindings, k.constants));
}

// A module with all executables, one device and no function.
inline fb::ModuleT emptyModule(std::vector<const char *> drivers = {"local"}) {
  fb::ModuleT module;
  module.producer = "test";
  module.devices.push_back(contract::test::device("device_0", std::move(drivers)));
  addExecutables(module);
  module.locations.push_back(contract::test::location("/encoder/Gather_7"));
  for (auto &executable : module.executables)
    executable->exports[0]->location = UINT32_MAX;
  module.executables[kOutOfRange]->exports[0]->location = 0;
  return module;
}

inline AlignedBytes build(fb::ModuleT &module) { return AlignedBytes(contract::test::build(module, kernelCode())); }

// A dimension: a number, or a symbol by its index.
inline fb::Dim size(int64_t n) { return fb::Dim(n, -1); }
inline fb::Dim symbol(int32_t index) { return fb::Dim(0, index); }

inline void addSymbol(fb::FunctionT &function, const char *name, int64_t min, int64_t max) {
  auto out = std::make_unique<fb::SymbolT>();
  out->name = name;
  out->min = min;
  out->max = max;
  function.symbols.push_back(std::move(out));
}

// main(x: n x f32) -> 4 x: scale by the parameter 2 twice, through the slab.
inline fb::ModuleT quadrupleModule() {
  fb::ModuleT module = contract::test::sampleModule();
  module.executables.clear();
  addExecutables(module);
  return module;
}

// double() -> y: the global, first the parameter 2, becomes 2 times what it was, anew; y too.
inline void addDoubledGlobal(fb::ModuleT &module) {
  auto global = static_cast<int32_t>(module.globals.size());
  module.globals.push_back(contract::test::global("f", ElementType::F32, {1}, 0));
  auto twice = contract::test::function("double", R"(
      const s0 4
      const s1 1
      const s2 0
      parameter b1 p0
      result b2 r1 x0 s0
      dispatch t0 0.0 s1 s2 [b0 b1 b2] [s1]
      result b3 r0 x0 s0
      copy t0 b3 s2 b2 s2 s0
      set_result r0 b3 [s1]
      set_result r1 b2 [s1]
      return)",
                                        3, 4);
  twice->arguments.push_back(contract::test::state(global, ElementType::F32, {size(1)}));
  twice->results.push_back(contract::test::value("y", ElementType::F32, {size(1)}));
  twice->results.push_back(contract::test::state(global, ElementType::F32, {size(1)}));
  module.functions.push_back(std::move(twice));
}

} // namespace heddle::test

#endif // HEDDLE_RUNTIME_TEST_TESTMODULES_H
