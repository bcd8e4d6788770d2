// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Analysis/AffinityGraph.h"

#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Dialect/Flow/Analysis/SizeEstimates.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::flow;

static bool isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }

void mlir::heddle::flow::forEachRead(Operation &op, llvm::function_ref<void(OpOperand &)> visit) {
  for (OpOperand &operand : op.getOpOperands())
    if (isTensor(operand.get()))
      visit(operand);
  for (Region &region : op.getRegions())
    visitUsedValuesDefinedAbove(region, region, [&](OpOperand *operand) {
      if (isTensor(operand->get()))
        visit(*operand);
    });
}

//===--- Nodes and uses ------------------------------------------------------------------------------------------===//

unsigned AffinityGraph::addNode(Location loc, ArrayRef<unsigned> allowed) {
  problem.allowed.emplace_back(allowed.begin(), allowed.end());
  locations.push_back(loc);
  return locations.size() - 1;
}

static unsigned loopsAround(Operation *op) {
  unsigned loops = 0;
  while ((op = op->getParentOp()))
    loops += isa<scf::ForOp, scf::WhileOp>(op);
  return loops;
}

uint64_t mlir::heddle::flow::estimateRuns(Operation *op) { return uint64_t(1) << std::min(3 * loopsAround(op), 30u); }

uint64_t AffinityGraph::bytesOf(Value tensor) const { return sizes->bytes(tensor); }

void AffinityGraph::addUse(OpOperand &use, unsigned node, bool tied) {
  if (!isTensor(use.get()))
    return;
  uses.push_back({&use, node});
  auto from = values.find(use.get());
  if (from == values.end())
    return; // a constant
  uint64_t runs = estimateRuns(&use.get().getParentBlock()->front());
  problem.edges.push_back({from->second, node, bytesOf(use.get()), runs, tied});
}

FailureOr<SmallVector<unsigned, 1>> AffinityGraph::parse(Operation *at, Attribute affinity) {
  SmallVector<unsigned, 1> allowed;
  if (!affinity)
    return allowed;
  SmallVector<Attribute> choices{affinity};
  if (auto optimal = dyn_cast<device::OptimalAttr>(affinity))
    choices.assign(optimal.getAffinities().begin(), optimal.getAffinities().end());
  for (Attribute choice : choices) {
    auto named = dyn_cast<device::AffinityAttr>(choice);
    if (!named)
      return at->emitError() << "belongs on " << choice << ", which is not a #device.affinity", failure();
    std::optional<unsigned> device = topology->find(named.getDevice().getValue());
    if (!device)
      return at->emitError() << "belongs on " << named.getDevice() << ", which is not a device.global", failure();
    allowed.push_back(*device);
  }
  llvm::sort(allowed);
  allowed.erase(llvm::unique(allowed), allowed.end());
  return allowed;
}

//===--- Functions -----------------------------------------------------------------------------------------------===//

LogicalResult AffinityGraph::build(ModuleOp module, const Topology &devices, bool placed) {
  topology = &devices;
  isPlaced = placed;
  SizeEstimates estimates(module);
  sizes = &estimates;
  llvm::scope_exit forget([&] { sizes = nullptr; });
  auto ofModule = parse(module, module->getAttr(kAffinityAttr));
  if (failed(ofModule))
    return failure();
  for (auto func : module.getOps<func::FuncOp>())
    if (!func.isExternal() && failed(addFunction(func, *ofModule)))
      return failure();
  for (auto func : module.getOps<func::FuncOp>())
    if (!func.isExternal() && failed(addBody(func)))
      return failure();
  return success();
}

std::optional<unsigned> AffinityGraph::findPin(Operation *op) const {
  if (auto node = ops.find(op); node != ops.end() && problem.allowed[node->second].size() == 1)
    return problem.allowed[node->second].front();
  for (Value operand : op->getOperands())
    if (auto transfer = operand.getDefiningOp<TransferOp>())
      return findPin(transfer);
  return std::nullopt;
}

LogicalResult AffinityGraph::addFunction(func::FuncOp func, ArrayRef<unsigned> inherited) {
  auto own = parse(func, func->getAttr(kAffinityAttr));
  if (failed(own))
    return failure();
  SmallVector<unsigned, 1> allowed = own->empty() ? SmallVector<unsigned, 1>(inherited) : *own;
  ofFunctions[func] = allowed;
  functions[func.getSymName()] = func;
  for (BlockArgument argument : func.getArguments()) {
    auto stated = parse(func, func.getArgAttr(argument.getArgNumber(), kAffinityAttr));
    if (failed(stated))
      return failure();
    if (isTensor(argument))
      values[argument] = addNode(argument.getLoc(), stated->empty() ? allowed : *stated);
  }
  for (auto [i, type] : llvm::enumerate(func.getResultTypes())) {
    auto stated = parse(func, func.getResultAttr(i, kAffinityAttr));
    if (failed(stated))
      return failure();
    std::optional<unsigned> node;
    if (isa<RankedTensorType>(type))
      node = addNode(func.getLoc(), stated->empty() ? allowed : *stated);
    results[func].push_back(node);
  }
  return success();
}

LogicalResult AffinityGraph::addBody(func::FuncOp func) {
  for (Block &block : func.getBody())
    if (failed(addBlock(block, ofFunctions[func])))
      return failure();
  func.walk([&](func::ReturnOp op) {
    for (auto [operand, node] : llvm::zip_equal(op->getOpOperands(), results[func]))
      if (node)
        addUse(operand, *node);
  });
  return success();
}

