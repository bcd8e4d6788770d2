// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle-opt --test-fail-silently, for tests of what the driver says then.
#ifndef HEDDLE_TOOLS_OPT_TESTFAIL_H
#define HEDDLE_TOOLS_OPT_TESTFAIL_H

namespace mlir::heddle {

void registerTestFail();

} // namespace mlir::heddle

#endif // HEDDLE_TOOLS_OPT_TESTFAIL_H
