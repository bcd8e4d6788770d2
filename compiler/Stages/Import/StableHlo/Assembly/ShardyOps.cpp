// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops of the dialect sdy: the short form to the attributes of the generic one, as text that Shardings.h reads.
#include "compiler/Stages/Import/StableHlo/Assembly/StructuredOps.h"

#include "compiler/Stages/Import/StableHlo/Assembly/OpFormat.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;

// One bracket: +1 opens, -1 closes, 0 is none.
static int takeBracket(OpAsmParser &parser, std::string &text) {
  auto take = [&](ParseResult result, char bracket) {
    if (failed(result))
      return false;
    text += bracket;
    return true;
  };
  if (take(parser.parseOptionalLess(), '<') || take(parser.parseOptionalLSquare(), '[') ||
      take(parser.parseOptionalLBrace(), '{') || take(parser.parseOptionalLParen(), '('))
    return 1;
  bool closes = take(parser.parseOptionalGreater(), '>') || take(parser.parseOptionalRSquare(), ']') ||
                take(parser.parseOptionalRBrace(), '}') || take(parser.parseOptionalRParen(), ')');
  return closes ? -1 : 0;
}

// What stands between brackets. False: none of it.
static bool takeToken(OpAsmParser &parser, std::string &text) {
  StringRef word;
  StringAttr symbol;
  std::string quoted;
  int64_t number;
  if (succeeded(parser.parseOptionalComma()))
    text += ", ";
  else if (succeeded(parser.parseOptionalEqual()))
    text += '=';
  else if (succeeded(parser.parseOptionalColon()))
    text += ':';
  else if (succeeded(parser.parseOptionalQuestion()))
    text += '?';
  else if (succeeded(parser.parseOptionalArrow()))
    text += "->";
  else if (succeeded(parser.parseOptionalKeyword(&word)))
    text += word;
  else if (succeeded(parser.parseOptionalString(&quoted)))
    text += '"' + quoted + '"';
  else if (succeeded(parser.parseOptionalSymbolName(symbol)))
    text += "@\"" + symbol.getValue().str() + '"';
  else if (OptionalParseResult read = parser.parseOptionalInteger(number); read.has_value() && succeeded(*read))
    text += std::to_string(number);
  else
    return false;
  return true;
}

// Appends to `text` everything from an opening bracket to its closing one, both included.
static ParseResult captureBrackets(OpAsmParser &parser, std::string &text) {
  SMLoc begin = parser.getCurrentLocation();
  int depth = takeBracket(parser, text);
  if (depth < 1)
    return parser.emitError(begin, "expected a sharding, such as <@mesh, [{\"x\"}]>");
  while (depth > 0) {
    int step = takeBracket(parser, text);
    depth += step;
    if (step == 0 && !takeToken(parser, text))
      return parser.emitError(parser.getCurrentLocation(), "expected '>', ']' or '}'");
  }
  return success();
}

// The attribute of sdy that `before`, the bracketed text and `behind` spell together.
static ParseResult parseText(OpAsmParser &parser, OperationState &result, StringRef name, StringRef before,
                             StringRef behind = "") {
  std::string text = before.str();
  if (captureBrackets(parser, text))
    return failure();
  MLIRContext *context = parser.getContext();
  text += behind;
  result.addAttribute(name, OpaqueAttr::get(StringAttr::get(context, "sdy"), text, NoneType::get(context)));
  return success();
}

// `sdy.mesh @mesh = <["x"=2]>`.
ParseResult mlir::heddle::hlo::parseMesh(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  return failure(parser.parseSymbolName(name, "sym_name", result.attributes) || parser.parseEqual() ||
                 parseText(parser, result, "mesh", "mesh") || parseAttributes(parser, result));
}

// `sdy.sharding_constraint %x <@mesh, [{"x"}]> : type`; sdy.reshard is alike.
ParseResult mlir::heddle::hlo::parseShardingConstraint(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand operand;
  Type type;
  if (parser.parseOperand(operand) || parseText(parser, result, "sharding", "sharding") ||
      parseAttributes(parser, result) || parser.parseColonType(type))
    return failure();
  result.addTypes(type);
  return parser.resolveOperand(operand, type, result.operands);
}

