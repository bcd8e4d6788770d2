// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <optional>

namespace mlir::heddle::encoding {

// Which tensor of a contraction; of a convolution. The value is its place in `types` and `maps`.
enum class Role { Lhs, Rhs, Acc };
enum class ConvolutionRole { Input, Filter, Result };
// Which operand of a product with quantised weights.
enum class QuantizedRole { Codes, Scales, Zeros };

StringRef stringify(Role role);
StringRef stringify(ConvolutionRole role);
StringRef stringify(QuantizedRole role);
inline raw_ostream &operator<<(raw_ostream &os, Role role) { return os << stringify(role); }
inline raw_ostream &operator<<(raw_ostream &os, ConvolutionRole role) { return os << stringify(role); }
inline raw_ostream &operator<<(raw_ostream &os, QuantizedRole role) { return os << stringify(role); }

// Whether the type has an encoding of this dialect, and which kind.
bool isEncoded(Type type);
bool isAbstract(Attribute encoding); // #encoding.contraction, .convolution, .quantized
bool isResolved(Attribute encoding); // #encoding.layout, .identity, .by_device, .by_target

// Whether what has the abstract encoding is known at compile time.
bool isOfConstant(Attribute encoding);

// What contractions and convolutions have in common, as plain data.
//
//   std::optional<AbstractEncoding> use = getAbstract(type.getEncoding());  // none: neither of them
//   if (use && use->constant) …                                             // laying it out costs nothing per call
//   Attribute other = getAttribute(context, *use);
struct AbstractEncoding {
  bool isConvolution;          // roles input, filter, result; else lhs, rhs, acc
  unsigned role;               // its place in types and maps: 0, 1, 2
  SmallVector<Type> types;     // element types
  SmallVector<AffineMap> maps; // from the loops to the dimensions of each tensor
  SmallVector<int64_t> sizes;  // of the loops
  bool constant;
};
std::optional<AbstractEncoding> getAbstract(Attribute encoding);
Attribute getAttribute(MLIRContext *context, const AbstractEncoding &encoding);

// The type without its encoding; with another one (which may be null).
RankedTensorType withEncoding(RankedTensorType type, Attribute encoding);
inline RankedTensorType withoutEncoding(RankedTensorType type) { return withEncoding(type, Attribute()); }

} // namespace mlir::heddle::encoding

template <> struct mlir::FieldParser<mlir::heddle::encoding::Role> {
  static FailureOr<mlir::heddle::encoding::Role> parse(AsmParser &parser);
};
template <> struct mlir::FieldParser<mlir::heddle::encoding::ConvolutionRole> {
  static FailureOr<mlir::heddle::encoding::ConvolutionRole> parse(AsmParser &parser);
};
template <> struct mlir::FieldParser<mlir::heddle::encoding::QuantizedRole> {
  static FailureOr<mlir::heddle::encoding::QuantizedRole> parse(AsmParser &parser);
};

#include "compiler/Dialect/Encoding/IR/EncodingDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "compiler/Dialect/Encoding/IR/EncodingAttrs.h.inc"

#define GET_OP_CLASSES
#include "compiler/Dialect/Encoding/IR/EncodingOps.h.inc"

#endif // HEDDLE_COMPILER_DIALECT_ENCODING_IR_ENCODINGOPS_H
