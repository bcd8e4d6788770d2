// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of host ops (HostInterfaces.td): one block an op, in the order of HostOps.td. A block states what the op
// touches and orders, how it becomes an instruction, and what it does on a machine; what it leaves out is the default.
#include "compiler/Analysis/StorageBytes.h"
#include "compiler/Dialect/Encoding/IR/PhysicalLayout.h"
#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Dialect/Host/IR/ElementTypes.h"
#include "compiler/Dialect/Host/IR/HostEncoder.h"
#include "compiler/Dialect/Host/IR/HostMachine.h"
#include "heddle/contract/Plan.h"

#include <cstring>
#include <limits>

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::host;
namespace contract = ::heddle::contract;
using contract::Opcode;

//===--- Defaults, and what several ops share --------------------------------------------------------------------===//

Value mlir::heddle::host::firstStream(Operation *op) {
  bool hasQueue = op->getNumOperands() > 0 && isa<StreamType>(op->getOperand(0).getType());
  return hasQueue ? op->getOperand(0) : Value();
}

LogicalResult mlir::heddle::host::encodePlain(Operation *op, Opcode opcode, HostEncoder &encoder) {
  SmallVector<HostEncoder::Operand> operands;
  for (Value result : op->getResults())
    operands.push_back(encoder.of(result));
  for (Value operand : op->getOperands())
    operands.push_back(encoder.of(operand));
  return encoder.write(opcode, operands);
}

static HostEncoder::Operand word(uint32_t value) { return HostEncoder::word(value); }

// Sets the op's only result to what it has been given.
template <typename T> static LogicalResult setResult(HostMachine &machine, Operation *op, FailureOr<T> value) {
  if (succeeded(value))
    machine.set(op->getResult(0), *value);
  return LogicalResult(value);
}

static LogicalResult stepAllocate(HostMachine &machine, Operation *op, HostMachine::Memory memory,
                                  FlatSymbolRefAttr device, Value size) {
  if (int64_t bytes = machine.integer(size); bytes < 0)
    return machine.fail(op, "has a size below zero: " + Twine(bytes));
  return setResult(machine, op, machine.allocate(op, memory, device, machine.integer(size)));
}

//===--- host.return ---------------------------------------------------------------------------------------------===//

LogicalResult ReturnOp::encode(HostEncoder &encoder) {
  auto results = cast<FuncOp>((*this)->getParentOp()).getResultsAttr().getAsRange<ValueAttr>();
  ValueRange sizes = getSizes();
  for (auto [i, value] : llvm::enumerate(results)) {
    size_t rank = value.getType().getRank();
    encoder.emit(Opcode::SetResult, {word(i), encoder.of(getBuffers()[i]), encoder.of(sizes.take_front(rank))});
    sizes = sizes.drop_front(rank);
  }
  return encoder.write(kOpcode, {});
}

LogicalResult ReturnOp::step(HostMachine &machine) { return machine.give(*this); }

//===--- host.check ----------------------------------------------------------------------------------------------===//

LogicalResult CheckOp::encode(HostEncoder &encoder) {
  return encoder.write(kOpcode, {encoder.of(getCondition()), encoder.message(getMessage())});
}

LogicalResult CheckOp::step(HostMachine &machine) {
  return machine.integer(getCondition()) ? success() : machine.stop(*this);
}

//===--- host.parameter ------------------------------------------------------------------------------------------===//

StorageKind ParameterOp::getStorageKind() { return StorageKind::ReadOnly; }
BindingTime ParameterOp::getBindingTime() { return BindingTime::Bind; }

LogicalResult ParameterOp::encode(HostEncoder &encoder) {
  HostEncoder::Operand result = encoder.of(getResult()), index = encoder.parameter(getParameterAttr());
  if (encoder.isDefault(getDeviceAttr()))
    return encoder.write(kOpcode, {result, index});
  return encoder.write(Opcode::ParameterOn, {result, index, encoder.device(getDeviceAttr())});
}

