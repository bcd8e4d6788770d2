// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/IR/FlowRows.h"
#include "compiler/Dialect/Intent/IR/IntentAttention.h"
#include "compiler/Dialect/Intent/IR/IntentLists.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::intent;

#include "compiler/Dialect/Intent/IR/IntentDialect.cpp.inc"

void IntentDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "compiler/Dialect/Intent/IR/IntentOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "compiler/Dialect/Intent/IR/IntentLists.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "compiler/Dialect/Intent/IR/IntentAttention.cpp.inc"
      >();
}

LogicalResult IntentDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() == kOfAttr) {
    if (!isa<flow::RowsOp>(op) || !isa<StringAttr>(attribute.getValue()))
      return op->emitError() << kOfAttr << " stands on a flow.rows and is the name of an op, got "
                             << attribute.getValue();
    return success();
  }
  if (attribute.getName() == kRoundedAttr) {
    auto rounded = dyn_cast<DictionaryAttr>(attribute.getValue());
    auto zero = rounded ? rounded.getAs<FloatAttr>("zero") : FloatAttr();
    if (!isa<linalg::GenericOp>(op) || !op->hasAttr(kCodeAttr) || !zero || !zero.getType().isF64() ||
        !rounded.getAs<IntegerAttr>("block") || rounded.size() != 2)
      return op->emitError() << kRoundedAttr << " stands beside " << kCodeAttr
                             << " and is {block = an integer, zero = an f64}, got " << attribute.getValue();
    return success();
  }
  if (attribute.getName() != kCodeAttr)
    return op->emitError() << "unknown attribute \"" << attribute.getName().getValue() << "\"; known: " << kCodeAttr
                           << ", " << kOfAttr << ", " << kRoundedAttr;
  auto code = dyn_cast<TypeAttr>(attribute.getValue());
  if (!isa<linalg::GenericOp>(op) || !code || !isCodeType(code.getValue()))
    return op->emitError() << kCodeAttr << " stands on a linalg.generic and is a type of codes, got "
                           << attribute.getValue();
  return success();
}
