// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/check/HostRun.h"

#include "tools/check/Fold.h"
#include "tools/check/Specialize.h"

#include "compiler/Dialect/Encoding/IR/PhysicalLayout.h"
#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Reference/Reference.h"
#include "heddle/contract/Draw.h"

#include "llvm/ADT/StringMap.h"

#include <algorithm>
#include <cstring>

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::check;
namespace contract = ::heddle::contract;

namespace {

struct Buffer {
  char *data = nullptr;
  int64_t bytes = 0;
};

class HostRun {
public:
  HostRun(host::FuncOp program, ArrayRef<Step> steps, std::vector<Tensor> &results)
      : program(program), steps(steps), results(results) {
    for (const Step &step : steps)
      order.push_back(&step);
    program.walk([&](host::StreamOp) { ++streams; });
  }

  HostFault run(ArrayRef<Tensor> inputs);

private:
  // Execution stops at the first fault.
  LogicalResult fail(Operation *op, const Twine &text);
  LogicalResult runBlock(Block &block);
  LogicalResult runOp(Operation &op);
  LogicalResult runScalar(Operation &op);
  LogicalResult runMemory(Operation &op);
  LogicalResult runDispatch(host::DispatchOp op);
  const Step &takeStep(host::DispatchOp op);
  bool reads(host::DispatchOp op, const Step &step); // whether it can be the step, by its operands and sizes
  LogicalResult checkOperand(host::DispatchOp op, const Step &step, unsigned binding);
  LogicalResult runReturn(host::ReturnOp op);
  LogicalResult runBinding();
  LogicalResult runIf(scf::IfOp op);
  LogicalResult runSwitch(scf::IndexSwitchOp op);
  LogicalResult runPack(host::PackOp op);
  LogicalResult runFor(scf::ForOp op);
  LogicalResult runWhile(scf::WhileOp op);
  LogicalResult finish(Operation *op, Operation *terminator, unsigned skip = 0);

  int64_t index(Value value) { return cast<IntegerAttr>(scalars.lookup(value)).getInt(); }
  void set(Value value, int64_t number) {
    scalars[value] = IntegerAttr::get(IndexType::get(value.getContext()), number);
  }
  Buffer allocate(int64_t bytes);
  // Null data when the range lies outside.
  Buffer slice(Buffer buffer, int64_t offset, int64_t bytes);
  void copyValues(ValueRange from, ValueRange to);

  host::FuncOp program;
  ArrayRef<Step> steps;
  std::vector<Tensor> &results;
  std::vector<const Step *> order; // as the steps were taken, then those left
  size_t nextStep = 0;
  unsigned streams = 1;
  llvm::DenseMap<Value, Attribute> scalars;
  llvm::DenseMap<Value, Buffer> buffers;
  llvm::StringMap<std::pair<Attribute, Buffer>> bound; // by host.bind
  std::vector<Tensor> storage;                         // keeps every allocation alive to the end of the run
  HostFault fault;
};

// Never zero, and NaN as floats: memory that is read before it is written shows.
constexpr unsigned char kPoison = 0xff;

} // namespace

LogicalResult HostRun::fail(Operation *op, const Twine &text) {
  fault.text = (text + " at " + op->getName().getStringRef()).str();
  return failure();
}

Buffer HostRun::allocate(int64_t bytes) {
  storage.push_back(Tensor::allocate(contract::ElementType::U8, {bytes}));
  std::memset(storage.back().data, kPoison, bytes);
  return {storage.back().data, bytes};
}

Buffer HostRun::slice(Buffer buffer, int64_t offset, int64_t bytes) {
  if (!buffer.data || offset < 0 || bytes < 0 || offset > buffer.bytes || bytes > buffer.bytes - offset)
    return {};
  return {buffer.data + offset, bytes};
}

void HostRun::copyValues(ValueRange from, ValueRange to) {
  SmallVector<std::pair<Attribute, Buffer>> values; // all read before any is written
  for (Value value : from)
    values.push_back({scalars.lookup(value), buffers.lookup(value)});
  for (auto [value, target] : llvm::zip(values, to)) {
    scalars[target] = value.first;
    buffers[target] = value.second;
  }
}

