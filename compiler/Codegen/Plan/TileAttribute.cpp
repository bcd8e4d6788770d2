// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Plan/TileAttribute.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

FailureOr<ContractionOverride> mlir::heddle::codegen::readTileAttribute(Operation *op) {
  ContractionOverride set;
  Attribute attribute = op->getDiscardableAttr(kTileAttribute);
  if (!attribute)
    return set;
  auto values = dyn_cast<DictionaryAttr>(attribute);
  if (!values)
    return op->emitError() << "kernel.tile is a dictionary, got " << attribute;
  for (NamedAttribute entry : values) {
    StringRef key = entry.getName();
    auto numbers = dyn_cast<DenseI64ArrayAttr>(entry.getValue());
    auto number = dyn_cast<IntegerAttr>(entry.getValue());
    auto truth = dyn_cast<BoolAttr>(entry.getValue());
    if (key == "rows" && numbers)
      set.tile = numbers.asArrayRef().vec();
    else if (key == "block" && numbers)
      set.block = numbers.asArrayRef().vec();
    else if (key == "vectors" && number)
      set.vectors = number.getInt();
    else if (key == "next" && truth)
      set.prefetchNext = truth.getValue();
    else
      return op->emitError()
             << "kernel.tile holds rows and block as array<i64: …>, vectors as an integer and next as a "
                "truth value, got "
             << key << " = " << entry.getValue();
  }
  return set;
}
