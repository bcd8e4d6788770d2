// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Ranks/Reshard/ReshardSlots.h"

#include "llvm/ADT/StringMap.h"

#include <queue>

using namespace mlir;
using namespace mlir::heddle;
using Kind = ReshardStep::Kind;

//===--- Slots ---------------------------------------------------------------------------------------------------===//

namespace {

// Where an axis is: the number of a slot, or
constexpr int8_t kUnused = -1;  // every rank along it has the same
constexpr int8_t kPartial = -2; // what ranks along it have is still to be combined

// Of each axis.
using Places = SmallVector<int8_t, 8>;

// The dimensions of a value as products.
struct Slots {
  SmallVector<int64_t> sizes;  // of all dimensions, the outermost first; the last of each dimension is never cut
  SmallVector<int64_t> groups; // how many each dimension has
  SmallVector<StringAttr> axes;
  SmallVector<int64_t> ranks; // along each axis
  Places from, to;
  SmallVector<int8_t> wanted; // by slot: the axis that cuts it in the end, or -1
};

} // namespace

// Where a list of axes cuts a dimension: products of the sizes of the first axes.
static SmallVector<int64_t> listBounds(ArrayRef<StringAttr> axes, const MeshShape &mesh) {
  SmallVector<int64_t> bounds{1};
  for (StringAttr axis : axes)
    bounds.push_back(bounds.back() * mesh.getSize(axis));
  return bounds;
}

static bool isEven(int64_t size, int64_t parts, flow::GranuleAttr granule) {
  return parts == 1 || (granule.getNames().empty() && size % (parts * granule.getFactor()) == 0);
}

// Adds the slots of a dimension; false: it cannot be expanded.
static bool addDim(Slots &slots, int64_t size, ArrayRef<int64_t> before, ArrayRef<int64_t> after) {
  SmallVector<int64_t> bounds(before);
  llvm::append_range(bounds, after);
  llvm::sort(bounds);
  bounds.erase(llvm::unique(bounds), bounds.end());
  for (auto [inner, outer] : llvm::zip(bounds, llvm::drop_begin(bounds))) {
    if (outer % inner)
      return false;
    slots.sizes.push_back(outer / inner);
  }
  auto isOneSlot = [&](ArrayRef<int64_t> list) {
    return llvm::all_of(llvm::zip(list, list.drop_front()), [&](auto ends) {
      auto [inner, outer] = ends;
      return llvm::none_of(bounds, [&](int64_t bound) { return inner < bound && bound < outer; });
    });
  };
  if (!isOneSlot(before) || !isOneSlot(after))
    return false;
  if (size % bounds.back())
    return false;
  slots.sizes.push_back(size / bounds.back());
  slots.groups.push_back(bounds.size());
  return true;
}

static std::optional<Slots> findSlots(flow::ShardingAttr from, flow::ShardingAttr to, const ReshardedValue &value,
                                      const MeshShape &mesh) {
  Slots slots;
  for (StringAttr axis : mesh.axes) {
    if (mesh.getSize(axis) == 1 || !(from.variesAlong(axis) || to.variesAlong(axis)))
      continue;
    slots.axes.push_back(axis);
    slots.ranks.push_back(mesh.getSize(axis));
    slots.from.push_back(llvm::is_contained(from.getPartial(), axis) ? kPartial : kUnused);
    slots.to.push_back(llvm::is_contained(to.getPartial(), axis) ? kPartial : kUnused);
  }
  for (int64_t dim = 0; dim < from.getRank(); ++dim) {
    size_t first = slots.sizes.size();
    int64_t size = value.sizes[dim];
    bool isCut = from.isCut(dim) || to.isCut(dim);
    if (isCut && (value.type.isDynamicDim(dim) || size == 0))
      return std::nullopt;
    SmallVector<int64_t> before = listBounds(from.getDimAxes(dim), mesh), after = listBounds(to.getDimAxes(dim), mesh);
    if (!isEven(size, before.back(), from.getGranule(dim)) || !isEven(size, after.back(), to.getGranule(dim)) ||
        !addDim(slots, size, before, after))
      return std::nullopt;
    auto place = [&](ArrayRef<StringAttr> axes, ArrayRef<int64_t> bounds, Places &places) {
      for (auto [axis, bound] : llvm::zip(axes, bounds)) {
        auto *found = llvm::find(slots.axes, axis);
        int64_t at = 1;
        size_t slot = first;
        for (; at < bound; ++slot)
          at *= slots.sizes[slot];
        if (found != slots.axes.end())
          places[found - slots.axes.begin()] = slot;
      }
    };
    place(from.getDimAxes(dim), before, slots.from);
    place(to.getDimAxes(dim), after, slots.to);
  }
  slots.wanted.assign(slots.sizes.size(), -1);
  for (auto [axis, slot] : llvm::enumerate(slots.to))
    if (slot >= 0)
      slots.wanted[slot] = axis;
  return slots.sizes.size() < 100 ? std::optional(slots) : std::nullopt;
}

