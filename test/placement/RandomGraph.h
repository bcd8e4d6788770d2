// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random programs on several devices, as text: dispatches of fake kernels
// (compiler/Dialect/Host/Interpreter/FakeKernels.h), views, parameters, splats, branches and loops, with devices given
// to some ops, values, arguments and results.
#ifndef HEDDLE_TEST_PLACEMENT_RANDOMGRAPH_H
#define HEDDLE_TEST_PLACEMENT_RANDOMGRAPH_H

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::test {

struct RandomGraph {
  std::string placed;                 // the program on several devices
  std::string plain;                  // the same on one
  unsigned arguments = 0;             // tensor<4xi32>, then one tensor<i64> that says how often loops run
  std::vector<std::string> fallbacks; // symbols that may turn out to be @d0
};

// The same for equal seeds, on every machine.
RandomGraph makeRandomGraph(uint64_t seed);

} // namespace heddle::test

#endif // HEDDLE_TEST_PLACEMENT_RANDOMGRAPH_H
