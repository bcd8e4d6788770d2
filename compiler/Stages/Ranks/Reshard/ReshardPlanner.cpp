// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plans: which views and ways are tried, and the cheapest taken. Declared in Reshard.h; nobody includes it.
#include "compiler/Stages/Ranks/Reshard/MeshViews.h"
#include "compiler/Stages/Ranks/Reshard/ReshardSearch.h"
#include "compiler/Stages/Ranks/Reshard/ReshardSlots.h"

#include <map>
#include <numeric>

using namespace mlir;
using namespace mlir::heddle;
using Kind = ReshardStep::Kind;
using flow::ShardingAttr;

//===--- Plans over one set of ranks -----------------------------------------------------------------------------===//

static SmallVector<flow::GranuleAttr> listGranules(ShardingAttr sharding) {
  return llvm::map_to_vector(llvm::seq<int64_t>(0, sharding.getRank()),
                             [&](int64_t dim) { return sharding.getGranule(dim); });
}

namespace {

class Planner {
public:
  Planner(const ReshardedValue &value, const MeshShape &fromMesh, const MeshShape &toMesh)
      : value(value), fromMesh(fromMesh), toMesh(toMesh) {}

  // Both shardings are over these meshes, which are of the same ranks.
  ReshardPlan plan(ShardingAttr from, ShardingAttr to) {
    bool combinesTwice = !from.getPartial().empty() && !to.getPartial().empty() &&
                         (from.getReduction() != to.getReduction() || fromMesh.name != toMesh.name);
    if (combinesTwice) { // what is partial in one way is whole before it is so in another
      ShardingAttr between = to.withoutPartial();
      ReshardPlan first = plan(from, between);
      append(first, Planner(value, toMesh, toMesh).plan(between, to));
      return first;
    }
    std::optional<MeshShape> view = fromMesh.name == toMesh.name ? fromMesh : alignMeshes(fromMesh, toMesh);
    if (!view)
      return planUnaligned(from, to);
    ReshardPlan best = planSimply(*view, from, to);
    auto improve = [&](const MeshShape &in, auto search) {
      if (bytesOf(best) == 0)
        return;
      if (auto better = planIn(in, from, to, bytesOf(best), search); better && bytesOf(*better) < bytesOf(best))
        best = *better;
    };
    best = planIn(*view, from, to, bytesOf(best) + 1, searchByOrder).value_or(best);
    if (!view->isKnown())
      return best;
    // Axes of one size need not be split; of others the prime numbers meet.
    MeshShape fine = splitMesh(*view, [&](StringAttr axis) { return isSplit(*view, from, to, axis); });
    improve(fine, searchSlots);
    if (fine.name != view->name)
      improve(fine, searchByOrder);
    return best;
  }

private:
  static void append(ReshardPlan &plan, ReshardPlan &&more) {
    plan.meshes.append(more.meshes);
    llvm::append_range(plan.steps, more.steps);
  }

  static void rename(ReshardPlan &plan, ShardingAttr from, ShardingAttr to) {
    if (from != to)
      plan.steps.push_back({Kind::Rename, from, to});
  }

  bool takesPart(const MeshShape &view, ShardingAttr from, ShardingAttr to, StringAttr axis) {
    return translate(from, fromMesh, view).variesAlong(axis) || translate(to, toMesh, view).variesAlong(axis);
  }

  // An axis that takes part, where others of other sizes do.
  bool isSplit(const MeshShape &view, ShardingAttr from, ShardingAttr to, StringAttr axis) {
    int64_t size = view.getSize(axis);
    return takesPart(view, from, to, axis) && llvm::any_of(view.axes, [&](StringAttr other) {
             return view.getSize(other) != size && view.getSize(other) != 1 && takesPart(view, from, to, other);
           });
  }

  static std::optional<std::vector<ReshardStep>> searchByOrder(ShardingAttr from, ShardingAttr to,
                                                               const ReshardedValue &value, const MeshShape &mesh,
                                                               uint64_t limit) {
    return searchReshard(from, to, value, mesh, limit);
  }

