// The encoding dialect: how tensors are laid out. See EncodingDialect.td and docs/design/encoding.md.
#ifndef HEDDLE_COMPILER_DIALECT_ENCODING_IR_ENCODINGOPS_H
#define HEDDLE_COMPILER_DIALECT_ENCODING_IR_ENCODINGOPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::heddle::encoding {

// Which tensor of a contraction.
enum class Role { Lhs, Rhs, Acc };

StringRef stringify(Role role);
inline raw_ostream &operator<<(raw_ostream &os, Role role) { return os << stringify(role); }

// Whether the type has an encoding of this dialect, and which kind.
bool isEncoded(Type type);
bool isAbstract(Attribute encoding); // #encoding.contraction
bool isResolved(Attribute encoding); // #encoding.layout, .identity, .by_device

} // namespace mlir::heddle::encoding

template <> struct mlir::FieldParser<mlir::heddle::encoding::Role> {
  static FailureOr<mlir::heddle::encoding::Role> parse(AsmParser &parser);
};

#include "compiler/Dialect/Encoding/IR/EncodingDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "compiler/Dialect/Encoding/IR/EncodingAttrs.h.inc"

#define GET_OP_CLASSES
#include "compiler/Dialect/Encoding/IR/EncodingOps.h.inc"

#endif // HEDDLE_COMPILER_DIALECT_ENCODING_IR_ENCODINGOPS_H
