// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text of collectives, and what they say about their groups. What they must be: CollectiveVerifiers.cpp.
#include "compiler/Dialect/Flow/IR/FlowCollectives.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::flow;
namespace contract = ::heddle::contract;

#include "compiler/Dialect/Flow/IR/FlowReductions.cpp.inc"

#include "compiler/Dialect/Flow/IR/CollectiveInterface.cpp.inc"

//===--- Text ----------------------------------------------------------------------------------------------------===//

// `[0, 1, 2]`
static ParseResult parseNumbers(AsmParser &parser, SmallVectorImpl<int64_t> &numbers) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        [&] { return parser.parseInteger(numbers.emplace_back()); });
}

// `@m["x", "y"]` or `@m groups [[0, 1], [2, 3]]`
static ParseResult parseMembers(OpAsmParser &parser, FlatSymbolRefAttr &mesh, ArrayAttr &axes, ArrayAttr &groups) {
  Builder &builder = parser.getBuilder();
  StringAttr name;
  if (parser.parseSymbolName(name))
    return failure();
  mesh = FlatSymbolRefAttr::get(name);
  SmallVector<Attribute> list;
  if (succeeded(parser.parseOptionalKeyword("groups"))) {
    auto parseGroup = [&]() -> ParseResult {
      SmallVector<int64_t> ranks;
      if (parseNumbers(parser, ranks))
        return failure();
      list.push_back(builder.getDenseI64ArrayAttr(ranks));
      return success();
    };
    if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseGroup))
      return failure();
    axes = builder.getArrayAttr({});
    groups = builder.getArrayAttr(list);
    return success();
  }
  auto parseAxis = [&]() -> ParseResult {
    std::string axis;
    if (parser.parseString(&axis))
      return failure();
    list.push_back(builder.getStringAttr(axis));
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseAxis))
    return failure();
  axes = builder.getArrayAttr(list);
  return success();
}

static void printMembers(OpAsmPrinter &printer, Operation *, FlatSymbolRefAttr mesh, ArrayAttr axes, ArrayAttr groups) {
  printer << mesh;
  if (!groups) {
    printer << axes;
    return;
  }
  printer << " groups [";
  llvm::interleaveComma(groups.getAsRange<DenseI64ArrayAttr>(), printer,
                        [&](DenseI64ArrayAttr ranks) { printer << '[' << ranks.asArrayRef() << ']'; });
  printer << ']';
}

// `pairs [[0, 1], [1, 0]]` or `shift -1`
static ParseResult parsePermutation(OpAsmParser &parser, DenseI64ArrayAttr &pairs, IntegerAttr &shift) {
  int64_t distance = 0;
  if (succeeded(parser.parseOptionalKeyword("pairs"))) {
    SmallVector<int64_t> positions;
    auto parsePair = [&]() -> ParseResult {
      SMLoc loc = parser.getCurrentLocation();
      size_t before = positions.size();
      if (parseNumbers(parser, positions))
        return failure();
      if (positions.size() != before + 2)
        return parser.emitError(loc) << "a pair is [from, to], got " << positions.size() - before << " positions";
      return success();
    };
    if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parsePair))
      return failure();
    pairs = parser.getBuilder().getDenseI64ArrayAttr(positions);
  } else if (parser.parseKeyword("shift") || parser.parseInteger(distance)) {
    return failure();
  }
  shift = parser.getBuilder().getI64IntegerAttr(distance);
  return success();
}

static void printPermutation(OpAsmPrinter &printer, Operation *, DenseI64ArrayAttr pairs, IntegerAttr shift) {
  if (!pairs) {
    printer << "shift " << shift.getInt();
    return;
  }
  printer << "pairs [";
  for (int64_t i = 0; i + 1 < pairs.size(); i += 2)
    printer << (i ? ", [" : "[") << pairs[i] << ", " << pairs[i + 1] << ']';
  printer << ']';
}

//===--- Queries -------------------------------------------------------------------------------------------------===//

std::optional<Reduction> mlir::heddle::flow::getReductionOf(Operation *collective) {
  auto reduction = collective->getAttrOfType<ReductionAttr>("reduction");
  return reduction ? std::optional(reduction.getValue()) : std::nullopt;
}

contract::Reduction mlir::heddle::flow::getContractReduction(Reduction reduction) {
  switch (reduction) {
  case Reduction::Sum: return contract::Reduction::Sum;
  case Reduction::Product: return contract::Reduction::Product;
  case Reduction::Min:
  case Reduction::UMin: return contract::Reduction::Min;
  case Reduction::Max:
  case Reduction::UMax: return contract::Reduction::Max;
  case Reduction::And: return contract::Reduction::And;
  case Reduction::Or: return contract::Reduction::Or;
  case Reduction::Xor: return contract::Reduction::Xor;
  }
  llvm_unreachable("no reduction");
}

device::MeshOp mlir::heddle::flow::getMesh(Operation *op, FlatSymbolRefAttr mesh) {
  return SymbolTable::lookupNearestSymbolFrom<device::MeshOp>(op, mesh);
}

contract::GroupSpec mlir::heddle::flow::getGroupSpec(CollectiveOpInterface op, device::MeshOp mesh) {
  contract::GroupSpec group;
  for (StringRef axis : op.getAxes().getAsValueRange<StringAttr>())
    group.axes.push_back(*mesh.findAxis(axis));
  if (ArrayAttr groups = op.getGroupsAttr())
    for (auto ranks : groups.getAsRange<DenseI64ArrayAttr>())
      group.groups.emplace_back(ranks.asArrayRef().begin(), ranks.asArrayRef().end());
  return group;
}

int64_t mlir::heddle::flow::getGroupSize(CollectiveOpInterface op, device::MeshOp mesh) {
  ArrayRef<int64_t> sizes = mesh.getSizes();
  return contract::groupSize(getGroupSpec(op, mesh), {sizes.data(), sizes.size()});
}

SmallVector<CutDim> mlir::heddle::flow::getCuts(CollectiveOpInterface op) {
  OperandRange values = op.getCut();
  SmallVector<CutDim> cuts;
  auto add = [&](StringRef name, bool isOfOperand) {
    size_t at = 4 * cuts.size();
    cuts.push_back({op->getAttrOfType<IntegerAttr>(name).getInt(), isOfOperand, values[at], values[at + 1],
                    values[at + 2], values[at + 3]});
  };
  if (values.empty() || isa<ExchangeOp>(op))
    return cuts;
  if (isa<AllToAllOp>(op)) {
    add("split", true);
    add("concat", false);
  } else {
    add("dim", contract::hasSourcePieces(op.getKind()));
  }
  return cuts;
}

bool mlir::heddle::flow::isOwnPiece(CollectiveOpInterface op, int64_t dim, bool ofOperand) {
  if (auto exchange = dyn_cast<ExchangeOp>(*op))
    return dim == static_cast<int64_t>(exchange.getDim());
  return llvm::any_of(getCuts(op), [&](const CutDim &cut) { return cut.dim == dim && cut.isOfOperand != ofOperand; });
}

std::optional<StringRef> mlir::heddle::flow::findNotLeading(CollectiveOpInterface op) {
  if (isa<ExchangeOp>(op))
    return std::nullopt;
  for (StringRef name : {"dim", "split", "concat"}) {
    auto dim = op->getAttrOfType<IntegerAttr>(name);
    if (dim && dim.getInt() != (name == "concat" && op.isCut() ? 1 : 0))
      return name;
  }
  return std::nullopt;
}

#define GET_OP_CLASSES
#include "compiler/Dialect/Flow/IR/FlowCollectives.cpp.inc"