  template <typename Search>
  std::optional<ReshardPlan> planIn(const MeshShape &view, ShardingAttr from, ShardingAttr to, uint64_t limit,
                                    Search search) {
    ShardingAttr before = translate(from, fromMesh, view), after = translate(to, toMesh, view);
    std::optional<std::vector<ReshardStep>> steps = search(before, after, value, view, limit);
    if (!steps)
      return std::nullopt;
    ReshardPlan plan;
    plan.meshes.push_back(view);
    rename(plan, from, before);
    llvm::append_range(plan.steps, *steps);
    rename(plan, after, to);
    return plan;
  }

  // Everything to everybody, then each its part: always possible.
  ReshardPlan planSimply(const MeshShape &view, ShardingAttr from, ShardingAttr to) {
    ShardingAttr before = translate(from, fromMesh, view), after = translate(to, toMesh, view);
    ReshardPlan plan;
    plan.meshes.push_back(view);
    rename(plan, from, before);
    ShardingAttr sliced = sliceFirst(before, after);
    if (sliced != before)
      plan.steps.push_back({Kind::Slice, before, sliced});
    takeParts(plan, gatherOthers(plan, view, sliced, after), after);
    rename(plan, after, to);
    return plan;
  }

  // Unused axes that only cut what they find, so that less is sent afterwards.
  static ShardingAttr sliceFirst(ShardingAttr from, ShardingAttr to) {
    SmallVector<ArrayAttr> lists(from.getAxes());
    SmallVector<flow::GranuleAttr> granules = listGranules(from);
    for (int64_t dim = 0; dim < from.getRank(); ++dim) {
      SmallVector<StringAttr> have = from.getDimAxes(dim), want = to.getDimAxes(dim);
      bool fits = have.size() < want.size() && llvm::equal(have, ArrayRef(want).take_front(have.size())) &&
                  (have.empty() || from.getGranule(dim) == to.getGranule(dim)) &&
                  llvm::none_of(
                      ArrayRef(want).drop_front(have.size()), [&](StringAttr axis) { return from.variesAlong(axis); });
      if (fits) {
        lists[dim] = to.getAxes()[dim];
        granules[dim] = to.getGranule(dim);
      }
    }
    return ShardingAttr::getNormalized(from.getMesh(), lists, granules, from.getPartial(), from.getReduction());
  }

  // Returns the sharding after it: what is cut otherwise than by `wanted` is whole.
  ShardingAttr gatherOthers(ReshardPlan &plan, const MeshShape &mesh, ShardingAttr from, ShardingAttr wanted) {
    ShardingAttr current = from;
    auto step = [&](Kind kind, ShardingAttr next, int64_t dim, ArrayRef<StringAttr> axes) {
      ReshardStep made{kind, current, next, dim};
      made.axes.assign(axes.begin(), axes.end());
      uint64_t members = guessParts(axes, mesh), bytes = value.bytesOfPart(current, mesh);
      made.bytes =
          kind == Kind::AllReduce ? 2 * (members - 1) * llvm::divideCeil(bytes, members) : (members - 1) * bytes;
      plan.steps.push_back(made);
      current = next;
    };
    if (!from.getPartial().empty())
      step(Kind::AllReduce, from.withoutPartial(), -1, from.getPartial());
    for (int64_t dim = 0; dim < from.getRank(); ++dim) {
      bool isWanted = from.getAxes()[dim] == wanted.getAxes()[dim] && from.getGranule(dim) == wanted.getGranule(dim);
      if (!from.isCut(dim) || isWanted)
        continue;
      SmallVector<ArrayAttr> lists(current.getAxes());
      lists[dim] = ArrayAttr::get(from.getContext(), {});
      step(Kind::AllGather, ShardingAttr::getNormalized(from.getMesh(), lists, listGranules(from)), dim,
           from.getDimAxes(dim));
    }
    return current;
  }

