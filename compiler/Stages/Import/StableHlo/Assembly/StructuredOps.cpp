// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/StableHlo/Assembly/StructuredOps.h"

#include "compiler/Stages/Import/StableHlo/Assembly/OpFormat.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;

static bool hasOneBlock(Region &region) { return region.hasOneBlock() && !region.front().empty(); }

//===--- constant ------------------------------------------------------------------------------------------------===//

// Also `() {value = …} : () -> type`, for values whose type is not the result's.
static ParseResult parseConstant(OpAsmParser &parser, OperationState &result) {
  if (succeeded(parser.parseOptionalLParen())) {
    if (parser.parseRParen())
      return failure();
    return parser.parseGenericOperationAfterOpName(result, ArrayRef<OpAsmParser::UnresolvedOperand>());
  }
  if (parseAttributes(parser, result))
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  Attribute value;
  if (parser.parseAttribute(value))
    return failure();
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements)
    return parser.emitError(loc, "expected the elements of a tensor, such as dense<1.0> : tensor<4xf32>");
  if (result.attributes.get("value"))
    return parser.emitError(loc, "attribute value is given twice");
  result.addAttribute("value", value);
  result.addTypes(elements.getType());
  return success();
}

static bool canPrintConstant(Operation *op) {
  auto value = op->getAttrOfType<ElementsAttr>("value");
  return value && op->getNumOperands() == 0 && op->getNumResults() == 1 && op->getNumRegions() == 0 &&
         op->getResult(0).getType() == value.getType();
}

static void printConstant(Operation *op, OpAsmPrinter &printer) {
  printer.printOptionalAttrDict(attributesOf(op), {"value"});
  printer << ' ' << op->getAttr("value");
}

//===--- reduce --------------------------------------------------------------------------------------------------===//

static bool isCombiner(StringRef name) {
  return llvm::is_contained({"stablehlo.add", "stablehlo.and", "stablehlo.maximum", "stablehlo.minimum",
                             "stablehlo.multiply", "stablehlo.or", "stablehlo.xor"},
                            name);
}

// `(%x init: %a), (%y init: %b)`: inputs, then initial values.
static ParseResult parseInputs(OpAsmParser &parser, SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands) {
  SmallVector<OpAsmParser::UnresolvedOperand> initials;
  auto parsePair = [&]() -> ParseResult {
    return failure(parser.parseLParen() || parser.parseOperand(operands.emplace_back()) ||
                   parser.parseKeyword("init") || parser.parseColon() || parser.parseOperand(initials.emplace_back()) ||
                   parser.parseRParen());
  };
  if (parser.parseCommaSeparatedList(parsePair))
    return failure();
  llvm::append_range(operands, initials);
  return success();
}

// `reducer(%x: T, %a: T) (%y: T, %b: T) {…}`: the region's arguments are in the order of the operands.
static ParseResult parseReducer(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> arguments, initials;
  if (parser.parseKeyword("reducer"))
    return failure();
  while (succeeded(parser.parseOptionalLParen()))
    if (parser.parseArgument(arguments.emplace_back(), /*allowType=*/true) || parser.parseComma() ||
        parser.parseArgument(initials.emplace_back(), /*allowType=*/true) || parser.parseRParen())
      return failure();
  llvm::append_range(arguments, initials);
  return parser.parseRegion(*result.addRegion(), arguments);
}

// The region of `applies stablehlo.add`.
static void buildReducer(OperationState &result, StringRef combiner, Type element) {
  Location loc = result.location;
  auto type = RankedTensorType::get({}, element);
  Block &block = result.addRegion()->emplaceBlock();
  Value left = block.addArgument(type, loc), right = block.addArgument(type, loc);
  OpBuilder builder(loc.getContext());
  builder.setInsertionPointToEnd(&block);
  OperationState inner(loc, combiner), end(loc, "stablehlo.return");
  inner.addOperands({left, right});
  inner.addTypes(type);
  end.addOperands(builder.create(inner)->getResults());
  builder.create(end);
}

