// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program for any kind of device: processors, Vulkan, CUDA.
#ifndef HEDDLE_RUNTIME_TEST_BUFFERMODULE_H
#define HEDDLE_RUNTIME_TEST_BUFFERMODULE_H

#include "TestModules.h"

namespace heddle::test {

// product(a: 4x4, b: 4x4) -> a x b · mark(d: 4 x i64, donated) -> d + {1, 2, 3, 4} · echo(x: n x f32) -> x, two results
inline fb::ModuleT bufferModule() {
  fb::ModuleT module;
  module.producer = "test";
  auto device = contract::test::device("device_0", {"local", "vulkan", "cuda"});
  device->alternatives[1]->formats = {"spirv"};
  device->alternatives[2]->formats = {"ptx"};
  module.devices.push_back(std::move(device));
  for (auto [name, bindings] : {std::pair("matmul4", 3u), std::pair("mark", 1u)}) {
    auto executable = contract::test::executable(name, {name}, bindings, 0);
    for (const char *format : {"spirv", "ptx"}) {
      auto variant = std::make_unique<fb::VariantT>();
      variant->target = variant->format = format;
      variant->symbols = {name};
      variant->launches.push_back(std::make_unique<fb::LaunchT>()); // workgroups of one invocation
      executable->variants.push_back(std::move(variant));
    }
    executable->exports[0]->location = UINT32_MAX;
    module.executables.push_back(std::move(executable));
  }
  auto product = contract::test::function("product", R"(
      const s0 64
      const s1 16
      const s2 0
      result b2 r0 x0 s0
      dispatch t0 0.0 s1 s2 [b0 b1 b2] []
      const s3 4
      set_result r0 b2 [s3 s3]
      return)",
                                          4, 3);
  for (const char *name : {"a", "b"})
    product->arguments.push_back(contract::test::value(name, ElementType::F32, {size(4), size(4)}));
  product->results.push_back(contract::test::value("c", ElementType::F32, {size(4), size(4)}));
  module.functions.push_back(std::move(product));
  auto mark = contract::test::function("mark", R"(
      const s1 4
      const s2 0
      dispatch t0 1.0 s1 s2 [b0] []
      set_result r0 b0 [s1]
      return)",
                                       3, 1);
  mark->arguments.push_back(contract::test::value("d", ElementType::I64, {size(4)}));
  mark->arguments[0]->donated = 0;
  mark->arguments[0]->writable = true;
  mark->results.push_back(contract::test::value("y", ElementType::I64, {size(4)}));
  module.functions.push_back(std::move(mark));
  auto echo = contract::test::function("echo", "set_result r0 b0 [s0]\nset_result r1 b0 [s0]\nreturn", 1, 1);
  addSymbol(*echo, "n", 0, 1 << 20);
  echo->arguments.push_back(contract::test::value("x", ElementType::F32, {symbol(0)}));
  for (const char *name : {"y", "z"})
    echo->results.push_back(contract::test::value(name, ElementType::F32, {symbol(0)}));
  module.functions.push_back(std::move(echo));
  return module;
}

inline std::vector<std::byte> buildForAll(fb::ModuleT &module) {
  contract::ArtifactBuilder builder;
  for (auto &executable : module.executables)
    for (auto &variant : executable->variants)
      builder.addCode(*variant, variant->format == "spirv" ? kernelCode(HEDDLE_TEST_KERNELS_SPIRV)
                                : variant->format == "ptx" ? kernelCode(HEDDLE_TEST_KERNELS_PTX)
                                                           : kernelCode());
  return builder.assemble(module);
}

} // namespace heddle::test

#endif // HEDDLE_RUNTIME_TEST_BUFFERMODULE_H
