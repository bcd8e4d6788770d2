// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/StableHlo/Assembly/OpFormat.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;

namespace {

// One op in the making.
class FormatParser {
public:
  FormatParser(const OpFormat &format, OpAsmParser &parser, OperationState &result)
      : format(format), parser(parser), result(result), loc(parser.getCurrentLocation()) {}

  ParseResult parse();

private:
  ParseResult parseHead();
  ParseResult parseItems();
  ParseResult parseKeyword(StringRef keyword, SMLoc at);
  ParseResult parseTail();
  ParseResult parseRanges();
  ParseResult checkFields();
  ParseResult parseTypes();
  ParseResult parseArrowTypes();
  ParseResult setTypes(FunctionType type);
  ParseResult setTypes(TypeRange operandTypes, TypeRange resultTypes);

  const OpFormat &format;
  OpAsmParser &parser;
  OperationState &result;
  SMLoc loc;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  DotParts dot;
};

} // namespace

//===--- Operands and fields -------------------------------------------------------------------------------------===//

// What comes before the operands.
ParseResult FormatParser::parseHead() {
  StringRef direction;
  StringAttr name;
  std::string text;
  switch (format.shape) {
  case OpShape::Compare:
    if (parser.parseKeyword(&direction) || parser.parseComma())
      return failure();
    result.addAttribute("comparison_direction",
                        textAttribute(parser.getContext(), "comparison_direction " + direction));
    return success();
  case OpShape::Call:
    return failure(parser.parseSymbolName(name, "call_target_name", result.attributes) || parser.parseLParen());
  case OpShape::Named:
    if (parser.parseString(&text))
      return failure();
    result.addAttribute("name", parser.getBuilder().getStringAttr(text));
    return success();
  case OpShape::Window:
  case OpShape::Enclosed: return parser.parseLParen();
  default: return success();
  }
}

// Operands and fields as far as commas lead. A field's keyword cannot begin an operand.
ParseResult FormatParser::parseItems() {
  bool takesKeywords = !format.fields.empty() || format.shape == OpShape::Compare;
  bool isFirst = true;
  do {
    OpAsmParser::UnresolvedOperand operand;
    OptionalParseResult read = parser.parseOptionalOperand(operand);
    if (read.has_value()) {
      if (failed(*read))
        return failure();
      operands.push_back(operand);
    } else {
      SMLoc at = parser.getCurrentLocation();
      StringRef keyword;
      if (!takesKeywords || failed(parser.parseOptionalKeyword(&keyword)))
        return isFirst ? success() : parser.emitError(at, "expected an operand");
      if (parseKeyword(keyword, at))
        return failure();
    }
    isFirst = false;
  } while (succeeded(parser.parseOptionalComma()));
  return success();
}

ParseResult FormatParser::parseKeyword(StringRef keyword, SMLoc at) {
  if (format.shape == OpShape::Compare) {
    if (result.attributes.get("compare_type"))
      return parser.emitError(at, "the kind of comparison is given twice");
    result.addAttribute("compare_type", textAttribute(parser.getContext(), "comparison_type " + keyword));
    return success();
  }
  const auto *field = llvm::find_if(format.fields, [&](const FieldFormat &f) { return f.keyword == keyword; });
  if (field == format.fields.end()) {
    auto error = parser.emitError(at) << "has no '" << keyword << "'; it takes ";
    llvm::interleaveComma(format.fields, error, [&](const FieldFormat &f) { error << f.keyword << " = …"; });
    return error;
  }
  bool isDotPart = field->kind == FieldKind::Batching || field->kind == FieldKind::Contracting;
  SmallVector<int64_t> &list = dot.lists[field->kind == FieldKind::Batching ? 0 : 2];
  if (isDotPart ? !list.empty() : bool(result.attributes.get(field->attribute)))
    return parser.emitError(at) << "'" << keyword << "' is given twice";
  return failure(parser.parseEqual() || parseField(*field, parser, result, dot));
}

// `[0:4, 1:9:2]`: start, limit and step of each dimension.
ParseResult FormatParser::parseRanges() {
  SmallVector<int64_t> starts, limits, steps;
  auto parseRange = [&]() -> ParseResult {
    if (parser.parseInteger(starts.emplace_back()) || parser.parseColon() || parser.parseInteger(limits.emplace_back()))
      return failure();
    steps.push_back(1);
    return succeeded(parser.parseOptionalColon()) ? parser.parseInteger(steps.back()) : success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseRange))
    return failure();
  Builder &builder = parser.getBuilder();
  result.addAttribute("start_indices", builder.getDenseI64ArrayAttr(starts));
  result.addAttribute("limit_indices", builder.getDenseI64ArrayAttr(limits));
  result.addAttribute("strides", builder.getDenseI64ArrayAttr(steps));
  return success();
}

// What comes after the operands.
ParseResult FormatParser::parseTail() {
  int32_t index;
  switch (format.shape) {
  case OpShape::Window: return failure(parser.parseRParen() || parseItems());
  case OpShape::Call:
  case OpShape::Enclosed: return parser.parseRParen();
  case OpShape::Ranges: return parseRanges();
  case OpShape::Index:
    if (parser.parseLSquare() || parser.parseInteger(index) || parser.parseRSquare())
      return failure();
    result.addAttribute("index", parser.getBuilder().getI32IntegerAttr(index));
    return success();
  default: return success();
  }
}