LogicalResult ParameterOp::step(HostMachine &machine) {
  return setResult(machine, *this, machine.parameter(*this, getParameterAttr(), getDeviceAttr()));
}

//===--- host.result ---------------------------------------------------------------------------------------------===//

StorageKind ResultOp::getStorageKind() { return StorageKind::Shared; }
BindingTime ResultOp::getBindingTime() { return BindingTime::Call; }

LogicalResult ResultOp::encode(HostEncoder &encoder) {
  return encoder.write(
      kOpcode, {encoder.of(getResult()), word(getIndex()), encoder.device(getDeviceAttr()), encoder.of(getSize())});
}

LogicalResult ResultOp::step(HostMachine &machine) {
  return stepAllocate(machine, *this, HostMachine::Memory::Kept, getDeviceAttr(), getSize());
}

//===--- host.slab -----------------------------------------------------------------------------------------------===//

StorageKind SlabOp::getStorageKind() { return StorageKind::Shared; }
BindingTime SlabOp::getBindingTime() { return BindingTime::Call; }

LogicalResult SlabOp::encode(HostEncoder &encoder) {
  return encoder.write(kOpcode, {encoder.of(getResult()), encoder.device(getDeviceAttr()), encoder.of(getSize())});
}

LogicalResult SlabOp::step(HostMachine &machine) {
  return stepAllocate(machine, *this, HostMachine::Memory::Slab, getDeviceAttr(), getSize());
}

//===--- host.plan -----------------------------------------------------------------------------------------------===//

LogicalResult PlanOp::encode(HostEncoder &encoder) {
  return encoder.write(kOpcode, {encoder.of(getTotal()), encoder.plan(*this), encoder.of(ValueRange(getSizes())),
                                 encoder.of(ValueRange(getOffsets()))});
}

LogicalResult PlanOp::step(HostMachine &machine) {
  SmallVector<int64_t> sizes, offsets(getSizes().size());
  SmallVector<contract::Interval> lives;
  for (auto [size, life] : llvm::zip_equal(getSizes(), getIntervals().getAsRange<IntervalAttr>())) {
    sizes.push_back(machine.integer(size));
    lives.push_back({life.getFirst(), life.getLast()});
  }
  int64_t total =
      contract::plan({lives.data(), lives.size()}, {sizes.data(), sizes.size()}, {offsets.data(), offsets.size()});
  if (total < 0)
    return machine.fail(*this, "has sizes that cannot be placed");
  machine.set(getTotal(), total);
  for (auto [result, offset] : llvm::zip_equal(getOffsets(), offsets))
    machine.set(result, offset);
  return success();
}

//===--- host.alloc ----------------------------------------------------------------------------------------------===//

StorageKind AllocOp::getStorageKind() { return StorageKind::Owned; }
BindingTime AllocOp::getBindingTime() { return BindingTime::Call; }

LogicalResult AllocOp::encode(HostEncoder &encoder) {
  return encoder.write(kOpcode, {encoder.of(getResult()), encoder.device(getDeviceAttr()), encoder.of(getSize())});
}

LogicalResult AllocOp::step(HostMachine &machine) {
  return stepAllocate(machine, *this, HostMachine::Memory::Owned, getDeviceAttr(), getSize());
}

//===--- host.free -----------------------------------------------------------------------------------------------===//

SmallVector<HostAccess> FreeOp::getAccesses() {
  HostAccess access{getBuffer(), /*reads=*/false, /*writes=*/true, HostAccess::Extent::Root};
  access.ends = true;
  return {access};
}

LogicalResult FreeOp::step(HostMachine &machine) { return machine.release(*this, getStream(), getBuffer()); }

//===--- host.view -----------------------------------------------------------------------------------------------===//

