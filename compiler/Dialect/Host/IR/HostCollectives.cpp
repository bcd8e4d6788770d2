// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text, verifiers and rows (HostInterfaces.td) of the ops of HostCollectives.td.
#include "compiler/Dialect/Host/IR/ElementTypes.h"
#include "compiler/Dialect/Host/IR/HostEncoder.h"
#include "compiler/Dialect/Host/IR/HostMachine.h"
#include "compiler/Dialect/Suggest.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::host;
namespace contract = ::heddle::contract;
using contract::CollectiveKind;

static device::MeshOp meshOf(Operation *op, FlatSymbolRefAttr name) {
  return SymbolTable::lookupNearestSymbolFrom<device::MeshOp>(op, name);
}

static std::span<const int64_t> sizesOf(device::MeshOp mesh) {
  return {mesh.getSizes().data(), mesh.getSizes().size()};
}

static FailureOr<device::MeshOp> verifyMesh(Operation *op, FlatSymbolRefAttr name, SymbolTableCollection &symbols) {
  auto mesh = symbols.lookupNearestSymbolFrom<device::MeshOp>(op, name);
  if (!mesh)
    return op->emitOpError() << "names no device.mesh: " << name, failure();
  return mesh;
}

static LogicalResult verifyAxis(Operation *op, device::MeshOp mesh, StringRef axis) {
  if (mesh.findAxis(axis))
    return success();
  return op->emitOpError() << "names axis '" << axis << "', which mesh @" << mesh.getSymName()
                           << " does not have: " << mesh.describe();
}

//===--- host.coordinate, host.mesh_size, host.member ------------------------------------------------------------===//

BindingTime CoordinateOp::getBindingTime() { return BindingTime::Bind; }
BindingTime MeshSizeOp::getBindingTime() { return BindingTime::Bind; }
BindingTime MemberOp::getBindingTime() { return BindingTime::Bind; }

template <typename Op> static LogicalResult verifyAlong(Op op, SymbolTableCollection &symbols) {
  FailureOr<device::MeshOp> mesh = verifyMesh(op, op.getMeshAttr(), symbols);
  return failed(mesh) ? failure() : verifyAxis(op, *mesh, op.getAxis());
}

LogicalResult CoordinateOp::verifySymbolUses(SymbolTableCollection &symbols) { return verifyAlong(*this, symbols); }
LogicalResult MeshSizeOp::verifySymbolUses(SymbolTableCollection &symbols) { return verifyAlong(*this, symbols); }
LogicalResult MemberOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return LogicalResult(verifyMesh(*this, getMeshAttr(), symbols));
}

template <typename Op> static LogicalResult encodeAlong(Op op, HostEncoder &encoder) {
  unsigned axis = *meshOf(op, op.getMeshAttr()).findAxis(op.getAxis());
  return encoder.write(Op::kOpcode,
                       {encoder.of(op.getResult()), encoder.mesh(op.getMeshAttr()), HostEncoder::word(axis)});
}

LogicalResult CoordinateOp::encode(HostEncoder &encoder) { return encodeAlong(*this, encoder); }
LogicalResult MeshSizeOp::encode(HostEncoder &encoder) { return encodeAlong(*this, encoder); }
LogicalResult MemberOp::encode(HostEncoder &encoder) {
  return encoder.write(kOpcode, {encoder.of(getResult()), encoder.mesh(getMeshAttr())});
}

static LogicalResult setResult(HostMachine &machine, Operation *op, FailureOr<int64_t> value) {
  if (succeeded(value))
    machine.set(op->getResult(0), *value);
  return LogicalResult(value);
}

LogicalResult CoordinateOp::step(HostMachine &machine) {
  device::MeshOp mesh = meshOf(*this, getMeshAttr());
  return setResult(machine, *this, machine.coordinateOf(*this, mesh, *mesh.findAxis(getAxis())));
}

LogicalResult MeshSizeOp::step(HostMachine &machine) {
  device::MeshOp mesh = meshOf(*this, getMeshAttr());
  return setResult(machine, *this, machine.meshSizeOf(*this, mesh, *mesh.findAxis(getAxis())));
}

LogicalResult MemberOp::step(HostMachine &machine) {
  return setResult(machine, *this, machine.isMember(*this, meshOf(*this, getMeshAttr())));
}

//===--- host.parameter_slice ------------------------------------------------------------------------------------===//

