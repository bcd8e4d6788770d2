// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Ranks/Reshard/ReshardSearch.h"

#include "compiler/Stages/Ranks/Reshard/ReshardCuts.h"

#include "llvm/ADT/StringMap.h"

#include <map>
#include <queue>

using namespace mlir;
using namespace mlir::heddle;
using Kind = ReshardStep::Kind;

//===--- Permutations --------------------------------------------------------------------------------------------===//

// What differs between two lists of axes: both without what they begin and end with alike.
static void stripCommon(SmallVector<StringAttr> &a, SmallVector<StringAttr> &b) {
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    a.pop_back();
    b.pop_back();
  }
  while (!a.empty() && !b.empty() && a.front() == b.front()) {
    a.erase(a.begin());
    b.erase(b.begin());
  }
}

namespace {
// Which part a member has: its places along the dimensions, and which summand.
class PlacesOf {
public:
  PlacesOf(ArrayRef<SmallVector<StringAttr>> lists, ArrayRef<StringAttr> axes, const MeshShape &mesh)
      : lists(lists), axes(axes), mesh(mesh) {}

  SmallVector<int64_t> operator()(int64_t member) const {
    llvm::SmallDenseMap<StringAttr, int64_t> coordinates;
    for (StringAttr axis : llvm::reverse(axes)) {
      coordinates[axis] = member % mesh.getSize(axis);
      member /= mesh.getSize(axis);
    }
    SmallVector<int64_t> places;
    for (ArrayRef<StringAttr> list : lists) {
      int64_t place = 0;
      for (StringAttr axis : list)
        place = place * mesh.getSize(axis) + coordinates.lookup(axis);
      places.push_back(place);
    }
    return places;
  }

private:
  ArrayRef<SmallVector<StringAttr>> lists;
  ArrayRef<StringAttr> axes;
  const MeshShape &mesh;
};
} // namespace

// Takes out axes that stay where they are among places of the same sizes, as z in [x, z, y] and [y, z, x] with as many
// x as y: a part is the same part then, whatever z is.
static void stripUnmoved(SmallVector<StringAttr> &a, SmallVector<StringAttr> &b, const MeshShape &mesh) {
  auto isOfOneSize = [&](auto pair) {
    auto [first, second] = pair;
    return first == second ||
           (mesh.getSize(first) != device::MeshOp::kFree && mesh.getSize(first) == mesh.getSize(second));
  };
  if (a.size() != b.size() || !llvm::all_of(llvm::zip(a, b), isOfOneSize))
    return;
  for (size_t i = a.size(); i-- > 0;)
    if (a[i] == b[i]) {
      a.erase(a.begin() + i);
      b.erase(b.begin() + i);
    }
}

// Of each dimension, and of the partial axes, what differs between the shardings.
static std::pair<SmallVector<SmallVector<StringAttr>>, SmallVector<SmallVector<StringAttr>>>
listDifferences(flow::ShardingAttr from, flow::ShardingAttr to, const MeshShape &mesh) {
  SmallVector<SmallVector<StringAttr>> before, after;
  for (int64_t dim = 0; dim < from.getRank(); ++dim) {
    before.push_back(from.getDimAxes(dim));
    after.push_back(to.getDimAxes(dim));
    stripCommon(before.back(), after.back());
    stripUnmoved(before.back(), after.back(), mesh);
  }
  auto without = [](ArrayRef<StringAttr> axes, ArrayRef<StringAttr> others) {
    SmallVector<StringAttr> rest;
    llvm::copy_if(axes, std::back_inserter(rest), [&](StringAttr axis) { return !llvm::is_contained(others, axis); });
    return rest;
  };
  before.push_back(without(from.getPartial(), to.getPartial()));
  after.push_back(without(to.getPartial(), from.getPartial()));
  return {before, after};
}

