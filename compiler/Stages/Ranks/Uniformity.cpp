// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Ranks/Uniformity.h"

#include "compiler/Dialect/Flow/IR/FlowAttrs.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "heddle/contract/Draw.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::flow;

using Axes = Uniformity::Axes;
using flow::Extent;

//===--- Meshes --------------------------------------------------------------------------------------------------===//

// Where one mesh's ranks lie to another's.
enum class Overlap { Apart, Inside, Partly };

static Overlap compare(device::MeshOp outer, device::MeshOp inner) {
  int64_t outerRanks = outer.getNumRanks(), innerRanks = inner.getNumRanks();
  int64_t outerFirst = outer.getFirst(), innerFirst = inner.getFirst();
  if ((outerRanks != device::MeshOp::kFree && outerFirst + outerRanks <= innerFirst) ||
      (innerRanks != device::MeshOp::kFree && innerFirst + innerRanks <= outerFirst))
    return Overlap::Apart;
  bool known = outerRanks != device::MeshOp::kFree && innerRanks != device::MeshOp::kFree;
  bool inside = known && outerFirst <= innerFirst && innerFirst + innerRanks <= outerFirst + outerRanks;
  return inside ? Overlap::Inside : Overlap::Partly;
}

Axes Uniformity::ofOthers(device::MeshOp mesh, bool insideCounts) const {
  Axes axes = none();
  for (device::MeshOp other : meshes) {
    Overlap overlap = compare(mesh, other);
    if (!atoms.areShared(mesh, other) && (overlap == Overlap::Partly || (overlap == Overlap::Inside && insideCounts)))
      axes |= allOf(other);
  }
  return axes;
}

// What is equal on all ranks of a mesh is so on those of meshes inside of it.
Axes Uniformity::allWithin(device::MeshOp mesh) const {
  Axes axes = allOf(mesh);
  for (device::MeshOp other : meshes)
    if (compare(mesh, other) == Overlap::Inside)
      axes |= allOf(other);
  return axes;
}

Axes Uniformity::named(device::MeshOp mesh, ArrayAttr names) const {
  Axes axes = none();
  for (StringRef name : names.getAsValueRange<StringAttr>())
    if (std::optional<unsigned> axis = mesh.findAxis(name))
      axes |= atoms.of(mesh, *axis);
  return axes;
}

Axes Uniformity::getAxes(CollectiveOpInterface op) const {
  device::MeshOp mesh = getMesh(op, op.getMeshAttr());
  return op.getGroupsAttr() ? allOf(mesh) : named(mesh, op.getAxes());
}

std::string Uniformity::describe(const Axes &axes) const {
  for (device::MeshOp mesh : meshes)
    for (auto [i, name] : llvm::enumerate(mesh.getAxes().getAsValueRange<StringAttr>()))
      if (axes.anyCommon(atoms.of(mesh, i)))
        return ("axis '" + name + "' of mesh @" + mesh.getSymName()).str();
  return "no axis";
}

//===--- Facts ---------------------------------------------------------------------------------------------------===//

unsigned Uniformity::getNode(Fact fact) {
  auto [entry, isNew] = numbers.try_emplace(fact, nodes.size());
  if (isNew)
    nodes.push_back({fact.first, none(), none(), {}, {}});
  return entry->second;
}

Axes Uniformity::find(Fact fact) const {
  auto number = numbers.find(fact);
  return number == numbers.end() ? none() : nodes[number->second].differs;
}

void Uniformity::addOwn(Fact fact, const Axes &axes) { nodes[getNode(fact)].own |= axes; }

void Uniformity::addEdge(Fact from, Fact to, const Axes &without) {
  unsigned source = getNode(from), target = getNode(to), edge = edges.size();
  edges.push_back({source, target, without});
  nodes[source].uses.push_back(edge);
  nodes[target].made.push_back(edge);
}

