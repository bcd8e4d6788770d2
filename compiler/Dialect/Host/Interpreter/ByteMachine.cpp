// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Host/Interpreter/ByteMachine.h"

#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Dialect/Flow/IR/FlowPieces.h"
#include "compiler/Dialect/Host/IR/ElementTypes.h"
#include "heddle/contract/Draw.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::host;

std::shared_ptr<Storage> Session::allocate(StringRef device, int64_t bytes) const {
  auto storage = std::make_shared<Storage>();
  storage->device = device.str();
  storage->own.assign(bytes, fresh);
  storage->bytes = storage->own;
  return storage;
}

ByteMachine::ByteMachine(FuncOp func, Session &session)
    : func(func), session(session), topology(flow::Topology::of(func->getParentOfType<ModuleOp>())) {}

//===--- Memory --------------------------------------------------------------------------------------------------===//

FailureOr<BufferView> ByteMachine::allocate(Operation *op, Memory memory, FlatSymbolRefAttr device, int64_t bytes) {
  std::string on = deviceNamed(device.getValue());
  if (memory == Memory::Slab) {
    slabBytes += bytes;
    std::shared_ptr<Storage> &slab = session.slabs[device.getValue()];
    if (!slab || static_cast<int64_t>(slab->bytes.size()) < bytes)
      slab = session.allocate(on, bytes);
    return BufferView{slab, 0, bytes};
  }
  std::shared_ptr<Storage> storage = session.allocate(on, bytes);
  if (memory == Memory::Owned)
    allocations.push_back(storage);
  return BufferView{std::move(storage), 0, bytes};
}

LogicalResult ByteMachine::release(Operation *op, Value on, Value freed) {
  BufferView view = buffer(freed);
  if (!llvm::is_contained(allocations, view.storage))
    return fail(op, "frees a buffer that this call did not allocate");
  return issue(op, on, {}, [view, fill = session.freed]() -> std::string {
    if (view.storage->freed)
      return "frees a buffer twice";
    view.storage->freed = true;
    std::fill(view.storage->bytes.begin(), view.storage->bytes.end(), fill);
    return "";
  });
}

// Work on a stream touches only its device's memory, and reads what the topology lets it read.
LogicalResult ByteMachine::checkReach(Operation *op, Value on, const BufferView &view, bool writes) {
  const std::string &device = session.queues.deviceOf(stream(on));
  if (view.storage->device == device)
    return success();
  std::optional<unsigned> from = topology.find(view.storage->device), to = topology.find(device);
  if (from && to && (topology.link(*from, *to).unified || (!writes && topology.link(*from, *to).transparent)))
    return success();
  return fail(op,
              "runs on @" + device + " and " + (writes ? "writes" : "reads") + " memory of @" + view.storage->device);
}

//===--- Work on streams -----------------------------------------------------------------------------------------===//

LogicalResult ByteMachine::issue(Operation *op, Value on, SmallVector<BufferView> uses, Work work) {
  std::string name = op->getName().getStringRef().str();
  session.queues.enqueue(stream(on), [=]() -> std::string {
    for (const BufferView &use : uses)
      if (use.storage->freed)
        return "runs " + name + " on a buffer that is freed";
    return work();
  });
  bool isKnown = session.queues.isInOrder() && !session.queues.failure().empty();
  return isKnown ? fail(op, session.queues.failure()) : success();
}

StreamId ByteMachine::extraStream(FlatSymbolRefAttr device, unsigned index) {
  return session.queues.stream(device.getValue().str() + "#" + std::to_string(index), deviceNamed(device.getValue()));
}

LogicalResult ByteMachine::await(Operation *op, const Event &event) {
  return session.queues.runUntil(event) ? success() : fail(op, whyStuck("waits for ever: no stream can go on"));
}

//===--- What @__bind leaves -------------------------------------------------------------------------------------===//

void ByteMachine::bind(StringRef name, HostValue value) {
  if (auto *view = std::get_if<BufferView>(&value))
    llvm::erase(allocations, view->storage);
  session.bound[name.str()] = std::move(value);
}

// What a loader would choose: of the numbers of pieces the one that the module's `host.pieces` says, else the first.
static int64_t piecesOf(Operation *op, const flow::PiecesAccount &of, bool positions) {
  auto which = op->getParentOfType<ModuleOp>()->getAttrOfType<IntegerAttr>("host.pieces");
  int64_t index = which ? which.getInt() : 0;
  if (of.counts.empty())
    return positions ? 1 : ::heddle::contract::kCountsOfFree[index % std::size(::heddle::contract::kCountsOfFree)];
  return of.counts[index % of.counts.size()];
}

