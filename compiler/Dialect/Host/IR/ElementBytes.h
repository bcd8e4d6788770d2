// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bytes of constants as they lie in memory at run time.
#ifndef HEDDLE_COMPILER_DIALECT_HOST_IR_ELEMENTBYTES_H
#define HEDDLE_COMPILER_DIALECT_HOST_IR_ELEMENTBYTES_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/Operation.h"

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace mlir::heddle::host {

// Gives views of attributes' bytes, row-major, without padding. Resources and dense attributes are not copied; splats
// and i1 are written out into memory that this object keeps.
class ElementBytes {
public:
  // Fails with a diagnostic at `op` for an attribute whose bytes are not here.
  FailureOr<std::span<const std::byte>> of(ElementsAttr value, Operation *op);

private:
  std::span<const std::byte> expandSplat(DenseElementsAttr value, size_t elementBytes);
  std::span<const std::byte> expandBools(DenseElementsAttr value);

  std::vector<std::unique_ptr<std::vector<std::byte>>> kept;
};

} // namespace mlir::heddle::host

#endif // HEDDLE_COMPILER_DIALECT_HOST_IR_ELEMENTBYTES_H
