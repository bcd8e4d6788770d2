// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The values of fields: read to the attributes of the generic form, and printed from them.
#include "compiler/Stages/Import/StableHlo/Assembly/Attributes.h"
#include "compiler/Stages/Import/StableHlo/Assembly/OpFormat.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;

static constexpr StringRef kDotLists[] = {"lhs_batching_dimensions", "rhs_batching_dimensions",
                                          "lhs_contracting_dimensions", "rhs_contracting_dimensions"};

namespace {

struct WindowPart {
  StringRef keyword, attribute;
};

} // namespace

static constexpr WindowPart kWindowParts[] = {{"stride", "window_strides"},
                                              {"pad", "padding"},
                                              {"lhs_dilate", "lhs_dilation"},
                                              {"rhs_dilate", "rhs_dilation"},
                                              {"reverse", "window_reversal"}};

//===--- Lists ---------------------------------------------------------------------------------------------------===//

ParseResult mlir::heddle::hlo::parseIntegers(OpAsmParser &parser, SmallVectorImpl<int64_t> &list) {
  auto parseOne = [&]() { return parser.parseInteger(list.emplace_back()); }; // true and false, too
  if (succeeded(parser.parseOptionalLSquare())) {
    if (succeeded(parser.parseOptionalRSquare()))
      return success();
    return failure(parser.parseCommaSeparatedList(parseOne) || parser.parseRSquare());
  }
  SMLoc loc = parser.getCurrentLocation();
  Attribute attribute;
  if (parser.parseAttribute(attribute))
    return failure();
  std::optional<SmallVector<int64_t>> ints = readInts(attribute);
  if (!ints)
    return parser.emitError(loc, "expected a list of integers, such as [1, 0]");
  llvm::append_range(list, *ints);
  return success();
}

void mlir::heddle::hlo::printIntegers(AsmPrinter &printer, ArrayRef<int64_t> list) {
  printer << '[';
  llvm::interleaveComma(list, printer);
  printer << ']';
}

// `[1] x [0]`.
static ParseResult parsePair(OpAsmParser &parser, SmallVector<int64_t> *lists) {
  return failure(parseIntegers(parser, lists[0]) || parser.parseKeyword("x") || parseIntegers(parser, lists[1]));
}

static ParseResult parsePrecisions(OpAsmParser &parser, SmallVectorImpl<Attribute> &words) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    StringRef word;
    if (parser.parseKeyword(&word))
      return failure();
    words.push_back(textAttribute(parser.getContext(), "precision " + word));
    return success();
  });
}

//===--- Records -------------------------------------------------------------------------------------------------===//

// `<name = value, …>` as text, a value being a word, a type or an integer.
static ParseResult parseRecord(OpAsmParser &parser, std::string &text) {
  llvm::raw_string_ostream out(text);
  bool isFirst = true;
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, [&]() -> ParseResult {
    StringRef name, word;
    int64_t number;
    Type type;
    if (parser.parseKeyword(&name) || parser.parseEqual())
      return failure();
    out << (isFirst ? "" : ", ") << name << " = ";
    isFirst = false;
    if (succeeded(parser.parseOptionalKeyword(&word))) { // before integers: false is one, too
      out << word;
      return success();
    }
    if (OptionalParseResult read = parser.parseOptionalInteger(number); read.has_value()) {
      out << number;
      return *read;
    }
    if (parser.parseType(type))
      return failure();
    out << type;
    return success();
  });
}

// `[b, 0, 1, f]` as text.
static ParseResult parseSide(OpAsmParser &parser, std::string &text) {
  text += "[";
  bool isFirst = true;
  ParseResult result = parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    text += isFirst ? "" : ", ";
    isFirst = false;
    int64_t number;
    if (OptionalParseResult read = parser.parseOptionalInteger(number); read.has_value()) {
      text += std::to_string(number);
      return *read;
    }
    StringRef word;
    if (parser.parseKeyword(&word))
      return failure();
    text += word;
    return success();
  });
  text += "]";
  return result;
}