  void takeParts(ReshardPlan &plan, ShardingAttr whole, ShardingAttr to) {
    ShardingAttr cut = to.withoutPartial();
    if (cut != whole)
      plan.steps.push_back({Kind::Slice, whole, cut});
    if (to.getPartial().empty())
      return;
    ReshardStep mask{Kind::Mask, cut, to};
    mask.axes.assign(to.getPartial().begin(), to.getPartial().end());
    plan.steps.push_back(mask);
  }

  // Where no view has the axes of both (2x3 and 3x2): by all ranks in a row along one dimension, or by everything to
  // everybody.
  ReshardPlan planUnaligned(ShardingAttr from, ShardingAttr to) {
    ReshardPlan best;
    ShardingAttr whole =
                     gatherOthers(best, fromMesh, from, ShardingAttr::getReplicated(from.getMesh(), from.getRank())),
                 other = ShardingAttr::getReplicated(to.getMesh(), to.getRank());
    rename(best, whole, other);
    takeParts(best, other, to);
    for (int64_t dim = 0; dim < from.getRank(); ++dim) {
      if (!from.isCut(dim) && !to.isCut(dim))
        continue;
      auto inARow = [&](const MeshShape &mesh) {
        SmallVector<ArrayAttr> lists(from.getRank(), ArrayAttr::get(from.getContext(), {}));
        lists[dim] = ArrayAttr::get(from.getContext(), SmallVector<Attribute>(mesh.axes.begin(), mesh.axes.end()));
        return ShardingAttr::getNormalized(mesh.name, lists, listGranules(from.isCut(dim) ? from : to));
      };
      ShardingAttr before = inARow(fromMesh), after = inARow(toMesh);
      ReshardPlan plan = Planner(value, fromMesh, fromMesh).plan(from, before);
      rename(plan, before, after);
      append(plan, Planner(value, toMesh, toMesh).plan(after, to));
      if (bytesOf(plan) < bytesOf(best))
        best = plan;
    }
    return best;
  }

  const ReshardedValue &value;
  const MeshShape &fromMesh, &toMesh;
};

//===--- Plans from some ranks to others -------------------------------------------------------------------------===//

class MovePlanner {
public:
  MovePlanner(const ReshardedValue &value, const MeshShape &fromMesh, const MeshShape &toMesh)
      : value(value), fromMesh(fromMesh), toMesh(toMesh), source(splitMesh(fromMesh, [](StringAttr) { return true; })),
        target(splitMesh(toMesh, [](StringAttr) { return true; })) {}

  ReshardPlan plan(ShardingAttr from, ShardingAttr to) {
    std::optional<ReshardPlan> best;
    for (const SmallVector<int64_t> &parts : listCandidates(from, to)) {
      auto granules = llvm::map_to_vector(llvm::seq<int64_t>(0, from.getRank()), [&](int64_t dim) {
        return from.isCut(dim) ? from.getGranule(dim) : to.getGranule(dim);
      });
      auto before = cutInto(parts, granules, source), after = cutInto(parts, granules, target);
      if (!before || !after)
        continue;
      ReshardPlan plan = Planner(value, fromMesh, source).plan(from, *before);
      move(plan, *before, *after);
      ReshardPlan rest = Planner(value, target, toMesh).plan(*after, to);
      plan.meshes.append({source, target});
      plan.meshes.append(rest.meshes);
      llvm::append_range(plan.steps, rest.steps);
      if (!best || bytesOf(plan) < bytesOf(*best))
        best = plan;
    }
    return *best; // one candidate is the whole value
  }

private:
  // By how many parts in each dimension the value may go from mesh to mesh.
  SmallVector<SmallVector<int64_t>> listCandidates(ShardingAttr from, ShardingAttr to) {
    SmallVector<SmallVector<int64_t>> candidates;
    auto partsOf = [&](ShardingAttr sharding, const MeshShape &mesh) {
      return llvm::map_to_vector(llvm::seq<int64_t>(0, sharding.getRank()),
                                 [&](int64_t dim) { return guessParts(sharding.getDimAxes(dim), mesh); });
    };
    candidates.push_back(partsOf(to, toMesh));
    candidates.push_back(partsOf(from, fromMesh));
    candidates.push_back(SmallVector<int64_t>(from.getRank(), 1));
    int64_t common = std::gcd(fromMesh.getNumRanks(), toMesh.getNumRanks());
    for (int64_t dim = 0; dim < from.getRank(); ++dim) {
      candidates.push_back(candidates[2]);
      candidates.back()[dim] = common;
    }
    return candidates;
  }

