// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Host/Interpreter/FakeMachine.h"

#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Dialect/Host/Interpreter/FakeKernels.h"
#include "compiler/Dialect/Host/Interpreter/ProgramRun.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::host;

std::string FakeMachine::deviceNamed(StringRef symbol) const {
  if (options.oneDevice)
    return "";
  // As many steps as there are fallbacks, so that a cycle ends.
  std::string name = symbol.str();
  for (size_t step = 0; step < options.fallbacks.size(); ++step)
    if (auto found = options.fallbacks.find(name); found != options.fallbacks.end())
      name = found->second;
  return name;
}

FailureOr<std::shared_ptr<Storage>> FakeMachine::storageOf(Operation *op, ElementsAttr value, StringRef device) {
  auto bytes = constants.of(value, op);
  if (failed(bytes))
    return failure();
  std::shared_ptr<Storage> storage = session.allocate(device, bytes->size());
  std::copy(bytes->begin(), bytes->end(), storage->bytes.begin());
  return storage;
}

FailureOr<BufferView> FakeMachine::parameter(Operation *op, FlatSymbolRefAttr name, FlatSymbolRefAttr device) {
  auto value = SymbolTable::lookupNearestSymbolFrom<flow::ParameterOp>(op, name);
  if (!value)
    return LogicalResult(fail(op, "names no flow.parameter"));
  auto storage = storageOf(op, value.getValue(), deviceNamed(device.getValue()));
  if (failed(storage))
    return failure();
  return BufferView{*storage, 0, static_cast<int64_t>((*storage)->bytes.size())};
}

LogicalResult FakeMachine::dispatch(DispatchOp op) {
  auto executable = SymbolTable::lookupNearestSymbolFrom<flow::ExecutableOp>(op, op.getExecutableAttr());
  auto kernel = executable->getAttrOfType<StringAttr>("host.fake");
  if (!kernel)
    return op.emitOpError() << "runs " << op.getExecutableAttr() << ", which names no fake kernel (host.fake)";
  SmallVector<BufferView> uses = llvm::map_to_vector(op.getBindings(), [&](Value value) { return buffer(value); });
  for (auto [i, use] : llvm::enumerate(uses))
    if (failed(checkReach(op, op.getStream(), use, op.writes(i))))
      return failure();
  SmallVector<int64_t> scalars = llvm::map_to_vector(op.getConstants(), [&](Value value) { return integer(value); });
  SmallVector<bool> written =
      llvm::map_to_vector(llvm::seq<unsigned>(0, uses.size()), [&](unsigned binding) { return op.writes(binding); });
  return issue(op, op.getStream(), uses, [=, name = kernel.str()] {
    // Kernels that know a stride are stood for by those that see the runs side by side.
    std::vector<std::vector<std::byte>> gathered(uses.size());
    SmallVector<std::span<std::byte>> bindings;
    for (auto [use, bytes] : llvm::zip_equal(uses, gathered)) {
      if (!use.isOneRun())
        bytes = use.gather();
      bindings.push_back(use.isOneRun() ? use.bytes() : std::span(bytes));
    }
    std::string error = runFakeKernel(name, bindings, scalars);
    for (auto [use, bytes, writes] : llvm::zip_equal(uses, gathered, written))
      if (!use.isOneRun() && writes)
        use.scatter(bytes);
    return error;
  });
}

LogicalResult FakeMachine::bindInputs(ArrayRef<ElementsAttr> inputs) {
  if (inputs.size() != func.getArgumentsAttr().size())
    return func.emitOpError() << "takes " << func.getArgumentsAttr().size() << " arguments, host.inputs gives "
                              << inputs.size();
  SmallVector<Argument> arguments;
  for (auto [i, input] : llvm::enumerate(inputs)) {
    RankedTensorType type = cast<ValueAttr>(func.getArgumentsAttr()[i]).getType();
    ArrayRef<int64_t> shape = input.getShapedType().getShape();
    if (failed(verifyCompatibleShape(type.getShape(), shape)) || input.getElementType() != type.getElementType())
      return func.emitOpError() << "takes " << type << " as argument " << i << ", host.inputs gives "
                                << input.getShapedType();
    auto storage = storageOf(func, input, deviceOfArgument(i));
    if (failed(storage))
      return failure();
    arguments.push_back({*storage, llvm::to_vector(shape)});
  }
  return bindArguments(arguments);
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

std::string FakeMachine::describeResults() {
  std::string text;
  llvm::raw_string_ostream out(text);
  for (auto [i, result] : llvm::enumerate(results)) {
    auto value = cast<ValueAttr>(func.getResultsAttr()[i]);
    out << (i ? ", " : "");
    print(value.getName(), value.getType(), shapes[i], result, out);
  }
  return text;
}

FailureOr<std::string> FakeMachine::run(ArrayRef<ElementsAttr> inputs) {
  constexpr int64_t kMostTrips = 100000;
  auto others = [this] {
    session.queues.runSome();
    if (session.world)
      session.world->pause();
  };
  ProgramRun program(*this, others, kMostTrips);
  if (failed(bindInputs(inputs)) || (failed(program.run(func)) && stopped.empty()) || failed(awaitResults()))
    return failure();
  // What other streams still do comes too late for the results.
  std::string outcome = session.queues.failure().empty() ? describeResults() : "";
  if (failed(settle()))
    return failure();
  return stopped.empty() ? outcome : "fails: " + stopped;
}
