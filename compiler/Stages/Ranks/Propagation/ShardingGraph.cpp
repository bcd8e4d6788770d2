// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Ranks/Propagation/ShardingGraph.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::propagation;

unsigned ShardingGraph::addAxis(Axis axis) {
  axes.push_back(std::move(axis));
  return axes.size() - 1;
}

unsigned ShardingGraph::addValue(SmallVector<int64_t> sizes, uint64_t bytes, bool isSource) {
  size_t rank = sizes.size();
  ShardedValue value;
  value.sizes = std::move(sizes);
  value.bytes = bytes;
  value.isSource = isSource;
  value.cuts.resize(rank);
  value.open.assign(rank, true);
  value.given.dims.resize(rank);
  values.push_back(std::move(value));
  return values.size() - 1;
}

unsigned ShardingGraph::addNode(Node node) {
  nodes.push_back(std::move(node));
  return nodes.size() - 1;
}

void ShardingGraph::request(unsigned value, unsigned dim, Cut cut, bool staysOpen) {
  values[value].cuts[dim] = std::move(cut);
  values[value].open[dim] = staysOpen;
}

bool Node::isElementwise() const {
  if (role == Role::Fixed)
    return false;
  auto isWhole = [&](const Port &port) {
    llvm::SmallDenseSet<unsigned> seen;
    for (const Link &link : port.dims)
      if (!link.loop || !link.inner.isOne() || loops[*link.loop].kind != Loop::Kind::Parallel ||
          !seen.insert(*link.loop).second)
        return false;
    return seen.size() == loops.size();
  };
  return llvm::all_of(operands, isWhole) && llvm::all_of(results, isWhole);
}

Layout Node::wanted(const ShardingGraph &graph, const Port &operand) const {
  if (role == Role::Request || role == Role::Carry)
    return graph.values[results.front().value].given;
  SmallVector<Cut> cuts;
  for (const Loop &loop : loops)
    cuts.push_back(loop.cut);
  Layout layout = graph.wantedOf(operand, cuts);
  if (operand.isPartial)
    layout.partial = partial;
  return layout;
}

//===--- Parts ---------------------------------------------------------------------------------------------------===//

std::optional<int64_t> ShardingGraph::countParts(ArrayRef<unsigned> cutting) const {
  int64_t parts = 1;
  for (unsigned axis : cutting) {
    if (axes[axis].size == Axis::kFree)
      return std::nullopt;
    parts *= axes[axis].size;
  }
  return parts;
}

bool ShardingGraph::isEven(ArrayRef<unsigned> cutting, const flow::Product &granule, int64_t extent) const {
  std::optional<int64_t> parts = countParts(cutting), step = granule.getConstant();
  return parts && step && !ShapedType::isDynamic(extent) && extent % (*parts * *step) == 0;
}

bool ShardingGraph::areSame(const Cut &a, const Cut &b, int64_t extent) const {
  return a == b || (!a.window && !b.window && a.axes == b.axes && isEven(a.axes, a.granule, extent) &&
                    isEven(b.axes, b.granule, extent));
}

bool ShardingGraph::areSame(const Layout &a, const Layout &b, ArrayRef<int64_t> sizes) const {
  if (a.partial != b.partial || (!a.partial.empty() && a.reduction != b.reduction))
    return false;
  for (auto [one, other, size] : llvm::zip_equal(a.dims, b.dims, sizes))
    if (!areSame(one, other, size))
      return false;
  return true;
}

bool ShardingGraph::haveOneMesh(ArrayRef<unsigned> some, ArrayRef<unsigned> others) const {
  return some.empty() || others.empty() || axes[some.front()].mesh == axes[others.front()].mesh;
}

//===--- Loops and dimensions ------------------------------------------------------------------------------------===//