//===--- Search --------------------------------------------------------------------------------------------------===//

namespace {

using AxisSet = SmallVector<int8_t, 8>;

struct SlotNode {
  Places places;
  Kind kind; // of the step that led here, which changed `axes`
  AxisSet axes;
  uint64_t stepBytes, bytes;
  unsigned steps;
  int parent;
};

class SlotSearch {
public:
  SlotSearch(const Slots &slots, const ReshardedValue &value) : slots(slots) {
    wholeBytes = value.elementBytes;
    for (int64_t size : slots.sizes)
      wholeBytes *= size;
    targetBytes = bytesOf(slots.to);
  }

  // The nodes from the first to the last; empty: there is none below the limit.
  SmallVector<const SlotNode *> run(uint64_t mostBytes) {
    constexpr unsigned kMostNodes = 1500;
    limit = mostBytes;
    reach(slots.from, Kind::Expand, {}, 0);
    while (!queue.empty() && nodes.size() < kMostNodes) {
      auto [estimate, steps, number] = queue.top();
      queue.pop();
      if (nodes[number].bytes + restOf(nodes[number].places) != estimate || nodes[number].steps != steps)
        continue;
      if (nodes[number].places == slots.to) {
        SmallVector<const SlotNode *> path;
        for (int node = number; node >= 0; node = nodes[node].parent)
          path.push_back(&nodes[node]);
        std::reverse(path.begin(), path.end());
        return path;
      }
      expand(number);
    }
    return {};
  }

private:
  int64_t count(const AxisSet &axes) const {
    int64_t members = 1;
    for (int8_t axis : axes)
      members *= slots.ranks[axis];
    return members;
  }

  uint64_t bytesOf(const Places &places) const {
    uint64_t bytes = wholeBytes;
    for (auto [axis, place] : llvm::enumerate(places))
      bytes /= place >= 0 ? slots.ranks[axis] : 1;
    return bytes;
  }

  // What at least is still to be sent: a rank with more bytes than before has received them.
  uint64_t restOf(const Places &places) const {
    uint64_t have = bytesOf(places);
    bool isPartial = llvm::is_contained(slots.to, kPartial);
    return isPartial || have >= targetBytes ? 0 : targetBytes - have;
  }

  void reach(const Places &places, Kind kind, const AxisSet &axes, uint64_t bytes) {
    const SlotNode *parent = current < 0 ? nullptr : &nodes[current];
    bool communicates = ReshardStep{kind}.communicates();
    SlotNode node{places, kind, axes, bytes, bytes, 0, current};
    if (parent) {
      node.bytes += parent->bytes;
      node.steps = parent->steps + (communicates ? 16 : 1);
    }
    uint64_t estimate = node.bytes + restOf(places);
    if (estimate >= limit)
      return;
    auto [place, isNew] = index.try_emplace(std::string(places.begin(), places.end()), nodes.size());
    int number = place->second;
    if (!isNew && std::tie(nodes[number].bytes, nodes[number].steps) <= std::tie(node.bytes, node.steps))
      return;
    if (isNew)
      nodes.push_back(node);
    else
      nodes[number] = node;
    queue.push({estimate, node.steps, number});
  }

