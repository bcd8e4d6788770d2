// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests of the executor: artifacts loaded from memory, and programs of a few scalars.
#ifndef HEDDLE_RUNTIME_TEST_EXECUTORFIXTURE_H
#define HEDDLE_RUNTIME_TEST_EXECUTORFIXTURE_H

#include "TestModules.h"
#include "runtime/executor/call/Invocation.h"

#include <gtest/gtest.h>

#include <functional>

namespace heddle::test {

inline heddle_tensor tensorOf(std::vector<float> &values) {
  heddle_tensor out{};
  out.data = values.data();
  out.bytes = values.size() * sizeof(float);
  out.type = HEDDLE_F32;
  out.rank = 1;
  out.dims[0] = static_cast<int64_t>(values.size());
  return out;
}

// An artifact loaded on devices, with one invocation per function.
struct Loaded {
  Loaded(fb::ModuleT &&source, std::vector<std::string> uris) : bytes(build(source)) {
    StatusOr<std::shared_ptr<const Artifact>> artifact = Artifact::openMemory(bytes);
    if (!artifact.ok()) {
      status = artifact.takeStatus();
      return;
    }
    StatusOr<std::shared_ptr<Module>> loaded = Module::load(*artifact, uris, runBindFunction);
    if (!loaded.ok()) {
      status = loaded.takeStatus();
      return;
    }
    module = *loaded;
    for (const Function *function : module->entryPoints())
      calls.push_back(std::move(*Invocation::create(module, *function)));
  }
  AlignedBytes bytes;
  Status status;
  std::shared_ptr<Module> module;
  std::vector<std::unique_ptr<Invocation>> calls;
};

// Runs a function of no arguments that returns s0..s3 as one 4 x i64; the code ends with "br @end".
struct Scalars {
  Status status;
  int64_t values[4] = {};
};

inline Scalars runScalars(const std::string &code, const std::function<void(fb::ModuleT &)> &change = {},
                          std::vector<std::string> uris = {"local://0"}) {
  fb::ModuleT module = emptyModule();
  module.messages = {"stop here"};
  auto main = contract::test::function("main", code + R"(
    @end const s14 32
      result b7 r0 x0 s14
      const s15 0
      const s14 8
      fill t0 b7 s15 s14 s0 8
      fill t0 b7 s14 s14 s1 8
      const s15 16
      fill t0 b7 s15 s14 s2 8
      const s15 24
      fill t0 b7 s15 s14 s3 8
      const s14 4
      set_result r0 b7 [s14]
      return)",
                                       16, 8, 3, 2);
  main->results.push_back(contract::test::value("out", ElementType::I64, {size(4)}));
  module.functions.push_back(std::move(main));
  if (change)
    change(module);
  Loaded loaded(std::move(module), uris);
  Scalars out;
  if (!loaded.status.ok()) {
    out.status = std::move(loaded.status);
    return out;
  }
  heddle_tensor result{};
  result.data = out.values;
  result.bytes = sizeof(out.values);
  out.status = loaded.calls[0]->call({}, {&result, 1});
  return out;
}

inline testing::AssertionResult gives(const Scalars &got, std::vector<int64_t> expected) {
  if (!got.status.ok())
    return testing::AssertionFailure() << got.status.text();
  for (size_t i = 0; i < expected.size(); ++i)
    if (got.values[i] != expected[i])
      return testing::AssertionFailure() << "s" << i << " = " << got.values[i] << ", expected " << expected[i];
  return testing::AssertionSuccess();
}

} // namespace heddle::test

#endif // HEDDLE_RUNTIME_TEST_EXECUTORFIXTURE_H
