// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of HostProgramBuilder that knows on which device things are, and how they get to another one.
#include "compiler/Stages/Schedule/HostProgramBuilder.h"

#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Stages/Schedule/DeviceIdentity.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::heddle;

// The device that an affinity names; the default one without an affinity.
FailureOr<FlatSymbolRefAttr> HostProgramBuilder::deviceFrom(Operation *op, Attribute affinity) {
  if (!affinity)
    return defaultDevice;
  auto named = dyn_cast<device::AffinityAttr>(affinity);
  if (!named)
    return op->emitOpError() << "needs one device after placement, got affinity " << affinity, failure();
  if (!SymbolTable::lookupNearestSymbolFrom<device::GlobalOp>(op, named.getDevice()))
    return op->emitOpError() << "belongs on " << named.getDevice() << ", which is no device.global", failure();
  return named.getDevice();
}

// Where a tensor of the source is or will be, also one that is not built yet. A value that control flow carries lies
// where the first of those does that may become it.
FlatSymbolRefAttr HostProgramBuilder::deviceOf(Value tensor, unsigned depth) {
  constexpr unsigned kDeepest = 1000;
  if (auto known = storage.find(tensor); known != storage.end() && known->second.device)
    return known->second.device;
  auto named = [&](Attribute affinity) {
    auto attribute = dyn_cast_if_present<device::AffinityAttr>(affinity);
    return attribute ? attribute.getDevice() : defaultDevice;
  };
  if (depth > kDeepest)
    return defaultDevice;
  if (auto argument = dyn_cast<BlockArgument>(tensor)) {
    unsigned index = argument.getArgNumber();
    Operation *parent = argument.getOwner()->getParentOp();
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
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp, tensor::ExtractSliceOp>(
          [&](Operation *op) { return deviceOf(op->getOperand(0), depth + 1); })
      .Case([&](tensor::InsertSliceOp op) { return deviceOf(op.getDest(), depth + 1); })
      .Case([&](scf::ForOp op) { return deviceOf(op.getInitArgs()[index], depth + 1); })
      .Case([&](scf::WhileOp op) { return deviceOf(op.getConditionOp().getArgs()[index], depth + 1); })
      .Case([&](scf::IfOp op) { return deviceOf(op.thenYield().getOperand(index), depth + 1); })
      .Case<tensor::EmptyOp, tensor::FromElementsOp>([&](Operation *op) {
        FailureOr<FlatSymbolRefAttr> device = deviceOfMade(op);
        return succeeded(device) ? *device : defaultDevice;
      })
      .Default([&](Operation *op) { return named(op->getAttr(kAffinityAttr)); });
}

// Where a tensor is made that the host makes: where its affinity says, else where its first user runs.
FailureOr<FlatSymbolRefAttr> HostProgramBuilder::deviceOfMade(Operation *op) {
  if (Attribute affinity = op->getAttr(kAffinityAttr))
    return deviceFrom(op, affinity);
  for (Operation *user : op->getResult(0).getUsers())
    if (isa<flow::DispatchOp>(user))
      return deviceFrom(user, user->getAttr(kAffinityAttr));
  return defaultDevice;
}

// The queue that an affinity names; stage `place` leaves one at most.
int64_t HostProgramBuilder::queueOf(Attribute affinity) {
  auto named = dyn_cast_if_present<device::AffinityAttr>(affinity);
  return named && !named.getQueues().empty() ? named.getQueues().front() : 0;
}

// The stream of a device's queue. Extra ones are named at the start, so that every region can use them.
Value HostProgramBuilder::stream(FlatSymbolRefAttr device, int64_t queue) {
  if (device == defaultDevice && queue == 0)
    return program.getStream();
  Value &known = streams[{device, queue}];
  if (!known) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&program.getBody().front());
    auto index = static_cast<int32_t>(device == defaultDevice ? queue - 1 : queue);
    known = host::StreamOp::create(builder, program.getLoc(), device, builder.getI32IntegerAttr(index));
  }
  return known;
}

// A parameter's bytes lie on each device that reads them; any other buffer is where it is.
Value HostProgramBuilder::parameterOn(Value buffer, FlatSymbolRefAttr device) {
  if (auto view = buffer.getDefiningOp<host::ViewOp>()) {
    Value root = parameterOn(view.getSource(), device);
    return root == view.getSource() ? buffer
                                    : host::ViewOp::create(builder, loc, root, view.getOffset(), view.getSize());
  }
  auto parameter = buffer.getDefiningOp<host::ParameterOp>();
  if (!parameter || parameter.getDeviceAttr() == device)
    return buffer;
  return host::ParameterOp::create(builder, loc, parameter.getParameterAttr(), device);
}

// Whether work on a device may read another's memory where it is, by the module's topology.
bool HostProgramBuilder::readsInPlace(FlatSymbolRefAttr owner, FlatSymbolRefAttr reader) {
  std::optional<unsigned> from = topology.find(owner.getValue()), to = topology.find(reader.getValue());
  if (!from || !to)
    return false;
  flow::Link link = topology.link(*from, *to);
  return link.unified || link.transparent;
}

// The buffer of a tensor that `op` reads on `device`.
FailureOr<Value> HostProgramBuilder::bufferOn(Operation *op, Value tensor, FlatSymbolRefAttr device) {
  const Storage &entry = storage[tensor];
  if (entry.device == device)
    return entry.buffer;
  Value buffer = parameterOn(entry.buffer, device);
  if (buffer != entry.buffer || readsInPlace(entry.device, device))
    return buffer;
  return op->emitOpError() << "runs on " << device << " and reads a value of " << entry.device
                           << "; bring it there by a flow.transfer",
         failure();
}

// Where the tensor lies on `device` when the source's device may turn out to be the same one: then it is the source.
Value HostProgramBuilder::copyUnlessSame(flow::TransferOp op, FlatSymbolRefAttr device) {
  const Storage from = storage[op.getOperand()];
  Value same = host::SameOp::create(builder, loc, from.device, device);
  Value bytes = byteSize(op.getResult().getType(), from.dims);
  Value size = arith::SelectOp::create(builder, loc, same, constant(0), bytes);
  Value own = host::AllocOp::create(builder, loc, device, size);
  auto branch = scf::IfOp::create(builder, loc, TypeRange(), same, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(branch.elseBlock(), branch.elseBlock()->begin());
    copy(own, op.getOperand(), device, queueOf(op.getAffinity()));
  }
  return arith::SelectOp::create(builder, loc, same, from.buffer, own);
}

LogicalResult HostProgramBuilder::buildTransfer(flow::TransferOp op) {
  FailureOr<FlatSymbolRefAttr> device = deviceFrom(op, op.getAffinity());
  if (failed(device))
    return failure();
  const Storage from = storage[op.getOperand()];
  bool isClaimed = resultOf.contains(op.getResult());
  if (!isClaimed) {
    Value buffer = from.device == *device ? from.buffer : parameterOn(from.buffer, *device);
    if (from.device == *device || buffer != from.buffer) {
      storage[op.getResult()] = {buffer, from.dims, *device};
      return success();
    }
    if (mayBeOneDevice(source->getParentOfType<ModuleOp>(), from.device, *device)) {
      storage[op.getResult()] = {copyUnlessSame(op, *device), from.dims, *device};
      return success();
    }
  }
  Value buffer = destination(op.getResult(), from.dims, *device);
  copy(buffer, op.getOperand(), *device, queueOf(op.getAffinity()));
  storage[op.getResult()] = {buffer, from.dims, *device};
  return success();
}