bool mlir::heddle::hlo::isShardyCollective(StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases({"sdy.all_gather", "sdy.all_reduce", "sdy.all_slice", "sdy.all_to_all"}, true)
      .Cases({"sdy.collective_permute", "sdy.reduce_scatter"}, true)
      .Cases({"sdy.replicated_to_unreduced", "sdy.sharded_to_unreduced"}, true)
      .Default(false);
}

// `sdy.all_gather [{"x"}, {}] %x out_sharding=<@mesh, [{}, {}]> : type`. What it moves follows from the shardings.
ParseResult mlir::heddle::hlo::parseShardyCollective(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand operand;
  OptionalParseResult isOperand = parser.parseOptionalOperand(operand);
  std::string moved;
  Type type;
  if (isOperand.has_value() ? failed(*isOperand) : captureBrackets(parser, moved) || parser.parseOperand(operand))
    return failure();
  if (parser.parseKeyword("out_sharding") || parser.parseEqual() ||
      parseText(parser, result, "out_sharding", "sharding") || parseAttributes(parser, result) ||
      parser.parseColonType(type))
    return failure();
  result.addTypes(type);
  return parser.resolveOperand(operand, type, result.operands);
}

// `sdy.sharding_group %x group_id=0 : type`.
ParseResult mlir::heddle::hlo::parseShardingGroup(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand operand;
  int64_t id;
  Type type;
  if (parser.parseOperand(operand) || parser.parseKeyword("group_id") || parser.parseEqual() ||
      parser.parseInteger(id) || parseAttributes(parser, result) || parser.parseColonType(type))
    return failure();
  result.addAttribute("group_id", parser.getBuilder().getI64IntegerAttr(id));
  return parser.resolveOperand(operand, type, result.operands);
}

// `sdy.propagation_barrier %x allowed_direction=NONE : type`.
ParseResult mlir::heddle::hlo::parsePropagationBarrier(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand operand;
  StringRef direction;
  Type type;
  if (parser.parseOperand(operand) || parser.parseKeyword("allowed_direction") || parser.parseEqual() ||
      parser.parseKeyword(&direction) || parseAttributes(parser, result) || parser.parseColonType(type))
    return failure();
  result.addAttribute("allowed_direction", parser.getBuilder().getStringAttr(direction));
  result.addTypes(type);
  return parser.resolveOperand(operand, type, result.operands);
}

// `sdy.named_computation<"f">(%x) in_shardings=[…] out_shardings=[…] (%y: type) { … } : (type) -> type`.
ParseResult mlir::heddle::hlo::parseNamedComputation(OpAsmParser &parser, OperationState &result) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<OpAsmParser::Argument> arguments;
  FunctionType type;
  StringAttr name;
  if (parser.parseLess() || parser.parseAttribute(name, "name", result.attributes) || parser.parseGreater() ||
      parser.parseOperandList(operands, OpAsmParser::Delimiter::Paren))
    return failure();
  for (StringRef key : {"in_shardings", "out_shardings"})
    if (succeeded(parser.parseOptionalKeyword(key)) &&
        (parser.parseEqual() || parseText(parser, result, key, "sharding_per_value<", ">")))
      return failure();
  if (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren, /*allowType=*/true) ||
      parser.parseRegion(*result.addRegion(), arguments) || parseAttributes(parser, result) ||
      parser.parseColonType(type))
    return failure();
  result.addTypes(type.getResults());
  return parser.resolveOperands(operands, type.getInputs(), loc, result.operands);
}

ParseResult mlir::heddle::hlo::parseManualComputation(OpAsmParser &parser, OperationState &result) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<OpAsmParser::Argument> arguments;
  FunctionType type;
  auto parseKey = [&](StringRef key) -> ParseResult {
    return failure(parser.parseKeyword(key) || parser.parseEqual());
  };
  if (parser.parseOperandList(operands, OpAsmParser::Delimiter::Paren) || parseKey("in_shardings") ||
      parseText(parser, result, "in_shardings", "sharding_per_value<", ">") || parseKey("out_shardings") ||
      parseText(parser, result, "out_shardings", "sharding_per_value<", ">") || parseKey("manual_axes") ||
      parseText(parser, result, "manual_axes", "manual_axes") ||
      parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren, /*allowType=*/true) ||
      parser.parseRegion(*result.addRegion(), arguments) || parseAttributes(parser, result) ||
      parser.parseColonType(type))
    return failure();
  result.addTypes(type.getResults());
  return parser.resolveOperands(operands, type.getInputs(), loc, result.operands);
}
