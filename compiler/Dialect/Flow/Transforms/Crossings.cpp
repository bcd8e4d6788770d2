// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Transforms/Crossings.h"

#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Dialect/Heddle/IR/Reasons.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::flow;

bool mlir::heddle::flow::readsInPlace(const Topology &topology, unsigned from, unsigned to, OpOperand &use) {
  Link link = topology.link(from, to);
  Operation *owner = use.getOwner();
  if (isa<TransferOp>(owner))
    return link.unified;
  if (owner->hasTrait<OpTrait::IsTerminator>() || isa<func::CallOp, scf::ForOp, scf::WhileOp>(owner))
    return link.unified && topology.link(to, from).unified;
  return link.unified || link.transparent;
}

namespace {

class Crossings {
public:
  Crossings(ModuleOp module, const Affinities &affinities)
      : module(module), affinities(affinities), topology(affinities.getTopology()) {}

  void insert() {
    for (TransferOp transfer : affinities.getTransfers())
      made.try_emplace({transfer.getOperand(), affinities.find(transfer.getOperation())->device}, transfer);
    affinities.forEachUse([&](OpOperand &use, const Placement &user) {
      Value value = use.get();
      std::optional<unsigned> device = deviceOf(value);
      if (!device || *device == user.device || readsInPlace(topology, *device, user.device, use))
        return;
      use.set(getTransfer(value, user.device, user));
    });
  }

  bool place() {
    copyConstants();
    elideTransfers();
    annotate();
    affinities.forEachUse([&](OpOperand &use, const Placement &user) { bring(use, user); });
    shareLayouts();
    for (TransferOp transfer : llvm::reverse(kept))
      if (transfer->use_empty())
        transfer.erase();
    for (Operation *encode : llvm::reverse(left))
      if (encode->use_empty())
        encode->erase();
    return madeSizes;
  }

private:
  using Place = std::pair<Value, unsigned>;

  std::optional<unsigned> deviceOf(Value value) const {
    if (auto it = moved.find(value); it != moved.end())
      return it->second;
    const Placement *placement = affinities.find(value);
    return placement ? std::optional<unsigned>(placement->device) : std::nullopt;
  }

  void mark(Operation *op, unsigned device, StringRef why) {
    if (!op->hasAttr(kPlacedByAttr))
      op->setAttr(kPlacedByAttr, StringAttr::get(op->getContext(), why));
    if (auto transfer = dyn_cast<TransferOp>(op)) {
      if (!isa<device::AffinityAttr>(transfer.getAffinity()))
        transfer.setAffinityAttr(affinities.getAffinity(op->getContext(), device));
    } else if (!isa_and_present<device::AffinityAttr>(op->getAttr(kAffinityAttr))) { // which may name queues
      op->setAttr(kAffinityAttr, affinities.getAffinity(op->getContext(), device));
    }
  }

  // The sizes of a value's dynamic dimensions, from the op that gives it if that carries them.
  SmallVector<Value> sizesOf(OpBuilder &builder, Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.hasStaticShape())
      return {};
    if (auto result = dyn_cast<OpResult>(value)) {
      unsigned before = 0;
      for (Value earlier : result.getOwner()->getResults().take_front(result.getResultNumber()))
        if (auto tensor = dyn_cast<RankedTensorType>(earlier.getType()))
          before += tensor.getNumDynamicDims();
      if (auto dispatch = dyn_cast<DispatchOp>(result.getOwner()))
        return dispatch.getResultDims().slice(before, type.getNumDynamicDims());
      if (auto transfer = dyn_cast<TransferOp>(result.getOwner()))
        return transfer.getDims();
      if (auto encode = dyn_cast<EncodeOp>(result.getOwner()))
        return encode.getDims();
    }
    SmallVector<Value> sizes;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        sizes.push_back(tensor::DimOp::create(builder, value.getLoc(), value, dim));
    madeSizes = true;
    return sizes;
  }

  static OpBuilder after(Value value) {
    OpBuilder builder(value.getContext());
    builder.setInsertionPointAfterValue(value);
    return builder;
  }

  Value getTransfer(Value value, unsigned device, const Placement &user) {
    TransferOp &transfer = made[{value, device}];
    if (!transfer) {
      OpBuilder builder = after(value);
      SmallVector<Value> sizes = sizesOf(builder, value);
      transfer = TransferOp::create(builder, value.getLoc(), value.getType(), value, sizes,
                                    affinities.getAffinity(value.getContext(), device));
      mark(transfer, device, user.candidates.empty() ? "read there" : toString(user.rule));
      moved[transfer.getResult()] = device;
      kept.push_back(transfer);
    } else if (!dominatesAll.contains(transfer)) {
      moveUp(transfer);
    }
    dominatesAll.insert(transfer);
    return transfer.getResult();
  }

