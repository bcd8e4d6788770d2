// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory and work of Execution.
#include "compiler/Dialect/Host/Interpreter/Execution.h"

#include "compiler/Dialect/Encoding/IR/PhysicalLayout.h"
#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Dialect/Host/IR/ElementTypes.h"
#include "compiler/Dialect/Host/Interpreter/FakeKernels.h"
#include "heddle/contract/Plan.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cstring>

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::host;

//===--- Memory --------------------------------------------------------------------------------------------------===//

FailureOr<BufferView> Execution::cut(Operation *op, const BufferView &from, int64_t offset, int64_t size) {
  if (offset < 0 || size < 0 || offset > from.size || size > from.size - offset)
    return op->emitOpError() << "reaches bytes [" << offset << ", " << offset + size << ") of a buffer of "
                             << from.size,
           failure();
  return BufferView{from.storage, from.offset + offset, size};
}

LogicalResult Execution::runPlan(PlanOp op) {
  SmallVector<int64_t> sizes, offsets(op.getSizes().size());
  SmallVector<::heddle::contract::Interval> lives;
  for (auto [size, life] : llvm::zip_equal(op.getSizes(), op.getIntervals().getAsRange<IntervalAttr>())) {
    sizes.push_back(integer(size));
    lives.push_back({life.getFirst(), life.getLast()});
  }
  int64_t total = ::heddle::contract::plan({lives.data(), lives.size()}, {sizes.data(), sizes.size()},
                                           {offsets.data(), offsets.size()});
  if (total < 0)
    return op.emitOpError() << "has sizes that cannot be placed";
  values[op.getTotal()] = total;
  for (auto [result, offset] : llvm::zip_equal(op.getOffsets(), offsets))
    values[result] = offset;
  return success();
}

LogicalResult Execution::runPack(PackOp op) {
  auto value = SymbolTable::lookupNearestSymbolFrom<flow::ParameterOp>(op, op.getParameterAttr());
  if (!value)
    return op.emitOpError() << "names no flow.parameter";
  auto rows = constants.of(value.getValue(), op);
  if (failed(rows))
    return failure();
  auto type = cast<RankedTensorType>(value.getValue().getType());
  ::heddle::contract::Tiling tiling = encoding::toTiling(cast<encoding::LayoutAttr>(op.getLayout()));
  int64_t elementBytes = ::heddle::contract::byteSize(getElementType(type.getElementType()));
  if (std::string why = ::heddle::contract::explainTiling(tiling, type.getRank()); !why.empty())
    return op.emitOpError() << "has a layout that does not fit " << type << ": " << why;
  std::span<const int64_t> shape(type.getShape().data(), type.getShape().size());
  int64_t bytes = elementBytes;
  for (int64_t size : ::heddle::contract::physicalShape(tiling, shape))
    bytes *= size;
  auto storage = Machine::allocate(deviceNamed(op.getDevice()), bytes);
  std::string error = ::heddle::contract::packBytes(tiling, elementBytes, shape, *rows, storage->bytes);
  if (!error.empty())
    return op.emitOpError() << error;
  values[op.getResult()] = BufferView{storage, 0, bytes};
  return success();
}

