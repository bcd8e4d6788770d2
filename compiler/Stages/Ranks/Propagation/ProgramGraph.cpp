// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Ranks/Propagation/ProgramGraph.h"

#include "compiler/Dialect/Heddle/IR/Shards.h"
#include "compiler/Dialect/Heddle/IR/State.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::propagation;

// What is made of no tensor costs each reader nothing: each has its own, so that what one wants of it says nothing of
// the others.
void propagation::splitFills(func::FuncOp function) {
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    if (isa<tensor::EmptyOp, tensor::SplatOp, linalg::FillOp>(op) && op->getNumResults() == 1 &&
        op->getResult(0).getType() && isa<RankedTensorType>(op->getResult(0).getType()))
      ops.push_back(op);
  });
  for (Operation *op : llvm::reverse(ops)) {
    if (auto fill = dyn_cast<linalg::FillOp>(op); fill && !fill.getDpsInits().front().getDefiningOp<tensor::EmptyOp>())
      continue;
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : op->getResult(0).getUses())
      if (!isa<tensor::DimOp>(use.getOwner()))
        uses.push_back(&use);
    OpBuilder builder(op);
    for (OpOperand *use : ArrayRef(uses).drop_front(uses.empty() ? 0 : 1))
      use->set(builder.clone(*op)->getResult(0));
  }
}

ProgramGraph::ProgramGraph(func::FuncOp function, const OwnValues &own, flow::SizeEstimates &sizes)
    : own(own), sizes(sizes) {
  addAxes(function->getParentOfType<ModuleOp>());
  for (BlockArgument argument : function.getArguments())
    if (isWhole(argument))
      name(argument, addValue(argument, /*isSource=*/true));
  addState(function);
  for (Block &block : function.getBody())
    addBlock(block);
  for (mlir::Value result : function.getBody().back().getTerminator()->getOperands())
    if (auto known = valueNumbers.find(result); known != valueNumbers.end())
      graph.values[known->second].isReturned = true;
  for (auto [node, value] : joined)
    if (isWhole(value))
      graph.nodes[node].operands.push_back(identity(numberOf(value)));
}

void ProgramGraph::addAxes(ModuleOp module) {
  for (auto mesh : module.getOps<device::MeshOp>()) {
    for (auto [axis, size] : llvm::zip_equal(mesh.getAxes().getAsRange<StringAttr>(), mesh.getSizes()))
      axisNumbers[{mesh.getSymNameAttr(), axis}] = graph.addAxis(
          {axis.str(), static_cast<unsigned>(meshes.size()), size == device::MeshOp::kFree ? Axis::kFree : size});
    meshes.push_back(mesh);
  }
}

//===--- Values --------------------------------------------------------------------------------------------------===//

unsigned ProgramGraph::addValue(mlir::Value value, bool isSource) {
  auto type = cast<RankedTensorType>(value.getType());
  programValues.push_back(value);
  estimates.push_back(sizes.shape(value));
  return graph.addValue(llvm::to_vector(type.getShape()), sizes.bytes(value), isSource);
}

static bool isConstant(Operation *op) {
  return op && (op->hasTrait<OpTrait::ConstantLike>() || isa<flow::ParameterLoadOp>(op));
}

unsigned ProgramGraph::numberOf(mlir::Value value) {
  if (auto known = valueNumbers.find(value); known != valueNumbers.end())
    return known->second;
  unsigned number = addValue(value, /*isSource=*/true);
  if (!isConstant(value.getDefiningOp()))
    name(value, number);
  return number;
}

unsigned ProgramGraph::add(Node node, Meaning meaning) {
  meanings.push_back(meaning);
  return graph.addNode(std::move(node));
}

// Every dimension is the loop of its number, or of none.
Port ProgramGraph::identity(unsigned value, bool linked) const {
  Port port{value, {}};
  for (size_t dim = 0; dim < graph.values[value].sizes.size(); ++dim)
    port.dims.push_back({linked ? std::optional<unsigned>(dim) : std::nullopt, {}});
  return port;
}