static ParseResult parseConvolution(OpAsmParser &parser, Attribute &attribute) {
  SMLoc loc = parser.getCurrentLocation();
  std::string text = "conv<";
  if (parseSide(parser, text) || parser.parseKeyword("x"))
    return failure();
  text += "x";
  if (parseSide(parser, text) || parser.parseArrow())
    return failure();
  text += "->";
  if (parseSide(parser, text))
    return failure();
  attribute = textAttribute(parser.getContext(), text + ">");
  if (!readConvolution(attribute))
    return parser.emitError(loc, "expected dimension numbers, such as [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]");
  return success();
}

static ParseResult parsePadding(OpAsmParser &parser, Attribute &attribute) {
  SmallVector<int64_t> values;
  auto parseEnds = [&]() -> ParseResult {
    size_t before = values.size();
    SMLoc loc = parser.getCurrentLocation();
    if (parseIntegers(parser, values))
      return failure();
    if (values.size() != before + 2)
      return parser.emitError(loc, "expected the padding of a dimension, [low, high]");
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseEnds))
    return failure();
  auto type = RankedTensorType::get({static_cast<int64_t>(values.size() / 2), 2}, parser.getBuilder().getI64Type());
  attribute = DenseIntElementsAttr::get(type, values);
  return success();
}

static ParseResult parseWindow(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef keyword;
    if (parser.parseKeyword(&keyword) || parser.parseEqual())
      return failure();
    const auto *part = llvm::find_if(kWindowParts, [&](const WindowPart &p) { return p.keyword == keyword; });
    if (part == std::end(kWindowParts))
      return parser.emitError(loc, "a window has stride, pad, lhs_dilate, rhs_dilate and reverse, no '")
             << keyword << "'";
    if (result.attributes.get(part->attribute))
      return parser.emitError(loc) << "'" << keyword << "' is given twice";
    Attribute attribute;
    SmallVector<int64_t> list;
    if (keyword == "pad" ? parsePadding(parser, attribute) : parseIntegers(parser, list))
      return failure();
    if (keyword == "reverse")
      attribute = builder.getDenseBoolArrayAttr(llvm::map_to_vector(list, [](int64_t v) { return v != 0; }));
    else if (keyword != "pad")
      attribute = builder.getDenseI64ArrayAttr(list);
    result.addAttribute(part->attribute, attribute);
    return success();
  });
}

// `e5m10`.
static ParseResult parseFloatFormat(OpAsmParser &parser, OperationState &result) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef word, rest;
  int32_t exponent = 0, mantissa = 0;
  if (parser.parseKeyword(&word))
    return failure();
  rest = word;
  if (!rest.consume_front("e") || rest.consumeInteger(10, exponent) || !rest.consume_front("m") ||
      rest.getAsInteger(10, mantissa))
    return parser.emitError(loc, "expected a format such as e5m10");
  result.addAttribute("exponent_bits", parser.getBuilder().getI32IntegerAttr(exponent));
  result.addAttribute("mantissa_bits", parser.getBuilder().getI32IntegerAttr(mantissa));
  return success();
}

//===--- Fields --------------------------------------------------------------------------------------------------===//