// Of several runs the span from the first byte to the last: where a kernel that knows the stride is bound.
LogicalResult ViewOp::encode(HostEncoder &encoder) {
  if (getRuns().empty())
    return encodePlain(*this, kOpcode, encoder);
  HostEncoder::Operand others = encoder.compute(Opcode::Sub, {encoder.of(getCount()), encoder.constant(1)});
  HostEncoder::Operand begins = encoder.compute(Opcode::Mul, {others, encoder.of(getStride())});
  HostEncoder::Operand span = encoder.compute(Opcode::Add, {begins, encoder.of(getSize())});
  HostEncoder::Operand isEmpty = encoder.compute(Opcode::CmpEq, {encoder.of(getCount()), encoder.constant(0)});
  HostEncoder::Operand bytes = encoder.compute(Opcode::Select, {isEmpty, encoder.constant(0), span});
  // No runs have no begin, which may lie behind a buffer without rows.
  HostEncoder::Operand offset =
      encoder.compute(Opcode::Select, {isEmpty, encoder.constant(0), encoder.of(getOffset())});
  encoder.noteRuns(encoder.of(getSize()), encoder.of(getStride()));
  return encoder.write(kOpcode, {encoder.of(getResult()), encoder.of(getSource()), offset, bytes});
}

LogicalResult ViewOp::step(HostMachine &machine) {
  int64_t offset = machine.integer(getOffset()), run = machine.integer(getSize());
  if (getRuns().empty())
    return setResult(machine, *this, machine.cut(*this, getSource(), run == 0 ? 0 : offset, run));
  int64_t count = machine.integer(getCount()), stride = machine.integer(getStride());
  if (count < 0 || run < 0 || (count > 1 && stride < run))
    return machine.fail(*this,
                        "has " + Twine(count) + " runs of " + Twine(run) + " bytes, " + Twine(stride) + " bytes apart");
  int64_t span = count == 0 ? 0 : (count - 1) * stride + run;
  FailureOr<BufferView> view = machine.cut(*this, getSource(), count == 0 ? 0 : offset, span);
  if (failed(view))
    return failure();
  view->size = count * run;
  view->count = count;
  view->stride = stride;
  machine.set(getResult(), *view);
  return success();
}

//===--- host.dispatch -------------------------------------------------------------------------------------------===//

SmallVector<HostAccess> DispatchOp::getAccesses() {
  SmallVector<HostAccess> accesses;
  for (auto [i, buffer] : llvm::enumerate(getBindings()))
    accesses.push_back({buffer, reads(i), writes(i)});
  return accesses;
}

LogicalResult DispatchOp::encode(HostEncoder &encoder) {
  OperandRange launch = getLaunch();
  if (launch.empty())
    return emitOpError() << "has no workgroups yet; run package-resolve-launches first";
  FailureOr<HostEncoder::Operand> executable = encoder.executable(*this);
  if (failed(executable))
    return failure();
  HostEncoder::Operand stream = encoder.of(getStream()), bindings = encoder.of(ValueRange(getBindings())),
                       constants = encoder.of(ValueRange(getConstants()));
  if (launch.size() == 2)
    return encoder.write(
        kOpcode, {stream, *executable, word(0), encoder.of(launch[0]), encoder.of(launch[1]), bindings, constants});
  SmallVector<Value> workgroups, scratch;
  for (size_t i = 0; i < launch.size(); i += 2) {
    workgroups.push_back(launch[i]);
    scratch.push_back(launch[i + 1]);
  }
  return encoder.write(Opcode::DispatchVariant, {stream, *executable, word(0), encoder.of(ValueRange(workgroups)),
                                                 encoder.of(ValueRange(scratch)), bindings, constants});
}

LogicalResult DispatchOp::step(HostMachine &machine) { return machine.dispatch(*this); }

//===--- host.copy -----------------------------------------------------------------------------------------------===//

SmallVector<HostAccess> CopyOp::getAccesses() {
  return {{getSource(), true, false, HostAccess::Extent::Range, getSourceOffset(), getSize()},
          {getTarget(), false, true, HostAccess::Extent::Range, getTargetOffset(), getSize()}};
}