// The dimensions whose sizes no type tells.
static SmallVector<int64_t> getDynamicDims(Value value) {
  SmallVector<int64_t> dims;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  for (int64_t dim = 0; type && dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      dims.push_back(dim);
  return dims;
}

void Uniformity::addAll(Value from, Fact to) {
  addEdge({from, kContent}, to);
  for (int64_t dim : getDynamicDims(from))
    addEdge({from, dim}, to);
}

void Uniformity::addExtent(const Extent &extent, Fact to) {
  if (auto name = dyn_cast_if_present<StringAttr>(extent.attribute))
    addOwn(to, getNamed(name));
  else if (extent.value)
    addEdge({extent.value, extent.dim}, to);
}

// A size that all of them share, or that a loop keeps, does not depend on `also`.
void Uniformity::join(ValueRange from, Value to, ValueRange also) {
  auto addFact = [&](int64_t dim) {
    bool isSize = dim != kContent || to.getType().isIndex();
    Extent extent = !isSize ? Extent() : dim == kContent ? tracer.trace(OpFoldResult(to)) : tracer.trace(to, dim);
    if (isSize && !(extent == Extent{{}, to, dim}))
      return addExtent(extent, {to, dim});
    for (Value value : from)
      addEdge({value, dim}, {to, dim});
    for (Value value : also)
      addEdge({value, kContent}, {to, dim});
  };
  addFact(kContent);
  for (int64_t dim : getDynamicDims(to))
    addFact(dim);
}

void Uniformity::propagate() {
  std::vector<unsigned> changed;
  for (unsigned i = 0; i < nodes.size(); ++i) {
    nodes[i].differs = nodes[i].own;
    if (nodes[i].own.any())
      changed.push_back(i);
  }
  while (!changed.empty()) {
    unsigned node = changed.back();
    changed.pop_back();
    for (unsigned use : nodes[node].uses) {
      const Edge &edge = edges[use];
      Axes axes = nodes[node].differs;
      if (!edge.without.empty())
        axes.reset(edge.without);
      Node &target = nodes[edge.to];
      if (axes.test(target.differs)) {
        target.differs |= axes;
        changed.push_back(edge.to);
      }
    }
  }
}

Value Uniformity::findSource(Fact fact, const Axes &axes) const {
  auto number = numbers.find(fact);
  if (number == numbers.end())
    return {};
  llvm::SetVector<unsigned> seen;
  seen.insert(number->second);
  for (unsigned i = 0; i < seen.size(); ++i) {
    const Node &node = nodes[seen[i]];
    if (node.own.anyCommon(axes))
      return node.value;
    for (unsigned made : node.made)
      if (edges[made].without.empty() || axes.test(edges[made].without))
        if (nodes[edges[made].from].differs.anyCommon(axes))
          seen.insert(edges[made].from);
  }
  return {};
}

//===--- Functions -----------------------------------------------------------------------------------------------===//

Uniformity::Uniformity(func::FuncOp function) {
  llvm::append_range(meshes, function->getParentOfType<ModuleOp>().getOps<device::MeshOp>());
  atoms = MeshAtoms(meshes);
  if (meshes.empty())
    return;
  addArguments(function);
  for (Block &block : function.getBody())
    addBlock(block);
  propagate();
}

void Uniformity::addArguments(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments()) {
    Axes axes = none();
    for (device::MeshOp mesh : meshes)
      axes |= allOf(mesh);
    auto sharding = function.getArgAttrOfType<ShardingAttr>(argument.getArgNumber(), kShardingAttr);
    device::MeshOp mesh = sharding ? getMesh(function, sharding.getMesh()) : device::MeshOp();
    if (mesh) {
      Axes cut = none();
      for (ArrayAttr names : sharding.getAxes())
        cut |= named(mesh, names);
      SmallVector<Attribute> partial(sharding.getPartial().begin(), sharding.getPartial().end());
      cut |= named(mesh, ArrayAttr::get(function.getContext(), partial));
      Axes others = axes;
      others.reset(allOf(mesh));
      addOwnSizes(argument, sharding, function.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(), kDimsAttr), others);
      axes.reset(cut.none() ? allWithin(mesh) : allOf(mesh));
      axes |= cut;
    }
    addOwn({argument, kContent}, axes);
  }
}

