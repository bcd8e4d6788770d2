// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Ranks/Propagation/Report.h"

#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Dialect/Quantities.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

#include <functional>

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::propagation;

static bool communicates(const ReshardPlan &plan) {
  return llvm::any_of(plan.steps, [](const ReshardStep &step) { return step.communicates(); });
}

SmallVector<Move> propagation::findMoves(func::FuncOp function, const ProgramGraph &program, Moves &moves) {
  const ShardingGraph &graph = program.graph;
  SmallVector<Move> found;
  llvm::DenseMap<unsigned, unsigned> asked; // of a request's result: what it is asked of
  for (const Node &node : graph.nodes)
    if (node.role == Node::Role::Request)
      asked[node.results.front().value] = node.operands.front().value;
  // Of a value that it is a request of the reader may have what it wants without anybody's help.
  auto isAtHand = [&](unsigned value, const Layout &wanted) {
    for (auto next = asked.find(value); next != asked.end(); next = asked.find(next->second)) {
      const Layout &given = graph.values[next->second].given;
      if ((given.isWhole() && wanted.partial.empty()) || graph.areSame(given, wanted, graph.values[value].sizes))
        return true;
    }
    return false;
  };
  auto add = [&](unsigned value, Layout wanted, bool repeats) {
    if (isAtHand(value, wanted))
      return;
    bool isKnown = llvm::any_of(found, [&](const Move &move) {
      return move.value == value && graph.areSame(move.wanted, wanted, graph.values[value].sizes);
    });
    if (!isKnown && communicates(moves.plan(value, graph.values[value].given, wanted)))
      found.push_back({value, std::move(wanted), repeats});
  };
  for (auto [node, meaning] : llvm::zip_equal(graph.nodes, program.meanings))
    for (const Port &operand : node.operands) {
      mlir::Value value = program.programValues[operand.value];
      auto loop = meaning.op->getParentOfType<LoopLikeOpInterface>();
      // A value from outside of a loop is moved once.
      bool repeats = loop && loop->isAncestor(value.getParentBlock()->getParentOp());
      add(operand.value, node.wanted(graph, operand), repeats);
    }
  for (auto [number, result] : llvm::enumerate(function.getBody().back().getTerminator()->getOperands()))
    if (auto known = program.valueNumbers.find(result); known != program.valueNumbers.end())
      add(known->second, program.layoutOfResult(number, known->second), false);
  return found;
}

//===--- Words ---------------------------------------------------------------------------------------------------===//

static std::string describe(Operation *op) {
  std::string text = op->getName().stripDialect().str();
  std::string nodes;
  op->getLoc()->walk([&](Location part) {
    if (auto name = dyn_cast<NameLoc>(part))
      nodes += (nodes.empty() ? " of '" : ", '") + name.getName().getValue().str() + "'";
    return WalkResult::advance();
  });
  return text + nodes;
}

std::string propagation::describe(func::FuncOp function, mlir::Value value) {
  while (auto shard = value.getDefiningOp<flow::ShardOp>()) // what is asked for has the name of what it is asked of
    value = shard.getOperand();
  if (auto result = dyn_cast<OpResult>(value)) {
    std::string op = ::describe(result.getOwner());
    return result.getOwner()->getNumResults() == 1 ? "the result of " + op
                                                   : "result " + std::to_string(result.getResultNumber()) + " of " + op;
  }
  auto argument = cast<BlockArgument>(value);
  if (argument.getOwner() != &function.getBody().front())
    return "what " + ::describe(argument.getOwner()->getParentOp()) + " carries";
  auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), kNameAttr);
  return name ? "argument '" + name.getValue().str() + "'" : "argument " + std::to_string(argument.getArgNumber());
}

static std::string describe(const ShardingGraph &graph, ArrayRef<Cut> cuts) {
  std::string text;
  for (const Cut &cut : cuts)
    text += (text.empty() ? "" : ", ") + propagation::describe(graph, cut);
  return text;
}

static bool isCut(ArrayRef<Cut> cuts) {
  return llvm::any_of(cuts, [](const Cut &cut) { return !cut.empty(); });
}

//===--- Requests that readers do not keep to --------------------------------------------------------------------===//

namespace {

struct Reader {
  std::string name;
  Layout wanted;
};

} // namespace

static SmallVector<Reader> readersOf(unsigned value, func::FuncOp function, const ProgramGraph &program) {
  SmallVector<Reader> readers;
  for (auto [node, meaning] : llvm::zip_equal(program.graph.nodes, program.meanings))
    for (const Port &operand : node.operands)
      if (operand.value == value)
        readers.push_back({describe(meaning.op), node.wanted(program.graph, operand)});
  for (auto [number, result] : llvm::enumerate(function.getBody().back().getTerminator()->getOperands()))
    if (result == program.programValues[value])
      readers.push_back({"result " + std::to_string(number), program.layoutOfResult(number, value)});
  return readers;
}