  // The axis that is in each slot, or -1.
  SmallVector<int8_t> listUsers(const Places &places) const {
    SmallVector<int8_t> users(slots.sizes.size(), -1);
    for (auto [axis, place] : llvm::enumerate(places))
      if (place >= 0)
        users[place] = axis;
    return users;
  }

  // A step that brings the axes to where they are wanted, or to nowhere.
  void move(const Places &places, Kind kind, const AxisSet &axes, bool toTarget, uint64_t bytes) {
    if (axes.empty())
      return;
    Places next = places;
    for (int8_t axis : axes)
      next[axis] = toTarget ? slots.to[axis] : kUnused;
    reach(next, kind, axes, bytes);
  }

  void expand(int number) {
    current = number;
    Places places = nodes[number].places; // `nodes` grows
    SmallVector<int8_t> users = listUsers(places);
    AxisSet sliced, moved, scattered, reduced, gathered, masked, spread, held;
    for (int8_t axis = 0; axis < static_cast<int8_t>(places.size()); ++axis) {
      int8_t at = places[axis], to = slots.to[axis];
      bool isFree = to >= 0 && users[to] < 0;
      if (at == to)
        continue;
      if (at == kUnused)
        (to == kPartial ? masked : isFree ? sliced : held).push_back(axis);
      else if (at == kPartial)
        (isFree ? scattered : reduced).push_back(axis);
      else if (isFree)
        moved.push_back(axis);
      else
        (to == kPartial ? spread : gathered).push_back(axis);
    }
    uint64_t bytes = bytesOf(places);
    if (!sliced.empty()) // makes everything else cheaper
      return move(places, Kind::Slice, sliced, true, 0);
    auto each = [](const AxisSet &axes, auto function) {
      function(axes);
      for (int8_t axis : axes)
        if (axes.size() > 1)
          function(AxisSet{axis});
    };
    auto rest = [&](const AxisSet &axes) { return bytes - bytes / count(axes); };
    move(places, Kind::Mask, masked, true, 0);
    move(places, Kind::Spread, spread, true, 0);
    each(moved, [&](const AxisSet &axes) { move(places, Kind::AllToAll, axes, true, rest(axes)); });
    each(scattered, [&](const AxisSet &axes) { move(places, Kind::ReduceScatter, axes, true, rest(axes)); });
    each(reduced, [&](const AxisSet &axes) { move(places, Kind::AllReduce, axes, false, 2 * rest(axes)); });
    each(gathered, [&](const AxisSet &axes) { move(places, Kind::AllGather, axes, false, (count(axes) - 1) * bytes); });
    permute(places, users, bytes);
  }

  // All slots that are cut, and will be, get their axes.
  void permute(Places places, ArrayRef<int8_t> users, uint64_t bytes) {
    AxisSet changed;
    for (auto [slot, user] : llvm::enumerate(users)) {
      int8_t axis = slots.wanted[slot];
      if (user < 0 || axis < 0 || places[axis] == static_cast<int8_t>(slot))
        continue;
      auto *other = llvm::find(places, static_cast<int8_t>(slot));
      std::swap(*other, places[axis]);
      changed.append({axis, static_cast<int8_t>(other - places.begin())});
    }
    llvm::sort(changed);
    changed.erase(llvm::unique(changed), changed.end());
    if (!changed.empty() && count(changed) <= kMostPairs)
      reach(places, Kind::Permute, changed, bytes);
  }

