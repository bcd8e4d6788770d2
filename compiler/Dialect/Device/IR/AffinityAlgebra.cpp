// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Device/IR/AffinityAlgebra.h"

#include <map>

using namespace mlir;
using namespace mlir::heddle::device;

static bool areQueuesWithin(ArrayRef<int64_t> some, ArrayRef<int64_t> all) {
  if (all.empty())
    return true;
  return !some.empty() && llvm::includes(all, some);
}

bool mlir::heddle::device::areExecutionCompatible(AffinityAttr work, AffinityAttr place) {
  return work.getDevice() == place.getDevice() && areQueuesWithin(place.getQueues(), work.getQueues());
}

bool mlir::heddle::device::areTranslationCompatible(AffinityAttr a, AffinityAttr b, const DeviceQuery &query) {
  return query.lookup(a) && query.lookup(b) && query.getClass(a) == query.getClass(b);
}

bool mlir::heddle::device::areAllocationCompatible(AffinityAttr from, AffinityAttr to, const Topology &topology) {
  return topology.isUnified(from.getDevice().getAttr(), to.getDevice().getAttr());
}

namespace {

// Affinities by the name of their device.
using Choices = std::map<StringRef, AffinityAttr>;

} // namespace

static Choices getChoices(Attribute attribute) {
  Choices choices;
  if (auto affinity = dyn_cast_or_null<AffinityAttr>(attribute))
    choices[affinity.getDevice().getValue()] = affinity;
  else if (auto optimal = dyn_cast_or_null<OptimalAttr>(attribute))
    for (Attribute entry : optimal.getAffinities())
      if (auto affinity = dyn_cast<AffinityAttr>(entry))
        choices[affinity.getDevice().getValue()] = affinity;
  return choices;
}

static Attribute toAttribute(const Choices &choices) {
  if (choices.size() <= 1)
    return choices.empty() ? AffinityAttr() : choices.begin()->second;
  SmallVector<Attribute> affinities;
  for (const auto &[name, affinity] : choices)
    affinities.push_back(affinity);
  return OptimalAttr::get(affinities.front().getContext(), affinities);
}

Attribute mlir::heddle::device::joinOr(Attribute a, Attribute b) {
  Choices choices = getChoices(a);
  for (const auto &[name, affinity] : getChoices(b)) {
    auto [entry, isNew] = choices.try_emplace(name, affinity);
    if (isNew)
      continue;
    ArrayRef<int64_t> mine = entry->second.getQueues(), others = affinity.getQueues();
    SmallVector<int64_t> queues;
    if (!mine.empty() && !others.empty())
      std::set_union(mine.begin(), mine.end(), others.begin(), others.end(), std::back_inserter(queues));
    entry->second = AffinityAttr::get(affinity.getContext(), affinity.getDevice(), queues);
  }
  return toAttribute(choices);
}

Attribute mlir::heddle::device::joinAnd(Attribute a, Attribute b) {
  Choices mine = getChoices(a), others = getChoices(b), common;
  for (const auto &[name, affinity] : mine) {
    auto other = others.find(name);
    if (other == others.end())
      continue;
    ArrayRef<int64_t> left = affinity.getQueues(), right = other->second.getQueues();
    SmallVector<int64_t> queues;
    if (left.empty() || right.empty())
      llvm::append_range(queues, left.empty() ? right : left);
    else
      std::set_intersection(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(queues));
    if (queues.empty() && !(left.empty() && right.empty()))
      continue;
    common[name] = AffinityAttr::get(affinity.getContext(), affinity.getDevice(), queues);
  }
  return toAttribute(common);
}
