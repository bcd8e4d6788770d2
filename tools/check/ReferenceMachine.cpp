// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/check/ReferenceMachine.h"

#include "tools/check/Specialize.h"

#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Dialect/Host/Interpreter/ByteMachine.h"
#include "compiler/Dialect/Host/Interpreter/ProgramRun.h"
#include "compiler/Reference/Reference.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <algorithm>
#include <cstring>

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::check;

namespace {

// The reference's dispatches, as a program takes them.
class Steps {
public:
  Steps(ArrayRef<Step> steps, bool inOrder) : inOrder(inOrder) {
    for (const Step &step : steps)
      order.push_back(&step);
  }
  // The next step; where work is issued in any order that events allow, the first one left that `fits`. Null: none.
  const Step *take(llvm::function_ref<bool(const Step &)> fits);
  // One that was not taken; null: all were.
  const Step *left() const { return next == order.size() ? nullptr : order[next]; }

private:
  bool inOrder;
  std::vector<const Step *> order; // as the steps were taken, then those left
  size_t next = 0;
};

class ReferenceMachine : public host::ByteMachine {
public:
  ReferenceMachine(host::FuncOp func, host::Session &session, Steps &steps, HostFault &fault)
      : ByteMachine(func, session), steps(steps), fault(fault) {}

  LogicalResult run(ArrayRef<Tensor> inputs, std::vector<Tensor> &out);

  // Execution stops at the first fault.
  LogicalResult fail(Operation *op, const Twine &text) override {
    if (!session.world || !session.world->isEnding()) // else another rank has said what is wrong
      fault.text = (text + " at " + op->getName().getStringRef()).str();
    return failure();
  }
  LogicalResult stop(host::CheckOp op) override { return fail(op, "failed check \"" + op.getMessage() + "\""); }
  LogicalResult dispatch(host::DispatchOp op) override;
  FailureOr<host::BufferView> parameter(Operation *op, FlatSymbolRefAttr name, FlatSymbolRefAttr device) override;
  int64_t alternativeOf(Operation *op, FlatSymbolRefAttr device) override {
    auto global = SymbolTable::lookupNearestSymbolFrom<device::GlobalOp>(op, device);
    return global ? chooseAlternative(global) : 0;
  }
  int64_t coresOf(FlatSymbolRefAttr) override { return reference::kUnits; }
  int64_t streamsOf(FlatSymbolRefAttr) override { return reference::kUnits; }
  int64_t workgroupsOf(FlatSymbolRefAttr) override { return reference::kUnits; }

private:
  bool reads(host::DispatchOp op, const Step &step); // whether it can be the step, by its operands and sizes
  LogicalResult checkShape(host::DispatchOp op, const Step &step);
  LogicalResult checkOperand(host::DispatchOp op, const Step &step, unsigned binding);
  LogicalResult checkRoom(Operation *op, const Twine &what, int64_t bytes, const Tensor &expected);

  Steps &steps;
  HostFault &fault;
};

// Whether the element lies in the slice; dimensions of free size are whole.
bool isInSlice(tensor::ExtractSliceOp slice, ArrayRef<int64_t> shape, int64_t element) {
  for (size_t d = shape.size(); d-- > 0; element /= shape[d]) {
    int64_t at = element % shape[d], begin = slice.getStaticOffsets()[d], size = slice.getStaticSizes()[d];
    if (!ShapedType::isDynamic(begin) && !ShapedType::isDynamic(size) && (at < begin || at >= begin + size))
      return false;
  }
  return true;
}

// Whether the bytes are those of the operand as far as the executable reads it: of memory that is filled in parts
// (flow.filled) a slice, and the rest may not be there yet.
bool isWhatIsRead(host::DispatchOp op, unsigned binding, std::span<const std::byte> bytes, const Tensor &operand) {
  if (std::memcmp(bytes.data(), operand.data, operand.byteCount()) == 0)
    return true;
  auto executable = SymbolTable::lookupNearestSymbolFrom<flow::ExecutableOp>(op, op.getExecutableAttr());
  SmallVector<tensor::ExtractSliceOp> slices;
  for (Operation *user : executable.getFunction().getArgument(binding).getUsers()) {
    auto slice = dyn_cast<tensor::ExtractSliceOp>(user);
    if (slice && slice.hasUnitStride() && slice.getStaticOffsets().size() == operand.shape.size())
      slices.push_back(slice);
    else if (!isa<tensor::DimOp>(user))
      return false;
  }
  int64_t width = operand.count() ? operand.byteCount() / operand.count() : 0;
  return llvm::all_of(llvm::seq<int64_t>(0, operand.count()), [&](int64_t i) {
    return std::memcmp(bytes.data() + i * width, operand.data + i * width, width) == 0 ||
           llvm::none_of(slices, [&](tensor::ExtractSliceOp slice) { return isInSlice(slice, operand.shape, i); });
  });
}

// A tensor's bytes where they lie.
std::shared_ptr<host::Storage> storageOf(const Tensor &tensor, std::string device) {
  auto storage = std::make_shared<host::Storage>();
  storage->bytes = std::as_writable_bytes(std::span(tensor.data, tensor.byteCount()));
  storage->owner = tensor.owner;
  storage->device = std::move(device);
  return storage;
}

} // namespace

