// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Analysis/StorageBytes.h"
#include "compiler/Dialect/Encoding/Transforms/Retype.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Stages/Resolve/Passes.h"
#include "compiler/Stages/Resolve/ResolveExecutables.h"
#include "compiler/Stages/Resolve/ValueDevices.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_RESOLVEENCODINGS
#include "compiler/Stages/Resolve/Passes.h.inc"
} // namespace mlir::heddle

namespace {

class ModuleResolver {
public:
  ModuleResolver(ModuleOp module, StringRef resolver)
      : module(module), hasSeveralDevices(llvm::range_size(module.getOps<device::GlobalOp>()) > 1), devices(module),
        layouts(module, resolver), versions(module, layouts) {}

  LogicalResult run();

private:
  LogicalResult collect(func::FuncOp function);
  LogicalResult splitLoads(func::FuncOp function);
  LogicalResult resolveParameters();
  LogicalResult resolveTransfer(flow::TransferOp op);
  LogicalResult fitOperands(Operation *op);
  LogicalResult resolveFunction(func::FuncOp function);
  void lowerEncode(flow::EncodeOp op);
  flow::ExecutableOp getEncoder(flow::EncodeOp op, RankedTensorType from, RankedTensorType to);

  ModuleOp module;
  bool hasSeveralDevices;
  ValueDevices devices;
  DeviceLayouts layouts;
  ExecutableVersions versions;
  llvm::DenseMap<Value, device::GlobalOp> deviceOf; // of encoded values, before anything changes
  llvm::MapVector<StringAttr, SmallVector<flow::ParameterLoadOp>> loads;
  llvm::DenseMap<std::pair<Type, Type>, flow::ExecutableOp> encoders;
};

device::AffinityAttr affinityTo(device::GlobalOp device) {
  return device::AffinityAttr::get(device.getContext(), FlatSymbolRefAttr::get(device.getSymNameAttr()));
}

} // namespace

static bool isEncoded(Type type) { return encoding::isEncoded(type); }

//===--- What is where -------------------------------------------------------------------------------------------===//

// A parameter that several devices use is loaded on each.
LogicalResult ModuleResolver::splitLoads(func::FuncOp function) {
  SmallVector<flow::ParameterLoadOp> found;
  function.walk([&](flow::ParameterLoadOp load) {
    if (isEncoded(load.getType()))
      found.push_back(load);
  });
  for (flow::ParameterLoadOp load : found) {
    loads[load.getParameterAttr().getAttr()].push_back(load);
    llvm::DenseMap<Operation *, SmallVector<OpOperand *>> uses;
    if (!load->hasAttr(kAffinityAttr))
      for (OpOperand &use : load.getResult().getUses()) {
        device::GlobalOp device = devices.ofUse(use);
        if (!device)
          return failure();
        uses[device].push_back(&use);
      }
    bool isFirst = true;
    OpBuilder builder(load);
    builder.setInsertionPointAfter(load);
    for (auto device : module.getOps<device::GlobalOp>()) {
      auto operands = uses.find(device);
      if (uses.size() < 2 || operands == uses.end())
        continue;
      flow::ParameterLoadOp mine = isFirst ? load : cast<flow::ParameterLoadOp>(builder.clone(*load));
      isFirst = false;
      mine->setAttr(kAffinityAttr, affinityTo(device));
      if (mine == load)
        continue;
      for (OpOperand *operand : operands->second)
        operand->set(mine.getResult());
      loads[mine.getParameterAttr().getAttr()].push_back(mine);
    }
  }
  return success();
}