StorageKind ParameterSliceOp::getStorageKind() { return StorageKind::ReadOnly; }
BindingTime ParameterSliceOp::getBindingTime() { return BindingTime::Bind; }
LogicalResult ParameterSliceOp::verify() { return verifyInBind(*this); }

LogicalResult ParameterSliceOp::encode(HostEncoder &encoder) {
  return encoder.write(kOpcode, {encoder.of(getResult()), encoder.parameter(getParameterAttr()),
                                 encoder.device(getDeviceAttr()), encoder.of(getOffset()), encoder.of(getSize())});
}

LogicalResult ParameterSliceOp::step(HostMachine &machine) {
  FailureOr<BufferView> whole = machine.parameter(*this, getParameterAttr(), getDeviceAttr());
  int64_t offset = machine.integer(getOffset()), size = machine.integer(getSize());
  if (failed(whole))
    return failure();
  if (offset < 0 || size < 0 || offset > whole->size || size > whole->size - offset)
    return machine.fail(*this, "reaches bytes [" + Twine(offset) + ", " + Twine(offset + size) +
                                   ") of a parameter of " + Twine(whole->size));
  machine.set(getResult(), BufferView{whole->storage, whole->offset + offset, size});
  return success();
}

//===--- host.comm_stream ----------------------------------------------------------------------------------------===//

BindingTime CommStreamOp::getBindingTime() { return BindingTime::Call; }

LogicalResult CommStreamOp::step(HostMachine &machine) {
  machine.set(getResult(), machine.commStream());
  return success();
}

//===--- host.collective: text -----------------------------------------------------------------------------------===//

static ParseResult parseNumbers(OpAsmParser &parser, SmallVectorImpl<int64_t> &numbers) {
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square,
                                        [&] { return parser.parseInteger(numbers.emplace_back()); });
}

// `root 0`, `pairs [[0, 1]]`, `shift 1`, or nothing.
static ParseResult parsePartners(OpAsmParser &parser, OperationState &state) {
  Builder &builder = parser.getBuilder();
  for (StringRef keyword : {"root", "shift"})
    if (succeeded(parser.parseOptionalKeyword(keyword))) {
      int64_t number = 0;
      if (parser.parseInteger(number))
        return failure();
      state.addAttribute(keyword, builder.getI64IntegerAttr(number));
      return success();
    }
  if (failed(parser.parseOptionalKeyword("pairs")))
    return success();
  SmallVector<int64_t> positions;
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, [&] { return parseNumbers(parser, positions); }))
    return failure();
  state.addAttribute("pairs", builder.getDenseI64ArrayAttr(positions));
  return success();
}

// `@m["x", "y"]` or `@m groups [[0, 1], [2, 3]]`
static ParseResult parseMembers(OpAsmParser &parser, OperationState &state) {
  Builder &builder = parser.getBuilder();
  StringAttr mesh;
  if (parser.parseSymbolName(mesh))
    return failure();
  state.addAttribute("mesh", FlatSymbolRefAttr::get(mesh));
  SmallVector<Attribute> list;
  bool hasGroups = succeeded(parser.parseOptionalKeyword("groups"));
  auto parseOne = [&]() -> ParseResult {
    SmallVector<int64_t> ranks;
    std::string axis;
    if (hasGroups ? parseNumbers(parser, ranks) : parser.parseString(&axis))
      return failure();
    list.push_back(hasGroups ? Attribute(builder.getDenseI64ArrayAttr(ranks)) : builder.getStringAttr(axis));
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseOne))
    return failure();
  state.addAttribute("axes", builder.getArrayAttr(hasGroups ? ArrayRef<Attribute>() : list));
  if (hasGroups)
    state.addAttribute("groups", builder.getArrayAttr(list));
  return success();
}