const Step *Steps::take(llvm::function_ref<bool(const Step &)> fits) {
  for (size_t i = next; !inOrder && i < order.size(); ++i)
    if (fits(*order[i])) {
      std::rotate(order.begin() + next, order.begin() + i, order.begin() + i + 1);
      break;
    }
  return next == order.size() ? nullptr : order[next++];
}

FailureOr<host::BufferView> ReferenceMachine::parameter(Operation *op, FlatSymbolRefAttr name,
                                                        FlatSymbolRefAttr device) {
  auto found = SymbolTable::lookupNearestSymbolFrom<flow::ParameterOp>(op, name);
  FailureOr<Tensor> value = found ? reference::tensorOf(found.getValue()) : FailureOr<Tensor>();
  if (failed(value))
    return LogicalResult(fail(op, "cannot read parameter"));
  return host::BufferView{storageOf(*value, deviceNamed(device.getValue())), 0,
                          static_cast<int64_t>(value->byteCount())};
}

//===--- Dispatches ----------------------------------------------------------------------------------------------===//

LogicalResult ReferenceMachine::checkRoom(Operation *op, const Twine &what, int64_t bytes, const Tensor &expected) {
  if (bytes >= static_cast<int64_t>(expected.byteCount()))
    return success();
  return fail(op, what + " has " + Twine(bytes) + " bytes for " + spell(expected));
}

LogicalResult ReferenceMachine::checkOperand(host::DispatchOp op, const Step &step, unsigned binding) {
  const Tensor &expected = step.operands[binding];
  const host::BufferView &view = buffer(op.getBindings()[binding]);
  if (failed(checkRoom(op, "binding " + Twine(binding), view.size, expected)))
    return failure();
  if (view.storage->freed)
    return fail(op, "operand " + Twine(binding) + " is a buffer that is freed");
  std::vector<std::byte> gathered = view.isOneRun() ? std::vector<std::byte>() : view.gather();
  std::span<std::byte> bytes = view.isOneRun() ? view.bytes() : std::span(gathered);
  if (isWhatIsRead(op, binding, bytes, expected))
    return success();
  Tensor got = expected;
  got.data = reinterpret_cast<char *>(bytes.data());
  std::optional<Difference> difference = differenceOf(got, expected, Bound());
  return fail(op, "operand " + Twine(binding) + " differs " + (difference ? difference->text : "in its bits"));
}

bool ReferenceMachine::reads(host::DispatchOp op, const Step &step) {
  if (splitName(step.op).first != op.getExecutable() ||
      op.getBindings().size() != step.operands.size() + step.results.size())
    return false;
  // The same op on another device may give another layout.
  for (auto [binding, result] : llvm::zip(op.getBindings().drop_front(step.operands.size()), step.results))
    if (buffer(binding).size != static_cast<int64_t>(result.byteCount()))
      return false;
  return llvm::all_of(llvm::enumerate(step.operands), [&](auto operand) {
    const host::BufferView &view = buffer(op.getBindings()[operand.index()]);
    size_t bytes = operand.value().byteCount();
    return view.size >= static_cast<int64_t>(bytes) &&
           (view.isOneRun() ? std::memcmp(view.bytes().data(), operand.value().data, bytes)
                            : std::memcmp(view.gather().data(), operand.value().data, bytes)) == 0;
  });
}

LogicalResult ReferenceMachine::checkShape(host::DispatchOp op, const Step &step) {
  if (splitName(step.op).first != op.getExecutable())
    return fail(op, "dispatch @" + op.getExecutable() + " where @" + step.op + " is due");
  if (op.getBindings().size() != step.operands.size() + step.results.size())
    return fail(op, Twine(op.getBindings().size()) + " bindings for " + Twine(step.operands.size()) + " operands and " +
                        Twine(step.results.size()) + " results");
  if (op.getConstants().size() != step.constants.size())
    return fail(op, "number of constants differs");
  for (auto [i, constant] : llvm::enumerate(op.getConstants()))
    if (integer(constant) != step.constants[i])
      return fail(op, "constant " + Twine(i) + " is " + Twine(integer(constant)) + ", expected " +
                          Twine(step.constants[i]));
  return success();
}