// Sizes of parts of a whole whose size is known are each rank's own, and so are names that they have.
void Uniformity::addOwnSizes(BlockArgument argument, ShardingAttr sharding, ArrayAttr names, const Axes &others) {
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  for (int64_t dim = 0; type && dim < type.getRank(); ++dim) {
    if (!type.isDynamicDim(dim) || sharding.getWhole(dim) == -1)
      continue;
    Axes axes = others;
    axes |= named(getMesh(argument.getOwner()->getParentOp(), sharding.getMesh()), sharding.getAxes()[dim]);
    addOwn({argument, dim}, axes);
    if (auto name = names ? cast<StringAttr>(names[dim]) : StringAttr(); name && !name.empty())
      own.try_emplace(name, none()).first->second |= axes;
  }
}

void Uniformity::addBlock(Block &block) {
  for (Operation &op : block)
    addOp(op);
}

void Uniformity::addOp(Operation &op) {
  TypeSwitch<Operation *>(&op)
      .Case([&](CoordinateOp coordinate) {
        device::MeshOp mesh = getMesh(&op, coordinate.getMeshAttr());
        Axes axes = named(mesh, ArrayAttr::get(op.getContext(), coordinate.getAxisAttr()));
        addOwn({op.getResult(0), kContent}, axes |= ofOthers(mesh, /*insideCounts=*/true));
      })
      .Case([&](MemberOp member) {
        addOwn({op.getResult(0), kContent}, ofOthers(getMesh(&op, member.getMeshAttr()), /*insideCounts=*/false));
      })
      .Case<UnitsOp, DimensionOp>([&](auto) {
        // Cores, and the numbers that calls draw, are each rank's own; named sizes are agreed on.
        auto dimension = dyn_cast<DimensionOp>(op);
        for (device::MeshOp mesh : meshes)
          if (!dimension || dimension.getName() == ::heddle::contract::kDrawnSymbol)
            addOwn({op.getResult(0), kContent}, allOf(mesh));
        if (dimension)
          addOwn({op.getResult(0), kContent}, getNamed(dimension.getNameAttr()));
      })
      .Case([&](tensor::DimOp dim) {
        if (std::optional<int64_t> index = dim.getConstantIndex())
          return addEdge({dim.getSource(), *index}, {dim.getResult(), kContent});
        addAll(dim.getSource(), {dim.getResult(), kContent});
        addEdge({dim.getIndex(), kContent}, {dim.getResult(), kContent});
      })
      .Case([&](CollectiveOpInterface collective) { addCollective(collective); })
      .Case([&](scf::IfOp branch) { addIf(op, branch.getCondition()); })
      .Case([&](scf::IndexSwitchOp branch) { addIf(op, branch.getArg()); })
      .Case([&](scf::ExecuteRegionOp) { addIf(op, {}); })
      .Case([&](scf::ForOp loop) { addFor(loop); })
      .Case([&](scf::WhileOp loop) { addWhile(loop); })
      .Default([&](Operation *) { addCompute(op); });
}

//===--- Control flow --------------------------------------------------------------------------------------------===//

// Ops whose regions each yield the results; `chosen`, if given, says which.
void Uniformity::addIf(Operation &op, Value chosen) {
  SmallVector<SmallVector<Value>> given(op.getNumResults());
  for (Region &region : op.getRegions())
    for (Block &block : region) {
      addBlock(block);
      if (auto yield = dyn_cast<scf::YieldOp>(block.getTerminator()))
        for (auto [value, values] : llvm::zip_equal(yield.getOperands(), given))
          values.push_back(value);
    }
  for (auto [result, values] : llvm::zip_equal(op.getResults(), given))
    join(values, result, chosen ? ValueRange(chosen) : ValueRange());
}

