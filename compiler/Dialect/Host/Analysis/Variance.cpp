// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Host/Analysis/Variance.h"

#include "compiler/Dialect/Device/IR/MeshAxes.h"
#include "compiler/Dialect/Flow/IR/FlowAttrs.h"
#include "heddle/contract/Draw.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::host;
namespace contract = ::heddle::contract;
using contract::CollectiveKind;

//===--- Variance ------------------------------------------------------------------------------------------------===//

Variance Variance::anything() {
  Variance variance;
  variance.any = true;
  return variance;
}

Variance Variance::byDevice() {
  Variance variance;
  variance.device = true;
  return variance;
}

Variance Variance::over(StringRef mesh, uint64_t axes) {
  Variance variance;
  variance.meshes[mesh.str()] = axes;
  return variance;
}

bool Variance::join(const Variance &other) {
  bool changed = (other.any && !any) || (other.device && !device);
  any |= other.any;
  device |= other.device;
  for (auto &[mesh, axes] : other.meshes) {
    auto [entry, isNew] = meshes.try_emplace(mesh, axes);
    changed |= isNew || (axes & ~entry->second) != 0;
    entry->second |= axes;
  }
  return changed;
}

Variance Variance::alikeBut(StringRef mesh, uint64_t others) const {
  auto own = meshes.find(mesh.str());
  bool isMore = any || meshes.size() > (own == meshes.end() ? 0 : 1);
  return over(mesh, isMore ? others : own == meshes.end() ? 0 : own->second & others);
}

uint64_t mlir::heddle::host::axesOf(CollectiveOp op) {
  uint64_t axes = 0;
  for (uint32_t axis : op.getSpec().group.axes)
    axes |= uint64_t(1) << axis;
  return op.getGroupsAttr() ? ~uint64_t(0) : axes;
}

// The first rank of a mesh and the one after its last; none where its size is known only at load.
static std::optional<std::pair<int64_t, int64_t>> ranksOf(device::MeshOp mesh) {
  int64_t first = mesh.getFirst(), count = mesh.getNumRanks();
  return count == device::MeshOp::kFree ? std::nullopt : std::optional(std::pair(first, first + count));
}

// Whether all ranks of one mesh, or none, are in another one.
static bool isAllOrNoneOf(device::MeshOp mesh, device::MeshOp other) {
  auto ranks = ranksOf(mesh), of = ranksOf(other);
  if (!ranks || !of)
    return false;
  return (ranks->first >= of->first && ranks->second <= of->second) || ranks->second <= of->first ||
         ranks->first >= of->second;
}

// Those along which there are several ranks.
static uint64_t movingAxes(device::MeshOp mesh) {
  uint64_t axes = 0;
  for (auto [i, size] : llvm::enumerate(mesh.getSizes()))
    axes |= uint64_t(size != 1) << i;
  return axes;
}

// Whether what differs along axes of `mesh` may differ between members of the collective, which is over another mesh.
static bool mayDifferIn(CollectiveOp op, device::MeshOp mesh, uint64_t axes) {
  device::MeshOp own = op.lookupMesh();
  axes &= movingAxes(mesh);
  if (!device::areOfSameRanks(mesh, own))
    return axes != 0 || !isAllOrNoneOf(own, mesh);
  uint64_t joined = axesOf(op) & movingAxes(own);
  for (unsigned i = 0; i < mesh.getSizes().size(); ++i)
    for (unsigned j = 0; j < own.getSizes().size(); ++j)
      if ((axes >> i & 1) && (joined >> j & 1) && device::mayDiffer(mesh, i, own, j))
        return true;
  return false;
}

bool Variance::fits(CollectiveOp op) const {
  if (any || device)
    return false;
  return llvm::all_of(meshes, [&](auto &entry) {
    if (entry.first == op.getMesh())
      return (entry.second & axesOf(op) & movingAxes(op.lookupMesh())) == 0;
    auto other =
        SymbolTable::lookupNearestSymbolFrom<device::MeshOp>(op, StringAttr::get(op.getContext(), entry.first));
    return other && !mayDifferIn(op, other, entry.second);
  });
}

