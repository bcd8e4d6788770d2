// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Emit/ElementSource.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::heddle::codegen;

LaneValue ElementSource::fail(Operation *op, const Twine &message) {
  if (!hasFailed)
    op->emitError(message);
  hasFailed = true;
  return lanes.zero(getElementTypeOrSelf(op->getResult(0).getType()));
}

LaneValue ElementSource::toScalar(OpFoldResult value) {
  if (auto attr = dyn_cast<Attribute>(value))
    return lanes.constant(cast<IntegerAttr>(attr).getInt());
  return LaneValue::uniform(scalars.get(cast<Value>(value)));
}
