// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What became of one test.
#ifndef HEDDLE_TEST_ONNX_BACKEND_OUTCOME_H
#define HEDDLE_TEST_ONNX_BACKEND_OUTCOME_H

#include <cstdint>
#include <string>

namespace heddle::onnx_tests {

// Refused: the compiler said why, the only failure a test may have that is out of scope. Crashed: the process ended, or
// ran past its time.
enum class Phase : uint8_t { Passed, Refused, Ran, Differed, Crashed };

struct Outcome {
  Phase phase = Phase::Passed;
  std::string text; // why not; "" if passed

  bool passed() const { return phase == Phase::Passed; }
};

} // namespace heddle::onnx_tests

#endif // HEDDLE_TEST_ONNX_BACKEND_OUTCOME_H