// Those that are one attribute; null if the kind is another one.
static ParseResult parseValue(const FieldFormat &field, OpAsmParser &parser, Attribute &attribute) {
  Builder &builder = parser.getBuilder();
  SmallVector<int64_t> list;
  SmallVector<Attribute> words;
  StringRef word;
  std::string text;
  int64_t number;
  switch (field.kind) {
  case FieldKind::Integers:
    if (parseIntegers(parser, list))
      return failure();
    attribute = builder.getDenseI64ArrayAttr(list);
    return success();
  case FieldKind::Integer:
    if (parser.parseInteger(number))
      return failure();
    attribute = builder.getI64IntegerAttr(number);
    return success();
  case FieldKind::Flag:
    if (parser.parseKeyword(&word) || (word != "true" && word != "false"))
      return parser.emitError(parser.getCurrentLocation(), "expected true or false");
    attribute = builder.getBoolAttr(word == "true");
    return success();
  case FieldKind::Word:
    if (parser.parseKeyword(&word))
      return failure();
    attribute = textAttribute(parser.getContext(), field.word + " " + word);
    return success();
  case FieldKind::Text:
    if (parser.parseString(&text))
      return failure();
    attribute = builder.getStringAttr(text);
    return success();
  case FieldKind::Precisions:
    if (parsePrecisions(parser, words))
      return failure();
    attribute = builder.getArrayAttr(words);
    return success();
  case FieldKind::Algorithm:
    if (parseRecord(parser, text))
      return failure();
    attribute = textAttribute(parser.getContext(), "dot_algorithm<" + text + ">");
    return success();
  case FieldKind::Convolution: return parseConvolution(parser, attribute);
  default: return success();
  }
}

ParseResult mlir::heddle::hlo::parseField(const FieldFormat &field, OpAsmParser &parser, OperationState &result,
                                          DotParts &dot) {
  if (field.kind == FieldKind::Batching || field.kind == FieldKind::Contracting) {
    dot.isGiven = true;
    return parsePair(parser, dot.lists + (field.kind == FieldKind::Batching ? 0 : 2));
  }
  if (field.kind == FieldKind::WindowParts)
    return parseWindow(parser, result);
  if (field.kind == FieldKind::FloatFormat)
    return parseFloatFormat(parser, result);
  Attribute attribute;
  if (parseValue(field, parser, attribute))
    return failure();
  result.addAttribute(field.attribute, attribute);
  return success();
}

//===--- Printing ------------------------------------------------------------------------------------------------===//

// The text between the brackets of `#stablehlo.kind<…>`.
static std::optional<StringRef> bodyOf(Attribute attribute, StringRef kind) {
  auto opaque = dyn_cast_or_null<OpaqueAttr>(attribute);
  if (!opaque || opaque.getDialectNamespace() != "stablehlo")
    return std::nullopt;
  StringRef text = opaque.getAttrData();
  if (!text.consume_front(kind) || !text.consume_front("<") || !text.consume_back(">"))
    return std::nullopt;
  return text;
}

static bool isDot(Operation *op) {
  std::optional<Fields> fields = readFields(op->getAttr("dot_dimension_numbers"), "dot");
  return fields &&
         llvm::all_of(fields->lists, [](const auto &field) { return llvm::is_contained(kDotLists, field.getKey()); });
}

static bool isWord(Attribute attribute, StringRef kind) {
  std::optional<StringRef> word = readWord(attribute);
  return word && cast<OpaqueAttr>(attribute).getAttrData() == (kind + " " + *word).str();
}

static bool isWindow(Operation *op) {
  return llvm::all_of(kWindowParts, [&](const WindowPart &part) {
    Attribute attribute = op->getAttr(part.attribute);
    if (!attribute)
      return true;
    if (part.keyword == "reverse")
      return isa<DenseBoolArrayAttr>(attribute);
    auto padding = dyn_cast<DenseIntElementsAttr>(attribute);
    if (part.keyword == "pad")
      return padding && padding.getElementType().isSignlessInteger(64) && padding.getType().getRank() == 2 &&
             padding.getType().getDimSize(1) == 2;
    return isa<DenseI64ArrayAttr>(attribute);
  });
}

