// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Dialect/Flow/Transforms/GroupedProducts.h"
#include "compiler/Stages/Simplify/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace mlir::heddle {
#define GEN_PASS_DEF_DECOMPOSEGROUPED
#include "compiler/Stages/Simplify/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct DecomposeGrouped : mlir::heddle::impl::DecomposeGroupedBase<DecomposeGrouped> {
  void runOnOperation() override { mlir::heddle::flow::decomposeGroupedProducts(getOperation()); }
};

} // namespace
