// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Package/FunctionFlattener.h"

#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Dialect/Flow/IR/FlowCollectives.h"
#include "compiler/Dialect/Host/Analysis/Accesses.h"
#include "compiler/Dialect/Host/IR/ElementTypes.h"
#include "heddle/contract/ArtifactVerifier.h"
#include "heddle/contract/Draw.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::heddle;
namespace fb = ::heddle::fb;

//===--- Registers and words -------------------------------------------------------------------------------------===//

FunctionFlattener::Register FunctionFlattener::fresh(Type type) {
  if (isa<host::BufferType>(type))
    return buffers++;
  if (isa<host::StreamType>(type))
    return streams++;
  if (isa<host::EventType>(type))
    return events++;
  return scalars++;
}

FunctionFlattener::Register FunctionFlattener::reg(Value value) {
  auto found = registers.find(value);
  if (found != registers.end())
    return found->second;
  return registers[value] = fresh(value.getType());
}

// The register of a constant. New ones may appear only before emitConstants().
FunctionFlattener::Register FunctionFlattener::registerOf(int64_t value) {
  auto [entry, isNew] = constants.try_emplace(value, scalars);
  if (isNew)
    ++scalars;
  return entry->second;
}

FunctionFlattener::Operand FunctionFlattener::of(ValueRange values) {
  Operand operand{Operand::Kind::List};
  for (Value value : values)
    operand.list.push_back(reg(value));
  return operand;
}

FunctionFlattener::Operand FunctionFlattener::compute(Opcode opcode, ArrayRef<Operand> operands) {
  SmallVector<Operand> all{word(scalars++)};
  llvm::append_range(all, operands);
  emit(opcode, all);
  return all.front();
}

FunctionFlattener::Label FunctionFlattener::newLabel() {
  labels.push_back(0);
  return labels.size() - 1;
}

void FunctionFlattener::place(Label label) { labels[label] = code.size(); }

void FunctionFlattener::emit(Opcode opcode, ArrayRef<Operand> operands) {
  writer.begin(opcode);
  for (const Operand &operand : operands) {
    switch (operand.kind) {
    case Operand::Kind::Label:
      labelUses.push_back({code.size(), static_cast<Label>(operand.value)});
      writer.word(0);
      break;
    case Operand::Kind::Word: writer.word(operand.value); break;
    case Operand::Kind::List: writer.list({operand.list.data(), operand.list.size()}); break;
    case Operand::Kind::Constant: writer.constant(operand.value); break;
    }
  }
  fits &= writer.end();
}

// Values that the code sets as it goes but whose number is known only after it: the words are put in front.
void FunctionFlattener::emitConstants() {
  std::vector<uint32_t> body = std::move(code);
  code.clear();
  SmallVector<std::pair<Register, int64_t>> sorted;
  for (auto [value, target] : constants)
    sorted.push_back({target, value});
  llvm::sort(sorted);
  for (auto [target, value] : sorted)
    emit(Opcode::Const, {word(target), {Operand::Kind::Constant, value}});
  uint32_t shift = code.size();
  code.insert(code.end(), body.begin(), body.end());
  for (auto [position, label] : labelUses)
    code[position + shift] = labels[label] + shift;
  for (size_t i = 0; i < locations.size(); i += 2)
    locations[i] += shift;
  for (size_t i = 0; i < runs.size(); i += 3)
    runs[i] += shift;
}

void FunctionFlattener::noteRuns(Operand bytes, Operand stride) {
  runs.insert(runs.end(), {static_cast<uint32_t>(code.size()), static_cast<uint32_t>(bytes.value),
                           static_cast<uint32_t>(stride.value)});
}

// All moves at once: sources are read before any target is written.
void FunctionFlattener::move(ArrayRef<Register> targets, ValueRange sources) {
  SmallVector<std::tuple<Register, Register, Type>> moves;
  for (auto [target, source] : llvm::zip_equal(targets, sources))
    if (Register from = reg(source); from != target)
      moves.push_back({target, from, source.getType()});
  auto opcodeOf = [](Type type) {
    return isa<host::BufferType>(type)   ? Opcode::MoveBuffer
           : isa<host::StreamType>(type) ? Opcode::MoveStream
           : isa<host::EventType>(type)  ? Opcode::MoveEvent
                                         : Opcode::Move;
  };
  bool isOrdered = true;
  for (auto [i, first] : llvm::enumerate(moves))
    for (auto &second : ArrayRef(moves).drop_front(i + 1))
      isOrdered &=
          std::get<0>(first) != std::get<1>(second) || opcodeOf(std::get<2>(first)) != opcodeOf(std::get<2>(second));
  if (!isOrdered)
    for (auto &[target, from, type] : moves) {
      Register held = fresh(type);
      emit(opcodeOf(type), {word(held), word(from)});
      from = held;
    }
  for (auto [target, from, type] : moves)
    emit(opcodeOf(type), {word(target), word(from)});
}