FailureOr<HostValue> ByteMachine::bound(Operation *op, StringRef name) {
  if (auto account = op->getAttrOfType<DictionaryAttr>(flow::kAccountAttr))
    if (std::optional<flow::PiecesAccount> of = flow::readAccount(account))
      return HostValue(piecesOf(op, *of, name.ends_with(".positions")));
  auto found = session.bound.find(name.str());
  if (found == session.bound.end())
    return LogicalResult(fail(op, Twine("names nothing that @") + kBindFunction + " bound: \"" + name + "\""));
  return found->second;
}

//===--- Begin and end -------------------------------------------------------------------------------------------===//

std::string ByteMachine::defaultDevice() const {
  FuncOp function = func; // accessors of ops are not const
  device::GlobalOp device = device::getDefaultDevice(function->getParentOfType<ModuleOp>());
  return device ? deviceNamed(device.getSymName()) : "";
}

std::string ByteMachine::deviceOfArgument(unsigned index) {
  FlatSymbolRefAttr on = cast<ValueAttr>(func.getArgumentsAttr()[index]).getDevice();
  return on ? deviceNamed(on.getValue()) : defaultDevice();
}

LogicalResult ByteMachine::bindArguments(ArrayRef<Argument> arguments) {
  set(func.getStream(), callStream());
  llvm::StringMap<int64_t> sizes;
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    auto value = cast<ValueAttr>(func.getArgumentsAttr()[i]);
    for (auto [size, name] : llvm::zip_equal(argument.shape, value.getDims().getAsRange<StringAttr>()))
      if (!name.empty() && !sizes.try_emplace(name.getValue(), size).second && sizes[name.getValue()] != size)
        return fail(func, "got two sizes of dimension " + Twine(name.getValue()) + ": " +
                              Twine(sizes[name.getValue()]) + " and " + Twine(size));
    set(func.getBufferArgument(i),
        BufferView{argument.storage, 0, static_cast<int64_t>(argument.storage->bytes.size())});
  }
  for (auto [i, name] : llvm::enumerate(func.getSymbolsAttr().getAsRange<StringAttr>()))
    set(func.getSymbol(i), name.getValue() == ::heddle::contract::kDrawnSymbol
                               ? static_cast<int64_t>(::heddle::contract::drawnNumber(0, 0))
                               : sizes.lookup(name.getValue()));
  return success();
}

LogicalResult ByteMachine::give(ReturnOp op) {
  ValueRange sizes = op.getSizes();
  for (auto [i, value] : llvm::enumerate(op.getBuffers())) {
    size_t rank = cast<ValueAttr>(func.getResultsAttr()[i]).getType().getRank();
    results.push_back(buffer(value));
    shapes.push_back(llvm::map_to_vector(sizes.take_front(rank), [&](Value size) { return integer(size); }));
    sizes = sizes.drop_front(rank);
  }
  return success();
}

LogicalResult ByteMachine::stop(CheckOp op) {
  stopped = op.getMessage().str();
  return failure();
}

LogicalResult ByteMachine::awaitResults() {
  if (!session.queues.runUntil(*session.queues.record(callStream())))
    return fail(func, whyStuck("waits for ever: no stream can go on"));
  for (auto [i, result] : llvm::enumerate(results)) {
    Type type = cast<ValueAttr>(func.getResultsAttr()[i]).getType().getElementType();
    int64_t bytes = ::heddle::contract::byteSize(getElementType(type));
    for (int64_t size : shapes[i])
      bytes *= size;
    if (result.size != bytes)
      return fail(func, "returns " + Twine(result.size) + " bytes for a result of " + Twine(bytes));
  }
  return success();
}

LogicalResult ByteMachine::settle() {
  if (!session.queues.runAll())
    return fail(func, whyStuck("leaves work that waits for ever"));
  if (!session.queues.failure().empty())
    return fail(func, session.queues.failure());
  for (const std::shared_ptr<Storage> &storage : allocations)
    if (!storage->freed && stopped.empty())
      return fail(func, "leaks " + Twine(storage->bytes.size()) + " bytes");
  return success();
}