SmallVector<StringAttr> mlir::heddle::listChangedAxes(flow::ShardingAttr from, flow::ShardingAttr to,
                                                      const MeshShape &mesh) {
  auto [before, after] = listDifferences(from, to, mesh);
  SmallVector<StringAttr> changed;
  for (StringAttr axis : mesh.axes)
    if (llvm::any_of(llvm::concat<SmallVector<StringAttr>>(before, after),
                     [&](const auto &list) { return llvm::is_contained(list, axis); }))
      changed.push_back(axis);
  return changed;
}

SmallVector<int64_t> mlir::heddle::findPairs(flow::ShardingAttr from, flow::ShardingAttr to, ArrayRef<StringAttr> axes,
                                             const MeshShape &mesh) {
  auto [before, after] = listDifferences(from, to, mesh);
  PlacesOf has(before, axes, mesh), wants(after, axes, mesh);
  int64_t members = guessParts(axes, mesh);
  std::map<SmallVector<int64_t>, SmallVector<int64_t>> senders;
  SmallVector<int64_t> senderOf(members, -1);
  for (int64_t member = 0; member < members; ++member)
    if (has(member) == wants(member))
      senderOf[member] = member;
    else
      senders[has(member)].push_back(member);
  SmallVector<int64_t> pairs;
  bool isIdentity = true;
  for (auto [receiver, sender] : llvm::enumerate(senderOf)) {
    if (sender < 0) {
      sender = senders[wants(receiver)].pop_back_val();
      isIdentity = false;
    }
    pairs.append({sender, static_cast<int64_t>(receiver)});
  }
  return isIdentity ? SmallVector<int64_t>() : pairs;
}

//===--- Search --------------------------------------------------------------------------------------------------===//

namespace {

// How a cut was reached.
struct Move {
  Kind kind = Kind::Rename;
  uint64_t bytes = 0;
  int64_t dim = -1, source = -1;
  CutAxes axes;
};

struct Node {
  Cut cut;
  Move move;
  uint64_t bytes; // of all steps
  unsigned steps; // weighted: what communicates counts more
  int parent;
};

class Search {
public:
  Search(flow::ShardingAttr from, flow::ShardingAttr to, const ReshardedValue &value, const MeshShape &mesh)
      : from(from), to(to), mesh(mesh), space(from, to, value, mesh), start(space.read(from, false)),
        target(space.read(to, true)), targetBytes(space.bytesOf(target)) {
    for (auto [dim, list] : llvm::enumerate(target.dims))
      for (auto [place, axis] : llvm::enumerate(list)) {
        cutInTarget |= 1u << axis;
        targetOf[axis] = {dim, place};
      }
  }

  std::optional<std::vector<ReshardStep>> run(uint64_t limit, unsigned maxNodes) {
    mostBytes = limit;
    if (space.axes.size() > CutSpace::kMostAxes)
      return std::nullopt;
    current = -1;
    reach(start, {});
    while (!queue.empty()) {
      auto [estimate, steps, index] = queue.top();
      queue.pop();
      if (nodes[index].steps != steps || nodes[index].bytes + getRest(nodes[index].cut) != estimate)
        continue; // was reached for less since
      if (isTarget(nodes[index].cut))
        return collect(index);
      if (nodes.size() > maxNodes)
        return std::nullopt;
      expand(index);
    }
    return std::nullopt;
  }

private:
  // What at least is still to be sent: a rank with more bytes than before has received them.
  uint64_t getRest(const Cut &cut) const {
    uint64_t have = space.bytesOf(cut);
    return target.partial || have >= targetBytes ? 0 : targetBytes - have;
  }

  bool isTarget(const Cut &cut) const {
    return cut.dims == target.dims && cut.granule == target.granule && cut.partial == target.partial;
  }

  //===--- Edges -----------------------------------------------------------------------------------------------===//

