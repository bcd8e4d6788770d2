// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The processors that contract/CpuFeatures.h knows by name have the features that LLVM gives them.
#include "compiler/Target/CPU/CpuTarget.h"
#include "compiler/Target/CPU/CpuFeatures.h"
#include "heddle/contract/CpuFeatures.h"

#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

#include <set>

using namespace mlir;
using namespace mlir::heddle;

namespace {

struct CpuTarget : testing::Test {
  CpuTarget() {
    context.loadDialect<device::DeviceDialect>();
    module = ModuleOp::create(UnknownLoc::get(&context));
  }
  device::ExecutableAttr get(const std::string &spec) { return *cpu::getExecutable(*module, spec); }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

// Features with a plus sign.
std::set<std::string> required(device::ExecutableAttr target) {
  std::set<std::string> out;
  for (StringRef feature : llvm::split(cpu::getFeatureList(target), ','))
    if (feature.consume_front("+"))
      out.insert(feature.str());
  return out;
}

TEST_F(CpuTarget, NamedCpusAreAsLlvmSays) {
  int cpus = 0;
  for (std::string_view arch : ::heddle::contract::kArchitectures)
    for (std::string_view name : ::heddle::contract::namedCpus(arch)) {
      std::string spec = std::string(arch) + ":" + std::string(name);
      std::set<std::string> want;
      auto features = ::heddle::contract::featuresOfCpu(arch, name);
      for (std::string_view feature : *features)
        want.emplace(feature);
      EXPECT_EQ(want, required(get(spec))) << spec;
      ++cpus;
    }
  EXPECT_GT(cpus, 20);
}

TEST_F(CpuTarget, CachesByName) {
  auto bytes = [&](const char *spec) { return cpu::getFeatures(*module, get(spec))->secondLevelBytes; };
  EXPECT_EQ(bytes("sapphirerapids"), 2 << 20);
  EXPECT_EQ(bytes("haswell"), 256 << 10);
  EXPECT_EQ(bytes("x86-64-v4"), 1 << 20); // not in the table
  auto ways = [&](const char *spec) {
    auto features = cpu::getFeatures(*module, get(spec));
    return std::pair(features->firstLevelBytes, features->firstLevelWays);
  };
  EXPECT_EQ(ways("sapphirerapids"), std::pair(int64_t{48} << 10, int64_t{12}));
  EXPECT_EQ(ways("aarch64:neoverse-n1"), std::pair(int64_t{64} << 10, int64_t{4}));
  EXPECT_EQ(ways("x86-64-v4"), std::pair(int64_t{32} << 10, int64_t{8}));
}

TEST_F(CpuTarget, SpelledAsAskedFor) {
  for (const char *spec : {"x86-64-v3", "znver4", "aarch64:cortex-a72", "riscv64:generic", "riscv64:generic+v"})
    EXPECT_EQ(cpu::spell(get(spec)), spec);
}

// LLVM may use these where the processor has them; an artifact cannot require them.
TEST_F(CpuTarget, WhatCannotBeRequiredIsNotUsed) {
  EXPECT_NE(cpu::getFeatureList(get("bdver4")).find("-fma4"), StringRef::npos);
  EXPECT_EQ(required(get("bdver4")).count("fma4"), 0u);
  EXPECT_EQ(cpu::getFeatureList(get("skylake")).find("fma4"), StringRef::npos);
}

TEST_F(CpuTarget, Unknown) {
  EXPECT_EQ(cpu::explainUnknown("x86-64-v3"), "");
  EXPECT_EQ(cpu::explainUnknown("x86-64-v33"), "unknown target CPU 'x86-64-v33'; did you mean 'x86-64-v3'?");
  EXPECT_EQ(cpu::explainUnknown("aarch64:cortex-a27"),
            "unknown target CPU 'aarch64:cortex-a27'; did you mean 'cortex-a57'?");
  EXPECT_EQ(cpu::explainUnknown("arm:generic"),
            "unknown architecture 'arm' of target CPU 'arm:generic'; known: x86_64, aarch64, riscv64");
  EXPECT_EQ(cpu::explainUnknown("generic+avx22"), "unknown feature 'avx22' of x86_64; did you mean 'avx2'?");
  EXPECT_EQ(cpu::explainUnknown("aarch64:host"), "'host' is a CPU of this machine's architecture, got 'aarch64:host'");
  EXPECT_EQ(cpu::explainUnknown(""), "unknown target CPU ''");
}

} // namespace