LogicalResult ModuleResolver::collect(func::FuncOp function) {
  auto note = [&](Value value) -> LogicalResult {
    if (!isEncoded(value.getType()))
      return success();
    device::GlobalOp device = devices.of(value);
    deviceOf[value] = device;
    return success(device);
  };
  WalkResult walk = function.walk([&](Operation *op) -> WalkResult {
    for (Value result : op->getResults())
      if (failed(note(result)))
        return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          if (failed(note(argument)))
            return WalkResult::interrupt();
    auto dispatch = dyn_cast<flow::DispatchOp>(op);
    if (!dispatch || !versions.needsLayouts(versions.getSymbols().lookup<flow::ExecutableOp>(dispatch.getExecutable())))
      return WalkResult::advance();
    device::GlobalOp device = devices.ofOp(op);
    return device ? WalkResult(versions.add(dispatch, device)) : WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

//===--- Types ---------------------------------------------------------------------------------------------------===//

// One parameter for each layout that it is loaded in; the first keeps the name.
LogicalResult ModuleResolver::resolveParameters() {
  for (auto parameter : llvm::make_early_inc_range(module.getOps<flow::ParameterOp>())) {
    if (!isEncoded(parameter.getType()))
      continue;
    llvm::MapVector<Type, SmallVector<flow::ParameterLoadOp>> byType;
    for (flow::ParameterLoadOp load : loads.lookup(parameter.getSymNameAttr())) {
      FailureOr<Type> type = layouts.convert(parameter.getType(), deviceOf[load.getResult()], load);
      if (failed(type))
        return failure();
      byType[*type].push_back(load);
    }
    if (byType.empty()) {
      device::GlobalOp device = devices.ofOp(parameter);
      FailureOr<Type> type = device ? layouts.convert(parameter.getType(), device, parameter) : FailureOr<Type>();
      if (failed(type))
        return failure();
      byType[*type];
    }
    OpBuilder builder(parameter);
    builder.setInsertionPointAfter(parameter);
    parameter.setType(cast<RankedTensorType>(byType.front().first));
    for (auto [i, entry] : llvm::enumerate(llvm::drop_begin(byType))) {
      auto copy = cast<flow::ParameterOp>(builder.clone(*parameter));
      copy.setSymNameAttr(builder.getStringAttr(parameter.getSymName() + "_layout_" + Twine(i + 1)));
      copy.setPrivate();
      copy.setType(cast<RankedTensorType>(entry.first));
      StringAttr name = versions.getSymbols().insert(copy);
      for (flow::ParameterLoadOp load : entry.second)
        load.setParameterAttr(FlatSymbolRefAttr::get(name));
    }
  }
  return success();
}

// Bytes of a value on its way; none where they depend on a call.
static std::optional<int64_t> countBytes(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  if (!tensor.hasStaticShape() || (tensor.getEncoding() && !encoding::getLayout(tensor)))
    return std::nullopt;
  return tensorBytes(encoding::getPhysicalType(tensor));
}

// The producer's bytes cross and are laid out anew where they are used; rows cross where those are fewer bytes.
LogicalResult ModuleResolver::resolveTransfer(flow::TransferOp op) {
  device::GlobalOp source = deviceOf.lookup(op.getOperand()), target = deviceOf.lookup(op.getResult());
  Type type = op.getOperand().getType();
  FailureOr<Type> sent = layouts.convert(type, source, op), wanted = layouts.convert(type, target, op);
  if (failed(sent) || failed(wanted))
    return failure();
  if (*sent == *wanted)
    return success();
  OpBuilder builder(op);
  Type rows = encoding::withoutEncoding(cast<RankedTensorType>(type)), crossing = *sent;
  if (std::optional<int64_t> bytes = countBytes(*sent); bytes && *bytes > *countBytes(rows)) {
    auto unpack = flow::EncodeOp::create(builder, op.getLoc(), rows, op.getOperand(), op.getDims());
    unpack->setAttr(kAffinityAttr, affinityTo(source));
    op.getOperandMutable().assign(unpack.getResult());
    crossing = rows;
  }
  op.getResult().setType(cast<RankedTensorType>(crossing));
  if (crossing == *wanted)
    return success();
  builder.setInsertionPointAfter(op);
  auto encode = flow::EncodeOp::create(builder, op.getLoc(), *wanted, op.getResult(), op.getDims());
  encode->setAttr(kAffinityAttr, affinityTo(target));
  op.getResult().replaceAllUsesExcept(encode.getResult(), encode);
  return success();
}

// The value that control flow makes of one that a terminator hands on; null for any other operand.
static Value getTarget(OpOperand &operand) {
  Operation *op = operand.getOwner(), *parent = op->getParentOp();
  unsigned number = operand.getOperandNumber();
  if (isa<scf::ConditionOp>(op))
    return number == 0 ? Value() : cast<scf::WhileOp>(parent).getAfterArguments()[number - 1];
  if (!isa<scf::YieldOp>(op))
    return {};
  if (auto loop = dyn_cast<scf::WhileOp>(parent))
    return loop.getBeforeArguments()[number];
  return parent->getResult(number);
}

// What a device reads in another one's memory, without a transfer, it lays out anew for itself.
LogicalResult ModuleResolver::fitOperands(Operation *op) {
  if (!isa<flow::DispatchOp, flow::EncodeOp, scf::YieldOp, scf::ConditionOp>(op))
    return success();
  for (OpOperand &operand : op->getOpOperands()) {
    device::GlobalOp has = deviceOf.lookup(operand.get());
    if (!has)
      continue;
    Value target = getTarget(operand);
    device::GlobalOp needs = target ? deviceOf.lookup(target) : devices.ofUse(operand);
    if (needs == has)
      continue;
    FailureOr<Type> from = layouts.convert(operand.get().getType(), has, op);
    FailureOr<Type> to = needs ? layouts.convert(operand.get().getType(), needs, op) : FailureOr<Type>();
    if (failed(from) || failed(to))
      return failure();
    if (*from == *to)
      continue;
    OpBuilder builder(op);
    SmallVector<Value> dims;
    auto type = cast<RankedTensorType>(*from);
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (type.isDynamicDim(d))
        dims.push_back(tensor::DimOp::create(builder, op->getLoc(), operand.get(), d));
    auto encode = flow::EncodeOp::create(builder, op->getLoc(), *to, operand.get(), dims);
    encode->setAttr(kAffinityAttr, affinityTo(needs));
    operand.set(encode.getResult());
  }
  return success();
}

LogicalResult ModuleResolver::resolveFunction(func::FuncOp function) {
  if (hasSeveralDevices) {
    WalkResult walk = function.walk(
        [&](Operation *op) { return failed(fitOperands(op)) ? WalkResult::interrupt() : WalkResult::advance(); });
    if (walk.wasInterrupted())
      return failure();
  }
  SmallVector<flow::TransferOp> transfers;
  function.walk([&](flow::TransferOp op) {
    if (isEncoded(op.getResult().getType()))
      transfers.push_back(op);
  });
  for (flow::TransferOp op : transfers)
    if (failed(resolveTransfer(op)))
      return failure();
  return encoding::retype(function, [&](Value value, Operation *op) -> FailureOr<Type> {
    device::GlobalOp device = deviceOf.lookup(value); // null: made here, with its type
    return device ? layouts.convert(value.getType(), device, op) : FailureOr<Type>(value.getType());
  });
}

//===--- flow.encode ---------------------------------------------------------------------------------------------===//

// The executable that writes a tensor in another layout.
flow::ExecutableOp ModuleResolver::getEncoder(flow::EncodeOp op, RankedTensorType from, RankedTensorType to) {
  flow::ExecutableOp &executable = encoders[{from, to}];
  if (executable)
    return executable;
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  executable = flow::ExecutableOp::create(builder, op.getLoc(), ("encode_" + Twine(encoders.size() - 1)).str());
  StringAttr name = versions.getSymbols().insert(executable);
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
  // What was encoded and only that is encoded from what it was made of.
  while (auto inner = op.getSource().getDefiningOp<flow::EncodeOp>())
    op.getSourceMutable().assign(inner.getSource());
  Value replacement = op.getSource();
  RankedTensorType from = op.getSource().getType(), to = op.getResult().getType();
  if (from != to && !op.use_empty()) {
    OpBuilder builder(op);
    auto dispatch = flow::DispatchOp::create(builder, op.getLoc(), TypeRange(to),
                                             FlatSymbolRefAttr::get(getEncoder(op, from, to).getSymNameAttr()),
                                             ValueRange(op.getSource()), op.getDims(), op.getDims(), op.getDims());
    if (Attribute affinity = op->getAttr(kAffinityAttr))
      dispatch->setAttr(kAffinityAttr, affinity);
    else if (device::GlobalOp device =
                 deviceOf.lookup(op.getSource()) ? deviceOf.lookup(op.getSource()) : deviceOf.lookup(op.getResult()))
      dispatch->setAttr(kAffinityAttr, affinityTo(device));
    replacement = dispatch.getOutputs().front();
  }
  op.getResult().replaceAllUsesWith(replacement);
  op.erase();
}

LogicalResult ModuleResolver::run() {
  SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
  for (func::FuncOp function : functions)
    if (failed(splitLoads(function)) || failed(collect(function)))
      return failure();
  if (failed(versions.resolve()) || failed(resolveParameters()))
    return failure();
  SmallVector<flow::EncodeOp> encodes;
  for (func::FuncOp function : functions) {
    if (failed(resolveFunction(function)))
      return failure();
    function.walk([&](flow::EncodeOp op) { encodes.push_back(op); });
  }
  // Last ones first: of a chain only the last is left.
  for (flow::EncodeOp op : llvm::reverse(encodes))
    lowerEncode(op);
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
