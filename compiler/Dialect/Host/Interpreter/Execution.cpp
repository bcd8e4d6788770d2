// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Host/Interpreter/Execution.h"

#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Dialect/Host/IR/ElementTypes.h"
#include "heddle/contract/Draw.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::heddle::host;

//===--- Devices -------------------------------------------------------------------------------------------------===//

std::string Execution::deviceNamed(StringRef symbol) const {
  if (options.oneDevice)
    return "";
  // As many steps as there are fallbacks, so that a cycle ends.
  std::string name = symbol.str();
  for (size_t step = 0; step < options.fallbacks.size(); ++step)
    if (auto found = options.fallbacks.find(name); found != options.fallbacks.end())
      name = found->second;
  return name;
}

std::string Execution::defaultDevice() {
  device::GlobalOp device = device::getDefaultDevice(func->getParentOfType<ModuleOp>());
  return device ? deviceNamed(device.getSymName()) : "";
}

Machine::StreamId Execution::callStream() { return machine.stream("call", defaultDevice()); }

// Work on a stream touches only its device's memory, and reads what the topology lets it read.
LogicalResult Execution::checkReach(Operation *op, Value on, const BufferView &view, bool writes) {
  const std::string &device = machine.deviceOf(stream(on));
  if (view.storage->device == device)
    return success();
  std::optional<unsigned> from = topology.find(view.storage->device), to = topology.find(device);
  if (from && to && (topology.link(*from, *to).unified || (!writes && topology.link(*from, *to).transparent)))
    return success();
  return op->emitOpError() << "runs on @" << device << " and " << (writes ? "writes" : "reads") << " memory of @"
                           << view.storage->device;
}

//===--- Call ----------------------------------------------------------------------------------------------------===//

LogicalResult Execution::bindInputs(ArrayRef<ElementsAttr> inputs) {
  if (inputs.size() != func.getArgumentsAttr().size())
    return func.emitOpError() << "takes " << func.getArgumentsAttr().size() << " arguments, host.inputs gives "
                              << inputs.size();
  values[func.getStream()] = callStream();
  llvm::StringMap<int64_t> sizes;
  for (auto [i, input] : llvm::enumerate(inputs)) {
    auto value = cast<ValueAttr>(func.getArgumentsAttr()[i]);
    ArrayRef<int64_t> shape = input.getShapedType().getShape();
    if (failed(verifyCompatibleShape(value.getType().getShape(), shape)) ||
        input.getElementType() != value.getType().getElementType())
      return func.emitOpError() << "takes " << value.getType() << " as argument " << i << ", host.inputs gives "
                                << input.getShapedType();
    for (auto [size, name] : llvm::zip_equal(shape, value.getDims().getAsRange<StringAttr>()))
      if (!name.empty() && !sizes.try_emplace(name.getValue(), size).second && sizes[name.getValue()] != size)
        return func.emitOpError() << "got two sizes of dimension " << name << ": " << sizes[name.getValue()] << " and "
                                  << size;
    auto bytes = constants.of(input, func);
    if (failed(bytes))
      return failure();
    FlatSymbolRefAttr on = value.getDevice();
    auto storage = Machine::allocate(on ? deviceNamed(on.getValue()) : defaultDevice(), bytes->size());
    std::copy(bytes->begin(), bytes->end(), storage->bytes.begin());
    values[func.getBufferArgument(i)] = BufferView{storage, 0, static_cast<int64_t>(bytes->size())};
  }
  for (auto [i, name] : llvm::enumerate(func.getSymbolsAttr().getAsRange<StringAttr>()))
    values[func.getSymbol(i)] = name.getValue() == ::heddle::contract::kDrawnSymbol
                                    ? ::heddle::contract::drawnNumber(0, 0)
                                    : sizes.lookup(name.getValue());
  return success();
}