static SmallVector<Loop> loopsOf(const ShardedValue &value) {
  return llvm::map_to_vector(value.sizes, [](int64_t size) {
    Loop loop;
    loop.extent = size;
    return loop;
  });
}

Cut ProgramGraph::cutOf(flow::ShardingAttr sharding, int64_t dim) const {
  Cut cut;
  for (StringAttr axis : sharding.getDimAxes(dim))
    cut.axes.push_back(axisNumbers.lookup({sharding.getMesh().getAttr(), axis}));
  if (!cut.empty())
    cut.granule = flow::asProduct(sharding.getGranule(dim));
  return cut;
}

// The layout with the sharding's partial sums.
Layout ProgramGraph::partialOf(flow::ShardingAttr sharding, Layout layout) const {
  for (StringAttr axis : sharding.getPartial())
    layout.partial.push_back(axisNumbers.lookup({sharding.getMesh().getAttr(), axis}));
  layout.reduction = sharding.getReduction();
  return layout;
}

std::optional<unsigned> ProgramGraph::meshOf(const Layout &layout) const {
  for (const Cut &cut : layout.dims)
    if (!cut.empty())
      return graph.axes[cut.axes.front()].mesh;
  if (!layout.partial.empty())
    return graph.axes[layout.partial.front()].mesh;
  return std::nullopt;
}

flow::ShardingAttr ProgramGraph::toAttribute(const Layout &layout, unsigned mesh) const {
  device::MeshOp op = meshes[meshOf(layout).value_or(mesh)];
  MLIRContext *context = op->getContext();
  auto nameOf = [&](unsigned axis) { return StringAttr::get(context, graph.axes[axis].name); };
  SmallVector<ArrayAttr> axes;
  SmallVector<flow::GranuleAttr> granules;
  for (const Cut &cut : layout.dims) {
    axes.push_back(
        ArrayAttr::get(context, llvm::map_to_vector(cut.axes, [&](unsigned axis) { return Attribute(nameOf(axis)); })));
    granules.push_back(flow::asGranule(context, cut.granule));
  }
  return flow::ShardingAttr::getNormalized(FlatSymbolRefAttr::get(op.getSymNameAttr()), axes, granules,
                                           llvm::map_to_vector(layout.partial, nameOf), layout.reduction);
}

// State as the argument lies; else as it is given, or wanted where it is still to be combined.
Layout ProgramGraph::layoutOfResult(unsigned result, unsigned value) const {
  for (auto [node, meaning] : llvm::zip_equal(graph.nodes, meanings))
    if (meaning.argument && meaning.result == result)
      return graph.values[node.results.front().value].given;
  const ShardedValue &returned = graph.values[value];
  Layout layout{returned.given.dims, {}};
  if (!returned.given.partial.empty())
    layout.dims = returned.cuts;
  return layout;
}

//===--- Ops -----------------------------------------------------------------------------------------------------===//

void ProgramGraph::addBlock(Block &block) {
  for (Operation &op : block)
    addOp(op);
}

void ProgramGraph::addOp(Operation &op) {
  if (auto shard = dyn_cast<flow::ShardOp>(op); shard && isWhole(shard.getResult()))
    return addShard(shard);
  if (auto part = dyn_cast<flow::PartOp>(op))
    return addPart(part);
  if (auto whole = dyn_cast<flow::WholeOp>(op))
    return addWhole(whole);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return addFor(loop);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return addWhile(loop);
  if (isa<scf::IfOp, scf::IndexSwitchOp, scf::ExecuteRegionOp>(op))
    return addBranch(op);
  // A size is that of the whole; what is returned or yielded has its rules elsewhere.
  if (isa<tensor::DimOp>(op) || op.hasTrait<OpTrait::IsTerminator>() || isConstant(&op))
    return;
  bool isOwn =
      own.readBy(&op) || llvm::any_of(op.getResults(), [&](mlir::Value result) { return own.contains(result); });
  std::optional<flow::Factors> factors;
  if (!isOwn)
    factors = flow::findFactors(&op);
  // Readers of a padding that all read what is padded leave nothing to decide for it.
  if (auto pad = dyn_cast<tensor::PadOp>(op);
      pad && !isOwn && isWhole(pad.getSource()) && isReadThrough(pad) &&
      llvm::none_of(op.getUsers(), [&](auto *user) { return own.readBy(user); }))
    return;
  if (factors)
    addFactors(op, *factors);
  else
    addFixed(op);
}

