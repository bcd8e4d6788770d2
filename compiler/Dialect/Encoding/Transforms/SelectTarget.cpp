// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Encoding/Transforms/SelectTarget.h"

#include "compiler/Dialect/Encoding/IR/EncodingOps.h"
#include "compiler/Dialect/Encoding/Transforms/Retype.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::encoding;

LogicalResult mlir::heddle::encoding::selectTarget(func::FuncOp function, Attribute target) {
  return retype(function, [&](Value value, Operation *op) -> FailureOr<Type> {
    auto tensor = cast<RankedTensorType>(value.getType());
    auto choice = dyn_cast<ByTargetAttr>(tensor.getEncoding());
    if (!choice)
      return Type(tensor);
    Attribute layout = choice.getLayout(target);
    if (!layout)
      return op->emitError() << "has no layout for " << target << ": " << tensor, failure();
    return Type(withEncoding(tensor, isa<IdentityAttr>(layout) ? Attribute() : layout));
  });
}