std::optional<Cut> ShardingGraph::toLoop(const Cut &cut, const Link &link, int64_t size, const Node &node) const {
  if (cut.empty())
    return Cut{};
  if (!link.loop || node.loops[*link.loop].kind == Loop::Kind::Whole)
    return std::nullopt;
  if (std::optional<flow::Product> granule = cut.granule.dividedBy(link.inner))
    return Cut{cut.axes, *granule};
  bool fits = isEven(cut.axes, cut.granule, size) && isEven(cut.axes, {}, node.loops[*link.loop].extent);
  return fits ? std::optional(Cut{cut.axes, {}}) : std::nullopt;
}

Cut ShardingGraph::toDim(const Cut &cut, const Link &link) const {
  return cut.empty() ? Cut{} : Cut{cut.axes, cut.granule * link.inner};
}

std::optional<Cut> ShardingGraph::toReachingLoop(const Cut &cut, const Link &link, const Node &node) const {
  constexpr int64_t kGuessedParts = 4; // of what only the load knows
  int64_t parts = countParts(cut.axes).value_or(kGuessedParts);
  bool isShort = !ShapedType::isDynamic(link.window.size) && link.window.size < parts;
  if (cut.empty() || !cut.granule.getConstant() || node.loops[*link.reached].kind != Loop::Kind::Parallel || isShort)
    return std::nullopt;
  return Cut{cut.axes, {}};
}

Cut ShardingGraph::toWindow(const Cut &cut, const Link &link) const {
  std::optional<int64_t> granule = cut.granule.getConstant();
  if (cut.empty() || !granule)
    return {};
  Window window = link.window;
  window.granule = *granule;
  return Cut{cut.axes, {}, window};
}

Layout Layout::withoutWindows() const {
  Layout layout = *this;
  for (Cut &cut : layout.dims)
    if (cut.window)
      cut = {};
  return layout;
}

Layout ShardingGraph::wantedOf(const Port &operand, ArrayRef<Cut> loops) const {
  Layout layout;
  for (const Link &link : operand.dims)
    layout.dims.push_back(link.loop                             ? toDim(loops[*link.loop], link)
                          : link.reached && !operand.takesWhole ? toWindow(loops[*link.reached], link)
                                                                : Cut{});
  return layout;
}

Layout ShardingGraph::givenOf(const Node &node, const Port &result, ArrayRef<Cut> loops) const {
  Layout layout = wantedOf(result, loops);
  for (auto [loop, cut] : llvm::zip_equal(node.loops, loops))
    if (loop.kind == Loop::Kind::Reduced && !cut.empty()) {
      layout.partial.append(cut.axes);
      layout.reduction = loop.reduction;
    }
  return layout;
}

std::vector<SmallVector<unsigned, 4>> ShardingGraph::findReaders() const {
  std::vector<SmallVector<unsigned, 4>> readers(values.size());
  for (auto [number, node] : llvm::enumerate(nodes))
    for (const Port &operand : node.operands)
      if (readers[operand.value].empty() || readers[operand.value].back() != number)
        readers[operand.value].push_back(number);
  return readers;
}

SmallVector<Layout> ShardingGraph::wantedLayouts(unsigned value, ArrayRef<unsigned> readers) const {
  SmallVector<Layout> wants;
  auto add = [&](Layout wanted) {
    if (llvm::none_of(wants, [&](const Layout &one) { return areSame(one, wanted, values[value].sizes); }))
      wants.push_back(std::move(wanted));
  };
  for (unsigned reader : readers)
    for (const Port &operand : nodes[reader].operands)
      if (operand.value == value)
        add(nodes[reader].wanted(*this, operand));
  if (values[value].isReturned)
    add({values[value].cuts, {}});
  return wants;
}

std::string propagation::describe(const ShardingGraph &graph, const Cut &cut) {
  std::string text = "[";
  for (auto [i, axis] : llvm::enumerate(cut.axes))
    text += (i ? ", " : "") + graph.axes[axis].name;
  if (!cut.empty() && !cut.granule.isOne()) {
    text += " by " + std::to_string(cut.granule.factor);
    for (StringAttr name : cut.granule.names)
      text += " * " + name.getValue().str();
  }
  return text + "]";
}