LogicalResult HostRun::runBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(runOp(op)))
      return failure();
  return success();
}

LogicalResult HostRun::finish(Operation *op, Operation *terminator, unsigned skip) {
  copyValues(terminator->getOperands().drop_front(skip), op->getResults());
  return success();
}

LogicalResult HostRun::runIf(scf::IfOp op) {
  Region &taken = cast<IntegerAttr>(scalars.lookup(op.getCondition())).getValue().isZero() ? op.getElseRegion()
                                                                                           : op.getThenRegion();
  if (taken.empty())
    return success();
  if (failed(runBlock(taken.front())))
    return failure();
  return finish(op, taken.front().getTerminator());
}

LogicalResult HostRun::runSwitch(scf::IndexSwitchOp op) {
  const int64_t *taken = llvm::find(op.getCases(), index(op.getArg()));
  Region &region =
      taken == op.getCases().end() ? op.getDefaultRegion() : op.getCaseRegions()[taken - op.getCases().begin()];
  return failed(runBlock(region.front())) ? failure() : finish(op, region.front().getTerminator());
}

// As the loader does it.
LogicalResult HostRun::runPack(host::PackOp op) {
  auto parameter = SymbolTable::lookupNearestSymbolFrom<flow::ParameterOp>(op, op.getParameterAttr());
  FailureOr<Tensor> rows = parameter ? reference::tensorOf(parameter.getValue()) : FailureOr<Tensor>();
  if (failed(rows))
    return fail(op, "cannot read parameter");
  auto layout = cast<encoding::LayoutAttr>(op.getLayout());
  auto type = encoding::withEncoding(cast<RankedTensorType>(parameter.getType()), layout);
  size_t width = contract::byteSize(rows->type);
  Buffer packed = allocate(encoding::getPhysicalType(type).getNumElements() * width);
  std::string reason =
      contract::packBytes(encoding::toTiling(layout), width, {type.getShape().data(), type.getShape().size()},
                          std::as_bytes(std::span(rows->data, rows->byteCount())),
                          std::as_writable_bytes(std::span(packed.data, packed.bytes)));
  if (!reason.empty())
    return fail(op, reason);
  buffers[op.getResult()] = packed;
  return success();
}

LogicalResult HostRun::runFor(scf::ForOp op) {
  copyValues(op.getInitArgs(), op.getRegionIterArgs());
  int64_t upper = index(op.getUpperBound()), step = index(op.getStep());
  for (int64_t i = index(op.getLowerBound()); i < upper; i += step) {
    set(op.getInductionVar(), i);
    if (failed(runBlock(*op.getBody())))
      return failure();
    copyValues(op.getBody()->getTerminator()->getOperands(), op.getRegionIterArgs());
  }
  copyValues(op.getRegionIterArgs(), op.getResults());
  return success();
}

LogicalResult HostRun::runWhile(scf::WhileOp op) {
  copyValues(op.getInits(), op.getBeforeArguments());
  for (;;) {
    if (failed(runBlock(*op.getBeforeBody())))
      return failure();
    scf::ConditionOp condition = op.getConditionOp();
    if (cast<IntegerAttr>(scalars.lookup(condition.getCondition())).getValue().isZero())
      return finish(op, condition, 1);
    copyValues(condition.getArgs(), op.getAfterArguments());
    if (failed(runBlock(*op.getAfterBody())))
      return failure();
    copyValues(op.getYieldOp().getOperands(), op.getBeforeArguments());
  }
}