ParseResult CollectiveOp::parse(OpAsmParser &parser, OperationState &state) {
  Builder &builder = parser.getBuilder();
  OpAsmParser::UnresolvedOperand stream, source, target, count;
  StringRef kind;
  Type type;
  if (parser.parseOperand(stream) || parser.parseKeyword(&kind))
    return failure();
  state.addAttribute("kind", builder.getStringAttr(kind));
  for (uint8_t i = 0; i < contract::kReductions; ++i) {
    StringRef reduction = contract::spelling(static_cast<contract::Reduction>(i));
    if (succeeded(parser.parseOptionalKeyword(reduction)))
      state.addAttribute("reduction", builder.getStringAttr(reduction));
  }
  if (parser.parseType(type) || parsePartners(parser, state) || parser.parseKeyword("over") ||
      parseMembers(parser, state) || parser.parseLParen() || parser.parseOperand(source) || parser.parseRParen() ||
      parser.parseArrow() || parser.parseLParen() || parser.parseOperand(target) || parser.parseRParen() ||
      parser.parseKeyword("count") || parser.parseOperand(count))
    return failure();
  SmallVector<OpAsmParser::UnresolvedOperand> cut;
  if (succeeded(parser.parseOptionalKeyword("cut")) && parser.parseOperandList(cut, OpAsmParser::Delimiter::Paren))
    return failure();
  if (parser.parseOptionalAttrDict(state.attributes))
    return failure();
  state.addAttribute("type", TypeAttr::get(type));
  Type buffer = BufferType::get(builder.getContext());
  return failure(parser.resolveOperand(stream, StreamType::get(builder.getContext()), state.operands) ||
                 parser.resolveOperand(source, buffer, state.operands) ||
                 parser.resolveOperand(target, buffer, state.operands) ||
                 parser.resolveOperand(count, builder.getIndexType(), state.operands) ||
                 parser.resolveOperands(cut, builder.getIndexType(), state.operands));
}

// Lists in brackets, behind one another.
template <typename Range, typename Print> static void printList(OpAsmPrinter &printer, Range &&range, Print &&print) {
  printer << '[';
  llvm::interleaveComma(range, printer, print);
  printer << ']';
}

void CollectiveOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getStream() << ' ' << getKind() << ' ';
  if (getReduction())
    printer << *getReduction() << ' ';
  printer << getType();
  auto printNumbers = [&](ArrayRef<int64_t> numbers) {
    printList(printer, numbers, [&](int64_t number) { printer << number; });
  };
  if (std::optional<ArrayRef<int64_t>> pairs = getPairs()) {
    printer << " pairs ";
    printList(printer, llvm::seq<size_t>(0, pairs->size() / 2),
              [&](size_t i) { printNumbers(pairs->slice(2 * i, 2)); });
  } else if (getCollectiveKind() == CollectiveKind::Permute) {
    printer << " shift " << static_cast<int64_t>(getShift());
  } else if (contract::hasRoot(getCollectiveKind())) {
    printer << " root " << static_cast<int64_t>(getRoot());
  }
  printer << " over " << getMeshAttr();
  if (ArrayAttr groups = getGroupsAttr()) {
    printer << " groups ";
    printList(printer, groups.getAsRange<DenseI64ArrayAttr>(),
              [&](DenseI64ArrayAttr ranks) { printNumbers(ranks.asArrayRef()); });
  } else {
    printer << getAxes();
  }
  printer << " (" << getSource() << ") -> (" << getTarget() << ") count " << getCount();
  if (isCut())
    printer << " cut(" << getCut() << ")";
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {"kind", "reduction", "type", "root", "pairs", "shift", "mesh", "axes", "groups"});
}

//===--- host.collective: what it is -----------------------------------------------------------------------------===//

static std::optional<CollectiveKind> kindNamed(StringRef name) {
  for (uint8_t i = 0; i < contract::kCollectiveKinds; ++i)
    if (name == StringRef(contract::spelling(static_cast<CollectiveKind>(i))))
      return static_cast<CollectiveKind>(i);
  return std::nullopt;
}

CollectiveKind CollectiveOp::getCollectiveKind() { return *kindNamed(getKind()); }

bool CollectiveOp::isOfOneSize() {
  return !isCut() && contract::hasSourcePieces(getCollectiveKind()) == contract::hasTargetPieces(getCollectiveKind());
}

device::MeshOp CollectiveOp::lookupMesh() { return meshOf(*this, getMeshAttr()); }

contract::CollectiveSpec CollectiveOp::getSpec() {
  contract::CollectiveSpec spec;
  spec.kind = getCollectiveKind();
  spec.type = getElementType(getType());
  for (uint8_t i = 0; getReduction() && i < contract::kReductions; ++i)
    if (*getReduction() == StringRef(contract::spelling(static_cast<contract::Reduction>(i))))
      spec.reduction = static_cast<contract::Reduction>(i);
  device::MeshOp mesh = lookupMesh();
  for (StringRef axis : getAxes().getAsValueRange<StringAttr>())
    spec.group.axes.push_back(*mesh.findAxis(axis));
  if (ArrayAttr groups = getGroupsAttr())
    for (auto ranks : groups.getAsRange<DenseI64ArrayAttr>())
      spec.group.groups.emplace_back(ranks.asArrayRef().begin(), ranks.asArrayRef().end());
  spec.root = getRoot();
  if (std::optional<ArrayRef<int64_t>> pairs = getPairs())
    spec.pairs.assign(pairs->begin(), pairs->end());
  spec.shift = getShift();
  return spec;
}