  // A transfer that stood where it was asked for goes to the producer's side, where all uses see it.
  void moveUp(TransferOp transfer) {
    OpBuilder builder = after(transfer.getOperand());
    SmallVector<Value> sizes = sizesOf(builder, transfer.getOperand());
    transfer->moveBefore(builder.getInsertionBlock(), builder.getInsertionPoint());
    transfer.getDimsMutable().assign(sizes);
  }

  //===--- Constants ---------------------------------------------------------------------------------------------===//

  // The constant that a value is, on whichever device; null if it is none.
  Value getConstant(Value value) const {
    while (auto transfer = value.getDefiningOp<TransferOp>())
      value = transfer.getOperand();
    Operation *op = value.getDefiningOp();
    return op && affinities.isConstant(op) ? value : Value();
  }

  // Tensors that the op and its regions read from outside.
  static SmallVector<OpOperand *> getReads(Operation *op) {
    auto isInside = [&](Value value) {
      return llvm::any_of(op->getRegions(), [&](Region &region) { return region.isAncestor(value.getParentRegion()); });
    };
    SmallVector<OpOperand *> reads;
    op->walk([&](Operation *inner) {
      for (OpOperand &operand : inner->getOpOperands())
        if (isa<RankedTensorType>(operand.get().getType()) && !isInside(operand.get()))
          reads.push_back(&operand);
    });
    return reads;
  }

  void want(Value value, unsigned device) {
    Value constant = getConstant(value);
    if (!constant || llvm::is_contained(wanted[constant.getDefiningOp()], device))
      return;
    wanted[constant.getDefiningOp()].push_back(device);
    for (OpOperand *read : getReads(constant.getDefiningOp()))
      want(read->get(), device);
  }

  // Each constant stays for the first device that reads it and is copied for the others.
  void copyConstants() {
    affinities.forEachUse([&](OpOperand &use, const Placement &user) { want(use.get(), user.device); });
    // Read by the host at most.
    for (Operation *op : llvm::reverse(affinities.getConstants()))
      if (wanted[op].empty())
        want(op->getResult(0), topology.defaultDevice);
    for (Operation *op : affinities.getConstants()) {
      SmallVector<unsigned, 1> &devices = wanted[op];
      llvm::sort(devices);
      OpBuilder builder(op);
      builder.setInsertionPointAfter(op);
      for (unsigned device : devices)
        instances[{op, device}] = device == devices.front() ? op : builder.clone(*op);
      for (unsigned device : devices) {
        Operation *instance = instances[{op, device}];
        mark(instance, device, "a constant where it is read");
        for (OpOperand *read : getReads(instance))
          if (Value constant = getConstant(read->get()))
            read->set(getInstance(constant, device));
      }
    }
  }

  Value getInstance(Value constant, unsigned device) const {
    Operation *instance = instances.lookup({constant.getDefiningOp(), device});
    return instance ? instance->getResult(cast<OpResult>(constant).getResultNumber()) : constant;
  }

  //===--- Transfers and uses ------------------------------------------------------------------------------------===//

  // The value on that device, if it is there already: itself, or what it was transferred from.
  Value findOn(Value value, unsigned device) const {
    for (;; value = value.getDefiningOp<TransferOp>().getOperand()) {
      if (deviceOf(value) == device)
        return value;
      if (!value.getDefiningOp<TransferOp>())
        return {};
    }
  }

  Value getReplacement(TransferOp transfer, unsigned device) {
    Value source = transfer.getOperand();
    if (Value there = findOn(source, device))
      return there;
    auto inPlace = [&](OpOperand &use) { return readsInPlace(topology, *deviceOf(source), device, use); };
    if (llvm::all_of(transfer.getResult().getUses(), inPlace))
      return source;
    TransferOp &first = made[{source, device}];
    if (first)
      return first.getResult();
    first = transfer;
    moveUp(transfer);
    dominatesAll.insert(transfer);
    return {};
  }

  void elideTransfers() {
    for (TransferOp transfer : affinities.getTransfers()) {
      kept.push_back(transfer);
      if (getConstant(transfer.getResult()))
        continue;
      unsigned device = affinities.find(transfer.getOperation())->device;
      if (Value value = getReplacement(transfer, device))
        transfer.getResult().replaceAllUsesWith(value);
    }
  }

