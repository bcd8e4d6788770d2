// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Schedule/Program/Storages.h"

#include "compiler/Dialect/Flow/IR/FlowShardings.h"
#include "compiler/Dialect/Flow/Transforms/Updates.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::heddle;

// A loop over streams stays on the device of its dispatches.
static Attribute affinityOfLoop(Operation *loop) {
  Attribute affinity;
  loop->walk([&](flow::DispatchOp dispatch) {
    affinity = dispatch->getAttr(kAffinityAttr);
    return WalkResult::interrupt();
  });
  return affinity;
}

FlatSymbolRefAttr Storages::deviceOf(Value tensor, unsigned depth) {
  constexpr unsigned kDeepest = 1000;
  if (auto known = storage.find(tensor); known != storage.end() && known->second.device)
    return known->second.device;
  auto named = [&](Attribute affinity) {
    auto attribute = dyn_cast_if_present<device::AffinityAttr>(affinity);
    return attribute ? attribute.getDevice() : issue.getDefaultDevice();
  };
  if (depth > kDeepest)
    return issue.getDefaultDevice();
  if (auto argument = dyn_cast<BlockArgument>(tensor)) {
    unsigned index = argument.getArgNumber();
    Operation *parent = argument.getOwner()->getParentOp();
    if (parent->hasAttr(kStreamsAttr))
      return named(affinityOfLoop(parent));
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      return deviceOf(loop.getInitArgs()[index - 1], depth + 1);
    if (auto loop = dyn_cast<scf::WhileOp>(parent))
      return deviceOf(argument.getOwner() == loop.getBeforeBody() ? loop.getInits()[index]
                                                                  : loop.getConditionOp().getArgs()[index],
                      depth + 1);
    return named(parent == source ? source.getArgAttr(index, kAffinityAttr) : Attribute());
  }
  unsigned index = cast<OpResult>(tensor).getResultNumber();
  return llvm::TypeSwitch<Operation *, FlatSymbolRefAttr>(tensor.getDefiningOp())
      .Case([&](flow::TransferOp op) { return named(op.getAffinity()); })
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp, tensor::ExtractSliceOp, flow::BlockOp>(
          [&](Operation *op) { return deviceOf(op->getOperand(0), depth + 1); })
      .Case([&](flow::CollectiveOpInterface op) { return deviceOf(op.getOperand(), depth + 1); })
      .Case([&](tensor::InsertSliceOp op) { return deviceOf(op.getDest(), depth + 1); })
      .Case([&](scf::ForOp op) {
        return op->hasAttr(kStreamsAttr) ? named(affinityOfLoop(op)) : deviceOf(op.getInitArgs()[index], depth + 1);
      })
      .Case([&](scf::WhileOp op) { return deviceOf(op.getConditionOp().getArgs()[index], depth + 1); })
      .Case([&](scf::IfOp op) { return deviceOf(op.thenYield().getOperand(index), depth + 1); })
      .Case<tensor::EmptyOp, tensor::FromElementsOp>([&](Operation *op) {
        FailureOr<FlatSymbolRefAttr> device = deviceOfMade(op);
        return succeeded(device) ? *device : issue.getDefaultDevice();
      })
      .Default([&](Operation *op) { return named(op->getAttr(kAffinityAttr)); });
}

FailureOr<FlatSymbolRefAttr> Storages::deviceOfMade(Operation *op) {
  if (Attribute affinity = op->getAttr(kAffinityAttr))
    return issue.deviceFrom(op, affinity);
  for (Operation *user : op->getResult(0).getUsers())
    if (isa<flow::DispatchOp>(user))
      return issue.deviceFrom(user, user->getAttr(kAffinityAttr));
  return issue.getDefaultDevice();
}

SmallVector<FlatSymbolRefAttr> Storages::devicesOf(ValueRange values) {
  return llvm::map_to_vector(
      values, [&](Value value) { return isa<TensorType>(value.getType()) ? deviceOf(value) : FlatSymbolRefAttr(); });
}

Value Storages::findWritten(Value tensor) {
  while (Operation *op = tensor.getDefiningOp()) {
    if (auto part = dyn_cast<tensor::InsertSliceOp>(op); part && flow::isFill(part)) {
      tensor = flow::findMemory(part);
      continue;
    }
    bool isSame = isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(op) ||
                  (isa<flow::TransferOp>(op) && deviceOf(op->getOperand(0)) == deviceOf(tensor));
    if (!isSame)
      break;
    tensor = op->getOperand(0);
  }
  return tensor;
}