// What was asked for, without what the solver added to it.
static Layout askedOf(flow::ShardOp op, Layout given) {
  for (auto [dim, cut] : llvm::enumerate(given.dims)) {
    cut.axes.truncate(std::min(cut.axes.size(), op.getSharding().getDimAxes(dim).size()));
    if (cut.empty())
      cut = {};
  }
  return given;
}

void propagation::warnOfReaders(func::FuncOp function, const ProgramGraph &program, Moves &moves) {
  const ShardingGraph &graph = program.graph;
  for (auto [node, meaning] : llvm::zip_equal(graph.nodes, program.meanings)) {
    if (node.role != Node::Role::Request)
      continue;
    auto op = cast<flow::ShardOp>(meaning.op);
    unsigned value = node.results.front().value, from = node.operands.front().value;
    Layout asked = askedOf(op, graph.values[value].given);
    Operation *maker = op.getOperand().getDefiningOp();
    bool isParameter = maker && (maker->hasTrait<OpTrait::ConstantLike>() || isa<flow::ParameterLoadOp>(maker));
    if (!isCut(asked.dims) || !asked.partial.empty() || !graph.values[from].given.isWhole())
      continue;
    SmallVector<Reader> readers = readersOf(value, function, program);
    auto isOther = [&](const Reader &reader) { return communicates(moves.plan(value, asked, reader.wanted)); };
    const auto *other = llvm::find_if(readers, isOther);
    bool isKept = isParameter ? other == readers.end() : llvm::any_of(readers, std::not_fn(isOther));
    if (!isKept && other != readers.end())
      op.emitWarning() << "this sharding is not applied: " << other->name << " reads "
                       << (isCut(other->wanted.dims) ? "it as " + ::describe(graph, other->wanted.dims)
                                                     : std::string("all of it"))
                       << ", which moves less" << (isParameter ? ", and each rank loads that" : "");
  }
}

SmallVector<std::string> propagation::reportShardings(func::FuncOp function, const ProgramGraph &program,
                                                      Moves &moves) {
  const ShardingGraph &graph = program.graph;
  SmallVector<std::string> lines;
  auto say = [&](const Twine &line) { lines.push_back(("@" + function.getSymName() + ": " + line).str()); };
  for (BlockArgument argument : function.getArguments())
    if (auto known = program.valueNumbers.find(argument); known != program.valueNumbers.end())
      if (const auto &dims = graph.values[known->second].given.dims; isCut(dims))
        say(propagation::describe(function, argument) + " is cut by " + ::describe(graph, dims));
  for (auto [number, result] : llvm::enumerate(function.getBody().back().getTerminator()->getOperands()))
    if (auto known = program.valueNumbers.find(result); known != program.valueNumbers.end())
      if (Layout layout = program.layoutOfResult(number, known->second); isCut(layout.dims)) {
        auto name = function.getResultAttrOfType<StringAttr>(number, kNameAttr);
        say("result " + (name ? "'" + name.getValue().str() + "'" : std::to_string(number)) + " is cut by " +
            ::describe(graph, layout.dims));
      }
  for (const Conflict &conflict : graph.conflicts) {
    std::string others;
    for (const Conflict::Choice &choice : ArrayRef(conflict.choices).drop_front())
      others += (others.empty() ? ", not by " : ", or by ") + ::describe(graph, choice.loops) + " (" +
                formatBytes(choice.bytes) + ")";
    say(::describe(program.meanings[conflict.node].op) + " is computed by loops " +
        ::describe(graph, conflict.choices.front().loops) + " (" + formatBytes(conflict.choices.front().bytes) +
        " moved)" + others);
  }
  uint64_t bytes = 0;
  bool repeats = false;
  SmallVector<Move> found = findMoves(function, program, moves);
  for (const Move &move : found) {
    ReshardPlan plan = moves.plan(move.value, graph.values[move.value].given, move.wanted);
    bytes += bytesOf(plan);
    repeats |= move.repeats;
    say(propagation::describe(function, program.programValues[move.value]) + ": " + mlir::heddle::describe(plan) +
        (move.repeats ? " in each iteration" : ""));
  }
  say(formatCount(found.size(), "move") + " between ranks, " + formatBytes(bytes) + " of the busiest one" +
      (repeats ? ", iterations counted once" : ""));
  return lines;
}
