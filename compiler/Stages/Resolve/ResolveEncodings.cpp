#include "compiler/Dialect/Encoding/IR/LayoutResolver.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Stages/Resolve/Passes.h"
#include "compiler/Target/LayoutResolvers.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_RESOLVEENCODINGS
#include "compiler/Stages/Resolve/Passes.h.inc"
} // namespace mlir::heddle

namespace {

// What the devices of a module answer, each question asked once.
class Answers {
public:
  Answers(ModuleOp module, StringRef resolver) : module(module), resolver(resolver) {}

  // The type on the device that the op runs on. Fails with a diagnostic at the op.
  FailureOr<Type> convert(Type type, Operation *op, device::GlobalOp device);

  // The device of an op, the module's default one without an affinity; null with a diagnostic when there is none.
  device::GlobalOp deviceOf(Operation *op);

private:
  FailureOr<encoding::LayoutResolver *> resolverOf(device::GlobalOp device);

  ModuleOp module;
  StringRef resolver;
  llvm::DenseMap<Operation *, std::unique_ptr<encoding::LayoutResolver>> resolvers;
  llvm::DenseMap<std::pair<Operation *, Type>, Type> known;
};

device::GlobalOp Answers::deviceOf(Operation *op) {
  auto affinity = op->getAttrOfType<device::AffinityAttr>(kAffinityAttr);
  auto device = affinity ? module.lookupSymbol<device::GlobalOp>(affinity.getDevice().getAttr())
                         : device::getDefaultDevice(module);
  if (!device && affinity)
    op->emitError() << "belongs on " << affinity.getDevice() << ", which is no device.global";
  else if (!device)
    op->emitError() << "has an encoded type, but the module has no device that could resolve it; run "
                       "devices-assign-targets first";
  return device;
}

FailureOr<encoding::LayoutResolver *> Answers::resolverOf(device::GlobalOp device) {
  std::unique_ptr<encoding::LayoutResolver> &entry = resolvers[device];
  if (!entry) {
    auto made = createLayoutResolver(device, resolver);
    if (failed(made))
      return failure();
    entry = std::move(*made);
  }
  return entry.get();
}

FailureOr<Type> Answers::convert(Type type, Operation *op, device::GlobalOp device) {
  auto tensor = cast<RankedTensorType>(type);
  if (isa<encoding::IdentityAttr>(tensor.getEncoding()))
    return Type(encoding::withoutEncoding(tensor));
  if (!encoding::isAbstract(tensor.getEncoding()))
    return type;
  if (Type answer = known.lookup({device, type}))
    return answer;
  FailureOr<encoding::LayoutResolver *> resolver = resolverOf(device);
  if (failed(resolver))
    return failure();
  encoding::Resolution answer = (*resolver)->resolve(tensor);
  if (answer.kind == encoding::Resolution::Unsupported) {
    InFlightDiagnostic error = op->emitError();
    error << "device @" << device.getSymName() << " cannot lay out " << type;
    if (auto dispatch = dyn_cast<flow::DispatchOp>(op))
      error << " of dispatch " << dispatch.getExecutableAttr();
    return error << ": " << answer.reason << "; --data-tiling=off compiles without layouts", failure();
  }
  return known[{device, type}] = encoding::withEncoding(
             tensor, answer.kind == encoding::Resolution::Layout ? Attribute(answer.layout) : Attribute());
}

// One use of an executable: the types of its bindings and results.
struct Version {
  SmallVector<Type> types;
  device::GlobalOp device;
  SmallVector<flow::DispatchOp> dispatches;
};

class ModuleResolver {
public:
  ModuleResolver(ModuleOp module, StringRef resolver) : module(module), symbols(module), answers(module, resolver) {}

  LogicalResult run();

private:
  LogicalResult collect(flow::DispatchOp dispatch);
  LogicalResult resolveExecutable(flow::ExecutableOp executable, ArrayRef<Version> versions);
  LogicalResult resolveBody(func::FuncOp function, device::GlobalOp device);
  LogicalResult resolveTypes(Operation *op, device::GlobalOp device);
  void lowerEncode(flow::EncodeOp op);
  flow::ExecutableOp getEncoder(flow::EncodeOp op);