LogicalResult HostRun::runScalar(Operation &op) {
  if (auto alternative = dyn_cast<host::AlternativeOp>(op)) {
    auto device = SymbolTable::lookupNearestSymbolFrom<device::GlobalOp>(&op, alternative.getDeviceAttr());
    return set(alternative, device ? chooseAlternative(device) : 0), success();
  }
  if (isa<host::QueryOp>(op))
    return set(op.getResult(0), reference::kUnits), success();
  if (auto same = dyn_cast<host::SameOp>(op)) {
    scalars[same] = BoolAttr::get(op.getContext(), same.getLhs() == same.getRhs());
    return success();
  }
  SmallVector<Attribute> operands;
  for (Value operand : op.getOperands())
    operands.push_back(scalars.lookup(operand));
  FailureOr<SmallVector<Attribute>> values = fold(&op, operands);
  if (failed(values))
    return fail(&op, "cannot evaluate");
  for (auto [result, value] : llvm::zip(op.getResults(), *values))
    scalars[result] = value;
  return success();
}

LogicalResult HostRun::runMemory(Operation &op) {
  if (auto parameter = dyn_cast<host::ParameterOp>(op)) {
    auto found = SymbolTable::lookupNearestSymbolFrom<flow::ParameterOp>(&op, parameter.getParameterAttr());
    FailureOr<Tensor> value = found ? reference::tensorOf(found.getValue()) : FailureOr<Tensor>();
    if (failed(value))
      return fail(&op, "cannot read parameter");
    storage.push_back(*value);
    buffers[parameter] = {value->data, static_cast<int64_t>(value->byteCount())};
  } else if (isa<host::ResultOp, host::SlabOp, host::AllocOp>(op)) {
    int64_t bytes = index(op.getOperand(0));
    if (bytes < 0)
      return fail(&op, "negative size");
    buffers[op.getResult(0)] = allocate(bytes);
  } else if (auto release = dyn_cast<host::FreeOp>(op)) {
    Buffer buffer = buffers.lookup(release.getBuffer());
    std::memset(buffer.data, kPoison, buffer.bytes);
  } else if (auto view = dyn_cast<host::ViewOp>(op)) {
    Buffer made = slice(buffers.lookup(view.getSource()), index(view.getOffset()), index(view.getSize()));
    if (!made.data)
      return fail(&op, "view outside its buffer");
    buffers[view] = made;
  } else if (auto copy = dyn_cast<host::CopyOp>(op)) {
    int64_t bytes = index(copy.getSize());
    Buffer to = slice(buffers.lookup(copy.getTarget()), index(copy.getTargetOffset()), bytes);
    Buffer from = slice(buffers.lookup(copy.getSource()), index(copy.getSourceOffset()), bytes);
    if (!to.data || !from.data)
      return fail(&op, "copy outside its buffers");
    std::memmove(to.data, from.data, bytes);
  } else if (auto fill = dyn_cast<host::FillOp>(op)) {
    Buffer to = slice(buffers.lookup(fill.getTarget()), index(fill.getOffset()), index(fill.getSize()));
    if (!to.data)
      return fail(&op, "fill outside its buffer");
    uint64_t pattern = index(fill.getPattern());
    for (int64_t i = 0; i < to.bytes; ++i)
      to.data[i] = static_cast<char>(pattern >> (8 * (i % fill.getPatternBytes())));
  }
  return success();
}

static int64_t loadScalar(const char *from, Type type) {
  Tensor scalar;
  scalar.type = reference::elementTypeOf(type);
  scalar.data = const_cast<char *>(from);
  return scalar.type == contract::ElementType::I64 ? *scalar.elements<int64_t>().data()
                                                   : static_cast<int64_t>(scalar.asDouble(0));
}