LogicalResult CopyOp::step(HostMachine &machine) {
  int64_t size = machine.integer(getSize());
  FailureOr<BufferView> target = machine.cut(*this, getTarget(), machine.integer(getTargetOffset()), size);
  if (failed(target))
    return failure();
  FailureOr<BufferView> source = machine.cut(*this, getSource(), machine.integer(getSourceOffset()), size);
  if (failed(source) || failed(machine.checkReach(*this, getStream(), *target, /*writes=*/true)))
    return failure();
  if (target->overlaps(*source))
    return machine.fail(*this, "copies between bytes that overlap");
  return machine.issue(*this, getStream(), {*target, *source}, [to = *target, from = *source]() -> std::string {
    std::copy(from.bytes().begin(), from.bytes().end(), to.bytes().begin());
    return "";
  });
}

//===--- host.fill -----------------------------------------------------------------------------------------------===//

SmallVector<HostAccess> FillOp::getAccesses() {
  return {{getTarget(), false, true, HostAccess::Extent::Range, getOffset(), getSize()}};
}

LogicalResult FillOp::encode(HostEncoder &encoder) {
  return encoder.write(kOpcode, {encoder.of(getStream()), encoder.of(getTarget()), encoder.of(getOffset()),
                                 encoder.of(getSize()), encoder.of(getPattern()), word(getPatternBytes())});
}

LogicalResult FillOp::step(HostMachine &machine) {
  FailureOr<BufferView> target =
      machine.cut(*this, getTarget(), machine.integer(getOffset()), machine.integer(getSize()));
  if (failed(target) || failed(machine.checkReach(*this, getStream(), *target, /*writes=*/true)))
    return failure();
  auto fill = [to = *target, pattern = machine.integer(getPattern()), bytes = getPatternBytes()]() -> std::string {
    for (size_t i = 0; i < to.bytes().size(); ++i)
      to.bytes()[i] = static_cast<std::byte>(pattern >> 8 * (i % bytes));
    return "";
  };
  return machine.issue(*this, getStream(), {*target}, fill);
}

//===--- host.read -----------------------------------------------------------------------------------------------===//

static unsigned bitsOf(Type type) { return type.isIndex() ? 64 : type.getIntOrFloatBitWidth(); }

SmallVector<HostAccess> ReadOp::getAccesses() {
  return {{getSource(), true, false, HostAccess::Extent::Range, getOffset(), Value(), storageBytes(getType())}};
}
SmallVector<HostOrder> ReadOp::getOrders() { return {{{getStream()}, Value()}}; }
BindingTime ReadOp::getBindingTime() { return BindingTime::Data; }

LogicalResult ReadOp::encode(HostEncoder &encoder) {
  return encoder.write(kOpcode, {encoder.of(getResult()), encoder.of(getStream()), encoder.of(getSource()),
                                 encoder.of(getOffset()), word(static_cast<uint32_t>(getElementType(getType())))});
}

LogicalResult ReadOp::step(HostMachine &machine) {
  if (failed(machine.await(*this, *machine.record(machine.stream(getStream())))))
    return failure();
  unsigned bits = bitsOf(getType());
  FailureOr<BufferView> part = machine.cut(*this, getSource(), machine.integer(getOffset()), storageBytes(getType()));
  if (failed(part) || failed(machine.checkReach(*this, getStream(), *part, /*writes=*/false)))
    return failure();
  uint64_t raw = 0;
  std::memcpy(&raw, part->bytes().data(), part->size);
  APInt value(bits, raw, /*isSigned=*/false, /*implicitTrunc=*/true);
  bool isUnsigned = bits == 1 || getType().isUnsignedInteger();
  machine.set(getResult(), isUnsigned ? static_cast<int64_t>(value.getZExtValue()) : value.getSExtValue());
  return success();
}

//===--- host.stream ---------------------------------------------------------------------------------------------===//

BindingTime StreamOp::getBindingTime() { return BindingTime::Call; }

LogicalResult StreamOp::encode(HostEncoder &encoder) {
  return encoder.write(kOpcode, {encoder.of(getResult()), encoder.device(getDeviceAttr()), word(getIndex())});
}

LogicalResult StreamOp::step(HostMachine &machine) {
  machine.set(getResult(), machine.extraStream(getDeviceAttr(), getIndex()));
  return success();
}