void ProgramGraph::addShard(flow::ShardOp op) {
  unsigned from = numberOf(op.getOperand()), to = addValue(op.getResult(), false);
  name(op.getResult(), to);
  flow::ShardingAttr sharding = op.getSharding();
  auto priorities = op->getAttrOfType<DenseI64ArrayAttr>(kShardPrioritiesAttr);
  for (int64_t dim = 0; dim < sharding.getRank(); ++dim) {
    Solver::Seed seed{to, static_cast<unsigned>(dim), cutOf(sharding, dim), sharding.isOpen(dim),
                      priorities ? priorities[dim] : 0};
    if (seed.priority == 0)
      graph.request(to, dim, seed.cut, seed.staysOpen);
    else
      seeds.push_back(std::move(seed));
  }
  graph.values[to].given = partialOf(sharding, graph.values[to].given);
  Node node;
  node.role = Node::Role::Request;
  if (auto direction = op->getAttrOfType<StringAttr>(kShardDirectionAttr))
    node.passes = llvm::StringSwitch<Node::Passes>(direction.getValue())
                      .Case("forward", Node::Passes::Forward)
                      .Case("backward", Node::Passes::Backward)
                      .Default(Node::Passes::None);
  node.loops = loopsOf(graph.values[to]);
  node.operands = {identity(from)};
  node.results = {identity(to)};
  add(std::move(node), {op});
}

void ProgramGraph::addPart(flow::PartOp op) {
  if (!isWhole(op.getOperand()))
    return;
  unsigned from = numberOf(op.getOperand());
  Node node;
  node.role = Node::Role::Fixed;
  node.loops = loopsOf(graph.values[from]);
  for (auto [dim, loop] : llvm::enumerate(node.loops))
    loop.cut = cutOf(op.getSharding(), dim);
  node.operands = {identity(from)};
  add(std::move(node), {op});
}

void ProgramGraph::addWhole(flow::WholeOp op) {
  unsigned to = addValue(op.getResult(), false);
  name(op.getResult(), to);
  Layout &given = graph.values[to].given;
  for (auto [dim, cut] : llvm::enumerate(given.dims)) {
    cut = cutOf(op.getSharding(), dim);
    graph.request(to, dim, cut);
  }
  given = partialOf(op.getSharding(), given);
  Node node;
  node.role = Node::Role::Fixed;
  node.results = {identity(to, /*linked=*/false)};
  add(std::move(node), {op});
}

// A dimension that walks loops of which an inner one has no name or number is needed whole.
Port ProgramGraph::portOf(unsigned value, const flow::Factors &factors, const flow::DimFactors &dims) const {
  Port port{value, {}};
  for (ArrayRef<unsigned> walked : dims) {
    Link link;
    bool isKnown = !walked.empty();
    for (unsigned inner : walked.drop_front(walked.empty() ? 0 : 1)) {
      std::optional<flow::Product> extent;
      for (const flow::Extent &one : factors.factors[inner].extents)
        if (!extent)
          extent = flow::asProduct(one);
      isKnown &= extent.has_value();
      link.inner = link.inner * extent.value_or(flow::Product());
    }
    if (isKnown)
      link.loop = walked.front();
    port.dims.push_back(link);
  }
  return port;
}

// Dimensions of which parts of a loop reach a part; of what is `padded`, which the port reads in its place.
void ProgramGraph::addReaches(Port &port, const flow::Factors &factors, unsigned operand,
                              const PaddedRead *padded) const {
  for (auto [dim, reach] : llvm::enumerate(factors.reaches[operand])) {
    if (!reach)
      continue;
    Link &link = port.dims[dim];
    int64_t low = padded ? padded->low[dim] : 0;
    bool areZeros = padded && padded->isOfZeros(); // which the exchange brings
    int64_t size = ShapedType::kDynamic;           // the program tells
    for (const flow::Extent &extent : factors.factors[reach->factor].extents)
      size = extent.getConstant().value_or(size);
    link.reached = reach->factor;
    link.window = {
        reach->scale, reach->first - low, reach->extent, size, 1, areZeros ? low : 0, areZeros ? padded->high[dim] : 0};
    for (const flow::Extent &behind : reach->behind) // an estimate, and not nothing
      link.window.behind += std::max<int64_t>(1, behind.dim < 0 ? 1 : sizes.shape(behind.value)[behind.dim]);
  }
}