LogicalResult HostRun::runOp(Operation &op) {
  if (auto dispatch = dyn_cast<host::DispatchOp>(op))
    return runDispatch(dispatch);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return runIf(branch);
  if (auto branch = dyn_cast<scf::IndexSwitchOp>(op))
    return runSwitch(branch);
  if (auto pack = dyn_cast<host::PackOp>(op))
    return runPack(pack);
  if (auto select = dyn_cast<arith::SelectOp>(op); select && isa<host::BufferType>(select.getType())) {
    bool taken = !cast<IntegerAttr>(scalars.lookup(select.getCondition())).getValue().isZero();
    buffers[select] = buffers.lookup(taken ? select.getTrueValue() : select.getFalseValue());
    return success();
  }
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return runFor(loop);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return runWhile(loop);
  if (auto check = dyn_cast<host::CheckOp>(op))
    return cast<IntegerAttr>(scalars.lookup(check.getCondition())).getValue().isZero()
               ? fail(&op, "failed check \"" + check.getMessage() + "\"")
               : success();
  if (auto read = dyn_cast<host::ReadOp>(op)) {
    int64_t bytes = contract::byteSize(reference::elementTypeOf(read.getType()));
    Buffer from = slice(buffers.lookup(read.getSource()), index(read.getOffset()), bytes);
    if (!from.data)
      return fail(&op, "read outside its buffer");
    set(read.getResult(), loadScalar(from.data, read.getType()));
    return success();
  }
  if (auto bind = dyn_cast<host::BindOp>(op)) {
    bound[bind.getName()] = {scalars.lookup(bind.getValue()), buffers.lookup(bind.getValue())};
    return success();
  }
  if (auto use = dyn_cast<host::BoundOp>(op)) {
    auto found = bound.find(use.getName());
    if (found == bound.end())
      return fail(&op, "nothing is bound to \"" + use.getName() + "\"");
    std::tie(scalars[use], buffers[use]) = found->second;
    return success();
  }
  // In program order on one thread every stream is in step; what VerifyHost proves is not tested here.
  if (isa<host::StreamOp, host::RecordOp, host::WaitOp, host::AwaitOp>(op))
    return success();
  if (isa<host::ParameterOp, host::ResultOp, host::SlabOp, host::AllocOp, host::FreeOp, host::ViewOp, host::CopyOp,
          host::FillOp>(op))
    return runMemory(op);
  return runScalar(op);
}

LogicalResult HostRun::checkOperand(host::DispatchOp op, const Step &step, unsigned binding) {
  const Tensor &expected = step.operands[binding];
  Buffer buffer = buffers.lookup(op.getBindings()[binding]);
  int64_t bytes = expected.byteCount();
  if (!buffer.data || buffer.bytes < bytes)
    return fail(op, "binding " + Twine(binding) + " has " + Twine(buffer.bytes) + " bytes for " + spell(expected));
  if (std::memcmp(buffer.data, expected.data, bytes) == 0)
    return success();
  Tensor got = expected;
  got.data = buffer.data;
  std::optional<Difference> difference = differenceOf(got, expected, Bound());
  return fail(op, "operand " + Twine(binding) + " differs " + (difference ? difference->text : "in its bits"));
}

// The next step; with several streams, whose work is issued in any order that events allow, the first one left that the
// dispatch can be.
const Step &HostRun::takeStep(host::DispatchOp op) {
  if (streams > 1)
    for (size_t i = nextStep; i < steps.size(); ++i)
      if (splitName(order[i]->op).first == op.getExecutable() && reads(op, *order[i])) {
        std::rotate(order.begin() + nextStep, order.begin() + i, order.begin() + i + 1);
        break;
      }
  return *order[nextStep++];
}

bool HostRun::reads(host::DispatchOp op, const Step &step) {
  if (op.getBindings().size() != step.operands.size() + step.results.size())
    return false;
  // The same op on another device may give another layout.
  for (auto [buffer, result] : llvm::zip(op.getBindings().drop_front(step.operands.size()), step.results))
    if (buffers.lookup(buffer).bytes != static_cast<int64_t>(result.byteCount()))
      return false;
  return llvm::all_of(llvm::enumerate(step.operands), [&](auto operand) {
    Buffer buffer = buffers.lookup(op.getBindings()[operand.index()]);
    int64_t bytes = operand.value().byteCount();
    return buffer.data && buffer.bytes >= bytes && std::memcmp(buffer.data, operand.value().data, bytes) == 0;
  });
}

