// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tests there are, and which of them use only what real models use.
#ifndef HEDDLE_TEST_ONNX_BACKEND_INVENTORY_H
#define HEDDLE_TEST_ONNX_BACKEND_INVENTORY_H

#include <set>
#include <string>
#include <vector>

namespace heddle::onnx_tests {

// The test folders in the folders `sets` of `data`, as "set/test" (the set "": "test"), sorted. Throws Failure if a set
// has none.
std::vector<std::string> listTests(const std::string &data, const std::vector<std::string> &sets);

// The ops of real_model_ops.txt.
std::set<std::string> readOps(const std::string &path);

// Whether all nodes of the model (also of its branches and local functions) are of these ops, and all its inputs and
// outputs are tensors of numbers of at least 8 bits that are no 8-bit floats.
bool usesOnly(const std::string &model, const std::set<std::string> &ops);

} // namespace heddle::onnx_tests

#endif // HEDDLE_TEST_ONNX_BACKEND_INVENTORY_H