  // World ranks that have each part, by the places along the dimensions.
  static std::map<SmallVector<int64_t>, SmallVector<int64_t>> listHolders(ShardingAttr sharding,
                                                                          const MeshShape &mesh) {
    std::map<SmallVector<int64_t>, SmallVector<int64_t>> holders;
    for (int64_t rank = 0; rank < mesh.getNumRanks(); ++rank) {
      SmallVector<int64_t> coordinates(mesh.axes.size());
      int64_t rest = rank;
      for (unsigned i = mesh.axes.size(); i-- > 0; rest /= mesh.sizes[i])
        coordinates[i] = rest % mesh.sizes[i];
      SmallVector<int64_t> places;
      for (int64_t dim = 0; dim < sharding.getRank(); ++dim) {
        int64_t place = 0;
        for (StringAttr axis : sharding.getDimAxes(dim)) {
          unsigned i = llvm::find(mesh.axes, axis) - mesh.axes.begin();
          place = place * mesh.sizes[i] + coordinates[i];
        }
        places.push_back(place);
      }
      holders[places].push_back(mesh.first + rank);
    }
    return holders;
  }

  void move(ReshardPlan &plan, ShardingAttr before, ShardingAttr after) {
    auto senders = listHolders(before, source), receivers = listHolders(after, target);
    bool reachesAll = senders.begin()->second.size() >= receivers.begin()->second.size();
    ReshardStep step{Kind::Move, before, after};
    bool anyMoves = false;
    for (auto &[places, ranks] : receivers) {
      SmallVector<int64_t> &from = senders[places];
      for (int64_t receiver : ArrayRef<int64_t>(ranks).take_front(reachesAll ? ranks.size() : 1)) {
        auto *own = llvm::find(from, receiver);
        int64_t sender = own == from.end() ? from.front() : receiver;
        from.erase(llvm::find(from, sender));
        step.pairs.append({sender, receiver});
        anyMoves |= sender != receiver;
      }
    }
    step.bytes = anyMoves ? value.bytesOfPart(before, source) : 0;
    plan.steps.push_back(step);
    if (reachesAll)
      return;
    ReshardStep broadcast{Kind::Broadcast, after, after};
    llvm::copy_if(target.axes, std::back_inserter(broadcast.axes),
                  [&](StringAttr axis) { return !after.isCutBy(axis) && target.getSize(axis) > 1; });
    broadcast.bytes = value.bytesOfPart(after, target);
    plan.steps.push_back(broadcast);
  }

  const ReshardedValue &value;
  const MeshShape &fromMesh, &toMesh;
  MeshShape source, target;
};

} // namespace

std::optional<ReshardPlan> mlir::heddle::planReshard(ShardingAttr from, ShardingAttr to, RankedTensorType whole,
                                                     ArrayRef<int64_t> estimates, const MeshShape &fromMesh,
                                                     const MeshShape &toMesh) {
  ReshardedValue value = ReshardedValue::of(whole, estimates);
  std::optional<ReshardPlan> plan;
  if (from == to)
    plan.emplace();
  else if (fromMesh.name == toMesh.name || fromMesh.hasSameRanksAs(toMesh))
    plan = Planner(value, fromMesh, toMesh).plan(from, to);
  else if (fromMesh.isKnown() && toMesh.isKnown())
    plan = MovePlanner(value, fromMesh, toMesh).plan(from, to);
  if (plan)
    plan->meshes.append({fromMesh, toMesh});
  return plan;
}
