// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Resolve/ValueDevices.h"

#include "compiler/Dialect/Flow/IR/FlowShardings.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::heddle;

ValueDevices::ValueDevices(ModuleOp module) : module(module) {
  for (auto global : module.getOps<device::GlobalOp>())
    devices[global.getSymNameAttr()] = global;
}

device::GlobalOp ValueDevices::lookup(Operation *op, Attribute affinity) {
  auto named = dyn_cast_if_present<device::AffinityAttr>(affinity);
  if (!named) {
    device::GlobalOp device = device::getDefaultDevice(module);
    if (!device)
      op->emitError() << "has an encoded type, but the module has no device that could resolve it; run "
                         "stage-devices first";
    return device;
  }
  device::GlobalOp device = devices.lookup(named.getDevice().getAttr());
  if (!device)
    op->emitError() << "belongs on " << named.getDevice() << ", which is not a device.global";
  return device;
}

// Null where the op says nothing.
static Attribute affinityOf(Operation *op) {
  if (auto transfer = dyn_cast<flow::TransferOp>(op))
    return transfer.getAffinity();
  return op->getAttr(kAffinityAttr);
}

device::GlobalOp ValueDevices::ofOp(Operation *op) { return lookup(op, affinityOf(op)); }

// The first use that has an affinity, through what makes another value of the same bytes.
Attribute ValueDevices::affinityOfUses(Value value) {
  SmallVector<Value> work{value};
  for (size_t i = 0; i < work.size(); ++i)
    for (OpOperand &use : work[i].getUses()) {
      Operation *user = use.getOwner();
      if (isa<flow::TransferOp>(user))
        continue;
      if (Attribute affinity = user->getAttr(kAffinityAttr))
        return affinity;
      if (isa<flow::EncodeOp, flow::BlockOp>(user))
        work.push_back(user->getResult(0));
      if (auto loop = dyn_cast<scf::ForOp>(user); loop && loop.getTiedLoopRegionIterArg(&use))
        work.push_back(loop.getTiedLoopRegionIterArg(&use));
      if (auto loop = dyn_cast<scf::WhileOp>(user))
        work.push_back(loop.getBeforeArguments()[use.getOperandNumber()]);
    }
  return {};
}

device::GlobalOp ValueDevices::ofUse(OpOperand &use) {
  Operation *user = use.getOwner();
  if (Attribute affinity = isa<flow::TransferOp>(user) ? Attribute() : user->getAttr(kAffinityAttr))
    return lookup(user, affinity);
  if (isa<flow::EncodeOp, flow::BlockOp>(user))
    return lookup(user, affinityOfUses(user->getResult(0)));
  return of(use.get());
}

// The value that another one is handed on from; null where it is made.
static Value getSource(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    unsigned number = argument.getArgNumber();
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      return number == 0 ? Value() : loop.getInitArgs()[number - 1];
    if (auto loop = dyn_cast<scf::WhileOp>(parent))
      return argument.getOwner() == loop.getBeforeBody() ? loop.getInits()[number]
                                                         : loop.getConditionOp().getArgs()[number];
    return {};
  }
  Operation *op = value.getDefiningOp();
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return branch.thenYield().getOperand(number);
  if (auto branch = dyn_cast<scf::IndexSwitchOp>(op))
    return branch.getDefaultBlock().getTerminator()->getOperand(number);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return loop.getInitArgs()[number];
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return loop.getConditionOp().getArgs()[number];
  if (op->getNumOperands() != 0 && isa<RankedTensorType>(op->getOperand(0).getType()))
    return op->getOperand(0);
  return {};
}

device::GlobalOp ValueDevices::find(Value value) {
  Operation *op = value.getDefiningOp();
  if (op && affinityOf(op))
    return ofOp(op);
  if (op && isa<flow::DispatchOp>(op))
    return ofOp(op);
  // What is laid out for a use is so where it is used.
  if (auto encode = dyn_cast_if_present<flow::EncodeOp>(op); encode && !encode.getSource().getType().getEncoding())
    if (Attribute affinity = affinityOfUses(value))
      return lookup(op, affinity);
  if (Value source = getSource(value))
    return of(source);
  if (op)
    return lookup(op, affinityOfUses(value));
  auto argument = cast<BlockArgument>(value);
  Operation *parent = argument.getOwner()->getParentOp();
  auto function = dyn_cast<func::FuncOp>(parent);
  return lookup(parent, function ? function.getArgAttr(argument.getArgNumber(), kAffinityAttr) : Attribute());
}

device::GlobalOp ValueDevices::of(Value value) {
  if (device::GlobalOp device = known.lookup(value))
    return device;
  device::GlobalOp device = find(value);
  return known[value] = device;
}
