// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heddle/contract/Collectives.h"

#include <algorithm>
#include <unordered_set>

namespace heddle::contract {
namespace {

using std::to_string;

bool isWholeInteger(ElementType type) { return type >= ElementType::I8 && type <= ElementType::U64; }

bool isNumber(ElementType type) {
  return isWholeInteger(type) || (type >= ElementType::F16 && type <= ElementType::F64);
}

std::string quote(std::string_view text) { return "'" + std::string(text) + "'"; }

std::string explainAxes(const GroupSpec &group, size_t meshAxes) {
  if (!group.groups.empty())
    return group.axes.empty() ? "" : "it has axes and groups";
  if (group.axes.empty())
    return "it joins no axis and no groups";
  std::vector<bool> seen(meshAxes);
  for (uint32_t axis : group.axes) {
    if (axis >= meshAxes)
      return "axis " + to_string(axis) + " of " + to_string(meshAxes);
    if (seen[axis])
      return "axis " + to_string(axis) + " is named twice";
    seen[axis] = true;
  }
  return "";
}

// `ranks`: of the mesh; kFreeSize: not known.
std::string explainGroups(const CollectiveSpec &spec, int64_t ranks) {
  std::unordered_set<int64_t> seen;
  for (const std::vector<int64_t> &members : spec.group.groups) {
    if (members.empty())
      return "a group has no members";
    bool alike = members.size() == spec.group.groups[0].size();
    if (!alike && (hasSourcePieces(spec.kind) || hasTargetPieces(spec.kind)))
      return "groups of " + to_string(spec.group.groups[0].size()) + " and of " + to_string(members.size()) +
             " members; all must have as many pieces";
    for (int64_t rank : members) {
      if (rank < 0 || rank >= kMaxRanks || (ranks != kFreeSize && rank >= ranks))
        return "rank " + to_string(rank) + " is not in the mesh" +
               (ranks != kFreeSize ? " of " + to_string(ranks) + " ranks" : "");
      if (!seen.insert(rank).second)
        return "rank " + to_string(rank) + " is in the groups twice";
    }
  }
  return "";
}

// The members that each group has at least and at most; kFreeSize: not known.
std::pair<int64_t, int64_t> memberBounds(const GroupSpec &group, std::span<const int64_t> sizes) {
  if (group.groups.empty()) {
    int64_t members = groupSize(group, sizes);
    return {members, members};
  }
  auto [least, most] = std::minmax_element(group.groups.begin(), group.groups.end(),
                                           [](const auto &a, const auto &b) { return a.size() < b.size(); });
  return {static_cast<int64_t>(least->size()), static_cast<int64_t>(most->size())};
}

std::string explainPairs(const CollectiveSpec &spec, int64_t members) {
  if (spec.pairs.size() % 2)
    return "pairs are two positions each, got " + to_string(spec.pairs.size()) + " positions";
  if (spec.pairs.empty())
    return "";
  if (spec.shift != 0)
    return "it has pairs and a shift";
  for (size_t side : {0, 1}) {
    std::unordered_set<int64_t> seen;
    for (size_t i = side; i < spec.pairs.size(); i += 2) {
      int64_t position = spec.pairs[i];
      if (position < 0 || position >= kMaxRanks || (members != kFreeSize && position >= members))
        return "position " + to_string(position) + " of a pair is not in a group" +
               (members != kFreeSize ? " of " + to_string(members) + " members" : "");
      if (!seen.insert(position).second)
        return "position " + to_string(position) + (side ? " receives twice" : " sends twice");
    }
  }
  return "";
}

} // namespace

bool reduces(Reduction reduction, ElementType type) {
  switch (reduction) {
  case Reduction::And:
  case Reduction::Or:
  case Reduction::Xor: return type == ElementType::I1 || isWholeInteger(type);
  case Reduction::Min:
  case Reduction::Max: return type == ElementType::I1 || isNumber(type);
  case Reduction::Sum:
  case Reduction::Product: return isNumber(type);
  }
  return false;
}

std::string explainCut(const Cut &cut, int64_t members) {
  constexpr int64_t kMost = int64_t(1) << 62; // of positions
  if (cut.granules < 0 || cut.granule < 1 || (cut.granules && cut.granule > kMost / cut.granules))
    return "there are no " + to_string(cut.granules) + " granules of " + to_string(cut.granule) + " positions";
  if (cut.parts < 1 || cut.parts > kMaxRanks)
    return "there are from 1 to " + to_string(kMaxRanks) + " parts, got " + to_string(cut.parts);
  if (cut.first < 0 || cut.first > cut.parts || members > cut.parts - cut.first)
    return to_string(members) + " members have no parts from " + to_string(cut.first) + " on of " +
           to_string(cut.parts);
  return "";
}

std::string explainCuts(CollectiveKind kind, std::span<const Cut> cuts, int64_t members) {
  const bool isExchange = kind == CollectiveKind::Exchange;
  for (size_t i = 0; i < (isExchange ? 2 : cuts.size()); ++i) {
    if (std::string why = explainCut(cuts[i], members); !why.empty())
      return why;
    if (isExchange && (cuts[i].first != 0 || cuts[i].parts != members))
      return "an exchange is of all parts of a dimension, got " + to_string(members) + " members from " +
             to_string(cuts[i].first) + " on of " + to_string(cuts[i].parts);
  }
  if (!isExchange)
    return "";
  constexpr int64_t kMost = int64_t(1) << 60; // so that sums of what is clamped fit
  const Window window = windowOf(cuts);
  if (window.scale < 0 || window.extent < 0 || window.rows < 0 || window.scale > kMost || window.extent > kMost ||
      window.rows > kMost || window.first > kMost || window.first < -kMost || window.low < 0 || window.high < 0 ||
      window.low > kMost || window.high > kMost)
    return "there are no windows of " + to_string(window.extent) + " positions from " + to_string(window.scale) +
           " i + " + to_string(window.first) + " on in " + to_string(window.rows) + " rows, with " +
           to_string(window.low) + " zeros in front and " + to_string(window.high) + " behind";
  return "";
}

//===--- Exchanges -----------------------------------------------------------------------------------------------===//

namespace {

// Where position `at` of the loop begins to read.
int64_t clampedBegin(const Window &window, int64_t at, int64_t size) {
  const __int128 begin = static_cast<__int128>(window.scale) * at + window.first;
  return static_cast<int64_t>(std::clamp<__int128>(begin, -window.low, size + window.high));
}

// Where the loop's positions up to `end` end to read; grows with it also where they are none.
int64_t clampedEnd(const Window &window, int64_t end, int64_t size) {
  const __int128 last = static_cast<__int128>(window.scale) * (end - 1) + window.first + window.extent;
  return static_cast<int64_t>(std::clamp<__int128>(last, -window.low, size + window.high));
}

// The first of `count` numbers from 0 on that the predicate, which holds from some on, holds for; else `count`.
template <typename Holds> int64_t firstOf(int64_t count, Holds &&holds) {
  int64_t begin = 0;
  while (begin < count) {
    const int64_t middle = begin + (count - begin) / 2;
    if (holds(middle))
      count = middle;
    else
      begin = middle + 1;
  }
  return begin;
}

int64_t sizeOf(const Cut &cut) { return cut.begin(cut.parts); }

} // namespace

Positions readPositions(const Window &window, const Positions &part, int64_t size) {
  const int64_t begin = clampedBegin(window, part.begin, size);
  return {begin, part.size() == 0 ? begin : std::max(begin, clampedEnd(window, part.end, size))};
}

Positions hadBy(std::span<const Cut> cuts, int64_t position) {
  return {cuts[0].begin(position), cuts[0].begin(position + 1)};
}

Positions neededOf(std::span<const Cut> cuts, int64_t position) {
  return readPositions(windowOf(cuts), {cuts[1].begin(position), cuts[1].begin(position + 1)}, sizeOf(cuts[0]));
}

std::pair<int64_t, int64_t> zerosOf(std::span<const Cut> cuts, int64_t position) {
  const Positions needed = neededOf(cuts, position);
  const int64_t size = sizeOf(cuts[0]);
  return {std::max<int64_t>(0, std::min<int64_t>(needed.end, 0) - needed.begin),
          std::max<int64_t>(0, needed.end - std::max(needed.begin, size))};
}

Positions movedBetween(std::span<const Cut> cuts, int64_t from, int64_t to) {
  const Positions had = hadBy(cuts, from), needed = neededOf(cuts, to);
  const int64_t begin = std::max(had.begin, needed.begin), end = std::min(had.end, needed.end);
  return begin < end ? Positions{begin, end} : Positions{};
}

std::pair<int64_t, int64_t> sendersTo(std::span<const Cut> cuts, int64_t position) {
  const Positions needed = neededOf(cuts, position);
  const int64_t members = cuts[0].parts;
  if (needed.size() == 0)
    return {position, position};
  return {firstOf(members, [&](int64_t from) { return cuts[0].begin(from + 1) > needed.begin; }),
          firstOf(members, [&](int64_t from) { return cuts[0].begin(from) >= needed.end; })};
}

std::pair<int64_t, int64_t> receiversOf(std::span<const Cut> cuts, int64_t position) {
  const Positions had = hadBy(cuts, position);
  const Window window = windowOf(cuts);
  const int64_t members = cuts[0].parts, size = sizeOf(cuts[0]);
  if (had.size() == 0)
    return {position, position};
  const int64_t first =
      firstOf(members, [&](int64_t to) { return clampedEnd(window, cuts[1].begin(to + 1), size) > had.begin; });
  const int64_t end =
      firstOf(members, [&](int64_t to) { return clampedBegin(window, cuts[1].begin(to), size) >= had.end; });
  return {first, std::max(first, end)};
}

int64_t mostExchanged(std::span<const Cut> cuts) {
  int64_t most = 0;
  for (int64_t to = 0; to < cuts[0].parts; ++to) {
    const auto [front, behind] = zerosOf(cuts, to);
    most = std::max(most, neededOf(cuts, to).size() - front - behind - movedBetween(cuts, to, to).size());
  }
  return most;
}

//===--- Sizes ---------------------------------------------------------------------------------------------------===//

namespace {

// A side has all pieces of `all`, if there is one, and of `own` the member's.
int64_t elementsOf(const Cut *all, const Cut *own, int64_t count, int64_t position, int64_t members) {
  return count * (all ? all->begin(members) : 1) * (own ? own->size(position) : 1);
}

} // namespace

int64_t sourceElements(CollectiveKind kind, std::span<const Cut> cuts, int64_t count, int64_t position,
                       int64_t members) {
  if (cuts.empty())
    return count * (hasSourcePieces(kind) ? members : 1);
  if (kind == CollectiveKind::Exchange)
    return count * windowOf(cuts).rows * hadBy(cuts, position).size();
  const Cut *split = hasSourcePieces(kind) ? &cuts.front() : nullptr;
  return elementsOf(split, hasTargetPieces(kind) ? &cuts.back() : nullptr, count, position, members);
}

int64_t targetElements(CollectiveKind kind, std::span<const Cut> cuts, int64_t count, int64_t position,
                       int64_t members) {
  if (cuts.empty())
    return count * (hasTargetPieces(kind) ? members : 1);
  if (kind == CollectiveKind::Exchange)
    return count * windowOf(cuts).rows * neededOf(cuts, position).size();
  const Cut *concat = hasTargetPieces(kind) ? &cuts.back() : nullptr;
  return elementsOf(concat, hasSourcePieces(kind) ? &cuts.front() : nullptr, count, position, members);
}

std::optional<int64_t> ranksOf(std::span<const int64_t> sizes) {
  int64_t ranks = 1;
  bool isFree = false;
  for (int64_t size : sizes) {
    isFree |= size == kFreeSize;
    if (size == kFreeSize)
      continue;
    if (size < 1 || size > kMaxRanks || ranks * size > kMaxRanks)
      return std::nullopt;
    ranks *= size;
  }
  return isFree ? kFreeSize : ranks;
}

std::vector<int64_t> coordinatesOf(std::span<const int64_t> sizes, int64_t rank) {
  std::vector<int64_t> coordinates(sizes.size());
  for (size_t axis = sizes.size(); axis-- > 0; rank /= sizes[axis])
    coordinates[axis] = rank % sizes[axis];
  return coordinates;
}

int64_t groupSize(const GroupSpec &group, std::span<const int64_t> sizes) {
  if (!group.groups.empty()) {
    size_t members = group.groups[0].size();
    bool alike = std::all_of(group.groups.begin(), group.groups.end(), [&](auto &g) { return g.size() == members; });
    return alike ? static_cast<int64_t>(members) : kFreeSize;
  }
  int64_t members = 1;
  for (uint32_t axis : group.axes) {
    if (sizes[axis] == kFreeSize)
      return kFreeSize;
    members *= sizes[axis];
  }
  return members;
}

std::string explainCollective(const CollectiveSpec &spec, std::span<const int64_t> sizes) {
  std::optional<int64_t> ranks = ranksOf(sizes);
  if (!ranks)
    return "a mesh has from 1 to " + to_string(kMaxRanks) + " ranks";
  if (std::string why = explainAxes(spec.group, sizes.size()); !why.empty())
    return why;
  if (std::string why = explainGroups(spec, *ranks); !why.empty())
    return why;
  if (reduces(spec.kind) && !reduces(spec.reduction, spec.type))
    return "there is no " + quote(spelling(spec.reduction)) + " of " + std::string(spelling(spec.type)) +
           (reduces(spec.reduction, ElementType::I32) && spec.type != ElementType::I1 && !isNumber(spec.type)
                ? "; convert the elements to a wider type before"
                : "");
  if (!reduces(spec.kind) && spec.reduction != Reduction::Sum)
    return std::string(spelling(spec.kind)) + " reduces nothing";
  auto [least, most] = memberBounds(spec.group, sizes);
  if (!hasRoot(spec.kind) && spec.root != 0)
    return std::string(spelling(spec.kind)) + " has no root";
  if (spec.root < 0 || spec.root >= kMaxRanks || (least != kFreeSize && spec.root >= least))
    return "root " + to_string(spec.root) + " is not in a group" +
           (least != kFreeSize ? " of " + to_string(least) + " members" : "");
  if (spec.kind == CollectiveKind::Exchange && !spec.group.groups.empty())
    return "an exchange is along axes, not over lists of ranks";
  if (spec.kind == CollectiveKind::Permute)
    return explainPairs(spec, least);
  return spec.pairs.empty() && spec.shift == 0 ? "" : std::string(spelling(spec.kind)) + " has no pairs and no shift";
}

std::optional<GroupPlace> placeOf(const GroupSpec &group, std::span<const int64_t> sizes, int64_t rank) {
  for (size_t g = 0; g < group.groups.size(); ++g) {
    const std::vector<int64_t> &members = group.groups[g];
    auto found = std::find(members.begin(), members.end(), rank);
    if (found != members.end())
      return GroupPlace{static_cast<int64_t>(g), found - members.begin(), static_cast<int64_t>(members.size())};
  }
  if (!group.groups.empty())
    return std::nullopt;
  std::vector<int64_t> coordinates = coordinatesOf(sizes, rank);
  GroupPlace place{0, 0, 1};
  for (uint32_t axis : group.axes) {
    place.position = place.position * sizes[axis] + coordinates[axis];
    place.size *= sizes[axis];
    coordinates[axis] = 0;
  }
  for (size_t axis = 0; axis < sizes.size(); ++axis)
    place.color = place.color * sizes[axis] + coordinates[axis];
  return place;
}

std::vector<int64_t> membersOf(const GroupSpec &group, std::span<const int64_t> sizes, int64_t rank) {
  std::optional<GroupPlace> place = placeOf(group, sizes, rank);
  if (!place)
    return {};
  if (!group.groups.empty())
    return group.groups[place->color];
  std::vector<int64_t> strides(sizes.size(), 1), members;
  for (size_t axis = sizes.size(); axis-- > 1;)
    strides[axis - 1] = strides[axis] * sizes[axis];
  for (int64_t position = 0; position < place->size; ++position) {
    int64_t member = place->color, rest = position;
    for (size_t i = group.axes.size(); i-- > 0; rest /= sizes[group.axes[i]])
      member += rest % sizes[group.axes[i]] * strides[group.axes[i]];
    members.push_back(member);
  }
  return members;
}

Partners partnersOf(const CollectiveSpec &spec, int64_t position, int64_t size) {
  Partners partners;
  if (spec.pairs.empty()) {
    int64_t shift = spec.shift % size;
    return {(position + shift + size) % size, (position - shift + size) % size};
  }
  for (size_t i = 0; i + 1 < spec.pairs.size(); i += 2) {
    if (spec.pairs[i] == position)
      partners.to = spec.pairs[i + 1];
    if (spec.pairs[i + 1] == position)
      partners.from = spec.pairs[i];
  }
  return partners;
}

} // namespace heddle::contract