std::string Variance::describe(Operation *op) const {
  if (any)
    return "between ranks";
  std::string text;
  for (auto &[name, axes] : meshes) {
    auto mesh = SymbolTable::lookupNearestSymbolFrom<device::MeshOp>(op, StringAttr::get(op->getContext(), name));
    text += text.empty() ? "" : ", ";
    if (axes == 0)
      text += "between members of @" + name + " and others";
    bool isFirst = true;
    for (auto [i, axis] : llvm::enumerate(mesh.getAxes().getAsValueRange<StringAttr>()))
      if (axes >> i & 1) {
        text += (isFirst ? "along '" : ", '") + axis.str() + "'";
        isFirst = false;
      }
    text += axes ? " of @" + name : "";
  }
  return text.empty() ? "with the device" : text;
}

//===--- Scalars -------------------------------------------------------------------------------------------------===//

static Variance along(FlatSymbolRefAttr name, StringRef axis, Operation *op) {
  auto mesh = SymbolTable::lookupNearestSymbolFrom<device::MeshOp>(op, name);
  return Variance::over(name.getValue(), uint64_t(1) << *mesh.findAxis(axis));
}

Variances::Variances(FuncOp func) : func(func) {
  bool meets = false, reads = false;
  func.walk([&](Operation *op) {
    meets |= isa<CollectiveOp>(op);
    reads |= isa<ReadOp>(op);
  });
  readsData = meets && reads;
  for (auto [i, name] : llvm::enumerate(func.getSymbolsAttr().getAsRange<StringAttr>()))
    if (name.getValue() == contract::kDrawnSymbol)
      values[func.getSymbol(i)] = Variance::anything();
  addOwnSizes();
  // Sets only grow, so this ends.
  for (bool changed = true; changed;) {
    changed = false;
    func.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) { changed |= visit(op); });
  }
}

// Sizes of parts of a whole whose size is known.
void Variances::addOwnSizes() {
  auto names = func.getSymbolsAttr().getAsRange<StringAttr>();
  for (auto argument : func.getArgumentsAttr().getAsRange<ValueAttr>()) {
    auto sharding = dyn_cast_if_present<flow::ShardingAttr>(argument.getSharding());
    for (auto [dim, name] : llvm::enumerate(argument.getDims().getAsRange<StringAttr>())) {
      auto symbol = llvm::find(names, name);
      if (!sharding || sharding.getWhole(dim) == -1 || !argument.getType().isDynamicDim(dim) || symbol == names.end())
        continue;
      Variance &variance = values[func.getSymbol(std::distance(names.begin(), symbol))];
      variance.join(Variance::over(sharding.getMesh().getValue(), 0));
      for (StringAttr axis : sharding.getDimAxes(dim))
        variance.join(along(sharding.getMesh(), axis, func));
    }
  }
}

Variance Variances::of(Value value) const { return values.lookup(value); }

Variance Variances::join(ValueRange all) const {
  Variance joined;
  for (Value value : all)
    joined.join(of(value));
  return joined;
}

// Without buffers: where what is read and written lies is a matter of contentOf() and readAll().
Variance Variances::joinScalars(Operation *op) const {
  Variance joined;
  for (Value value : op->getOperands())
    if (!isa<BufferType>(value.getType()))
      joined.join(of(value));
  return joined;
}

bool Variances::raise(Value value, const Variance &variance) { return values[value].join(variance); }

