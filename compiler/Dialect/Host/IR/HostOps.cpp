// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Host/IR/HostOps.h"

#include "compiler/Dialect/Encoding/IR/EncodingOps.h"
#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Dialect/Syntax.h"
#include "heddle/contract/Plan.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::host;

#include "compiler/Dialect/Host/IR/HostDialect.cpp.inc"
#include "compiler/Dialect/Host/IR/HostInterfaces.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "compiler/Dialect/Host/IR/HostTypes.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "compiler/Dialect/Host/IR/HostAttrs.cpp.inc"

void HostDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "compiler/Dialect/Host/IR/HostTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "compiler/Dialect/Host/IR/HostAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "compiler/Dialect/Host/IR/HostOps.cpp.inc"
      >();
}

Operation *HostDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

//===--- host.func -----------------------------------------------------------------------------------------------===//

static FunctionType entryType(MLIRContext *context, size_t arguments, size_t symbols) {
  SmallVector<Type> inputs{StreamType::get(context)};
  inputs.append(arguments, BufferType::get(context));
  inputs.append(symbols, IndexType::get(context));
  return FunctionType::get(context, inputs, {});
}

void FuncOp::build(OpBuilder &builder, OperationState &state, StringRef name, ArrayAttr arguments, ArrayAttr results,
                   ArrayAttr symbols) {
  MLIRContext *context = builder.getContext();
  FunctionType type = entryType(context, arguments.size(), symbols.size());
  state.addAttribute(getSymNameAttrName(state.name), builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  state.addAttribute(getArgumentsAttrName(state.name), arguments);
  state.addAttribute(getResultsAttrName(state.name), results);
  state.addAttribute(getSymbolsAttrName(state.name), symbols);
  Block &block = state.addRegion()->emplaceBlock();
  for (Type input : type.getInputs())
    block.addArgument(input, state.location);
}

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &state) {
  StringAttr name, visibility;
  SmallVector<OpAsmParser::Argument> arguments;
  if (parseSymbolVisibility(parser, visibility) ||
      parser.parseSymbolName(name, getSymNameAttrName(state.name), state.attributes) ||
      parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren, /*allowType=*/true))
    return failure();
  if (visibility)
    state.addAttribute(getSymVisibilityAttrName(state.name), visibility);
  auto list = [&](StringRef keyword, StringAttr attribute) -> ParseResult {
    ArrayAttr value;
    return failure(parser.parseKeyword(keyword) || parser.parseLParen() ||
                   parser.parseAttribute(value, attribute, state.attributes) || parser.parseRParen());
  };
  if (list("arguments", getArgumentsAttrName(state.name)) || list("results", getResultsAttrName(state.name)) ||
      list("symbols", getSymbolsAttrName(state.name)) || parser.parseOptionalAttrDictWithKeyword(state.attributes))
    return failure();
  SmallVector<Type> inputs;
  for (auto &argument : arguments)
    inputs.push_back(argument.type);
  state.addAttribute(getFunctionTypeAttrName(state.name),
                     TypeAttr::get(FunctionType::get(parser.getContext(), inputs, {})));
  return parser.parseRegion(*state.addRegion(), arguments);
}

void FuncOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  if (auto visibility = getSymVisibilityAttr())
    printer << visibility.getValue() << ' ';
  printer.printSymbolName(getSymName());
  printer << '(';
  llvm::interleaveComma(getBody().getArguments(), printer,
                        [&](BlockArgument argument) { printer.printRegionArgument(argument); });
  printer << ") arguments(" << getArgumentsAttr() << ") results(" << getResultsAttr() << ") symbols("
          << getSymbolsAttr() << ')';
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {getSymNameAttrName(), getSymVisibilityAttrName(), getFunctionTypeAttrName(),
                                            getArgumentsAttrName(), getResultsAttrName(), getSymbolsAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

ValueAttr FuncOp::describe(Value argument) {
  auto block = dyn_cast<BlockArgument>(argument);
  if (!block || block.getOwner() != &getBody().front() || block.getArgNumber() == 0 ||
      block.getArgNumber() > getArgumentsAttr().size())
    return {};
  return cast<ValueAttr>(getArgumentsAttr()[block.getArgNumber() - 1]);
}

bool FuncOp::mayWrite(ValueAttr argument) {
  auto replaces = [&](ValueAttr result) { return result.getState() == argument.getState(); };
  return argument.getDonated() ||
         (argument.getState() && llvm::any_of(getResultsAttr().getAsRange<ValueAttr>(), replaces));
}

// Each donated argument names a result of its type, and no two the same one.
static LogicalResult verifyDonations(FuncOp func) {
  llvm::SmallDenseSet<int64_t> taken;
  for (auto value : func.getArgumentsAttr().getAsRange<ValueAttr>()) {
    if (!value.getDonated())
      continue;
    int64_t index = value.getDonated().getInt();
    bool isResult = index >= 0 && index < static_cast<int64_t>(func.getResultsAttr().size());
    if (!isResult || cast<ValueAttr>(func.getResultsAttr()[index]).getType() != value.getType())
      return func.emitOpError() << "donates " << value.getName() << " to a result of its type, got result " << index;
    if (value.getState() || cast<ValueAttr>(func.getResultsAttr()[index]).getState() || !taken.insert(index).second)
      return func.emitOpError() << "donates " << value.getName() << " to result " << index
                                << ", which lies elsewhere already";
  }
  return success();
}

LogicalResult FuncOp::verify() {
  FunctionType expected = entryType(getContext(), getArgumentsAttr().size(), getSymbolsAttr().size());
  if (getFunctionType() != expected)
    return emitOpError() << "takes a stream, a buffer for each argument and an index for each symbol: " << expected
                         << ", got " << getFunctionType();
  for (ArrayAttr list : {getArgumentsAttr(), getResultsAttr()})
    for (Attribute attribute : list) {
      auto value = dyn_cast<ValueAttr>(attribute);
      if (!value)
        return emitOpError() << "describes arguments and results by #host.value, got " << attribute;
      if (static_cast<int64_t>(value.getDims().size()) != value.getType().getRank())
        return emitOpError() << "names " << value.getDims().size() << " dimensions of " << value.getName()
                             << ", which has " << value.getType().getRank();
    }
  if (!isa<ReturnOp>(getBody().front().getTerminator()))
    return emitOpError() << "must end in host.return";
  return verifyDonations(*this);
}

LogicalResult ReturnOp::verify() {
  auto func = cast<FuncOp>((*this)->getParentOp());
  size_t rank = 0;
  for (Attribute attribute : func.getResultsAttr())
    if (auto value = dyn_cast<ValueAttr>(attribute))
      rank += value.getType().getRank();
  if (getBuffers().size() != func.getResultsAttr().size() || getSizes().size() != rank)
    return emitOpError() << "returns " << func.getResultsAttr().size() << " buffers and " << rank
                         << " sizes in all, got " << getBuffers().size() << " and " << getSizes().size();
  return success();
}

//===--- Memory --------------------------------------------------------------------------------------------------===//

LogicalResult PlanOp::verify() {
  if (getIntervals().size() != getSizes().size() || getOffsets().size() != getSizes().size())
    return emitOpError() << "needs an interval and an offset for each of its " << getSizes().size() << " sizes, got "
                         << getIntervals().size() << " and " << getOffsets().size();
  for (Attribute attribute : getIntervals()) {
    auto interval = dyn_cast<IntervalAttr>(attribute);
    if (!interval || interval.getFirst() > interval.getLast())
      return emitOpError() << "needs #host.interval<first, last> with first <= last, got " << attribute;
  }
  return success();
}

LogicalResult PlanOp::fold(FoldAdaptor adaptor, SmallVectorImpl<OpFoldResult> &results) {
  SmallVector<int64_t> sizes, offsets(getSizes().size());
  for (Attribute size : adaptor.getSizes()) {
    auto constant = dyn_cast_if_present<IntegerAttr>(size);
    if (!constant)
      return failure();
    sizes.push_back(constant.getInt());
  }
  SmallVector<::heddle::contract::Interval> intervals;
  for (auto interval : getIntervals().getAsRange<IntervalAttr>())
    intervals.push_back({interval.getFirst(), interval.getLast()});
  int64_t total = ::heddle::contract::plan({intervals.data(), intervals.size()}, {sizes.data(), sizes.size()},
                                           {offsets.data(), offsets.size()});
  if (total < 0)
    return failure();
  Builder builder(getContext());
  results.push_back(builder.getIndexAttr(total));
  for (int64_t offset : offsets)
    results.push_back(builder.getIndexAttr(offset));
  return success();
}

static ParseResult parseRuns(OpAsmParser &parser, OpAsmParser::UnresolvedOperand &size,
                             SmallVectorImpl<OpAsmParser::UnresolvedOperand> &runs) {
  if (failed(parser.parseOperand(size)))
    return failure();
  if (failed(parser.parseOptionalKeyword("times")))
    return success();
  return failure(parser.parseOperand(runs.emplace_back()) || parser.parseKeyword("stride") ||
                 parser.parseOperand(runs.emplace_back()));
}

static void printRuns(OpAsmPrinter &printer, ViewOp, Value size, OperandRange runs) {
  printer << size;
  if (!runs.empty())
    printer << " times " << runs[0] << " stride " << runs[1];
}

void ViewOp::build(OpBuilder &builder, OperationState &state, Value source, Value offset, Value size, ValueRange runs) {
  state.addOperands({source, offset, size});
  state.addOperands(runs);
  state.addTypes(BufferType::get(builder.getContext()));
}

LogicalResult ViewOp::verify() {
  if (getRuns().empty())
    return success();
  if (getRuns().size() != 2)
    return emitOpError() << "has one run, or a count and a stride, got " << getRuns().size() << " values";
  for (Operation *user : getResult().getUsers())
    if (!isa<DispatchOp>(user))
      return emitOpError() << "has several runs, which only a dispatch takes, got '" << user->getName() << "'";
  return success();
}

// Whether a part of planned memory, of sizes that only the call knows, would no longer be seen to lie in its place.
static bool leavesPlace(ViewOp view, ViewOp parent) {
  bool isWhole = view.getRuns().empty() &&
                 (view.getSize() == parent.getSize() ||
                  (matchPattern(view.getSize(), m_Constant()) && matchPattern(parent.getSize(), m_Constant())));
  return !isWhole && parent.getSource().getDefiningOp<SlabOp>();
}

// A view of a view is a view of the root. Offsets add when both are constants.
OpFoldResult ViewOp::fold(FoldAdaptor adaptor) {
  auto parent = getSource().getDefiningOp<ViewOp>();
  auto offset = dyn_cast_if_present<IntegerAttr>(adaptor.getOffset());
  if (!parent || !offset || offset.getInt() != 0 || leavesPlace(*this, parent))
    return {};
  getSourceMutable().assign(parent.getSource());
  getOffsetMutable().assign(parent.getOffset());
  return getResult();
}

//===--- Work on streams -----------------------------------------------------------------------------------------===//

bool DispatchOp::reads(unsigned binding) { return cast<StringAttr>(getAccess()[binding]).getValue().contains('r'); }
bool DispatchOp::writes(unsigned binding) { return cast<StringAttr>(getAccess()[binding]).getValue().contains('w'); }

LogicalResult DispatchOp::verify() {
  if (getAccess().size() != getBindings().size())
    return emitOpError() << "needs an access for each of its " << getBindings().size() << " bindings, got "
                         << getAccess().size();
  for (auto access : getAccess().getAsRange<StringAttr>())
    if (access != "r" && access != "w" && access != "rw")
      return emitOpError() << "accesses a binding by \"r\", \"w\" or \"rw\", got " << access;
  if (getLaunch().size() % 2 != 0)
    return emitOpError() << "launches with workgroups and scratch bytes, got " << getLaunch().size() << " values";
  return success();
}

LogicalResult DispatchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto executable = symbols.lookupNearestSymbolFrom<flow::ExecutableOp>(*this, getExecutableAttr());
  if (!executable)
    return emitOpError() << "names no flow.executable: " << getExecutableAttr();
  size_t variants = llvm::range_size(executable.getBody().getOps<flow::VariantOp>());
  if (getLaunch().size() > 2 && getLaunch().size() != 2 * variants)
    return emitOpError() << "launches with one pair for all variants or with one for each of the " << variants
                         << " variants of " << getExecutableAttr() << ", got " << getLaunch().size() / 2;
  return success();
}