static Loop loopOf(const flow::Factor &factor) {
  Loop loop;
  loop.kind = !factor.canBeCut()                           ? Loop::Kind::Whole
              : factor.kind == flow::Factor::Kind::Reduced ? Loop::Kind::Reduced
                                                           : Loop::Kind::Parallel;
  loop.reduction = factor.reduction.value_or(flow::Reduction::Sum);
  for (const flow::Extent &extent : factor.extents)
    if (std::optional<int64_t> size = extent.getConstant())
      loop.extent = *size;
  return loop;
}

// Whether a loop reads the slice's source again and again: brought there once, it is there for all iterations.
static bool isReadAgain(tensor::ExtractSliceOp op) {
  auto loop = op->getParentOfType<LoopLikeOpInterface>();
  return loop && !loop->isAncestor(op.getSource().getParentBlock()->getParentOp());
}

void ProgramGraph::addFactors(Operation &op, const flow::Factors &factors) {
  Node node;
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
  for (const flow::Factor &factor : factors.factors) {
    Loop loop = loopOf(factor);
    // A look-up needs a row on each rank.
    bool isLookUp = structured && node.loops.size() >= structured.getNumLoops();
    bool isShort = llvm::any_of(meshes, [&](device::MeshOp mesh) { return mesh.getNumRanks() > loop.extent; });
    bool isPosition = slice && loop.kind == Loop::Kind::Reduced;
    node.takesPosition |= isPosition;
    if ((isLookUp && isShort) || (isPosition && isReadAgain(slice)))
      loop.kind = Loop::Kind::Whole;
    node.loops.push_back(std::move(loop));
  }
  SmallVector<mlir::Value> operands(op.getOperands());
  llvm::append_range(operands, factors.captured);
  llvm::SmallDenseMap<unsigned, unsigned> ports; // by operand
  for (auto [number, operand, dims] : llvm::enumerate(operands, factors.operands))
    if (isWhole(operand)) {
      std::optional<PaddedRead> padded = findPaddedRead(factors, number, operand);
      if (padded && !isWhole(padded->pad.getSource()))
        padded.reset();
      mlir::Value read = padded ? mlir::Value(padded->pad.getSource()) : operand;
      ports[number] = node.operands.size();
      node.operands.push_back(portOf(numberOf(read), factors, dims));
      addReaches(node.operands.back(), factors, number, padded ? &*padded : nullptr);
      operandNumbers[{static_cast<unsigned>(graph.nodes.size()), ports[number]}] = number;
    }
  node.linear.resize(node.operands.size());
  for (auto [number, port] : ports) {
    SmallVector<unsigned> linear = flow::linearWith(&op, number);
    if (llvm::all_of(linear, [&](unsigned other) { return ports.contains(other); }))
      node.linear[port] = llvm::map_to_vector(linear, [&](unsigned other) { return ports[other]; });
  }
  node.isMade = llvm::all_of(node.operands, [&](const Port &port) { return made.contains(port.value); });
  for (auto [result, dims] : llvm::zip_equal(op.getResults(), factors.results)) {
    if (!isWhole(result))
      continue;
    unsigned number = addValue(result, /*isSource=*/node.isMade);
    name(result, number);
    if (node.isMade)
      made.insert(number);
    node.results.push_back(portOf(number, factors, dims));
    // What is cut by an inner loop is no part of the dimension.
    for (ArrayRef<unsigned> walked : dims)
      for (unsigned inner : walked.drop_front(walked.empty() ? 0 : 1))
        node.loops[inner].kind = Loop::Kind::Whole;
  }
  add(std::move(node), {&op});
}