LogicalResult CollectiveOp::verify() {
  std::optional<CollectiveKind> kind = kindNamed(getKind());
  if (!kind) {
    std::vector<std::string> known;
    for (uint8_t i = 0; i < contract::kCollectiveKinds; ++i)
      known.emplace_back(contract::spelling(static_cast<CollectiveKind>(i)));
    return emitOpError() << "is one of " << listNames(known) << ", got '" << getKind() << "'"
                         << didYouMean(getKind(), known);
  }
  if (contract::reduces(*kind) != getReduction().has_value())
    return emitOpError() << (getReduction() ? "combines nothing, but has a reduction" : "needs a reduction");
  if (!getStream().getDefiningOp<CommStreamOp>())
    return emitOpError() << "runs on the stream of host.comm_stream, so that all ranks meet in one order";
  if (getElementType(getType()) == contract::ElementType::None)
    return emitOpError() << "moves elements that a buffer can hold, got " << getType();
  if (ArrayAttr groups = getGroupsAttr(); groups && !llvm::all_of(groups, llvm::IsaPred<DenseI64ArrayAttr>))
    return emitOpError() << "has groups that are no lists of ranks: " << groups;
  if (size_t cuts = contract::cutsOf(*kind); isCut() && (cuts == 0 || getCut().size() != 4 * cuts))
    return emitOpError() << (cuts ? "is cut by " + Twine(4 * cuts) + " values" : Twine("has no pieces to cut"))
                         << ", got " << getCut().size();
  if (*kind == CollectiveKind::Exchange && !isCut())
    return emitOpError() << "is an exchange, which says how it is cut";
  if (isCut() && getGroupsAttr())
    return emitOpError() << "cuts pieces that need not be of one size over lists of ranks";
  // Two views without bytes may have become one.
  auto view = getSource().getDefiningOp<ViewOp>();
  bool isEmpty = view && isConstantIntValue(view.getSize(), 0);
  if (isInPlace() && !isOfOneSize() && !isEmpty)
    return emitOpError() << "has a source and a target of different sizes, which cannot be one buffer";
  return success();
}

LogicalResult CollectiveOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FailureOr<device::MeshOp> mesh = verifyMesh(*this, getMeshAttr(), symbols);
  if (failed(mesh))
    return failure();
  for (StringRef axis : getAxes().getAsValueRange<StringAttr>())
    if (failed(verifyAxis(*this, *mesh, axis)))
      return failure();
  if (std::string why = contract::explainCollective(getSpec(), sizesOf(*mesh)); !why.empty())
    return emitOpError() << "over mesh @" << mesh->getSymName() << ", " << mesh->describe() << ": " << why;
  return success();
}

//===--- host.collective: its row --------------------------------------------------------------------------------===//

SmallVector<HostAccess> CollectiveOp::getAccesses() {
  if (isInPlace())
    return {{getSource(), /*reads=*/true, /*writes=*/true}};
  return {{getSource(), true, false}, {getTarget(), false, true}};
}

LogicalResult CollectiveOp::encode(HostEncoder &encoder) {
  SmallVector<HostEncoder::Operand> operands{encoder.of(getStream()), encoder.collective(*this),
                                             encoder.of(getSource()), encoder.of(getTarget()), encoder.of(getCount())};
  if (isCut())
    operands.push_back(encoder.of(ValueRange(getCut())));
  return encoder.write(isCut() ? contract::Opcode::CollectiveCut : kOpcode, operands);
}

LogicalResult CollectiveOp::step(HostMachine &machine) { return machine.collective(*this); }

//===--- Names of streams ----------------------------------------------------------------------------------------===//

std::optional<std::pair<StringRef, uint32_t>> mlir::heddle::host::getStreamName(Operation *op) {
  if (auto stream = dyn_cast_if_present<StreamOp>(op))
    return std::pair(stream.getDevice(), stream.getIndex());
  if (isa_and_present<CommStreamOp>(op))
    return std::pair(StringRef(), uint32_t(0));
  return std::nullopt;
}

bool mlir::heddle::host::namesStream(Operation *op) { return isa<StreamOp, CommStreamOp, StreamAtOp, StreamForOp>(op); }