LogicalResult FillOp::verify() {
  if (!llvm::is_contained({1, 2, 4, 8}, static_cast<int>(getPatternBytes())))
    return emitOpError() << "has a pattern of 1, 2, 4 or 8 bytes, got " << getPatternBytes();
  return success();
}

LogicalResult ReadOp::verify() {
  if (!getType().isIntOrIndex())
    return emitOpError() << "reads an integer, got " << getType();
  return success();
}

LogicalResult BarrierOp::verify() {
  if (getStreams().size() < 2)
    return emitOpError() << "orders two streams or more, got " << getStreams().size();
  return success();
}

//===--- host.stream_for -----------------------------------------------------------------------------------------===//

void StreamForOp::build(OpBuilder &builder, OperationState &state, Value issue, Value trips, Value streams,
                        FlatSymbolRefAttr device, uint32_t first, bool ordered) {
  state.addOperands({issue, trips, streams});
  state.addAttribute(getDeviceAttrName(state.name), device);
  state.addAttribute(getFirstAttrName(state.name), builder.getI32IntegerAttr(static_cast<int32_t>(first)));
  if (ordered)
    state.addAttribute(getOrderedAttrName(state.name), builder.getUnitAttr());
  Region *body = state.addRegion();
  Block &block = body->emplaceBlock();
  block.addArguments({builder.getIndexType(), builder.getIndexType(), StreamType::get(builder.getContext())},
                     SmallVector<Location>(3, state.location));
  ensureTerminator(*body, builder, state.location);
}