//===--- Function ------------------------------------------------------------------------------------------------===//

static int32_t symbolNamed(Attribute name, ArrayAttr symbols) {
  for (auto [i, candidate] : llvm::enumerate(symbols))
    if (candidate == name)
      return i;
  return -1;
}

// `sizes`: what the program returns of a result; a dimension without a name is the symbol whose value it returns.
static std::unique_ptr<fb::ValueT> describe(host::FuncOp func, host::ValueAttr value, ValueRange sizes,
                                            uint32_t device) {
  auto out = std::make_unique<fb::ValueT>();
  out->device = device;
  out->name = value.getName().str();
  out->type = static_cast<uint8_t>(host::getElementType(value.getType().getElementType()));
  for (auto [d, size] : llvm::enumerate(value.getType().getShape())) {
    if (!ShapedType::isDynamic(size)) {
      out->dims.emplace_back(size, -1);
      continue;
    }
    int32_t symbol = symbolNamed(value.getDims()[d], func.getSymbolsAttr());
    for (size_t i = 0; symbol < 0 && !sizes.empty() && i < func.getSymbolsAttr().size(); ++i)
      if (sizes[d] == func.getSymbol(i))
        symbol = i;
    out->dims.emplace_back(symbol >= 0 ? 0 : ::heddle::contract::kUnknownSize, symbol);
  }
  return out;
}

// The elements as they lie in memory, each in whole bytes, which integers of fewer bits are extended to.
static std::vector<uint8_t> bytesOf(DenseElementsAttr elements) {
  std::vector<uint8_t> bytes;
  Type type = elements.getElementType();
  bool isSigned = type.isInteger() && !type.isUnsignedInteger() && !type.isInteger(1);
  auto append = [&](const APInt &bits) {
    uint64_t value = isSigned ? static_cast<uint64_t>(bits.getSExtValue()) : bits.getZExtValue();
    for (unsigned bit = 0; bit < bits.getBitWidth(); bit += 8)
      bytes.push_back(static_cast<uint8_t>(value >> bit));
  };
  if (isa<FloatType>(type))
    for (const APFloat &element : elements.getValues<APFloat>())
      append(element.bitcastToAPInt());
  else
    for (const APInt &element : elements.getValues<APInt>())
      append(element);
  return bytes;
}

LogicalResult FunctionFlattener::buildSignature(fb::FunctionT &out) {
  out.name = func.getSymName().str();
  out.bind = func.getSymName() == host::kBindFunction;
  // Without devices nothing runs, and no index is looked at.
  if (!defaultDevice.empty())
    out.device = tables.device(defaultDevice);
  auto deviceOf = [&](host::ValueAttr value) {
    return value.getDevice() ? tables.device(value.getDevice().getValue()) : out.device;
  };
  auto addSharding = [&](fb::ValueT &to, host::ValueAttr value) {
    auto sharding = dyn_cast_if_present<flow::ShardingAttr>(value.getSharding());
    if (!sharding)
      return;
    to.mesh = static_cast<int32_t>(tables.mesh(func, sharding.getMesh()));
    to.shards = tables.shards(func, sharding);
    to.wholes.assign(sharding.getWholes().begin(), sharding.getWholes().end());
    for (size_t dim = 0; dim < to.wholes.size(); ++dim)
      to.granules.push_back(to.wholes[dim] == -1 ? 1 : sharding.getGranule(dim).getFactor());
    auto mesh = SymbolTable::lookupNearestSymbolFrom<device::MeshOp>(func, sharding.getMesh());
    for (StringAttr axis : sharding.getPartial())
      to.partial.push_back(*mesh.findAxis(axis));
    if (!to.partial.empty())
      to.reduction = static_cast<uint8_t>(flow::getContractReduction(sharding.getReduction()));
  };
  SmallVector<bool> written = host::writtenArguments(func);
  for (auto [i, value] : llvm::enumerate(func.getArgumentsAttr().getAsRange<host::ValueAttr>())) {
    out.arguments.push_back(describe(func, value, {}, deviceOf(value)));
    out.arguments.back()->state = tables.global(value, deviceOf(value));
    out.arguments.back()->donated = value.getDonated() ? value.getDonated().getInt() : -1;
    out.arguments.back()->writable = written[i];
    addSharding(*out.arguments.back(), value);
    if (DenseElementsAttr elements = value.getDefaultValue())
      out.arguments.back()->default_value = bytesOf(elements);
  }
  ValueRange sizes = cast<host::ReturnOp>(func.getBody().front().getTerminator()).getSizes();
  for (auto value : func.getResultsAttr().getAsRange<host::ValueAttr>()) {
    out.results.push_back(describe(func, value, sizes.take_front(value.getType().getRank()), deviceOf(value)));
    out.results.back()->state = tables.global(value, deviceOf(value));
    addSharding(*out.results.back(), value);
    sizes = sizes.drop_front(value.getType().getRank());
  }
  for (auto name : func.getSymbolsAttr().getAsRange<StringAttr>()) {
    auto symbol = std::make_unique<fb::SymbolT>();
    symbol->name = name.str();
    symbol->drawn = symbol->name == ::heddle::contract::kDrawnSymbol;
    out.symbols.push_back(std::move(symbol));
  }
  for (BlockArgument argument : func.getBody().getArguments())
    reg(argument);
  return success();
}