LogicalResult ReferenceMachine::dispatch(host::DispatchOp op) {
  const Step *step = steps.take([&](const Step &candidate) { return reads(op, candidate); });
  if (!step)
    return fail(op, "dispatch @" + op.getExecutable() + " where none is due");
  fault.step = step;
  if (failed(checkShape(op, *step)))
    return failure();
  size_t operands = step->operands.size();
  for (unsigned i = 0; i < op.getBindings().size(); ++i)
    if (failed(checkReach(op, op.getStream(), buffer(op.getBindings()[i]), op.writes(i))) ||
        (i < operands && op.reads(i) && failed(checkOperand(op, *step, i))))
      return failure();
  for (auto [i, result] : llvm::enumerate(step->results)) {
    const host::BufferView &view = buffer(op.getBindings()[operands + i]);
    if (failed(checkRoom(op, "binding " + Twine(operands + i), view.size, result)))
      return failure();
    if (view.storage->freed)
      return fail(op, "binding " + Twine(operands + i) + " is a buffer that is freed");
    if (view.isOneRun())
      std::memcpy(view.bytes().data(), result.data, result.byteCount());
    else
      view.scatter({reinterpret_cast<const std::byte *>(result.data), static_cast<size_t>(view.size)});
  }
  fault.step = nullptr;
  return success();
}

//===--- Runs ----------------------------------------------------------------------------------------------------===//

LogicalResult ReferenceMachine::run(ArrayRef<Tensor> inputs, std::vector<Tensor> &out) {
  SmallVector<Argument> arguments;
  for (auto [i, input] : llvm::enumerate(inputs.take_front(func.getArgumentsAttr().size())))
    arguments.push_back({storageOf(input, deviceOfArgument(i)), input.shape});
  if (failed(bindArguments(arguments)) || failed(host::ProgramRun(*this).run(func)) || failed(awaitResults()))
    return failure();
  for (auto [i, view] : llvm::enumerate(results)) {
    auto value = cast<host::ValueAttr>(func.getResultsAttr()[i]);
    out[i] = Tensor::allocate(reference::elementTypeOf(value.getType().getElementType()), shapes[i]);
    std::memcpy(out[i].data, view.bytes().data(), out[i].byteCount());
  }
  return settle();
}

static HostFault runIn(host::Session &session, host::FuncOp program, ArrayRef<Step> steps, bool inOrder,
                       ArrayRef<Tensor> inputs, std::vector<Tensor> &results) {
  results.assign(program.getResultsAttr().size(), Tensor());
  HostFault fault;
  Steps taken(steps, inOrder), none({}, true);
  // As floats NaN: memory that is read before it is written shows.
  session.fresh = session.freed = std::byte{0xff};
  std::vector<Tensor> nothing;
  if (auto bind = program->getParentOfType<ModuleOp>().lookupSymbol<host::FuncOp>(host::kBindFunction))
    if (failed(ReferenceMachine(bind, session, none, fault).run({}, nothing)))
      return fault;
  if (succeeded(ReferenceMachine(program, session, taken, fault).run(inputs, results)) && taken.left()) {
    fault.step = taken.left();
    fault.text = "dispatch @" + fault.step->op + " is missing";
  }
  return fault;
}

HostFault check::runHost(host::FuncOp program, ArrayRef<Step> steps, ArrayRef<Tensor> inputs,
                         std::vector<Tensor> &results) {
  bool inOrder = !program.walk([](host::StreamOp) { return WalkResult::interrupt(); }).wasInterrupted();
  host::Session session(std::nullopt);
  return runIn(session, program, steps, inOrder, inputs, results);
}

// Work is issued around collectives in an order of its own.
HostFault check::runHostRanks(host::FuncOp program, ArrayRef<std::vector<Step>> steps,
                              ArrayRef<std::vector<Tensor>> inputs, std::vector<std::vector<Tensor>> &results) {
  results.assign(inputs.size(), {});
  std::vector<HostFault> faults(inputs.size());
  host::World world(inputs.size(), std::nullopt);
  (void)world.run([&](unsigned rank) {
    host::Session session(std::nullopt);
    session.join(world, rank);
    faults[rank] = runIn(session, program, steps[rank], /*inOrder=*/false, inputs[rank], results[rank]);
    return success(faults[rank].text.empty() && !world.isEnding());
  });
  for (auto [rank, fault] : llvm::enumerate(faults))
    if (!fault.text.empty()) {
      fault.text = "on rank " + std::to_string(rank) + ": " + fault.text;
      return fault;
    }
  return {};
}