LogicalResult Execution::runMemory(Operation *op) {
  for (Value operand : op->getOperands())
    if (isa<AllocOp, ResultOp, SlabOp>(op) && integer(operand) < 0)
      return op->emitOpError() << "has a size below zero: " << integer(operand);
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](ParameterOp parameter) -> LogicalResult {
        auto value = SymbolTable::lookupNearestSymbolFrom<flow::ParameterOp>(op, parameter.getParameterAttr());
        if (!value)
          return parameter.emitOpError() << "names no flow.parameter";
        auto bytes = constants.of(value.getValue(), op);
        if (failed(bytes))
          return failure();
        auto storage = Machine::allocate(deviceNamed(parameter.getDevice()), bytes->size());
        std::copy(bytes->begin(), bytes->end(), storage->bytes.begin());
        values[parameter.getResult()] = BufferView{storage, 0, static_cast<int64_t>(bytes->size())};
        return success();
      })
      .Case([&](ResultOp result) {
        values[result.getResult()] =
            BufferView{Machine::allocate(deviceNamed(result.getDevice()), integer(result.getSize())), 0,
                       integer(result.getSize())};
        return success();
      })
      .Case([&](SlabOp slab) {
        slabBytes += integer(slab.getSize());
        StringRef on = slab.getDevice();
        values[slab.getResult()] =
            BufferView{machine.slab(on, deviceNamed(on), integer(slab.getSize())), 0, integer(slab.getSize())};
        return success();
      })
      .Case([&](AllocOp alloc) {
        allocations.push_back(Machine::allocate(deviceNamed(alloc.getDevice()), integer(alloc.getSize())));
        values[alloc.getResult()] = BufferView{allocations.back(), 0, integer(alloc.getSize())};
        return success();
      })
      .Case([&](ViewOp view) {
        auto part = cut(view, buffer(view.getSource()), integer(view.getOffset()), integer(view.getSize()));
        if (succeeded(part))
          values[view.getResult()] = *part;
        return LogicalResult(part);
      })
      .Case([&](PlanOp plan) { return runPlan(plan); })
      .Case([&](PackOp pack) { return runPack(pack); })
      .Case([&](BindOp bind) {
        bound[bind.getName().str()] = values.at(bind.getValue());
        if (isa<BufferType>(bind.getValue().getType()))
          llvm::erase(allocations, buffer(bind.getValue()).storage);
        return success();
      })
      .Case([&](BoundOp value) -> LogicalResult {
        auto found = bound.find(value.getName().str());
        if (found == bound.end())
          return value.emitOpError() << "names nothing that @" << kBindFunction << " bound: \"" << value.getName()
                                     << '"';
        values[value.getResult()] = found->second;
        return success();
      });
}

//===--- Work on streams -----------------------------------------------------------------------------------------===//

void Execution::enqueue(Operation *op, Value on, SmallVector<BufferView> uses, Machine::Work work) {
  std::string name = op->getName().getStringRef().str();
  machine.enqueue(stream(on), [=]() -> std::string {
    for (const BufferView &use : uses)
      if (use.storage->freed)
        return "runs " + name + " on a buffer that is freed";
    return work();
  });
}

LogicalResult Execution::runDispatch(DispatchOp op) {
  auto executable = SymbolTable::lookupNearestSymbolFrom<flow::ExecutableOp>(op, op.getExecutableAttr());
  auto kernel = executable->getAttrOfType<StringAttr>("host.fake");
  if (!kernel)
    return op.emitOpError() << "runs " << op.getExecutableAttr() << ", which names no fake kernel (host.fake)";
  SmallVector<BufferView> uses = llvm::map_to_vector(op.getBindings(), [&](Value value) { return buffer(value); });
  for (auto [i, use] : llvm::enumerate(uses))
    if (failed(checkReach(op, op.getStream(), use, op.writes(i))))
      return failure();
  SmallVector<int64_t> scalars = llvm::map_to_vector(op.getConstants(), [&](Value value) { return integer(value); });
  enqueue(op, op.getStream(), uses, [=, name = kernel.str()] {
    SmallVector<std::span<std::byte>> bindings =
        llvm::map_to_vector(uses, [](const BufferView &use) { return use.bytes(); });
    return runFakeKernel(name, bindings, scalars);
  });
  return success();
}

LogicalResult Execution::runCopy(CopyOp op) {
  auto target = cut(op, buffer(op.getTarget()), integer(op.getTargetOffset()), integer(op.getSize()));
  auto source = cut(op, buffer(op.getSource()), integer(op.getSourceOffset()), integer(op.getSize()));
  if (failed(target) || failed(source) || failed(checkReach(op, op.getStream(), *target, /*writes=*/true)))
    return failure();
  if (target->storage == source->storage && target->offset < source->offset + source->size &&
      source->offset < target->offset + target->size)
    return op.emitOpError() << "copies between bytes that overlap";
  enqueue(op, op.getStream(), {*target, *source}, [to = *target, from = *source]() -> std::string {
    std::copy(from.bytes().begin(), from.bytes().end(), to.bytes().begin());
    return "";
  });
  return success();
}

