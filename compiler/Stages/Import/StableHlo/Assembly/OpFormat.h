// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How ops are written in short form: a table that parser and printer share.
//
// Nearly every op is operands and fields with commas between them, then attributes and types:
//
//   stablehlo.pad %x, %zero, low = [1], high = [0], interior = [2] : (tensor<4xf32>, tensor<f32>) -> tensor<11xf32>
//
// `reduce`, `while` and `constant` have syntax of their own (StructuredOps.h).
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_ASSEMBLY_OPFORMAT_H
#define HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_ASSEMBLY_OPFORMAT_H

#include "mlir/IR/OpImplementation.h"

namespace mlir::heddle::hlo {

// What stands behind the last colon.
enum class TypesForm {
  Same,     // one type if operands and result have it, else a function type
  Function, // a function type
  Results,  // the results' types; there are no operands
  Operands, // the operands' types; there are no results
  Pairwise, // the types of operands and results, which are the same
  Select,   // condition and result, else a function type
  Complex,  // the result if the operands are its parts, else a function type
  Tuple,    // the result, whose parts are the operands
  Arrow,    // `T, T -> T`
  Grouped,  // `(T, T) -> T`
};

// Around operands and fields.
enum class OpShape {
  Plain,
  Compare,  // stablehlo.compare LT, %a, %b, FLOAT
  Call,     // stablehlo.custom_call @target(%a, %b)
  Named,    // stablehlo.composite "name" %a, %b
  Window,   // stablehlo.convolution(%a, %b) dim_numbers = …
  Enclosed, // chlo.top_k(%a, k = 5)
  Ranges,   // stablehlo.slice %a [0:4, 1:9:2]
  Index,    // stablehlo.get_tuple_element %a[0]
  Barrier,  // stablehlo.optimization_barrier {…} %a, %b
};

// What a field's value is.
enum class FieldKind {
  Integers,    // [0, 1]                        array<i64: 0, 1>
  Integer,     // 1                             1 : i64
  Flag,        // true
  Word,        // PHILOX                        #stablehlo<rng_algorithm PHILOX>
  Text,        // "ab,bc->ac"
  Precisions,  // [DEFAULT, HIGHEST]            [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]
  Algorithm,   // <lhs_precision_type = f32, …> #stablehlo.dot_algorithm<…>
  Batching,    // [0] x [0]                     of #stablehlo.dot<…>
  Contracting, // [2] x [1]                     of #stablehlo.dot<…>
  Convolution, // [b, 0, f]x[0, i, o]->[b, 0, f]  #stablehlo.conv<…>
  WindowParts, // {stride = [2], pad = [[0, 1]], …}
  FloatFormat, // e5m10                         exponent_bits = 5 : i32, mantissa_bits = 10 : i32
};

struct FieldFormat {
  StringRef keyword, attribute;
  FieldKind kind;
  bool isOptional = false;
  StringRef word = {}; // of a Word: the enumeration
};

struct OpFormat {
  StringRef name;
  TypesForm types = TypesForm::Function;
  OpShape shape = OpShape::Plain;
  SmallVector<FieldFormat> fields = {};
};

// Null if the op has no short form, or one of its own.
const OpFormat *findFormat(StringRef name);

// The form that `format` describes. Failure: a diagnostic at its place.
ParseResult parseFormat(const OpFormat &format, OpAsmParser &parser, OperationState &result);

// Whether attributes and types of the op are such that the short form says all of it.
bool canPrint(const OpFormat &format, Operation *op);
// Of an op that `canPrint`; the name is printed already.
void printFormat(const OpFormat &format, Operation *op, OpAsmPrinter &printer);

// A field that `keyword =` introduces; attributes go to `result`, parts of `#stablehlo.dot<…>` to `dot`.
struct DotParts {
  SmallVector<int64_t> lists[4]; // batching left, right, contracting left, right
  bool isGiven = false;
};
ParseResult parseField(const FieldFormat &field, OpAsmParser &parser, OperationState &result, DotParts &dot);
bool canPrintField(const FieldFormat &field, Operation *op);
// `keyword = value`; nothing if the op has none of it. Gives whether it printed.
bool printField(const FieldFormat &field, Operation *op, OpAsmPrinter &printer, StringRef before);

// `[0, 1]`, or any attribute that is a list of integers.
ParseResult parseIntegers(OpAsmParser &parser, SmallVectorImpl<int64_t> &list);
void printIntegers(AsmPrinter &printer, ArrayRef<int64_t> list);
// `{a = 1}` behind the op's own attributes, of which it may repeat none.
ParseResult parseAttributes(OpAsmParser &parser, OperationState &result, bool withKeyword = false);
// Inherent and discardable attributes alike.
SmallVector<NamedAttribute> attributesOf(Operation *op);
// An attribute that is text: `#stablehlo<precision DEFAULT>`, `#stablehlo.dot<…>`.
Attribute textAttribute(MLIRContext *context, const Twine &text);

} // namespace mlir::heddle::hlo

#endif // HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_ASSEMBLY_OPFORMAT_H
