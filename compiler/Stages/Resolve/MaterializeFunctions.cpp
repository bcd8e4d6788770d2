// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Encoding/Transforms/Materialize.h"
#include "compiler/Stages/Resolve/Passes.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_MATERIALIZEFUNCTIONS
#include "compiler/Stages/Resolve/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct MaterializeFunctions : mlir::heddle::impl::MaterializeFunctionsBase<MaterializeFunctions> {
  void runOnOperation() override {
    if (failed(encoding::materializeEncodings(getOperation())))
      signalPassFailure();
  }
};

} // namespace