  void reach(Cut cut, Move move) {
    for (auto [list, choice] : llvm::zip(cut.dims, cut.granule))
      choice = list.empty() ? 0 : choice;
    const Node *parent = current < 0 ? nullptr : &nodes[current];
    bool isJoined = parent && move.kind == Kind::Permute && parent->cut.permuted;
    unsigned weight = !parent || isJoined ? 0 : ReshardStep{move.kind}.communicates() ? 16 : 1;
    cut.permuted = move.kind == Kind::Permute;
    move.bytes = isJoined ? 0 : move.bytes;
    uint64_t bytes = (parent ? parent->bytes : 0) + move.bytes;
    unsigned steps = (parent ? parent->steps : 0) + weight;
    if (bytes + getRest(cut) >= mostBytes)
      return;
    auto [place, isNew] = index.try_emplace(cut.getKey(), nodes.size());
    int number = place->second;
    if (!isNew && std::tie(nodes[number].bytes, nodes[number].steps) <= std::tie(bytes, steps))
      return;
    if (isNew)
      nodes.emplace_back();
    nodes[number] = {cut, move, bytes, steps, current};
    queue.push({bytes + getRest(cut), steps, number});
  }

  void expand(int number) {
    current = number;
    Cut cut = nodes[number].cut; // `nodes` grows
    slice(cut);
    gather(cut);
    exchange(cut);
    reduce(cut);
    permute(cut);
    rename(cut);
    makePartial(cut);
  }

  // Of many axes, those steps only that bring one where it is wanted and leave those that are there.
  bool isLarge() const { return space.axes.size() > 5; }

  bool isAtTarget(const Cut &cut, uint8_t axis) const {
    auto [dim, place] = targetOf[axis];
    return (cutInTarget >> axis & 1) && place < cut.dims[dim].size() && cut.dims[dim][place] == axis;
  }

  // Axes behind those that cut dimension i.
  Cut append(const Cut &cut, unsigned i, const CutAxes &list, uint8_t choice) const {
    Cut next = cut;
    next.granule[i] = cut.dims[i].empty() ? choice : cut.granule[i];
    next.dims[i].append(list);
    return next;
  }

  // A dimension that nothing cuts may be cut by either granule.
  template <typename Function> void forEachGranule(const Cut &cut, unsigned i, Function function) {
    function(0);
    if (cut.dims[i].empty() && space.hasTwoGranules(i))
      function(1);
  }

  void slice(const Cut &cut) {
    uint32_t unused = space.getFreeAxes(cut) & cutInTarget;
    for (uint8_t axis = 0; axis < space.axes.size(); ++axis)
      for (unsigned i = 0; i < space.dims.size() && (unused >> axis & 1); ++i)
        if (!isLarge() || targetOf[axis].first == i)
          forEachGranule(cut, i, [&](uint8_t choice) {
            reach(append(cut, i, {axis}, choice), {Kind::Slice, 0, space.dims[i], -1, {axis}});
          });
  }

  // The last axes of dimension i, in all numbers.
  template <typename Function> void forEachSuffix(const Cut &cut, unsigned i, Function function) {
    const CutAxes &list = cut.dims[i];
    for (unsigned length = 1; length <= list.size(); ++length) {
      if (isLarge() && isAtTarget(cut, list[list.size() - length]))
        return;
      Cut rest = cut;
      rest.dims[i].truncate(list.size() - length);
      function(rest, CutAxes(list.end() - length, list.end()));
    }
  }

  void gather(const Cut &cut) {
    for (unsigned i = 0; i < space.dims.size(); ++i)
      forEachSuffix(cut, i, [&](const Cut &rest, const CutAxes &list) {
        reach(rest, {Kind::AllGather, (space.count(list) - 1) * space.bytesOf(cut), space.dims[i], -1, list});
      });
  }