//===--- host.stream_at ------------------------------------------------------------------------------------------===//

BindingTime StreamAtOp::getBindingTime() { return BindingTime::Call; }

LogicalResult StreamAtOp::encode(HostEncoder &encoder) {
  return encoder.write(kOpcode, {encoder.of(getResult()), encoder.device(getDeviceAttr()), encoder.of(getIndex())});
}

LogicalResult StreamAtOp::step(HostMachine &machine) {
  int64_t index = machine.integer(getIndex());
  if (index < 0 || index > std::numeric_limits<int32_t>::max())
    return machine.fail(*this, "names stream " + Twine(index));
  machine.set(getResult(), machine.extraStream(getDeviceAttr(), static_cast<unsigned>(index)));
  return success();
}

//===--- host.record ---------------------------------------------------------------------------------------------===//

SmallVector<HostOrder> RecordOp::getOrders() { return {{{getStream()}, getResult()}}; }
BindingTime RecordOp::getBindingTime() { return BindingTime::Call; }

LogicalResult RecordOp::step(HostMachine &machine) {
  machine.set(getResult(), machine.record(machine.stream(getStream())));
  return success();
}

//===--- host.wait -----------------------------------------------------------------------------------------------===//

SmallVector<HostOrder> WaitOp::getOrders() { return {{{getStream(), getEvent()}, getStream()}}; }

LogicalResult WaitOp::step(HostMachine &machine) {
  machine.wait(machine.stream(getStream()), machine.event(getEvent()));
  return success();
}

//===--- host.await ----------------------------------------------------------------------------------------------===//

SmallVector<HostOrder> AwaitOp::getOrders() { return {{{getEvent()}, Value()}}; }
LogicalResult AwaitOp::step(HostMachine &machine) { return machine.await(*this, *machine.event(getEvent())); }

//===--- host.barrier --------------------------------------------------------------------------------------------===//

// The first stream comes after all others, then each of them after it.
static SmallVector<std::pair<Value, Value>> followersOf(BarrierOp op) {
  SmallVector<std::pair<Value, Value>> pairs;
  Value first = op.getStreams().front();
  for (Value other : op.getStreams().drop_front())
    pairs.push_back({first, other});
  for (Value other : op.getStreams().drop_front())
    pairs.push_back({other, first});
  return pairs;
}

Value BarrierOp::getQueue() { return {}; }

SmallVector<HostOrder> BarrierOp::getOrders() {
  return llvm::map_to_vector(followersOf(*this),
                             [](auto pair) { return HostOrder{{pair.first, pair.second}, pair.first}; });
}

LogicalResult BarrierOp::encode(HostEncoder &encoder) {
  for (auto [after, before] : followersOf(*this))
    encoder.emit(kOpcode, {encoder.of(after), encoder.of(before)});
  return success();
}

LogicalResult BarrierOp::step(HostMachine &machine) {
  for (auto [after, before] : followersOf(*this))
    machine.wait(machine.stream(after), machine.record(machine.stream(before)));
  return success();
}

//===--- host.alternative ----------------------------------------------------------------------------------------===//

BindingTime AlternativeOp::getBindingTime() { return BindingTime::Bind; }

LogicalResult AlternativeOp::encode(HostEncoder &encoder) {
  return encoder.write(kOpcode, {encoder.of(getResult()), encoder.device(getDeviceAttr())});
}

LogicalResult AlternativeOp::step(HostMachine &machine) {
  machine.set(getResult(), machine.alternativeOf(*this, getDeviceAttr()));
  return success();
}

//===--- host.query ----------------------------------------------------------------------------------------------===//

BindingTime QueryOp::getBindingTime() { return BindingTime::Bind; }

LogicalResult QueryOp::encode(HostEncoder &encoder) {
  const int question = getKey() == kCoresKey ? 0 : getKey() == kStreamsKey ? 1 : 2;
  return encoder.write(kOpcode, {encoder.of(getResult()), encoder.device(getDeviceAttr()), word(question)});
}