static ParseResult parseReduce(OpAsmParser &parser, OperationState &result) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  std::string combiner;
  SmallVector<int64_t> dims;
  FunctionType type;
  if (parseInputs(parser, operands))
    return failure();
  bool isShort = succeeded(parser.parseOptionalKeyword("applies"));
  SMLoc at = parser.getCurrentLocation();
  if (isShort && parser.parseKeywordOrString(&combiner))
    return failure();
  if (isShort && (!isCombiner(combiner) || operands.size() != 2))
    return parser.emitError(at, "expected one of stablehlo.add, and, maximum, minimum, multiply, or and xor, for one "
                                "operand; others have a reducer(…) {…}");
  if (parser.parseKeyword("across") || parser.parseKeyword("dimensions") || parser.parseEqual() ||
      parseIntegers(parser, dims))
    return failure();
  result.addAttribute("dimensions", parser.getBuilder().getDenseI64ArrayAttr(dims));
  if (parseAttributes(parser, result) || parser.parseColonType(type) ||
      parser.resolveOperands(operands, type.getInputs(), loc, result.operands))
    return failure();
  result.addTypes(type.getResults());
  if (!isShort)
    return parseReducer(parser, result);
  auto input = dyn_cast<ShapedType>(type.getInput(0));
  if (!input)
    return parser.emitError(loc, "expected tensors");
  buildReducer(result, combiner, input.getElementType());
  return success();
}

// The name of the only op of the region if `applies` says all of it.
static StringRef combinerOf(Operation *op) {
  Block &block = op->getRegion(0).front();
  if (op->getNumOperands() != 2 || block.getNumArguments() != 2 || std::distance(block.begin(), block.end()) != 2)
    return {};
  auto input = dyn_cast<ShapedType>(op->getOperand(0).getType());
  Operation &inner = block.front(), &end = block.back();
  if (!input || !isCombiner(inner.getName().getStringRef()) || inner.getNumResults() != 1 ||
      !attributesOf(&inner).empty() || !attributesOf(&end).empty() ||
      end.getName().getStringRef() != "stablehlo.return" || end.getNumResults() != 0)
    return {};
  auto scalar = RankedTensorType::get({}, input.getElementType());
  bool fits = inner.getResult(0).getType() == scalar && inner.getNumRegions() == 0 && end.getNumRegions() == 0 &&
              llvm::all_of(block.getArgumentTypes(), [&](Type type) { return type == scalar; }) &&
              llvm::equal(block.getArguments(), inner.getOperands()) &&
              llvm::equal(inner.getResults(), end.getOperands());
  return fits ? inner.getName().getStringRef() : StringRef();
}

static bool canPrintReduce(Operation *op) {
  return op->getNumRegions() == 1 && hasOneBlock(op->getRegion(0)) && op->getNumOperands() > 0 &&
         op->getNumOperands() % 2 == 0 && op->getRegion(0).getNumArguments() == op->getNumOperands() &&
         isa_and_nonnull<DenseI64ArrayAttr>(op->getAttr("dimensions"));
}

static void printReduce(Operation *op, OpAsmPrinter &printer) {
  unsigned count = op->getNumOperands() / 2;
  auto pairs = llvm::seq<unsigned>(0, count);
  llvm::interleaveComma(pairs, printer, [&](unsigned i) {
    printer << '(' << op->getOperand(i) << " init: " << op->getOperand(count + i) << ')';
  });
  StringRef combiner = combinerOf(op);
  if (!combiner.empty())
    printer << " applies " << combiner;
  printer << " across dimensions = ";
  printIntegers(printer, op->getAttrOfType<DenseI64ArrayAttr>("dimensions").asArrayRef());
  printer.printOptionalAttrDict(attributesOf(op), {"dimensions"});
  printer << " : ";
  printer.printFunctionalType(op);
  if (!combiner.empty())
    return;
  printer.printNewline();
  printer << " reducer";
  Region &region = op->getRegion(0);
  for (unsigned i : pairs) {
    printer << '(';
    printer.printRegionArgument(region.getArgument(i));
    printer << ", ";
    printer.printRegionArgument(region.getArgument(count + i));
    printer << ") ";
  }
  printer.printRegion(region, /*printEntryBlockArgs=*/false);
}

//===--- while ---------------------------------------------------------------------------------------------------===//

static ParseResult parseWhile(OpAsmParser &parser, OperationState &result) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  if (parser.parseAssignmentList(arguments, operands))
    return failure();
  SmallVector<Type> types;
  if (!operands.empty() && parser.parseColonTypeList(types))
    return failure();
  if (parser.resolveOperands(operands, types, loc, result.operands))
    return failure();
  for (auto [argument, type] : llvm::zip_equal(arguments, types))
    argument.type = type;
  result.addTypes(types);
  return failure(parseAttributes(parser, result, /*withKeyword=*/true) || parser.parseKeyword("cond") ||
                 parser.parseRegion(*result.addRegion(), arguments) || parser.parseKeyword("do") ||
                 parser.parseRegion(*result.addRegion(), arguments));
}