FunctionFlattener::FunctionFlattener(host::FuncOp func, ArtifactTables &tables)
    : func(func), tables(tables), writer(code) {
  if (device::GlobalOp device = device::getDefaultDevice(func->getParentOfType<ModuleOp>()))
    defaultDevice = device.getSymName();
}

FailureOr<std::unique_ptr<fb::FunctionT>> FunctionFlattener::flatten() {
  auto out = std::make_unique<fb::FunctionT>();
  if (failed(buildSignature(*out)) || failed(flattenBlock(func.getBody().front())))
    return failure();
  emitConstants();
  if (!fits)
    return func.emitOpError() << "has an instruction of more words than an artifact can hold; the program is too large",
           failure();
  out->scalars = scalars;
  out->buffers = buffers;
  out->streams = streams;
  out->events = events;
  out->code = std::move(code);
  out->code_locations = std::move(locations);
  return out;
}

void FunctionFlattener::noteLocation(Operation &op) {
  uint32_t location = tables.location(op.getLoc());
  if (location == UINT32_MAX || location == lastLocation)
    return;
  lastLocation = location;
  if (locations.size() >= 2 && locations[locations.size() - 2] == code.size()) {
    locations.back() = location;
    return;
  }
  locations.push_back(code.size());
  locations.push_back(location);
}

LogicalResult FunctionFlattener::flattenBlock(Block &block) {
  for (Operation &op : block) {
    if (isa<scf::YieldOp, scf::ConditionOp>(op))
      continue; // the enclosing op moves its values
    if (isa<host::HostDialect>(op.getDialect()))
      noteLocation(op);
    if (failed(flattenOp(op)))
      return failure();
  }
  return success();
}

//===--- Host ops ------------------------------------------------------------------------------------------------===//

LogicalResult FunctionFlattener::flattenOp(Operation &op) {
  if (auto row = dyn_cast<host::HostOpInterface>(op))
    return row.encode(*this);
  if (isa<arith::ArithDialect>(op.getDialect()))
    return flattenArith(op);
  return llvm::TypeSwitch<Operation &, LogicalResult>(op)
      .Case([&](scf::IfOp branch) { return flattenIf(branch); })
      .Case([&](scf::IndexSwitchOp branch) { return flattenSwitch(branch); })
      .Case([&](scf::ForOp loop) { return flattenFor(loop); })
      .Case([&](scf::WhileOp loop) { return flattenWhile(loop); })
      .Case([&](host::StreamForOp loop) -> LogicalResult {
        return loop.emitOpError() << "is no jump yet; run package-flatten-stream-loops first";
      })
      .Default([&](Operation &other) -> LogicalResult {
        return other.emitOpError() << "has no instruction in an artifact";
      });
}

// An artifact's dispatch has the code of one device: that of all streams that its stream may be.
LogicalResult FunctionFlattener::checkDevice(host::DispatchOp op) {
  llvm::SetVector<StringRef> devices;
  for (StringRef device : host::devicesOf(op.getStream()))
    devices.insert(device.empty() ? defaultDevice : device);
  if (devices.size() <= 1)
    return success();
  return op.emitOpError() << "may run on a stream of @" << devices[0] << " or of @" << devices[1]
                          << "; choose among streams of one device";
}

FailureOr<FunctionFlattener::Operand> FunctionFlattener::executable(host::DispatchOp op) {
  if (failed(checkDevice(op)))
    return failure();
  uint32_t index = tables.executable(op);
  host::DispatchOp first = tables.executables()[index];
  if (first.getAccess() != op.getAccess() || first.getConstants().size() != op.getConstants().size())
    return op.emitOpError() << "uses " << op.getExecutableAttr() << " with access " << op.getAccess() << " and "
                            << op.getConstants().size() << " constants, another dispatch with " << first.getAccess()
                            << " and " << first.getConstants().size(),
           failure();
  return word(index);
}
