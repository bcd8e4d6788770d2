// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A slice of `make fuzz-placement`; HEDDLE_FUZZ_SEED and HEDDLE_FUZZ_GRAPHS choose another one.
#include "compiler/Pipelines/Stages.h"
#include "test/placement/PlacementFuzzer.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

static uint64_t fromEnvironment(const char *name, uint64_t otherwise) {
  const char *text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

TEST(Placement, RandomGraphsGiveTheValuesOfOneDevice) {
  uint64_t first = fromEnvironment("HEDDLE_FUZZ_SEED", 1), graphs = fromEnvironment("HEDDLE_FUZZ_GRAPHS", 300);
  std::cout << "seeds " << first << " to " << first + graphs - 1 << std::endl;
  mlir::DialectRegistry registry;
  mlir::heddle::registerDialects(registry);
  // Attributes live as long as their context: not one for all graphs.
  for (uint64_t seed = first; seed < first + graphs;) {
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    for (uint64_t end = std::min(seed + 100, first + graphs); seed < end; ++seed) {
      std::string wrong = heddle::test::checkPlacement(context, seed);
      EXPECT_TRUE(wrong.empty()) << wrong;
    }
    if (seed % 1000 == first % 1000)
      std::cout << seed - first << " graphs" << std::endl;
  }
}
