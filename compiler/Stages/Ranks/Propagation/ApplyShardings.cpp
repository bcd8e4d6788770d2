// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Ranks/Propagation/ApplyShardings.h"

#include "compiler/Dialect/Heddle/IR/Shards.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::propagation;

static bool isCut(ArrayRef<Cut> cuts) {
  return llvm::any_of(cuts, [](const Cut &cut) { return !cut.empty(); });
}

//===--- Arguments -----------------------------------------------------------------------------------------------===//

// What both can be sliced from.
static Cut meet(const Cut &a, const Cut &b) {
  Cut common;
  for (auto [one, other] : llvm::zip(a.axes, b.axes)) {
    if (one != other)
      break;
    common.axes.push_back(one);
  }
  if (a.granule == b.granule || b.empty())
    common.granule = a.granule;
  else
    common.axes.clear();
  return common;
}

void propagation::decideArguments(func::FuncOp function, ProgramGraph &program) {
  ShardingGraph &graph = program.graph;
  llvm::DenseMap<unsigned, SmallVector<Layout>> wants;
  llvm::DenseMap<unsigned, Layout> asked;
  for (const Node &node : graph.nodes)
    for (const Port &operand : node.operands) {
      Layout wanted = node.wanted(graph, operand).withoutWindows();
      // What goes no way back says nothing of the argument.
      if (node.passes == Node::Passes::Forward || node.passes == Node::Passes::None)
        wanted = Layout{SmallVector<Cut>(operand.dims.size()), {}};
      else if (node.role == Node::Role::Request)
        asked.try_emplace(operand.value, wanted);
      wants[operand.value].push_back(std::move(wanted));
    }
  for (BlockArgument argument : function.getArguments()) {
    auto known = program.valueNumbers.find(argument);
    if (known == program.valueNumbers.end())
      continue;
    ShardedValue &value = graph.values[known->second];
    bool isState = llvm::any_of(program.meanings, [&](const ProgramGraph::Meaning &meaning) {
      return meaning.argument == argument.getArgNumber();
    });
    if (isState)
      continue;
    if (auto request = asked.find(known->second); request != asked.end()) {
      value.given.dims = request->second.dims;
      continue;
    }
    bool isFirst = true;
    for (const Layout &wanted : wants.lookup(known->second)) {
      for (auto [cut, other] : llvm::zip_equal(value.given.dims, wanted.dims))
        cut = isFirst ? other : meet(cut, other);
      isFirst = false;
    }
  }
}

//===--- Attributes ----------------------------------------------------------------------------------------------===//

// One entry of what an scf op carries.
static void setCarried(Operation *op, StringRef name, unsigned count, unsigned number, Attribute sharding) {
  SmallVector<Attribute> entries(count, UnitAttr::get(op->getContext()));
  if (auto known = op->getAttrOfType<ArrayAttr>(name))
    entries.assign(known.begin(), known.end());
  entries[number] = sharding;
  op->setAttr(name, ArrayAttr::get(op->getContext(), entries));
}

static void applyNode(unsigned number, const ProgramGraph::Meaning &meaning, const ProgramGraph &program) {
  const Node &node = program.graph.nodes[number];
  if (node.role == Node::Role::Compute) {
    Layout loops;
    for (const Loop &loop : node.loops)
      loops.dims.push_back(loop.cut);
    loops.partial = node.partial;
    if (!loops.isWhole())
      meaning.op->setAttr(kShardLoopsAttr, program.toAttribute(loops));
    SmallVector<int64_t> partial, whole;
    for (auto [place, operand] : llvm::enumerate(node.operands)) {
      if (operand.isPartial)
        partial.push_back(program.getOperandNumber(number, place));
      if (operand.takesWhole)
        whole.push_back(program.getOperandNumber(number, place));
    }
    if (!whole.empty() && !loops.isWhole())
      meaning.op->setAttr(kShardWholeAttr, DenseI64ArrayAttr::get(meaning.op->getContext(), whole));
    if (!partial.empty())
      meaning.op->setAttr(kShardPartialAttr, DenseI64ArrayAttr::get(meaning.op->getContext(), partial));
    return;
  }
  if (node.role == Node::Role::Fixed || meaning.argument)
    return;
  const Layout &given = program.graph.values[node.results.front().value].given;
  if (auto shard = dyn_cast<flow::ShardOp>(meaning.op)) {
    unsigned mesh = 0;
    for (auto [number, op] : llvm::enumerate(program.getMeshes()))
      if (device::MeshOp(op).getSymNameAttr() == shard.getSharding().getMesh().getAttr())
        mesh = number;
    shard->setAttr(kShardLoopsAttr, program.toAttribute(given, mesh));
    return;
  }
  if (!isCut(given.dims))
    return;
  if (meaning.goesIn)
    setCarried(meaning.op, kShardCarriedInAttr, meaning.op->getNumOperands(), *meaning.result,
               program.toAttribute(given));
  else
    setCarried(meaning.op, kShardCarriedAttr, meaning.op->getNumResults(), *meaning.result, program.toAttribute(given));
}

void propagation::applyShardings(func::FuncOp function, const ProgramGraph &program) {
  const ShardingGraph &graph = program.graph;
  for (auto [number, meaning] : llvm::enumerate(program.meanings))
    applyNode(number, meaning, program);
  for (BlockArgument argument : function.getArguments())
    if (auto known = program.valueNumbers.find(argument); known != program.valueNumbers.end())
      if (const Layout &given = graph.values[known->second].given; isCut(given.dims))
        function.setArgAttr(argument.getArgNumber(), kShardValueAttr, program.toAttribute(given));
  Operation *terminator = function.getBody().back().getTerminator();
  for (auto [number, result] : llvm::enumerate(terminator->getOperands()))
    if (auto known = program.valueNumbers.find(result); known != program.valueNumbers.end())
      if (Layout layout = program.layoutOfResult(number, known->second); isCut(layout.dims))
        function.setResultAttr(number, kShardValueAttr, program.toAttribute(layout));
}