Variance Variances::ofRegions(Operation *op) const {
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return of(loop.getConditionOp().getCondition());
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return join({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
  if (auto loop = dyn_cast<StreamForOp>(op))
    return of(loop.getTrips());
  return join(op->getOperands());
}

// What an op adds of its own to what its operands say.
Variance Variances::ownOf(Operation *op) {
  if (auto at = dyn_cast<CoordinateOp>(op))
    return along(at.getMeshAttr(), at.getAxis(), op);
  if (auto member = dyn_cast<MemberOp>(op))
    return Variance::over(member.getMesh(), 0);
  if (isa<QueryOp, AlternativeOp, SameOp>(op))
    return Variance::byDevice();
  if (auto bound = dyn_cast<BoundOp>(op))
    return boundOf(bound);
  if (auto read = dyn_cast<ReadOp>(op))
    return contentOf(read.getSource(), read);
  return {};
}

// What @__bind binds under the name, whichever way it takes. A buffer is what its offsets are.
Variance Variances::boundOf(BoundOp op) {
  auto bind = func->getParentOfType<ModuleOp>().lookupSymbol<FuncOp>(kBindFunction);
  Variance variance;
  if (!bind || bind == func)
    return variance;
  Variances inside(bind);
  bind.walk([&](BindOp given) {
    if (given.getName() != op.getName())
      return;
    variance.join(inside.of(given.getValue()));
    for (Operation *parent = given->getParentOp(); parent != bind; parent = parent->getParentOp())
      variance.join(inside.ofRegions(parent));
  });
  // A layout differs with the device, what it holds does not.
  if (isa<BufferType>(op.getResult().getType()))
    variance.eraseDevice();
  return variance;
}

bool Variances::visit(Operation *op) {
  if (op->getNumRegions() != 0)
    return visitControlFlow(op);
  bool changed = readsData && visitWrites(op);
  Variance variance = isa<ReadOp>(op) ? joinScalars(op) : join(op->getOperands());
  variance.join(ownOf(op));
  for (Value result : op->getResults())
    changed |= raise(result, variance);
  return changed;
}

bool Variances::visitControlFlow(Operation *op) {
  bool changed = false;
  Variance choice = ofRegions(op);
  auto handOn = [&](ValueRange targets, ValueRange sources, const Variance &with) {
    for (auto [target, source] : llvm::zip(targets, sources)) {
      changed |= raise(target, of(source));
      changed |= raise(target, with);
    }
  };
  auto yielded = [](mlir::Region &region) { return region.front().getTerminator()->getOperands(); };
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    changed |= raise(loop.getInductionVar(), choice);
    handOn(loop.getRegionIterArgs(), loop.getInitArgs(), {});
    handOn(loop.getRegionIterArgs(), yielded(loop.getRegion()), {});
    handOn(loop.getResults(), loop.getRegionIterArgs(), choice);
  } else if (auto loop = dyn_cast<StreamForOp>(op)) {
    changed |= raise(loop.getIndex(), choice);
    changed |= raise(loop.getSlot(), join({loop.getTrips(), loop.getStreams()}));
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    ValueRange passed = loop.getConditionOp().getArgs();
    handOn(loop.getBeforeArguments(), loop.getInits(), {});
    handOn(loop.getBeforeArguments(), yielded(loop.getAfter()), {});
    handOn(loop.getAfterArguments(), passed, choice);
    handOn(loop.getResults(), passed, choice);
  } else {
    for (mlir::Region &region : op->getRegions())
      if (!region.empty())
        handOn(op->getResults(), yielded(region), choice);
  }
  return changed;
}

//===--- Bytes ---------------------------------------------------------------------------------------------------===//

bool Variances::visitWrites(Operation *op) {
  bool isWriter = llvm::any_of(accessesOf(op), [](const Access &access) { return access.writes && !access.ends; });
  if (!isWriter)
    return false;
  Variance variance = writtenBy(op);
  for (Operation *parent = op->getParentOp(); parent != func; parent = parent->getParentOp())
    variance.join(ofRegions(parent));
  return writes[op].join(variance);
}

Variance Variances::writtenBy(Operation *op) {
  if (auto collective = dyn_cast<CollectiveOp>(op))
    return writtenBy(collective);
  Variance variance = joinScalars(op);
  for (const Access &access : accessesOf(op))
    if (access.reads)
      variance.join(contentOf(access.buffer, op));
  variance.eraseDevice();
  return variance;
}

Variance Variances::writtenBy(CollectiveOp op) {
  Variance variance = contentOf(op.getSource(), op);
  variance.join(joinScalars(op));
  variance.eraseDevice();
  CollectiveKind kind = op.getCollectiveKind();
  bool isAlike =
      kind == CollectiveKind::AllReduce || kind == CollectiveKind::AllGather || kind == CollectiveKind::Broadcast;
  uint64_t all = (uint64_t(1) << op.lookupMesh().getAxes().size()) - 1;
  if (isAlike && !op.getGroupsAttr())
    return variance.alikeBut(op.getMesh(), all & ~axesOf(op));
  variance.join(Variance::over(op.getMesh(), all & axesOf(op)));
  return variance;
}

// The bytes of a buffer as an op finds them. Where they lie makes no difference if they are just those that an op
// wrote: a slab's places differ with the sizes of the ranks' own parts.
Variance Variances::contentOf(Value buffer, Operation *at) {
  Variance found;
  BufferRegion region = regionOf(buffer);
  bool isCarried = !sourcesOf(region.root, Assumptions()).empty();
  if (!isCarried && readBack(buffer, region, at, found))
    return found;
  // Of what control flow hands on, all that may ever have been written.
  if (isCarried)
    readAll(buffer, region, func, found);
  found.join(of(buffer)); // where the buffer begins
  found.join(initial(region.root));
  return found;
}

// Whether the op leaves nothing of what the bytes were.
static bool covers(const Access &write, const BufferRegion &region) {
  if (!write.writes || write.ends || write.region.root != region.root || write.region.runs)
    return false;
  if (!write.region.size)
    return (region.offset - write.region.offset).getConstant().value_or(-1) >= 0;
  return region.size && write.region.offset == region.offset && *write.region.size == *region.size;
}

// Writes ahead of the op, up to one of all of the bytes. False where the program begins before there is one.
bool Variances::readBack(Value buffer, const BufferRegion &region, Operation *at, Variance &found) {
  for (Operation *op = at; op != func; op = op->getParentOp()) {
    if (op != at && isa<LoopLikeOpInterface, StreamForOp>(op))
      readAll(buffer, region, op, found);
    while (Operation *before = op->getPrevNode()) {
      op = before;
      readAll(buffer, region, op, found);
      if (llvm::any_of(accessesOf(op), [&](const Access &access) { return covers(access, region); }))
        return true;
    }
  }
  return false;
}

// In whose next iteration a formula may be other bytes; null where there is none.
static Operation *outermostLoop(Operation *op, Operation *within) {
  Operation *loop = nullptr;
  for (; op && within->isAncestor(op); op = op->getParentOp())
    if (isa<LoopLikeOpInterface, StreamForOp>(op))
      loop = op;
  return loop;
}

// Whether the write is of just these bytes, also in another iteration of a loop.
static bool isOfSame(const BufferRegion &write, const BufferRegion &region, Operation *loop) {
  auto changes = [&](const Polynomial &formula) { return loop && formula.mentionsInside(loop); };
  if (write.root != region.root || write.runs || region.runs || !(write.offset == region.offset) ||
      write.size.has_value() != region.size.has_value() || changes(region.offset))
    return false;
  return !region.size || (*write.size == *region.size && !changes(*region.size));
}

// All writes of an op, and of what it holds, that may touch the bytes. Which of other bytes they touch is a matter of
// where both begin.
void Variances::readAll(Value buffer, const BufferRegion &region, Operation *within, Variance &found) {
  within->walk([&](Operation *op) {
    for (const Access &access : accessesOf(op)) {
      if (!access.writes || access.ends || !mayAlias(access.region.root, region.root, Assumptions()))
        continue;
      Operation *loop = outermostLoop(op, within);
      if (access.region.root == region.root && !mayOverlap(region, access.region, loop))
        continue;
      found.join(writes.lookup(op));
      if (isOfSame(access.region, region, loop))
        continue;
      found.join(of(access.buffer));
      found.join(of(buffer));
    }
  });
}

// What a buffer holds that the program has not written.
Variance Variances::initial(Value root) {
  SmallVector<Value> open{root};
  Variance found;
  for (llvm::DenseSet<Value> seen; !open.empty();) {
    Value next = regionOf(open.pop_back_val()).root;
    if (!seen.insert(next).second)
      continue;
    llvm::append_range(open, sourcesOf(next, Assumptions()));
    ValueAttr argument = func.describe(next);
    if (!argument)
      continue;
    auto sharding = dyn_cast_if_present<flow::ShardingAttr>(argument.getSharding());
    if (!sharding || argument.getState()) {
      found.join(Variance::anything());
      continue;
    }
    found.join(Variance::over(sharding.getMesh().getValue(), 0));
    for (ArrayAttr axes : sharding.getAxes())
      for (StringRef axis : axes.getAsValueRange<StringAttr>())
        found.join(along(sharding.getMesh(), axis, func));
    for (StringAttr axis : sharding.getPartial())
      found.join(along(sharding.getMesh(), axis, func));
  }
  return found;
}