LogicalResult HostRun::runDispatch(host::DispatchOp op) {
  if (nextStep == steps.size())
    return fail(op, "dispatch @" + op.getExecutable() + " where none is due");
  const Step &step = takeStep(op);
  fault.step = &step;
  if (splitName(step.op).first != op.getExecutable())
    return fail(op, "dispatch @" + op.getExecutable() + " where @" + step.op + " is due");
  size_t operands = step.operands.size();
  if (op.getBindings().size() != operands + step.results.size())
    return fail(op, Twine(op.getBindings().size()) + " bindings for " + Twine(operands) + " operands and " +
                        Twine(step.results.size()) + " results");
  if (op.getConstants().size() != step.constants.size())
    return fail(op, "number of constants differs");
  for (auto [i, constant] : llvm::enumerate(op.getConstants()))
    if (index(constant) != step.constants[i])
      return fail(op,
                  "constant " + Twine(i) + " is " + Twine(index(constant)) + ", expected " + Twine(step.constants[i]));
  for (unsigned i = 0; i < operands; ++i)
    if (op.reads(i) && failed(checkOperand(op, step, i)))
      return failure();
  for (auto [i, result] : llvm::enumerate(step.results)) {
    Buffer buffer = buffers.lookup(op.getBindings()[operands + i]);
    int64_t bytes = result.byteCount();
    if (!buffer.data || buffer.bytes < bytes)
      return fail(op, "binding " + Twine(operands + i) + " has " + Twine(buffer.bytes) + " bytes for " + spell(result));
    std::memcpy(buffer.data, result.data, bytes);
  }
  fault.step = nullptr;
  return success();
}

LogicalResult HostRun::runReturn(host::ReturnOp op) {
  auto sizes = op.getSizes().begin();
  for (auto [i, value] : llvm::enumerate(program.getResultsAttr().getAsRange<host::ValueAttr>())) {
    SmallVector<int64_t> shape;
    for (int64_t d = 0; d < value.getType().getRank(); ++d)
      shape.push_back(index(*sizes++));
    Tensor result = Tensor::allocate(reference::elementTypeOf(value.getType().getElementType()), shape);
    Buffer buffer = buffers.lookup(op.getBuffers()[i]);
    if (!buffer.data || buffer.bytes < static_cast<int64_t>(result.byteCount()))
      return fail(op, "result " + Twine(i) + " has " + Twine(buffer.bytes) + " bytes for " + spell(result));
    std::memcpy(result.data, buffer.data, result.byteCount());
    results[i] = result;
  }
  return success();
}

LogicalResult HostRun::runBinding() {
  auto binding = program->getParentOfType<ModuleOp>().lookupSymbol<host::FuncOp>(host::kBindFunction);
  return binding ? runBlock(binding.getBody().front()) : success();
}

HostFault HostRun::run(ArrayRef<Tensor> inputs) {
  results.assign(program.getResultsAttr().size(), Tensor());
  llvm::StringMap<int64_t> sizes;
  for (auto [i, value] : llvm::enumerate(program.getArgumentsAttr().getAsRange<host::ValueAttr>())) {
    buffers[program.getBufferArgument(i)] = {inputs[i].data, static_cast<int64_t>(inputs[i].byteCount())};
    for (auto [d, name] : llvm::enumerate(value.getDims().getAsRange<StringAttr>()))
      if (!name.empty())
        sizes[name] = inputs[i].shape[d];
  }
  for (auto [i, symbol] : llvm::enumerate(program.getSymbolsAttr().getAsRange<StringAttr>()))
    set(program.getSymbol(i),
        symbol.getValue() == ::heddle::contract::kDrawnSymbol ? ::heddle::contract::drawnNumber(0, 0) : sizes[symbol]);
  Block &body = program.getBody().front();
  if (succeeded(runBinding()) && succeeded(runBlock(body)) &&
      succeeded(runReturn(cast<host::ReturnOp>(body.getTerminator()))) && nextStep != steps.size()) {
    fault.step = order[nextStep];
    fault.text = "dispatch @" + fault.step->op + " is missing";
  }
  return fault;
}

HostFault check::runHost(host::FuncOp program, ArrayRef<Step> steps, ArrayRef<Tensor> inputs,
                         std::vector<Tensor> &results) {
  return HostRun(program, steps, results).run(inputs);
}