void ProgramGraph::addFixed(Operation &op) {
  Node node;
  node.role = Node::Role::Fixed;
  llvm::SetVector<mlir::Value> read(op.operand_begin(), op.operand_end());
  getUsedValuesDefinedAbove(op.getRegions(), read);
  for (mlir::Value operand : read)
    if (isWhole(operand))
      node.operands.push_back(identity(numberOf(operand), /*linked=*/false));
  for (mlir::Value result : op.getResults()) {
    if (!isWhole(result))
      continue;
    unsigned number = addValue(result, /*isSource=*/true);
    name(result, number);
    node.results.push_back(identity(number, /*linked=*/false));
  }
  if (!node.operands.empty() || !node.results.empty())
    add(std::move(node), {&op});
}

//===--- What is carried -----------------------------------------------------------------------------------------===//

void ProgramGraph::addCarry(mlir::Value to, ValueRange from, ArrayRef<mlir::Value> alsoTo, Meaning meaning) {
  if (!isWhole(to))
    return;
  unsigned number = addValue(to, false);
  name(to, number);
  for (mlir::Value other : alsoTo)
    name(other, number);
  Node node;
  node.role = Node::Role::Carry;
  node.loops = loopsOf(graph.values[number]);
  node.results = {identity(number)};
  unsigned place = add(std::move(node), meaning);
  // What is yielded is not numbered yet.
  for (mlir::Value value : from)
    joined.push_back({place, value});
}

void ProgramGraph::addFor(scf::ForOp op) {
  for (auto [number, result] : llvm::enumerate(op.getResults()))
    addCarry(result, {op.getInitArgs()[number], op.getYieldedValues()[number]}, {op.getRegionIterArgs()[number]},
             {op, number});
  addBlock(*op.getBody());
}

void ProgramGraph::addWhile(scf::WhileOp op) {
  for (auto [number, argument] : llvm::enumerate(op.getBeforeArguments()))
    addCarry(argument, {op.getInits()[number], op.getYieldOp().getOperands()[number]}, {},
             {op, number, /*goesIn=*/true});
  for (auto [number, result] : llvm::enumerate(op.getResults()))
    addCarry(result, {op.getConditionOp().getArgs()[number]}, {op.getAfterArguments()[number]}, {op, number});
  addBlock(*op.getBeforeBody());
  addBlock(*op.getAfterBody());
}

void ProgramGraph::addBranch(Operation &op) {
  for (OpResult result : op.getResults()) {
    SmallVector<mlir::Value> yielded;
    for (Region &region : op.getRegions())
      for (Block &block : region)
        if (auto yield = dyn_cast<scf::YieldOp>(block.getTerminator()))
          yielded.push_back(yield.getOperand(result.getResultNumber()));
    addCarry(result, yielded, {}, {&op, result.getResultNumber()});
  }
  for (Region &region : op.getRegions())
    for (Block &block : region)
      addBlock(block);
}

// State is one value with the result that becomes it, and memory that is given away with the result that lies in it.
void ProgramGraph::addState(func::FuncOp function) {
  Operation *terminator = function.getBody().back().getTerminator();
  for (BlockArgument argument : function.getArguments()) {
    unsigned number = argument.getArgNumber();
    if (!isWhole(argument))
      continue;
    std::optional<unsigned> result;
    if (auto donated = function.getArgAttrOfType<IntegerAttr>(number, kDonatedAttr))
      result = donated.getInt();
    if (Attribute state = function.getArgAttr(number, kStateAttr))
      for (unsigned other = 0; other < function.getNumResults(); ++other)
        if (function.getResultAttr(other, kStateAttr) == state)
          result = other;
    if (!result || *result >= terminator->getNumOperands() || !isWhole(terminator->getOperand(*result)))
      continue;
    Node node;
    node.role = Node::Role::Carry;
    unsigned value = valueNumbers.lookup(argument);
    node.loops = loopsOf(graph.values[value]);
    node.results = {identity(value)};
    Meaning meaning{function};
    meaning.argument = number;
    meaning.result = result;
    joined.push_back({add(std::move(node), meaning), terminator->getOperand(*result)});
  }
}