  void exchange(const Cut &cut) {
    for (unsigned i = 0; i < space.dims.size(); ++i)
      forEachSuffix(cut, i, [&](const Cut &rest, const CutAxes &list) {
        uint64_t members = space.count(list), own = space.bytesOf(cut);
        for (unsigned j = 0; j < space.dims.size(); ++j)
          if (j != i)
            forEachGranule(rest, j, [&](uint8_t choice) {
              Cut next = append(rest, j, list, choice);
              // Where parts are uneven a rank may keep nothing of what it has.
              uint64_t wanted = space.bytesOf(next),
                       bytes = wanted == own ? own - own / members : std::max(own, wanted - std::min(own, wanted));
              reach(next, {Kind::AllToAll, bytes, space.dims[j], space.dims[i], list});
            });
      });
  }

  void reduce(const Cut &cut) {
    uint32_t unwanted = cut.partial & ~target.partial;
    for (uint32_t set = unwanted; set; set = (set - 1) & unwanted) {
      CutAxes list;
      for (uint8_t axis = 0; axis < space.axes.size(); ++axis)
        if (set >> axis & 1)
          list.push_back(axis);
      Cut rest = cut;
      rest.partial &= ~set;
      uint64_t members = space.count(list);
      reach(rest, {Kind::AllReduce, 2 * (members - 1) * llvm::divideCeil(space.bytesOf(cut), members), -1, -1, list});
      for (unsigned i = 0; i < space.dims.size() && list.size() == 1; ++i)
        forEachGranule(rest, i, [&](uint8_t choice) {
          Cut next = append(rest, i, list, choice);
          reach(next, {Kind::ReduceScatter, (members - 1) * space.bytesOf(next), space.dims[i], -1, list});
        });
    }
  }

  void rename(const Cut &cut) {
    for (unsigned i = 0; i < space.dims.size(); ++i) {
      if (cut.dims[i].empty() || !space.hasTwoGranules(i) || !space.areGranulesAlike(cut, i))
        continue;
      Cut next = cut;
      next.granule[i] = 1 - cut.granule[i];
      reach(next, {Kind::Rename, 0, space.dims[i], -1, {}});
    }
  }

  void makePartial(const Cut &cut) {
    uint32_t wanted = target.partial & ~cut.partial, unused = space.getFreeAxes(cut);
    for (uint8_t axis = 0; axis < space.axes.size(); ++axis) {
      if (!(wanted >> axis & 1))
        continue;
      Cut next = cut;
      next.partial |= 1u << axis;
      if (unused >> axis & 1)
        reach(next, {Kind::Mask, 0, -1, -1, {axis}});
      for (unsigned i = 0; i < space.dims.size(); ++i)
        if (!cut.dims[i].empty() && cut.dims[i].back() == axis) {
          Cut spread = next;
          spread.dims[i].pop_back();
          reach(spread, {Kind::Spread, 0, space.dims[i], -1, {axis}});
        }
    }
  }

  // Two axes of one size change roles, two of one dimension their places.
  void permute(const Cut &cut) {
    uint64_t bytes = space.bytesOf(cut);
    for (uint8_t a = 0; a < space.axes.size(); ++a)
      for (uint8_t b = a + 1; b < space.axes.size(); ++b) {
        bool isDone = isLarge() && (isAtTarget(cut, a) || isAtTarget(cut, b));
        if (isDone || !space.isKnown[a] || !space.isKnown[b] || space.sizes[a] * space.sizes[b] > kMostPairs)
          continue;
        Cut next = cut;
        bool inOneDim = false;
        for (CutAxes &list : next.dims) {
          auto *first = llvm::find(list, a), *second = llvm::find(list, b);
          inOneDim |= first != list.end() && second != list.end();
          if (first != list.end())
            *first = b;
          if (second != list.end())
            *second = a;
        }
        uint32_t bits = 1u << a | 1u << b;
        if ((cut.partial & bits) != 0 && (cut.partial & bits) != bits)
          next.partial ^= bits;
        bool leads = !isLarge() || isAtTarget(next, a) || isAtTarget(next, b);
        bool isExchange =
            space.sizes[a] == space.sizes[b] || (inOneDim && hasPairs(space.write(cut), space.write(next)));
        if (leads && isExchange)
          reach(next, {Kind::Permute, bytes, -1, -1, {}});
      }
    permuteToTarget(cut, bytes);
  }