ParseResult FormatParser::checkFields() {
  if (dot.isGiven) {
    std::string text;
    llvm::raw_string_ostream out(text);
    auto add = [&](StringRef name, ArrayRef<int64_t> list) {
      if (list.empty())
        return;
      out << (text == "dot<" ? "" : ", ") << name << " = [";
      llvm::interleaveComma(list, out);
      out << ']';
    };
    out << "dot<";
    add("lhs_batching_dimensions", dot.lists[0]);
    add("rhs_batching_dimensions", dot.lists[1]);
    add("lhs_contracting_dimensions", dot.lists[2]);
    add("rhs_contracting_dimensions", dot.lists[3]);
    result.addAttribute("dot_dimension_numbers", textAttribute(parser.getContext(), text + ">"));
  }
  for (const FieldFormat &field : format.fields)
    if (!field.isOptional && field.kind != FieldKind::WindowParts && !result.attributes.get(field.attribute))
      return parser.emitError(loc) << "needs " << field.keyword << " = …";
  return success();
}

ParseResult mlir::heddle::hlo::parseAttributes(OpAsmParser &parser, OperationState &result, bool withKeyword) {
  SMLoc at = parser.getCurrentLocation();
  NamedAttrList more;
  if (withKeyword ? parser.parseOptionalAttrDictWithKeyword(more) : parser.parseOptionalAttrDict(more))
    return failure();
  for (NamedAttribute attribute : more) {
    if (result.attributes.get(attribute.getName()))
      return parser.emitError(at) << "attribute " << attribute.getName() << " is given twice";
    result.attributes.push_back(attribute);
  }
  return success();
}

//===--- Types ---------------------------------------------------------------------------------------------------===//

ParseResult FormatParser::setTypes(TypeRange operandTypes, TypeRange resultTypes) {
  result.addTypes(resultTypes);
  return parser.resolveOperands(operands, operandTypes, loc, result.operands);
}

ParseResult FormatParser::setTypes(FunctionType type) { return setTypes(type.getInputs(), type.getResults()); }

// `T, T -> T` or `(T, T) -> T`.
ParseResult FormatParser::parseArrowTypes() {
  SmallVector<Type> from, to;
  if (succeeded(parser.parseOptionalLParen())) {
    if (parser.parseTypeList(from) || parser.parseRParen())
      return failure();
  } else if (parser.parseTypeList(from)) {
    return failure();
  }
  if (parser.parseArrowTypeList(to))
    return failure();
  return setTypes(from, to);
}

ParseResult FormatParser::parseTypes() {
  if (operands.empty() && (format.types == TypesForm::Operands || format.types == TypesForm::Pairwise))
    return success();
  if (parser.parseColon())
    return failure();
  if (format.types == TypesForm::Arrow || format.types == TypesForm::Grouped)
    return parseArrowTypes();
  SMLoc at = parser.getCurrentLocation();
  SmallVector<Type> types;
  if (parser.parseTypeList(types))
    return failure();
  if (format.types == TypesForm::Operands)
    return setTypes(types, {});
  if (format.types == TypesForm::Pairwise)
    return setTypes(types, types);
  if (format.types == TypesForm::Results)
    return setTypes({}, types);
  if (auto function = dyn_cast<FunctionType>(types.front()); function && types.size() == 1)
    return setTypes(function);
  if (format.types == TypesForm::Select && types.size() == 2)
    return setTypes({types[0], types[1], types[1]}, types[1]);
  if (types.size() != 1 || format.types == TypesForm::Function || format.types == TypesForm::Select)
    return parser.emitError(at, "expected the types of operands and results, such as (tensor<4xf32>) -> tensor<4xf32>");
  Type type = types.front();
  if (format.types == TypesForm::Same)
    return setTypes(SmallVector<Type>(operands.size(), type), type);
  if (auto tuple = dyn_cast<TupleType>(type); tuple && format.types == TypesForm::Tuple)
    return setTypes(tuple.getTypes(), type);
  auto shaped = dyn_cast<ShapedType>(type);
  auto complex = shaped ? dyn_cast<ComplexType>(shaped.getElementType()) : ComplexType();
  if (complex && format.types == TypesForm::Complex)
    return setTypes(SmallVector<Type>(operands.size(), shaped.clone(complex.getElementType())), type);
  return parser.emitError(at) << "expected a "
                              << (format.types == TypesForm::Tuple ? "tuple" : "tensor of complex numbers");
}

ParseResult FormatParser::parse() {
  if (format.shape == OpShape::Barrier) {
    if (succeeded(parser.parseOptionalLParen()))
      return parser.parseRParen();
    return failure(parseAttributes(parser, result) || parseItems() || parseTypes());
  }
  return failure(parseHead() || parseItems() || parseTail() || checkFields() || parseAttributes(parser, result) ||
                 parseTypes());
}

ParseResult mlir::heddle::hlo::parseFormat(const OpFormat &format, OpAsmParser &parser, OperationState &result) {
  return FormatParser(format, parser, result).parse();
}