ParseResult StreamForOp::parse(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::Argument index, slot, mine;
  OpAsmParser::UnresolvedOperand issue, trips, streams;
  FlatSymbolRefAttr device;
  IntegerAttr first;
  Builder &builder = parser.getBuilder();
  Type indexType = builder.getIndexType(), streamType = StreamType::get(builder.getContext());
  if (parser.parseArgument(index) || parser.parseKeyword("to") || parser.parseOperand(trips) ||
      parser.parseKeyword("slot") || parser.parseArgument(slot) || parser.parseKeyword("stream") ||
      parser.parseArgument(mine) || parser.parseKeyword("on") ||
      parser.parseAttribute(device, getDeviceAttrName(state.name), state.attributes) ||
      parser.parseAttribute(first, builder.getI32Type(), getFirstAttrName(state.name), state.attributes) ||
      parser.parseKeyword("streams") || parser.parseOperand(streams) || parser.parseKeyword("issue") ||
      parser.parseOperand(issue))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("ordered")))
    state.addAttribute(getOrderedAttrName(state.name), builder.getUnitAttr());
  if (parser.resolveOperand(issue, streamType, state.operands) ||
      parser.resolveOperand(trips, indexType, state.operands) ||
      parser.resolveOperand(streams, indexType, state.operands) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes))
    return failure();
  index.type = slot.type = indexType;
  mine.type = streamType;
  Region *body = state.addRegion();
  if (parser.parseRegion(*body, {index, slot, mine}))
    return failure();
  ensureTerminator(*body, builder, state.location);
  return success();
}

void StreamForOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getIndex() << " to " << getTrips() << " slot " << getSlot() << " stream " << getMine() << " on "
          << getDeviceAttr() << ' ' << getFirst() << " streams " << getStreams() << " issue " << getIssue();
  if (getOrdered())
    printer << " ordered";
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {getDeviceAttrName(), getFirstAttrName(), getOrderedAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/false);
}

LogicalResult StreamForOp::verify() {
  APInt streams;
  if (matchPattern(getStreams(), m_ConstantInt(&streams)) && !streams.isStrictlyPositive())
    return emitOpError() << "takes turns on one stream or more, got " << streams.getSExtValue();
  if (getIssue().getDefiningOp<CommStreamOp>())
    return emitOpError() << "is issued on the stream of collectives, which has no device";
  Block &block = getBody().front();
  if (block.getNumArguments() != 3 || !getIndex().getType().isIndex() || !getSlot().getType().isIndex() ||
      !isa<StreamType>(getMine().getType()))
    return emitOpError() << "has an index, a slot and a stream in each iteration";
  return success();
}

// What an iteration issues is what the loop waits for. Collectives have a stream of their own, for which it waits.
LogicalResult StreamForOp::verifyRegions() {
  WalkResult walk = getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (isa<StreamType>(operand.getType()) && operand != getMine() && !operand.getDefiningOp<CommStreamOp>())
        return op->emitOpError() << "issues on a stream that is not the one of its iteration", WalkResult::interrupt();
    if (isa<StreamOp, StreamAtOp, CommStreamOp>(op))
      return op->emitOpError() << "names a stream in a loop over streams, whose iterations have one each",
             WalkResult::interrupt();
    // Its own body is its own matter.
    return isa<StreamForOp>(op) ? WalkResult::skip() : WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

LogicalResult QueryOp::verify() {
  if (getKey() != kCoresKey && getKey() != kStreamsKey && getKey() != kWorkgroupsKey)
    return emitOpError() << "knows the keys \"cores\", \"streams\" and \"workgroups\", got \"" << getKey() << '"';
  return success();
}

LogicalResult mlir::heddle::host::verifyInBind(Operation *op) {
  auto func = op->getParentOfType<FuncOp>();
  if (!func || func.getSymName() != kBindFunction)
    return op->emitOpError() << "stands only in @" << kBindFunction;
  return success();
}

LogicalResult BindOp::verify() { return verifyInBind(*this); }

LogicalResult PackOp::verify() {
  if (!isa<encoding::LayoutAttr>(getLayout()))
    return emitOpError() << "packs into an #encoding.layout, got " << getLayout();
  return verifyInBind(*this);
}

#define GET_OP_CLASSES
#include "compiler/Dialect/Host/IR/HostOps.cpp.inc"