void AffinityGraph::addCall(func::CallOp op) {
  func::FuncOp callee = functions.lookup(op.getCallee());
  if (!callee) {
    // Outside of the module: its values follow what the call reads.
    unsigned node = addNode(op.getLoc(), {});
    for (OpOperand &operand : op->getOpOperands())
      addUse(operand, node);
    for (Value result : op.getResults())
      if (isTensor(result))
        values[result] = node;
    return;
  }
  for (auto [operand, argument] : llvm::zip_equal(op->getOpOperands(), callee.getArguments()))
    if (isTensor(argument))
      addUse(operand, values[argument]);
  for (auto [result, node] : llvm::zip_equal(op.getResults(), results[callee]))
    if (node)
      values[result] = *node;
}

//===--- Control flow --------------------------------------------------------------------------------------------===//

LogicalResult AffinityGraph::addBlock(Block &block, ArrayRef<unsigned> inherited) {
  for (Operation &op : block.without_terminator())
    if (failed(addOp(op, inherited)))
      return failure();
  return success();
}

LogicalResult AffinityGraph::addFor(scf::ForOp op, ArrayRef<unsigned> inherited) {
  SmallVector<std::optional<unsigned>> nodes;
  for (auto [init, argument, result] :
       llvm::zip_equal(op.getInitArgsMutable(), op.getRegionIterArgs(), op.getResults())) {
    nodes.push_back(std::nullopt);
    if (!isTensor(argument))
      continue;
    nodes.back() = addNode(op.getLoc(), inherited);
    values[argument] = values[result] = *nodes.back();
    addUse(init, *nodes.back());
  }
  if (failed(addBlock(*op.getBody(), inherited)))
    return failure();
  for (auto [operand, node] : llvm::zip_equal(op.getBody()->getTerminator()->getOpOperands(), nodes))
    if (node)
      addUse(operand, *node);
  return success();
}

LogicalResult AffinityGraph::addWhile(scf::WhileOp op, ArrayRef<unsigned> inherited) {
  for (auto [init, argument] : llvm::zip_equal(op->getOpOperands(), op.getBeforeArguments()))
    if (isTensor(argument)) {
      values[argument] = addNode(op.getLoc(), inherited);
      addUse(init, values[argument]);
    }
  if (failed(addBlock(*op.getBeforeBody(), inherited)))
    return failure();
  auto results = llvm::zip_equal(op.getConditionOp().getArgsMutable(), op.getAfterArguments(), op.getResults());
  for (auto [operand, argument, result] : results)
    if (isTensor(argument)) {
      values[argument] = values[result] = addNode(op.getLoc(), inherited);
      addUse(operand, values[argument]);
    }
  if (failed(addBlock(*op.getAfterBody(), inherited)))
    return failure();
  for (auto [operand, argument] : llvm::zip_equal(op.getYieldOp()->getOpOperands(), op.getBeforeArguments()))
    if (isTensor(argument))
      addUse(operand, values[argument]);
  return success();
}

// Ops whose regions each yield the op's results: scf.if, scf.index_switch, scf.execute_region.
LogicalResult AffinityGraph::addBranches(Operation *op, ArrayRef<unsigned> inherited) {
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (failed(addBlock(block, inherited)))
        return failure();
  for (Value result : op->getResults())
    if (isTensor(result))
      values[result] = addNode(op->getLoc(), inherited);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (auto yield = dyn_cast<scf::YieldOp>(block.getTerminator()))
        for (auto [operand, result] : llvm::zip(yield->getOpOperands(), op->getResults()))
          if (isTensor(result))
            addUse(operand, values[result]);
  return success();
}

//===--- Ops -----------------------------------------------------------------------------------------------------===//

LogicalResult AffinityGraph::addOp(Operation &op, ArrayRef<unsigned> inherited) {
  if (auto transfer = dyn_cast<TransferOp>(op)) {
    auto target = parse(&op, transfer.getAffinity());
    if (failed(target))
      return failure();
    unsigned node = addNode(op.getLoc(), *target);
    ops[&op] = values[transfer.getResult()] = node;
    transfers.push_back(transfer);
    if (auto from = values.find(transfer.getOperand()); from != values.end())
      problem.edges.push_back({from->second, node, bytesOf(transfer.getResult())});
    return success();
  }
  auto own = parse(&op, op.getAttr(kAffinityAttr));
  if (failed(own))
    return failure();
  ArrayRef<unsigned> around = own->empty() ? inherited : ArrayRef(*own);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return addFor(loop, around);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return addWhile(loop, around);
  if (isa<scf::IfOp, scf::IndexSwitchOp, scf::ExecuteRegionOp>(op))
    return addBranches(&op, around);
  if (auto call = dyn_cast<func::CallOp>(op))
    return addCall(call), success();
  // Without tensors among its results an op reads on the host: elements where they are, sizes nowhere.
  if (llvm::none_of(op.getResults(), isTensor))
    return success();
  return addCompute(op, *own, inherited);
}

LogicalResult AffinityGraph::addCompute(Operation &op, ArrayRef<unsigned> own, ArrayRef<unsigned> inherited) {
  SmallVector<OpOperand *> reads;
  forEachRead(op, [&](OpOperand &read) { reads.push_back(&read); });
  bool isConstant = (own.empty() || (reads.empty() && !isPlaced)) && isMemoryEffectFree(&op) &&
                    llvm::none_of(reads, [&](OpOperand *read) { return values.contains(read->get()); });
  if (isConstant) {
    constants.insert(&op);
    return success();
  }
  unsigned node = addNode(op.getLoc(), own.empty() ? inherited : own);
  ops[&op] = node;
  for (Value result : op.getResults())
    if (isTensor(result))
      values[result] = node;
  auto insert = dyn_cast<tensor::InsertSliceOp>(op);
  for (OpOperand *read : reads)
    addUse(*read, node, insert && read->get() == insert.getDest());
  return success();
}