Value Storages::destination(Value tensor, ArrayRef<Value> dims, FlatSymbolRefAttr device) {
  if (Value target = targetOf.lookup(tensor))
    return target;
  auto index = resultOf.find(tensor);
  if (index == resultOf.end())
    return allocate(tensor, dims, device);
  Value bytes = scalars.byteSize(cast<RankedTensorType>(tensor.getType()), dims);
  return resultBuffers[index->second] = host::ResultOp::create(
             scalars.builder, scalars.loc, scalars.builder.getI32IntegerAttr(index->second), device, bytes);
}

Value Storages::allocate(Value tensor, ArrayRef<Value> dims, FlatSymbolRefAttr device) {
  return host::AllocOp::create(scalars.builder, scalars.loc, device,
                               scalars.byteSize(cast<RankedTensorType>(tensor.getType()), dims));
}

FailureOr<Value> Storages::bufferOn(Operation *op, Value tensor, FlatSymbolRefAttr device) {
  const Storage &entry = storage[tensor];
  if (entry.device == device)
    return entry.buffer;
  Value buffer = issue.parameterOn(entry.buffer, device);
  if (buffer != entry.buffer || issue.readsInPlace(entry.device, device))
    return buffer;
  return op->emitOpError() << "runs on " << device << " and reads a value of " << entry.device
                           << "; bring it there by a flow.transfer",
         failure();
}

void Storages::copy(Value target, Value tensor, FlatSymbolRefAttr device, int64_t queue) {
  const Storage &from = storage[tensor];
  Value bytes = scalars.byteSize(cast<RankedTensorType>(tensor.getType()), from.dims);
  host::CopyOp::create(scalars.builder, scalars.loc, issue.stream(device, queue), target, scalars.constant(0),
                       issue.parameterOn(from.buffer, device), scalars.constant(0), bytes);
}

void Storages::checkSizes(const Storage &value, const Storage &target) {
  for (auto [have, want] : llvm::zip_equal(value.dims, target.dims)) {
    if (have == want || (getConstantIntValue(have) && getConstantIntValue(have) == getConstantIntValue(want)))
      continue;
    Value same = arith::CmpIOp::create(scalars.builder, scalars.loc, arith::CmpIPredicate::eq, have, want);
    host::CheckOp::create(scalars.builder, scalars.loc, same,
                          scalars.builder.getStringAttr("a tensor that a loop carries changed its size"));
  }
}

// The buffers that one may be, through views and through transfers that may turn out to be their source.
static SmallVector<Value> rootsOf(Value buffer) {
  SetVector<Value> open;
  open.insert(buffer);
  SmallVector<Value> roots;
  for (size_t i = 0; i < open.size(); ++i) {
    Value value = open[i];
    if (auto view = value.getDefiningOp<host::ViewOp>()) {
      open.insert(view.getSource());
    } else if (auto choice = value.getDefiningOp<arith::SelectOp>()) {
      open.insert(choice.getTrueValue());
      open.insert(choice.getFalseValue());
    } else {
      roots.push_back(value);
    }
  }
  return roots;
}

void Storages::copyToTargets(ValueRange values, ArrayRef<Storage> targets) {
  SmallVector<std::tuple<Value, Value, Value, FlatSymbolRefAttr>> copies; // target, source buffer, bytes, device
  auto isTarget = [&](Value buffer) {
    return llvm::any_of(targets, [&](const Storage &target) { return target.buffer == buffer; });
  };
  for (auto [value, target] : llvm::zip_equal(values, targets)) {
    if (!target.buffer || storage[value].buffer == target.buffer)
      continue;
    checkSizes(storage[value], target);
    Value buffer = issue.parameterOn(storage[value].buffer, target.device);
    if (llvm::any_of(rootsOf(buffer), isTarget)) {
      Value own = allocate(value, storage[value].dims, target.device);
      copy(own, value, target.device);
      buffer = own;
    }
    copies.push_back(
        {target.buffer, buffer, scalars.byteSize(cast<RankedTensorType>(value.getType()), target.dims), target.device});
  }
  for (auto [target, source, bytes, device] : copies)
    host::CopyOp::create(scalars.builder, scalars.loc, issue.stream(device), target, scalars.constant(0), source,
                         scalars.constant(0), bytes);
}