LogicalResult QueryOp::step(HostMachine &machine) {
  machine.set(getResult(), getKey() == kCoresKey     ? machine.coresOf(getDeviceAttr())
                           : getKey() == kStreamsKey ? machine.streamsOf(getDeviceAttr())
                                                     : machine.workgroupsOf(getDeviceAttr()));
  return success();
}

//===--- host.same -----------------------------------------------------------------------------------------------===//

BindingTime SameOp::getBindingTime() { return BindingTime::Bind; }

LogicalResult SameOp::encode(HostEncoder &encoder) {
  return encoder.write(kOpcode, {encoder.of(getResult()), encoder.device(getLhsAttr()), encoder.device(getRhsAttr())});
}

LogicalResult SameOp::step(HostMachine &machine) {
  machine.set(getResult(), int64_t{machine.isSame(getLhsAttr(), getRhsAttr())});
  return success();
}

//===--- host.bind -----------------------------------------------------------------------------------------------===//

LogicalResult BindOp::encode(HostEncoder &encoder) {
  bool isBuffer = isa<BufferType>(getValue().getType());
  return encoder.write(isBuffer ? kOpcode : Opcode::BindScalar,
                       {encoder.bound(getName(), isBuffer), encoder.of(getValue())});
}

LogicalResult BindOp::step(HostMachine &machine) {
  machine.bind(getName(), machine.get(getValue()));
  return success();
}

//===--- host.pack -----------------------------------------------------------------------------------------------===//

StorageKind PackOp::getStorageKind() { return StorageKind::ReadOnly; }
BindingTime PackOp::getBindingTime() { return BindingTime::Bind; }

LogicalResult PackOp::encode(HostEncoder &encoder) {
  return encoder.write(kOpcode, {encoder.of(getResult()), encoder.parameter(getParameterAttr()),
                                 encoder.device(getDeviceAttr()), encoder.layout(getLayout())});
}

// As the loader does it.
LogicalResult PackOp::step(HostMachine &machine) {
  FailureOr<BufferView> rows = machine.parameter(*this, getParameterAttr(), getDeviceAttr());
  if (failed(rows))
    return failure();
  auto parameter = SymbolTable::lookupNearestSymbolFrom<flow::ParameterOp>(*this, getParameterAttr());
  auto type = cast<RankedTensorType>(parameter.getValue().getType());
  contract::Tiling tiling = encoding::toTiling(cast<encoding::LayoutAttr>(getLayout()));
  if (std::string why = contract::explainTiling(tiling, type.getRank()); !why.empty())
    return machine.fail(*this, "has a layout that does not fit its parameter: " + why);
  int64_t elementBytes = contract::byteSize(getElementType(type.getElementType())), bytes = elementBytes;
  std::span<const int64_t> shape(type.getShape().data(), type.getShape().size());
  for (int64_t size : contract::physicalShape(tiling, shape))
    bytes *= size;
  FailureOr<BufferView> packed = machine.allocate(*this, HostMachine::Memory::Kept, getDeviceAttr(), bytes);
  if (failed(packed))
    return failure();
  if (std::string why = contract::packBytes(tiling, elementBytes, shape, rows->bytes(), packed->bytes()); !why.empty())
    return machine.fail(*this, why);
  machine.set(getResult(), *packed);
  return success();
}

//===--- host.bound ----------------------------------------------------------------------------------------------===//

StorageKind BoundOp::getStorageKind() {
  return isa<BufferType>(getResult().getType()) ? StorageKind::ReadOnly : StorageKind::None;
}
BindingTime BoundOp::getBindingTime() { return BindingTime::Bind; }

LogicalResult BoundOp::encode(HostEncoder &encoder) {
  bool isBuffer = isa<BufferType>(getResult().getType());
  return encoder.write(isBuffer ? kOpcode : Opcode::BoundScalar,
                       {encoder.of(getResult()), encoder.bound(getName(), isBuffer)});
}

LogicalResult BoundOp::step(HostMachine &machine) { return setResult(machine, *this, machine.bound(*this, getName())); }