bool mlir::heddle::hlo::canPrintField(const FieldFormat &field, Operation *op) {
  Attribute attribute = op->getAttr(field.attribute);
  if (!attribute && field.kind != FieldKind::WindowParts)
    return field.isOptional;
  auto integer = dyn_cast_or_null<IntegerAttr>(attribute);
  auto bits = op->getAttrOfType<IntegerAttr>("mantissa_bits");
  auto words = dyn_cast_or_null<ArrayAttr>(attribute);
  switch (field.kind) {
  case FieldKind::Integers: return isa<DenseI64ArrayAttr>(attribute);
  case FieldKind::Integer: return integer && integer.getType().isSignlessInteger(64);
  case FieldKind::Flag: return isa<BoolAttr>(attribute);
  case FieldKind::Word: return isWord(attribute, field.word);
  case FieldKind::Text: return isa<StringAttr>(attribute);
  case FieldKind::Precisions:
    return words && llvm::all_of(words, [](Attribute word) { return isWord(word, "precision"); });
  case FieldKind::Algorithm: return bodyOf(attribute, "dot_algorithm").has_value();
  case FieldKind::Batching:
  case FieldKind::Contracting: return isDot(op);
  case FieldKind::Convolution: return readConvolution(attribute).has_value();
  case FieldKind::WindowParts: return isWindow(op);
  case FieldKind::FloatFormat:
    return integer && bits && integer.getType().isSignlessInteger(32) && bits.getType().isSignlessInteger(32) &&
           integer.getInt() >= 0 && bits.getInt() >= 0;
  }
  return false;
}

static void printWindow(Operation *op, OpAsmPrinter &printer) {
  StringRef before = "{";
  for (const WindowPart &part : kWindowParts) {
    Attribute attribute = op->getAttr(part.attribute);
    if (!attribute)
      continue;
    printer << before << part.keyword << " = ";
    before = ", ";
    SmallVector<int64_t> values = *readInts(attribute);
    if (part.keyword == "reverse") {
      printer << '[';
      llvm::interleaveComma(values, printer, [&](int64_t v) { printer << (v ? "true" : "false"); });
      printer << ']';
    } else if (part.keyword == "pad") {
      printer << '[';
      llvm::interleaveComma(llvm::seq<size_t>(0, values.size() / 2), printer,
                            [&](size_t i) { printIntegers(printer, {values[2 * i], values[2 * i + 1]}); });
      printer << ']';
    } else {
      printIntegers(printer, values);
    }
  }
  printer << (before == "{" ? "{}" : "}");
}

static void printPair(Operation *op, OpAsmPrinter &printer, const StringRef *names) {
  Fields fields = *readFields(op->getAttr("dot_dimension_numbers"), "dot");
  printIntegers(printer, fields.list(names[0]));
  printer << " x ";
  printIntegers(printer, fields.list(names[1]));
}

bool mlir::heddle::hlo::printField(const FieldFormat &field, Operation *op, OpAsmPrinter &printer, StringRef before) {
  Attribute attribute = op->getAttr(field.attribute);
  if (!attribute && field.kind != FieldKind::WindowParts)
    return false;
  if (field.kind == FieldKind::Batching) {
    Fields fields = *readFields(attribute, "dot");
    if (fields.list(kDotLists[0]).empty() && fields.list(kDotLists[1]).empty())
      return false;
  }
  printer << before << field.keyword << " = ";
  switch (field.kind) {
  case FieldKind::Integers: printIntegers(printer, *readInts(attribute)); break;
  case FieldKind::Integer: printer << cast<IntegerAttr>(attribute).getInt(); break;
  case FieldKind::Flag:
  case FieldKind::Text: printer << attribute; break;
  case FieldKind::Word: printer << *readWord(attribute); break;
  case FieldKind::Precisions:
    printer << '[';
    llvm::interleaveComma(cast<ArrayAttr>(attribute), printer, [&](Attribute word) { printer << *readWord(word); });
    printer << ']';
    break;
  case FieldKind::Algorithm: printer << '<' << *bodyOf(attribute, "dot_algorithm") << '>'; break;
  case FieldKind::Batching: printPair(op, printer, kDotLists); break;
  case FieldKind::Contracting: printPair(op, printer, kDotLists + 2); break;
  case FieldKind::Convolution: printer << *bodyOf(attribute, "conv"); break;
  case FieldKind::WindowParts: printWindow(op, printer); break;
  case FieldKind::FloatFormat:
    printer << 'e' << cast<IntegerAttr>(attribute).getInt() << 'm'
            << op->getAttrOfType<IntegerAttr>("mantissa_bits").getInt();
    break;
  }
  return true;
}