  // Who sends to whom is written down, so it must not depend on sizes that the mesh gets later.
  bool hasPairs(flow::ShardingAttr before, flow::ShardingAttr after) const {
    return llvm::all_of(listChangedAxes(before, after, mesh),
                        [&](StringAttr axis) { return mesh.getSize(axis) != device::MeshOp::kFree; });
  }

  void permuteToTarget(const Cut &cut, uint64_t bytes) {
    bool fits = space.count(cut.partial) == space.count(target.partial) && space.count(~0u) <= kMostPairs &&
                !isTarget(cut) && llvm::all_of(space.isKnown, [](bool known) { return known; });
    for (unsigned i = 0; i < space.dims.size(); ++i)
      fits &= space.count(cut.dims[i]) == space.count(target.dims[i]) && cut.granule[i] == target.granule[i];
    if (fits)
      reach(target, {Kind::Permute, bytes, -1, -1, {}});
  }

  //===--- Steps -----------------------------------------------------------------------------------------------===//

  std::vector<ReshardStep> collect(int last) const {
    std::vector<ReshardStep> steps;
    SmallVector<int> path;
    for (int node = last; nodes[node].parent >= 0; node = nodes[node].parent)
      path.push_back(node);
    for (int number : llvm::reverse(path)) {
      const Node &node = nodes[number];
      ReshardStep step{node.move.kind, space.write(nodes[node.parent].cut), space.write(node.cut)};
      step.dim = node.move.dim;
      step.source = node.move.source;
      step.axes = space.namesOf(node.move.axes);
      step.bytes = node.move.bytes;
      if (steps.empty() || !join(steps.back(), step))
        steps.push_back(step);
    }
    if (!steps.empty()) { // with axes of one rank, which the search leaves out
      steps.front().from = from;
      steps.back().to = to;
    }
    for (ReshardStep &step : steps)
      if (step.kind == Kind::Permute)
        finish(step);
    return steps;
  }

  // One step in place of two.
  bool join(ReshardStep &first, const ReshardStep &second) const {
    bool isLocal = first.kind == Kind::Slice || first.kind == Kind::Mask ||
                   (first.kind == Kind::Permute && hasPairs(first.from, second.to));
    if (first.kind != second.kind || !(isLocal || (first.kind == Kind::ReduceScatter && first.dim == second.dim)))
      return false;
    first.to = second.to;
    first.axes.append(second.axes);
    first.bytes += second.bytes;
    return true;
  }

  void finish(ReshardStep &step) const {
    step.axes = listChangedAxes(step.from, step.to, mesh);
    step.pairs = findPairs(step.from, step.to, step.axes, mesh);
    if (step.pairs.empty()) {
      step.kind = Kind::Rename;
      step.bytes = 0;
    }
  }

  flow::ShardingAttr from, to;
  const MeshShape &mesh;
  CutSpace space;
  Cut start, target;
  uint32_t cutInTarget = 0;
  std::pair<unsigned, unsigned> targetOf[CutSpace::kMostAxes]; // dimension and place, of those
  uint64_t targetBytes, mostBytes = 0;

  std::vector<Node> nodes;
  llvm::StringMap<int> index;
  using Entry = std::tuple<uint64_t, unsigned, int>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> queue;
  int current = -1;
};

} // namespace

std::optional<std::vector<ReshardStep>> mlir::heddle::searchReshard(flow::ShardingAttr from, flow::ShardingAttr to,
                                                                    const ReshardedValue &value, const MeshShape &mesh,
                                                                    uint64_t limit, unsigned maxNodes) {
  return Search(from, to, value, mesh).run(limit, maxNodes);
}
