// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assembly directives shared by our dialects' ops.
#ifndef HEDDLE_COMPILER_DIALECT_SYNTAX_H
#define HEDDLE_COMPILER_DIALECT_SYNTAX_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpImplementation.h"

namespace mlir::heddle {

// `(tensor<?x4xf32>{%m}, tensor<4xf32>)`: each type followed by the sizes of its dynamic dimensions.
inline ParseResult parseDimensionedTypes(OpAsmParser &parser, SmallVectorImpl<Type> &types,
                                         SmallVectorImpl<OpAsmParser::UnresolvedOperand> &dims) {
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, [&]() -> ParseResult {
    if (parser.parseType(types.emplace_back()))
      return failure();
    if (failed(parser.parseOptionalLBrace()))
      return success();
    if (parser.parseOperandList(dims) || parser.parseRBrace())
      return failure();
    return success();
  });
}

inline void printDimensionedTypes(OpAsmPrinter &printer, Operation *, TypeRange types, OperandRange dims) {
  printer << '(';
  llvm::interleaveComma(types, printer, [&](Type type) {
    printer << type;
    auto shaped = dyn_cast<ShapedType>(type);
    size_t dynamic = shaped && shaped.hasRank() ? shaped.getNumDynamicDims() : 0;
    dynamic = std::min(dynamic, dims.size());
    if (dynamic == 0)
      return;
    printer << '{' << dims.take_front(dynamic) << '}';
    dims = dims.drop_front(dynamic);
  });
  printer << ')';
}

// `private @name`
inline ParseResult parseSymbolVisibility(OpAsmParser &parser, StringAttr &visibility) {
  StringRef keyword;
  if (succeeded(parser.parseOptionalKeyword(&keyword, {"public", "private", "nested"})))
    visibility = parser.getBuilder().getStringAttr(keyword);
  return success();
}

inline void printSymbolVisibility(OpAsmPrinter &printer, Operation *, StringAttr visibility) {
  if (visibility)
    printer << visibility.getValue();
}

// `tensor<4xf32> = dense<1.0>`: an elements attribute whose type stands once, but for an encoded type:
// `tensor<4xf32, #e> = dense<1.0> : tensor<4xf32>`.
inline ParseResult parseTypeAndValue(OpAsmParser &parser, TypeAttr &type, ElementsAttr &value) {
  Type parsed;
  if (parser.parseType(parsed) || parser.parseEqual())
    return failure();
  auto tensor = dyn_cast<RankedTensorType>(parsed);
  if (parser.parseAttribute(value, tensor && tensor.getEncoding() ? Type() : parsed))
    return failure();
  type = TypeAttr::get(parsed);
  return success();
}

inline void printTypeAndValue(OpAsmPrinter &printer, Operation *, TypeAttr type, ElementsAttr value) {
  printer << type.getValue() << " = ";
  auto tensor = dyn_cast<RankedTensorType>(type.getValue());
  if (tensor && tensor.getEncoding())
    printer.printAttribute(value);
  else
    printer.printAttributeWithoutType(value);
}

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_DIALECT_SYNTAX_H
