// The heddle dialect: registered attributes that users write. See HeddleDialect.td.
#ifndef HEDDLE_COMPILER_DIALECT_HEDDLE_IR_HEDDLEDIALECT_H
#define HEDDLE_COMPILER_DIALECT_HEDDLE_IR_HEDDLEDIALECT_H

#include "mlir/IR/Dialect.h"
#include "llvm/ADT/StringRef.h"

#include "compiler/Dialect/Heddle/IR/HeddleDialect.h.inc"

namespace mlir::heddle {

inline constexpr llvm::StringLiteral kNameAttr = "heddle.name";
inline constexpr llvm::StringLiteral kDimsAttr = "heddle.dims";
inline constexpr llvm::StringLiteral kDefaultDeviceAttr = "heddle.default_device";
inline constexpr llvm::StringLiteral kAffinityAttr = "heddle.affinity";

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_DIALECT_HEDDLE_IR_HEDDLEDIALECT_H
