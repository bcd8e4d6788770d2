// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Ranks/Propagation/Groups.h"

#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"

#include "llvm/ADT/Hashing.h"

#include <set>

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::propagation;

namespace {

// What is computed of values, as a number: equal for values that ops of the same names and types read, as far as
// `kDepth` ops behind them.
class Roles {
public:
  unsigned of(mlir::Value value) { return of(value, kDepth); }

private:
  static constexpr unsigned kDepth = 8;

  unsigned of(mlir::Value value, unsigned depth) {
    if (depth == 0)
      return 0;
    auto known = roles.find({value, depth});
    if (known != roles.end())
      return known->second;
    uint64_t role = 0; // in no order of the readers
    for (OpOperand &use : value.getUses()) {
      Operation *op = use.getOwner();
      llvm::hash_code one = llvm::hash_combine(op->getName().getStringRef(), use.getOperandNumber());
      for (mlir::Value result : op->getResults())
        one = llvm::hash_combine(one, result.getType().getAsOpaquePointer(), of(result, depth - 1));
      role += static_cast<size_t>(one);
    }
    unsigned number = numbers.try_emplace(role, numbers.size() + 1).first->second;
    roles[{value, depth}] = number;
    return number;
  }

  llvm::DenseMap<std::pair<mlir::Value, unsigned>, unsigned> roles;
  std::map<uint64_t, unsigned> numbers;
};

// By the size of a dimension: what lies inside of the loop that walks it.
using Inner = std::map<int64_t, std::set<int64_t>>;

} // namespace

static Inner findInner(const ShardingGraph &graph) {
  Inner inner;
  for (const Node &node : graph.nodes)
    for (const SmallVector<Port> *ports : {&node.operands, &node.results})
      for (const Port &port : *ports)
        for (auto [link, size] : llvm::zip_equal(port.dims, graph.values[port.value].sizes))
          if (std::optional<int64_t> step = link.inner.getConstant();
              link.loop && step && *step > 1 && size >= 2 * *step)
            inner[size].insert(*step);
  return inner;
}

static void add(SmallVector<Group> &groups, const std::string &name, unsigned choice, Place place) {
  auto *known = llvm::find_if(groups, [&](const Group &group) { return group.name == name; });
  if (known == groups.end())
    known = groups.insert(groups.end(), {name, {}});
  known->choices.resize(std::max<size_t>(known->choices.size(), choice + 1));
  known->choices[choice].push_back(place);
}

static std::string spell(ArrayRef<int64_t> sizes) {
  std::string text;
  for (int64_t size : sizes)
    text += " x " + std::to_string(size);
  return text;
}

// Of known sizes an argument may well be a weight.
static void addArguments(SmallVector<Group> &groups, func::FuncOp function, const ProgramGraph &program, Roles &roles) {
  for (auto [number, value] : llvm::enumerate(program.programValues)) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || argument.getOwner() != &function.getBody().front())
      continue;
    auto names = function.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(), kDimsAttr);
    ArrayRef<int64_t> sizes = program.graph.values[number].sizes;
    std::string role = "argument" + spell(sizes) + " for " + std::to_string(roles.of(value));
    unsigned choice = 0;
    for (unsigned dim = 0; dim < sizes.size(); ++dim) {
      StringRef name = names ? cast<StringAttr>(names[dim]).getValue() : "";
      add(groups, name.empty() ? role : name.str(), name.empty() ? choice++ : 0, {static_cast<unsigned>(number), dim});
    }
  }
}

// Vectors follow the products around them.
static void addParameters(SmallVector<Group> &groups, const ProgramGraph &program, Roles &roles) {
  const ShardingGraph &graph = program.graph;
  Inner inner = findInner(graph);
  for (auto [number, value] : llvm::enumerate(program.programValues)) {
    Operation *op = value.getDefiningOp();
    bool isParameter = op && (isa<flow::ParameterLoadOp>(op) || op->hasTrait<OpTrait::ConstantLike>());
    ArrayRef<int64_t> sizes = graph.values[number].sizes;
    if (!isParameter || sizes.size() < 2)
      continue;
    std::string name = "constant";
    if (auto load = dyn_cast<flow::ParameterLoadOp>(op))
      name = load.getParameter().str();
    llvm::erase_if(name, llvm::isDigit);
    name += spell(sizes) + " for " + std::to_string(roles.of(value));
    unsigned choice = 0;
    for (unsigned dim = sizes.size(); dim-- > 0;) {
      add(groups, name, choice++, {static_cast<unsigned>(number), dim});
      for (int64_t step : inner[sizes[dim]])
        if (llvm::any_of(graph.axes, [&](const Axis &axis) {
              return axis.size != Axis::kFree && sizes[dim] % (axis.size * step) != 0;
            }))
          add(groups, name, choice++, {static_cast<unsigned>(number), dim, step});
    }
  }
}

SmallVector<Group> propagation::findGroups(func::FuncOp function, const ProgramGraph &program) {
  SmallVector<Group> groups;
  Roles roles;
  addArguments(groups, function, program, roles);
  addParameters(groups, program, roles);
  return groups;
}