void Uniformity::addFor(scf::ForOp op) {
  SmallVector<Value> trips{op.getLowerBound(), op.getUpperBound(), op.getStep()};
  for (Value bound : trips)
    addEdge({bound, kContent}, {op.getInductionVar(), kContent});
  addBlock(*op.getBody());
  for (auto [init, argument, yielded, result] :
       llvm::zip_equal(op.getInitArgs(), op.getRegionIterArgs(), op.getYieldedValues(), op.getResults())) {
    join({init, yielded}, argument, trips);
    join(argument, result, {});
  }
}

void Uniformity::addWhile(scf::WhileOp op) {
  Value condition = op.getConditionOp().getCondition();
  addBlock(*op.getBeforeBody());
  addBlock(*op.getAfterBody());
  for (auto [init, yielded, argument] :
       llvm::zip_equal(op.getInits(), op.getYieldOp().getOperands(), op.getBeforeArguments()))
    join({init, yielded}, argument, condition);
  for (auto [value, argument, result] :
       llvm::zip_equal(op.getConditionOp().getArgs(), op.getAfterArguments(), op.getResults())) {
    join(value, argument, condition);
    join(value, result, condition);
  }
}

//===--- Ops -----------------------------------------------------------------------------------------------------===//

void Uniformity::addCollective(CollectiveOpInterface op) {
  using ::heddle::contract::CollectiveKind;
  device::MeshOp mesh = getMesh(op, op.getMeshAttr());
  Fact content{op.getResult(), kContent};
  Axes same = none(), joined = getAxes(op);
  bool isSame = llvm::is_contained({CollectiveKind::AllReduce, CollectiveKind::AllGather, CollectiveKind::Broadcast},
                                   op.getKind());
  // Lists of ranks do not say along which axes they are alike.
  isSame &= !op.getGroupsAttr();
  bool joinsAll = isSame && joined == allOf(mesh);
  Axes own = ofOthers(mesh, /*insideCounts=*/!joinsAll);
  if (isSame)
    same = joinsAll ? allWithin(mesh) : joined;
  else
    own |= joined;
  addOwn(content, own);
  addEdge({op.getOperand(), kContent}, content, same);
  for (Value value : op.getCut()) // who has what
    addEdge({value, kContent}, content);
  for (Value size : op.getResultDims())
    addEdge({size, kContent}, content);
  for (int64_t dim : getDynamicDims(op.getResult()))
    addSize(cast<OpResult>(op.getResult()), dim);
}

void Uniformity::addCompute(Operation &op) {
  llvm::SetVector<Value> reads(op.operand_begin(), op.operand_end());
  getUsedValuesDefinedAbove(op.getRegions(), reads);
  if (isa<arith::SelectOp>(op))
    for (OpResult result : op.getResults())
      if (!getDynamicDims(result).empty())
        return join(op.getOperands().drop_front(), result, op.getOperand(0));
  for (OpResult result : op.getResults()) {
    for (Value read : reads)
      addAll(read, {result, kContent});
    for (int64_t dim : getDynamicDims(result))
      addSize(result, dim);
  }
}

// Of what the size of a result's dimension is made, by its op.
void Uniformity::addSize(OpResult result, int64_t dim) {
  Fact size{result, dim};
  if (Extent before = flow::stepExtent(result, dim); !(before == Extent{{}, result, dim}))
    return addExtent(before, size);
  SmallVector<Extent> inputs = flow::findInputs(result, dim);
  for (const Extent &input : inputs)
    addExtent(input, size);
  if (!inputs.empty())
    return;
  for (Value operand : result.getOwner()->getOperands())
    if (!isa<RankedTensorType>(operand.getType()) || isa<tensor::ReshapeOp>(result.getOwner()))
      addEdge({operand, kContent}, size);
    else
      for (int64_t other : getDynamicDims(operand))
        addEdge({operand, other}, size);
}
