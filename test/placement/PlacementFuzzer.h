// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random programs on several devices against the same programs on one: placed, scheduled and run by the host
// interpreter under several orders of the streams' work, with every device its own and with those that may be one being
// one.
#ifndef HEDDLE_TEST_PLACEMENT_PLACEMENTFUZZER_H
#define HEDDLE_TEST_PLACEMENT_PLACEMENTFUZZER_H

#include "mlir/IR/MLIRContext.h"

#include <cstdint>
#include <string>

namespace heddle::test {

// "" when all values are right; else what is wrong, with the program. The seed decides the graph and how it is placed.
std::string checkPlacement(mlir::MLIRContext &context, uint64_t seed);

} // namespace heddle::test

#endif // HEDDLE_TEST_PLACEMENT_PLACEMENTFUZZER_H
