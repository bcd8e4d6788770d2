// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of kernels for a processor: the parameter, or the first part of it. Skipped where this machine is none.
#ifndef HEDDLE_COMPILER_CODEGEN_TEST_CPUTEST_H
#define HEDDLE_COMPILER_CODEGEN_TEST_CPUTEST_H

#include "compiler/Codegen/test/KernelHarness.h"

#include <gtest/gtest.h>
#include <tuple>

namespace heddle::test {

template <typename Parameter> class CpuTest : public testing::TestWithParam<Parameter> {
protected:
  void SetUp() override {
    if (std::string cpu = cpuOf(this->GetParam()); !runsHere(cpu))
      GTEST_SKIP() << "this processor is no " << cpu;
  }

private:
  static const char *cpuOf(const char *cpu) { return cpu; }
  template <typename... Rest> static const char *cpuOf(const std::tuple<const char *, Rest...> &parameter) {
    return std::get<0>(parameter);
  }
};

} // namespace heddle::test

#endif // HEDDLE_COMPILER_CODEGEN_TEST_CPUTEST_H