// The regions' arguments are printed once, so both must have the operands' types.
static bool canPrintWhile(Operation *op) {
  return op->getNumRegions() == 2 && op->getOperandTypes() == op->getResultTypes() &&
         llvm::all_of(op->getRegions(), [&](Region &region) {
           return hasOneBlock(region) && TypeRange(region.getArgumentTypes()) == TypeRange(op->getOperandTypes());
         });
}

static void printWhile(Operation *op, OpAsmPrinter &printer) {
  printer << '(';
  llvm::interleaveComma(llvm::zip_equal(op->getRegion(0).getArguments(), op->getOperands()), printer,
                        [&](auto pair) { printer << std::get<0>(pair) << " = " << std::get<1>(pair); });
  printer << ')';
  if (op->getNumOperands() > 0)
    printer << " : " << op->getOperandTypes();
  printer.printOptionalAttrDictWithKeyword(attributesOf(op));
  printer.printNewline();
  printer << "cond ";
  printer.printRegion(op->getRegion(0), /*printEntryBlockArgs=*/false);
  printer << " do ";
  printer.printRegion(op->getRegion(1), /*printEntryBlockArgs=*/false);
}

//===--- scan ----------------------------------------------------------------------------------------------------===//

static bool neverPrints(Operation *) { return false; }
static void printNothing(Operation *, OpAsmPrinter &) {}

// `(%x) inits(%a) dimension=0 attributes {…} {…} : (…) -> …`.
static ParseResult parseScan(OpAsmParser &parser, OperationState &result) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<OpAsmParser::UnresolvedOperand> operands, initials;
  int64_t dimension;
  FunctionType type;
  Builder &builder = parser.getBuilder();
  if (parser.parseOperandList(operands, OpAsmParser::Delimiter::Paren) || parser.parseKeyword("inits") ||
      parser.parseOperandList(initials, OpAsmParser::Delimiter::Paren) || parser.parseKeyword("dimension") ||
      parser.parseEqual() || parser.parseInteger(dimension))
    return failure();
  int32_t inputs = operands.size(), carries = initials.size();
  llvm::append_range(operands, initials);
  result.addAttribute("dimension", builder.getI64IntegerAttr(dimension));
  result.addAttribute("operandSegmentSizes", builder.getDenseI32ArrayAttr({inputs, carries}));
  if (parseAttributes(parser, result, /*withKeyword=*/true) || parser.parseRegion(*result.addRegion()) ||
      parser.parseColonType(type) || parser.resolveOperands(operands, type.getInputs(), loc, result.operands))
    return failure();
  int32_t outputs = static_cast<int32_t>(type.getNumResults()) - carries;
  if (outputs < 0 || result.attributes.get("resultSegmentSizes"))
    return parser.emitError(loc, "expected the types of outputs and of all carried values after the arrow");
  result.addAttribute("resultSegmentSizes", builder.getDenseI32ArrayAttr({outputs, carries}));
  result.addTypes(type.getResults());
  return success();
}

const StructuredOp *mlir::heddle::hlo::findStructuredOp(StringRef name) {
  static const llvm::StringMap<StructuredOp> table = {
      {"stablehlo.constant", {parseConstant, canPrintConstant, printConstant}},
      {"stablehlo.reduce", {parseReduce, canPrintReduce, printReduce}},
      {"stablehlo.while", {parseWhile, canPrintWhile, printWhile}},
      {"chlo.constant", {parseConstant, canPrintConstant, printConstant}},
      {"chlo.scan", {parseScan, neverPrints, printNothing}},
      {"sdy.constant", {parseConstant, neverPrints, printNothing}},
      {"sdy.manual_computation", {parseManualComputation, neverPrints, printNothing}},
      {"sdy.mesh", {parseMesh, neverPrints, printNothing}},
      {"sdy.named_computation", {parseNamedComputation, neverPrints, printNothing}},
      {"sdy.propagation_barrier", {parsePropagationBarrier, neverPrints, printNothing}},
      {"sdy.reshard", {parseShardingConstraint, neverPrints, printNothing}},
      {"sdy.sharding_constraint", {parseShardingConstraint, neverPrints, printNothing}},
      {"sdy.sharding_group", {parseShardingGroup, neverPrints, printNothing}},
  };
  static const StructuredOp collective = {parseShardyCollective, neverPrints, printNothing};
  if (isShardyCollective(name))
    return &collective;
  auto found = table.find(name);
  return found == table.end() ? nullptr : &found->second;
}