// `y = dense<…> : tensor<2xi32>`
static void print(StringAttr name, RankedTensorType type, ArrayRef<int64_t> shape, const BufferView &view,
                  raw_ostream &out) {
  auto known = RankedTensorType::get(shape, type.getElementType());
  std::span<std::byte> bytes = view.bytes();
  ArrayRef<char> raw(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  out << name.getValue() << " = ";
  if (type.getElementType().isInteger(1)) {
    SmallVector<bool> bools(raw.begin(), raw.end());
    out << DenseElementsAttr::get(known, bools);
  } else {
    out << DenseElementsAttr::getFromRawBuffer(known, raw);
  }
}

// The call's result is there when its stream is done; what other streams still do then comes too late.
LogicalResult Execution::finish(std::string &outcome) {
  std::shared_ptr<Event> done = machine.record(callStream());
  if (!machine.runUntil(*done))
    return func.emitOpError() << "waits for ever: no stream can go on";
  llvm::raw_string_ostream out(outcome);
  for (auto [i, result] : llvm::enumerate(results)) {
    auto value = cast<ValueAttr>(func.getResultsAttr()[i]);
    int64_t elements = 1;
    for (int64_t size : shapes[i])
      elements *= size;
    int64_t bytes = elements * ::heddle::contract::byteSize(getElementType(value.getType().getElementType()));
    if (result.size != bytes)
      return func.emitOpError() << "returns " << result.size << " bytes for a result of " << bytes;
    if (machine.failure().empty()) {
      out << (i ? ", " : "");
      print(value.getName(), value.getType(), shapes[i], result, out);
    }
  }
  if (!machine.runAll())
    return func.emitOpError() << "leaves work that waits for ever";
  if (!machine.failure().empty())
    return func.emitOpError() << machine.failure();
  for (const std::shared_ptr<Storage> &storage : allocations)
    if (!storage->freed && stopped.empty())
      return func.emitOpError() << "leaks " << storage->bytes.size() << " bytes";
  return success();
}

FailureOr<std::string> Execution::run(ArrayRef<ElementsAttr> inputs) {
  std::string outcome;
  if (failed(bindInputs(inputs)) || (failed(runBlock(func.getBody().front())) && stopped.empty()))
    return failure();
  if (failed(finish(outcome)))
    return failure();
  return stopped.empty() ? outcome : "fails: " + stopped;
}

//===--- Control flow --------------------------------------------------------------------------------------------===//

void Execution::assign(ValueRange targets, SmallVector<HostValue> sources) {
  for (auto [target, source] : llvm::zip_equal(targets, sources))
    values[target] = source;
}

SmallVector<HostValue> Execution::valuesOf(ValueRange range) {
  return llvm::map_to_vector(range, [&](Value value) { return values.at(value); });
}

LogicalResult Execution::runBlock(Block &block) {
  for (Operation &op : block) {
    machine.runSome();
    if (failed(runOp(&op)))
      return failure();
  }
  return success();
}

LogicalResult Execution::runRegion(mlir::Region &region, ValueRange targets) {
  if (region.empty())
    return success();
  if (failed(runBlock(region.front())))
    return failure();
  assign(targets, valuesOf(region.front().getTerminator()->getOperands()));
  return success();
}

LogicalResult Execution::runFor(scf::ForOp op) {
  int64_t step = integer(op.getStep());
  if (step <= 0)
    return op.emitOpError() << "needs a positive step, got " << step;
  assign(op.getRegionIterArgs(), valuesOf(op.getInitArgs()));
  for (int64_t i = integer(op.getLowerBound()), end = integer(op.getUpperBound()); i < end; i += step) {
    values[op.getInductionVar()] = i;
    if (failed(runRegion(op.getRegion(), op.getRegionIterArgs())))
      return failure();
  }
  assign(op.getResults(), valuesOf(op.getRegionIterArgs()));
  return success();
}

LogicalResult Execution::runWhile(scf::WhileOp op) {
  constexpr int64_t kMaxTrips = 100000;
  assign(op.getBeforeArguments(), valuesOf(op.getInits()));
  for (int64_t trip = 0; trip < kMaxTrips; ++trip) {
    if (failed(runBlock(*op.getBeforeBody())))
      return failure();
    SmallVector<HostValue> passed = valuesOf(op.getConditionOp().getArgs());
    if (!integer(op.getConditionOp().getCondition()))
      return assign(op.getResults(), passed), success();
    assign(op.getAfterArguments(), passed);
    if (failed(runRegion(op.getAfter(), op.getBeforeArguments())))
      return failure();
  }
  return op.emitOpError() << "did not end after " << kMaxTrips << " trips";
}

LogicalResult Execution::runOp(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<scf::YieldOp, scf::ConditionOp>([](Operation *) { return success(); })
      .Case([&](scf::IfOp branch) {
        return runRegion(integer(branch.getCondition()) ? branch.getThenRegion() : branch.getElseRegion(),
                         branch.getResults());
      })
      .Case([&](scf::IndexSwitchOp branch) {
        for (auto [value, region] : llvm::zip_equal(branch.getCases(), branch.getCaseRegions()))
          if (value == integer(branch.getArg()))
            return runRegion(region, branch.getResults());
        return runRegion(branch.getDefaultRegion(), branch.getResults());
      })
      .Case([&](scf::ForOp loop) { return runFor(loop); })
      .Case([&](scf::WhileOp loop) { return runWhile(loop); })
      .Case<ParameterOp, ResultOp, SlabOp, AllocOp, ViewOp, PlanOp, BindOp, BoundOp, PackOp>(
          [&](Operation *memory) { return runMemory(memory); })
      .Default([&](Operation *other) {
        return isa<arith::ArithDialect>(other->getDialect()) ? runArith(other) : runWork(other);
      });
}

//===--- Values --------------------------------------------------------------------------------------------------===//

// Scalars are computed by the ops' own folders.
LogicalResult Execution::runArith(Operation *op) {
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    values[select.getResult()] =
        values.at(integer(select.getCondition()) ? select.getTrueValue() : select.getFalseValue());
    return success();
  }
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands())
    operands.push_back(IntegerAttr::get(operand.getType(), integer(operand)));
  SmallVector<OpFoldResult> folded;
  if (failed(op->fold(operands, folded)) || folded.size() != 1)
    return op->emitOpError() << "has no value for these operands";
  if (auto same = dyn_cast_if_present<Value>(folded[0])) {
    values[op->getResult(0)] = values.at(same);
    return success();
  }
  APInt value = cast<IntegerAttr>(cast<Attribute>(folded[0])).getValue();
  values[op->getResult(0)] =
      value.getBitWidth() == 1 ? static_cast<int64_t>(value.getZExtValue()) : value.getSExtValue();
  return success();
}