LogicalResult Execution::runFill(FillOp op) {
  auto target = cut(op, buffer(op.getTarget()), integer(op.getOffset()), integer(op.getSize()));
  if (failed(target) || failed(checkReach(op, op.getStream(), *target, /*writes=*/true)))
    return failure();
  enqueue(op, op.getStream(), {*target},
          [to = *target, pattern = integer(op.getPattern()), bytes = op.getPatternBytes()]() -> std::string {
            for (size_t i = 0; i < to.bytes().size(); ++i)
              to.bytes()[i] = static_cast<std::byte>(pattern >> 8 * (i % bytes));
            return "";
          });
  return success();
}

LogicalResult Execution::runFree(FreeOp op) {
  BufferView view = buffer(op.getBuffer());
  if (!llvm::is_contained(allocations, view.storage))
    return op.emitOpError() << "frees a buffer that this call did not allocate";
  machine.enqueue(stream(op.getStream()), [=]() -> std::string {
    if (view.storage->freed)
      return "frees a buffer twice";
    view.storage->freed = true;
    std::fill(view.storage->bytes.begin(), view.storage->bytes.end(), std::byte{0xDD});
    return "";
  });
  return success();
}

LogicalResult Execution::runRead(ReadOp op) {
  if (!machine.runUntil(*machine.record(stream(op.getStream()))))
    return op.emitOpError() << "waits for ever: its stream cannot go on";
  unsigned bits = op.getType().isIndex() ? 64 : op.getType().getIntOrFloatBitWidth();
  auto part = cut(op, buffer(op.getSource()), integer(op.getOffset()), (bits + 7) / 8);
  if (failed(part) || failed(checkReach(op, op.getStream(), *part, /*writes=*/false)))
    return failure();
  uint64_t raw = 0;
  std::memcpy(&raw, part->bytes().data(), part->size);
  APInt value(bits, raw, /*isSigned=*/false, /*implicitTrunc=*/true);
  bool isUnsigned = bits == 1 || op.getType().isUnsignedInteger();
  values[op.getResult()] = isUnsigned ? static_cast<int64_t>(value.getZExtValue()) : value.getSExtValue();
  return success();
}

LogicalResult Execution::runReturn(ReturnOp op) {
  ValueRange sizes = op.getSizes();
  for (auto [i, value] : llvm::enumerate(op.getBuffers())) {
    size_t rank = cast<ValueAttr>(func.getResultsAttr()[i]).getType().getRank();
    results.push_back(buffer(value));
    shapes.push_back(llvm::map_to_vector(sizes.take_front(rank), [&](Value size) { return integer(size); }));
    sizes = sizes.drop_front(rank);
  }
  return success();
}

LogicalResult Execution::runWork(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](DispatchOp dispatch) { return runDispatch(dispatch); })
      .Case([&](CopyOp copy) { return runCopy(copy); })
      .Case([&](FillOp fill) { return runFill(fill); })
      .Case([&](FreeOp free) { return runFree(free); })
      .Case([&](ReadOp read) { return runRead(read); })
      .Case([&](ReturnOp done) { return runReturn(done); })
      .Case([&](StreamOp extra) {
        std::string name = extra.getDevice().str() + "#" + std::to_string(extra.getIndex());
        values[extra.getResult()] = machine.stream(name, deviceNamed(extra.getDevice()));
        return success();
      })
      .Case([&](RecordOp record) {
        values[record.getResult()] = machine.record(stream(record.getStream()));
        return success();
      })
      .Case([&](WaitOp wait) {
        machine.wait(stream(wait.getStream()), event(wait.getEvent()));
        return success();
      })
      .Case([&](AwaitOp await) -> LogicalResult {
        if (machine.runUntil(*event(await.getEvent())))
          return success();
        return await.emitOpError() << "waits for ever: no stream can go on";
      })
      .Case([&](CheckOp check) {
        if (!integer(check.getCondition()))
          stopped = check.getMessage().str();
        return success(stopped.empty());
      })
      .Case([&](AlternativeOp question) {
        values[question.getResult()] = options.alternatives.lookup(question.getDevice());
        return success();
      })
      .Case([&](QueryOp question) {
        values[question.getResult()] = options.cores;
        return success();
      })
      .Case([&](SameOp question) {
        values[question.getResult()] = int64_t{deviceNamed(question.getLhs()) == deviceNamed(question.getRhs())};
        return success();
      })
      .Default([](Operation *other) -> LogicalResult { return other->emitOpError() << "cannot be interpreted"; });
}