  const Slots &slots;
  uint64_t wholeBytes = 0, targetBytes = 0, limit = 0;
  std::vector<SlotNode> nodes;
  llvm::StringMap<int> index;
  using Entry = std::tuple<uint64_t, unsigned, int>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> queue;
  int current = -1;
};

// Writes the steps down.
class SlotWriter {
public:
  SlotWriter(const Slots &slots, flow::ShardingAttr from, flow::ShardingAttr to, const MeshShape &mesh)
      : slots(slots), from(from), to(to), mesh(mesh) {}

  std::vector<ReshardStep> write(ArrayRef<const SlotNode *> path) {
    ReshardStep expand{Kind::Expand, from, shardingOf(slots.from)};
    expand.shape = slots.sizes;
    expand.groups = slots.groups;
    steps.push_back(expand);
    for (auto [before, after] : llvm::zip(path, llvm::drop_begin(path)))
      add(before->places, *after);
    ReshardStep collapse = expand;
    collapse.kind = Kind::Collapse;
    collapse.from = shardingOf(slots.to);
    collapse.to = to;
    steps.push_back(collapse);
    return steps;
  }

private:
  flow::ShardingAttr shardingOf(const Places &places) const {
    MLIRContext *context = from.getContext();
    SmallVector<ArrayAttr> lists(slots.sizes.size(), ArrayAttr::get(context, {}));
    SmallVector<StringAttr> partial;
    for (auto [axis, place] : llvm::enumerate(places))
      if (place >= 0)
        lists[place] = ArrayAttr::get(context, {slots.axes[axis]});
      else if (place == kPartial)
        partial.push_back(slots.axes[axis]);
    return flow::ShardingAttr::getNormalized(from.getMesh(), lists, {}, partial,
                                             (from.getPartial().empty() ? to : from).getReduction());
  }

  void add(const Places &before, const SlotNode &node) {
    if (node.kind != Kind::Spread)
      return addStep(before, node.places, node.kind, node.axes, node.stepBytes);
    Places now = before;
    for (int8_t axis : node.axes) { // each in a dimension of its own
      Places next = now;
      next[axis] = node.places[axis];
      addStep(now, next, node.kind, {axis}, 0);
      now = next;
    }
  }

  void addStep(const Places &before, const Places &after, Kind kind, const AxisSet &axes, uint64_t bytes) {
    ReshardStep step{kind, shardingOf(before), shardingOf(after)};
    step.bytes = bytes;
    bool hasDims = kind == Kind::AllGather || kind == Kind::ReduceScatter || kind == Kind::AllToAll;
    for (int8_t axis : axes) {
      step.axes.push_back(slots.axes[axis]);
      if (hasDims)
        step.joint.append({before[axis], after[axis]});
    }
    if (kind == Kind::Permute) {
      step.axes = listChangedAxes(step.from, step.to, mesh);
      step.pairs = findPairs(step.from, step.to, step.axes, mesh);
    } else if (axes.size() == 1) {
      step.source = kind == Kind::AllToAll ? before[axes[0]] : -1;
      step.dim = std::max<int64_t>(after[axes[0]], kind == Kind::AllToAll ? -1 : before[axes[0]]);
      step.joint.clear();
    }
    if (step.kind == Kind::Mask || step.kind == Kind::Slice || step.kind == Kind::AllReduce)
      step.dim = -1;
    steps.push_back(step);
  }

  const Slots &slots;
  flow::ShardingAttr from, to;
  const MeshShape &mesh;
  std::vector<ReshardStep> steps;
};

} // namespace

std::optional<std::vector<ReshardStep>> mlir::heddle::searchSlots(flow::ShardingAttr from, flow::ShardingAttr to,
                                                                  const ReshardedValue &value, const MeshShape &mesh,
                                                                  uint64_t limit) {
  std::optional<Slots> slots = findSlots(from, to, value, mesh);
  if (!slots)
    return std::nullopt;
  SlotSearch search(*slots, value);
  SmallVector<const SlotNode *> path = search.run(limit);
  if (path.empty())
    return std::nullopt;
  return SlotWriter(*slots, from, to, mesh).write(path);
}
