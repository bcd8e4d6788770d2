// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Simplify/Contraction.h"

#include "compiler/Analysis/Structure.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

static bool isZeroFill(Value init) {
  auto fill = init.getDefiningOp<linalg::FillOp>();
  return fill && matchPattern(fill.getInputs()[0], m_AnyZeroFloat());
}

bool mlir::heddle::isSumOfProducts(linalg::LinalgOp op) {
  const Structure structure = Structure::of(op);
  return structure.arithmetic == Arithmetic::Float && structure.isPlain() && op.getNumDpsInits() == 1 &&
         isZeroFill(op.getDpsInits()[0]);
}