  ModuleOp module;
  SymbolTable symbols;
  Answers answers;
  llvm::MapVector<Operation *, SmallVector<Version, 1>> versions; // of executables
  llvm::DenseMap<std::pair<Type, Type>, flow::ExecutableOp> encoders;
};

} // namespace

static bool isEncoded(Type type) { return encoding::isEncoded(type); }

// Whether anything in the function has an encoding.
static bool hasEncodings(func::FuncOp function) {
  if (llvm::any_of(function.getArgumentTypes(), isEncoded) || llvm::any_of(function.getResultTypes(), isEncoded))
    return true;
  return function
      .walk([](Operation *op) {
        return llvm::any_of(op->getResultTypes(), isEncoded) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult ModuleResolver::collect(flow::DispatchOp dispatch) {
  auto executable = symbols.lookup<flow::ExecutableOp>(dispatch.getExecutable());
  Version version;
  SmallVector<Type> types(dispatch.getBindings().getTypes());
  llvm::append_range(types, dispatch.getResultTypes());
  bool encoded = hasEncodings(executable.getFunction());
  if (encoded && !(version.device = answers.deviceOf(dispatch)))
    return failure();
  for (Type type : types) {
    FailureOr<Type> converted =
        isEncoded(type) ? answers.convert(type, dispatch, version.device) : FailureOr<Type>(type);
    if (failed(converted))
      return failure();
    version.types.push_back(*converted);
  }
  SmallVector<Version, 1> &list = versions[executable];
  auto same = llvm::find_if(list, [&](const Version &other) { return other.types == version.types; });
  if (same == list.end()) {
    list.push_back(std::move(version));
    same = std::prev(list.end());
  }
  same->dispatches.push_back(dispatch);
  return success();
}

// Sets the types of the op's results and of its regions' arguments.
LogicalResult ModuleResolver::resolveTypes(Operation *op, device::GlobalOp device) {
  auto resolve = [&](Value value) -> LogicalResult {
    if (!isEncoded(value.getType()))
      return success();
    device::GlobalOp on = device ? device : answers.deviceOf(op);
    FailureOr<Type> type = on ? answers.convert(value.getType(), op, on) : FailureOr<Type>();
    if (succeeded(type))
      value.setType(*type);
    return type;
  };
  for (Value result : op->getResults())
    if (failed(resolve(result)))
      return failure();
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (BlockArgument argument : block.getArguments())
        if (failed(resolve(argument)))
          return failure();
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
        elements && elements.getType() != constant.getType())
      constant.setValueAttr(elements.reshape(cast<ShapedType>(constant.getType())));
  return success();
}

LogicalResult ModuleResolver::resolveBody(func::FuncOp function, device::GlobalOp device) {
  if (!hasEncodings(function))
    return success();
  SmallVector<Operation *> changes;
  WalkResult walk = function.walk([&](Operation *op) {
    if (isa<encoding::SetOp, encoding::UnsetOp>(op))
      changes.push_back(op);
    return failed(resolveTypes(op, device)) ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  for (Operation *op : changes)
    if (op->getOperand(0).getType() == op->getResult(0).getType()) {
      op->getResult(0).replaceAllUsesWith(op->getOperand(0));
      op->erase();
    }
  if (function.isExternal())
    return success();
  SmallVector<Type> results(function.getResultTypes());
  function.walk([&](func::ReturnOp op) { results.assign(op.getOperandTypes().begin(), op.getOperandTypes().end()); });
  function.setType(FunctionType::get(function.getContext(), function.getBody().getArgumentTypes(), results));
  return success();
}

LogicalResult ModuleResolver::resolveExecutable(flow::ExecutableOp executable, ArrayRef<Version> uses) {
  // Copies first: they are made of what is not resolved yet.
  SmallVector<flow::ExecutableOp> copies{executable};
  OpBuilder builder(executable);
  for (size_t i = 1; i < uses.size(); ++i) {
    builder.setInsertionPointAfter(copies.back());
    auto copy = cast<flow::ExecutableOp>(builder.clone(*executable));
    func::FuncOp function = copy.getFunction();
    StringAttr name = builder.getStringAttr(executable.getSymName() + "_layout_" + Twine(i));
    copy.setSymNameAttr(name);
    name = symbols.insert(copy);
    function.setName(name);
    copies.push_back(copy);
    for (flow::DispatchOp dispatch : uses[i].dispatches)
      dispatch.setExecutableAttr(FlatSymbolRefAttr::get(name));
  }
  for (auto [copy, use] : llvm::zip_equal(copies, uses))
    if (failed(resolveBody(copy.getFunction(), use.device)))
      return failure();
  return success();
}

// The executable that writes a tensor in another layout.
flow::ExecutableOp ModuleResolver::getEncoder(flow::EncodeOp op) {
  auto from = cast<RankedTensorType>(op.getSource().getType()), to = cast<RankedTensorType>(op.getResult().getType());
  flow::ExecutableOp &executable = encoders[{from, to}];
  if (executable)
    return executable;
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  executable = flow::ExecutableOp::create(builder, op.getLoc(), ("encode_" + Twine(encoders.size() - 1)).str());
  StringAttr name = symbols.insert(executable);
  builder.setInsertionPointToStart(&executable.getBody().front());
  SmallVector<Type> inputs{from};
  inputs.append(op.getDims().size(), builder.getIndexType());
  auto function = func::FuncOp::create(builder, op.getLoc(), name, builder.getFunctionType(inputs, to));
  builder.setInsertionPointToStart(function.addEntryBlock());
  Value value = function.getArgument(0);
  if (from.getEncoding())
    value = encoding::UnsetOp::create(builder, op.getLoc(), encoding::withoutEncoding(from), value);
  if (to.getEncoding())
    value = encoding::SetOp::create(builder, op.getLoc(), to, value);
  func::ReturnOp::create(builder, op.getLoc(), value);
  return executable;
}

void ModuleResolver::lowerEncode(flow::EncodeOp op) {
  Value replacement = op.getSource();
  if (op.getSource().getType() != op.getResult().getType()) {
    OpBuilder builder(op);
    auto dispatch = flow::DispatchOp::create(builder, op.getLoc(), TypeRange(op.getResult().getType()),
                                             FlatSymbolRefAttr::get(getEncoder(op).getSymNameAttr()),
                                             ValueRange(op.getSource()), op.getDims(), op.getDims(), op.getDims());
    if (Attribute affinity = op->getAttr(kAffinityAttr))
      dispatch->setAttr(kAffinityAttr, affinity);
    else if (auto device = device::getDefaultDevice(module))
      dispatch->setAttr(kAffinityAttr,
                        device::AffinityAttr::get(op.getContext(), FlatSymbolRefAttr::get(device.getSymNameAttr())));
    replacement = dispatch.getOutputs().front();
  }
  op.getResult().replaceAllUsesWith(replacement);
  op.erase();
}

LogicalResult ModuleResolver::run() {
  SmallVector<flow::ExecutableOp> executables(module.getOps<flow::ExecutableOp>());
  SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
  for (func::FuncOp function : functions) {
    WalkResult walk = function.walk([&](flow::DispatchOp dispatch) {
      return failed(collect(dispatch)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return failure();
  }
  for (flow::ExecutableOp executable : executables) {
    auto uses = versions.find(executable);
    Version unused;
    if (failed(resolveExecutable(executable, uses == versions.end() ? ArrayRef(unused) : ArrayRef(uses->second))))
      return failure();
  }
  for (auto parameter : module.getOps<flow::ParameterOp>()) {
    if (!isEncoded(parameter.getType()))
      continue;
    device::GlobalOp device = answers.deviceOf(parameter);
    FailureOr<Type> type = device ? answers.convert(parameter.getType(), parameter, device) : FailureOr<Type>();
    if (failed(type))
      return failure();
    parameter.setType(cast<RankedTensorType>(*type));
  }
  SmallVector<flow::EncodeOp> encodes;
  for (func::FuncOp function : functions) {
    if (failed(resolveBody(function, {})))
      return failure();
    function.walk([&](flow::EncodeOp op) { encodes.push_back(op); });
  }
  llvm::for_each(encodes, [&](flow::EncodeOp op) { lowerEncode(op); });
  return success();
}

namespace {

struct ResolveEncodings : mlir::heddle::impl::ResolveEncodingsBase<ResolveEncodings> {
  using ResolveEncodingsBase::ResolveEncodingsBase;

  void runOnOperation() override {
    if (failed(ModuleResolver(getOperation(), resolver).run()))
      signalPassFailure();
  }
};

} // namespace
