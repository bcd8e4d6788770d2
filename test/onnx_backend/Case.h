// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One test of the onnx package: a folder with model.onnx, test_data_set_0/input_*.pb and output_*.pb.
#ifndef HEDDLE_TEST_ONNX_BACKEND_CASE_H
#define HEDDLE_TEST_ONNX_BACKEND_CASE_H

#include "test/onnx_backend/Outcome.h"

namespace heddle::onnx_tests {

// Compiles the model for `device` as `heddle compile` does, runs it there and compares by the onnx package's rule
// (number of outputs, shapes and types equal, floats within rtol 1e-3 and atol 1e-7); integers and booleans must be
// equal. What is random (bernoulli) must have the shape, the type and values of 0 and 1. The artifact is written to
// `artifact`. A crash of compiler, runtime or kernel is the caller's: see Shards.h.
Outcome runCase(const std::string &folder, const std::string &artifact, const std::string &device);

} // namespace heddle::onnx_tests

#endif // HEDDLE_TEST_ONNX_BACKEND_CASE_H