  void bring(OpOperand &use, const Placement &user) {
    Value value = use.get();
    if (Value constant = getConstant(value))
      return use.set(getInstance(constant, user.device));
    std::optional<unsigned> device = deviceOf(value);
    if (!device || readsInPlace(topology, *device, user.device, use))
      return;
    Value there = findOn(value, user.device);
    use.set(there ? there : getTransfer(value, user.device, user));
  }

  // What a value is the layout of, on the same device.
  Value getRoot(Value value) const {
    while (auto encode = value.getDefiningOp<EncodeOp>()) {
      if (deviceOf(encode.getSource()) != deviceOf(value))
        break;
      value = encode.getSource();
    }
    return value;
  }

  // A value that goes to a device in several layouts goes there once, and is laid out there.
  void shareLayouts() {
    llvm::MapVector<Place, SmallVector<TransferOp>> groups;
    for (TransferOp transfer : SmallVector<TransferOp>(kept))
      if (!transfer->use_empty())
        groups[{getRoot(transfer.getOperand()), *deviceOf(transfer.getResult())}].push_back(transfer);
    for (auto &[place, transfers] : groups) {
      if (transfers.size() < 2)
        continue;
      Placement reader;
      reader.device = place.second;
      llvm::DenseMap<Value, Value> there{{place.first, getTransfer(place.first, place.second, reader)}};
      for (TransferOp transfer : transfers)
        if (transfer.getOperand() != place.first)
          transfer.getResult().replaceAllUsesWith(layOut(transfer.getOperand(), place.second, there));
    }
  }

  // The value's layout made on the device from its root, which is there.
  Value layOut(Value value, unsigned device, llvm::DenseMap<Value, Value> &there) {
    if (Value known = there.lookup(value))
      return known;
    auto encode = value.getDefiningOp<EncodeOp>();
    Value source = layOut(encode.getSource(), device, there);
    OpBuilder builder = after(value);
    auto copy = cast<EncodeOp>(builder.clone(*encode));
    copy.getSourceMutable().assign(source);
    copy->setAttr(kAffinityAttr, affinities.getAffinity(value.getContext(), device));
    copy->setAttr(kPlacedByAttr, builder.getStringAttr("laid out where it is read"));
    moved[copy.getResult()] = device;
    left.insert(encode);
    return there[value] = copy.getResult();
  }

  void annotate() {
    affinities.forEachOp(
        [&](Operation *op, const Placement &placement) { mark(op, placement.device, describe(placement)); });
    MLIRContext *context = module.getContext();
    Reasons reasons(module);
    for (auto func : module.getOps<func::FuncOp>()) {
      for (auto [i, argument] : llvm::enumerate(func.getArguments())) {
        const Placement *placement = affinities.find(argument);
        if (!placement)
          continue;
        bool stated = placement->rule == PlacementRule::Explicit;
        reasons.addArgument(func.getSymName(), i, stated ? kAffinityAttr.str() : describe(*placement));
        if (!isa_and_present<device::AffinityAttr>(func.getArgAttr(i, kAffinityAttr)))
          func.setArgAttr(i, kAffinityAttr, affinities.getAffinity(context, placement->device));
      }
      for (unsigned i = 0; i < func.getNumResults(); ++i)
        if (const Placement *placement = affinities.findResult(func, i);
            placement && !isa_and_present<device::AffinityAttr>(func.getResultAttr(i, kAffinityAttr)))
          func.setResultAttr(i, kAffinityAttr, affinities.getAffinity(context, placement->device));
    }
    reasons.store(module);
  }

  std::string describe(const Placement &placement) const {
    std::string text = toString(placement.rule).str();
    for (unsigned device : placement.candidates)
      text += (device == placement.candidates.front() ? ": @" : ", @") + topology.devices[device];
    return text;
  }

  ModuleOp module;
  const Affinities &affinities;
  const Topology &topology;
  llvm::DenseMap<Value, unsigned> moved; // devices of values made here
  llvm::DenseMap<Place, TransferOp> made;
  SmallVector<TransferOp> kept;
  llvm::DenseSet<Operation *> dominatesAll;
  llvm::DenseMap<Operation *, SmallVector<unsigned, 1>> wanted;
  llvm::DenseMap<std::pair<Operation *, unsigned>, Operation *> instances;
  llvm::SetVector<Operation *> left; // encodes that another device makes by itself, too; sources first
  bool madeSizes = false;
};

} // namespace

void mlir::heddle::flow::insertTransfers(ModuleOp module, const Affinities &affinities) {
  Crossings(module, affinities).insert();
}

bool mlir::heddle::flow::placeOps(ModuleOp module, const Affinities &affinities) {
  return Crossings(module, affinities).place();
}
