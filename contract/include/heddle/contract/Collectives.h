// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives: what the ranks of a group do together. A rank's number in its mesh is its row-major place among the
// coordinates (the first axis is the slowest); its position is its place in the group, from 0. The values are part of
// the format: append only.
//
// `n` members; count = elements of one piece; every piece lies behind the one before it.
//
//   kind            source     target     what a member at position p gets
//   AllGather       count      n * count  the sources in the order of the positions
//   AllReduce       count      count      the sources combined, element by element, in the order of the positions
//   ReduceScatter   n * count  count      piece p of the sources combined
//   AllToAll        n * count  n * count  piece p of each source, in the order of the positions
//   Broadcast       count      count      the source of the root
//   Permute         count      count      the source of who sends to it; zeros where nobody does
//   Gather          count      n * count  the root: as AllGather; the others: zeros
//   Scatter         n * count  count      piece p of the root's source
//   Exchange        by cuts               what it needs of a dimension that all members have parts of
//
// A rank that is in none of the groups that a collective lists gets zeros; it waits for nobody.
//
// The kinds with pieces may be *cut*: pieces need not be of one size then. count = elements of one position; of the
// pieces that the table counts the one of position p has cut.size(p) positions:
//
//   AllGather, Gather       target cut: the source of p is piece p of it
//   ReduceScatter, Scatter  source cut: the target of p is piece p of it
//   AllToAll                two cuts, `split` and `concat`: the source of p has split.size() rows of concat.size(p)
//                           positions, what p gets split.size(p) rows of concat.size(): rows of piece p of each source,
//                           behind one another along the row in the order of the positions
//
// An exchange is always cut. Four cuts, of which the last two are none but a Window: `lies`, who has which part of a
// dimension; `loop`, who has which part of the loop that reads it in windows. The source of p has window.rows rows of
// lies.size(p) positions, what p gets as many rows of neededOf(cuts, p), with zeros where nobody has a position.
#ifndef HEDDLE_CONTRACT_COLLECTIVES_H
#define HEDDLE_CONTRACT_COLLECTIVES_H

#include "heddle/contract/ElementType.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle::contract {

enum class CollectiveKind : uint8_t {
  AllGather,
  AllReduce,
  ReduceScatter,
  AllToAll,
  Broadcast,
  Permute,
  Gather,
  Scatter,
  Exchange
};
inline constexpr uint8_t kCollectiveKinds = static_cast<uint8_t>(CollectiveKind::Exchange) + 1;

enum class Reduction : uint8_t { Sum, Product, Min, Max, And, Or, Xor };
inline constexpr uint8_t kReductions = static_cast<uint8_t>(Reduction::Xor) + 1;

// "all_gather", …; "sum", …; "?" for a number that is none.
constexpr std::string_view spelling(CollectiveKind kind) {
  constexpr std::string_view names[] = {"all_gather", "all_reduce", "reduce_scatter", "all_to_all", "broadcast",
                                        "permute",    "gather",     "scatter",        "exchange"};
  return static_cast<uint8_t>(kind) < kCollectiveKinds ? names[static_cast<uint8_t>(kind)] : "?";
}
constexpr std::string_view spelling(Reduction reduction) {
  constexpr std::string_view names[] = {"sum", "product", "min", "max", "and", "or", "xor"};
  return static_cast<uint8_t>(reduction) < kReductions ? names[static_cast<uint8_t>(reduction)] : "?";
}

constexpr bool reduces(CollectiveKind kind) {
  return kind == CollectiveKind::AllReduce || kind == CollectiveKind::ReduceScatter;
}
constexpr bool hasRoot(CollectiveKind kind) {
  return kind == CollectiveKind::Broadcast || kind == CollectiveKind::Gather || kind == CollectiveKind::Scatter;
}
// Whether the source, and the target, consist of n pieces.
constexpr bool hasSourcePieces(CollectiveKind kind) {
  return kind == CollectiveKind::ReduceScatter || kind == CollectiveKind::AllToAll || kind == CollectiveKind::Scatter;
}
constexpr bool hasTargetPieces(CollectiveKind kind) {
  return kind == CollectiveKind::AllGather || kind == CollectiveKind::AllToAll || kind == CollectiveKind::Gather;
}
// Whether the reduction is defined for the type: and, or, xor for i1 and integers of whole bytes; the others for
// numbers of whole bytes, and min and max for i1, too.
bool reduces(Reduction reduction, ElementType type);

// How many cuts a collective of the kind may have; it has all or none. An exchange has all.
constexpr size_t cutsOf(CollectiveKind kind) {
  if (kind == CollectiveKind::Exchange)
    return 4;
  return kind == CollectiveKind::AllToAll ? 2 : hasSourcePieces(kind) != hasTargetPieces(kind) ? 1 : 0;
}
inline constexpr size_t kMostCuts = 4;

// Where place `place` of `parts` of `granules` granules of `granule` positions begins; place `parts`: where all end.
// floor(place * granules / parts) * granule, the one notion of a part.
constexpr int64_t partBegin(int64_t place, int64_t parts, int64_t granules, int64_t granule) {
  return static_cast<int64_t>(static_cast<__int128>(place) * granules / parts) * granule;
}

// How the members of a group share a dimension: of `granules` granules of `granule` positions, cut into `parts` parts,
// the member at position p has part `first` + p. Positions are counted from where the first member's begin.
struct Cut {
  int64_t granules = 0, granule = 1, first = 0, parts = 1;
  bool operator==(const Cut &) const = default;
  int64_t begin(int64_t position) const {
    return partBegin(first + position, parts, granules, granule) - partBegin(first, parts, granules, granule);
  }
  int64_t size(int64_t position) const { return begin(position + 1) - begin(position); }
};

// Why a group of `members` cannot be cut so; "" where it can.
std::string explainCut(const Cut &cut, int64_t members);
// The same of all cuts of a collective.
std::string explainCuts(CollectiveKind kind, std::span<const Cut> cuts, int64_t members);

// What an exchange brings: position i of the loop reads the positions [scale * i + first, + extent) of the dimension,
// those of them that there are. In front of the dimension `low`, behind it `high` positions count as there, and are
// zeros. In the order of the numbers of two cuts; the last two are 0.
struct Window {
  int64_t scale = 1, extent = 1, first = 0, rows = 1, low = 0, high = 0;
};
constexpr Window windowOf(std::span<const Cut> cuts) {
  return {cuts[2].granules, cuts[2].granule, cuts[2].first, cuts[2].parts, cuts[3].granules, cuts[3].granule};
}

// Positions [begin, end) of a dimension.
struct Positions {
  int64_t begin = 0, end = 0;
  constexpr int64_t size() const { return end - begin; }
  bool operator==(const Positions &) const = default;
};
// What one that has the positions `part` of the loop needs of a dimension of `size` positions; of an empty part
// nothing, at a place that exists.
Positions readPositions(const Window &window, const Positions &part, int64_t size);

// Of an exchange: what the member at a position has and needs, and what `to` gets of `from`.
Positions hadBy(std::span<const Cut> cuts, int64_t position);
Positions neededOf(std::span<const Cut> cuts, int64_t position);
// How many of its positions lie in front of the dimension, and behind it.
std::pair<int64_t, int64_t> zerosOf(std::span<const Cut> cuts, int64_t position);
Positions movedBetween(std::span<const Cut> cuts, int64_t from, int64_t to);
// The members [first, second) of which the one at a position may need something, itself included; that may need
// something of it. In steps that grow with the logarithm of the members.
std::pair<int64_t, int64_t> sendersTo(std::span<const Cut> cuts, int64_t position);
std::pair<int64_t, int64_t> receiversOf(std::span<const Cut> cuts, int64_t position);
// Positions that the busiest member gets of others, of one row.
int64_t mostExchanged(std::span<const Cut> cuts);

// Elements of source and target of the member at a position, by the table above. `cuts`: cutsOf(kind), or none.
int64_t sourceElements(CollectiveKind kind, std::span<const Cut> cuts, int64_t count, int64_t position,
                       int64_t members);
int64_t targetElements(CollectiveKind kind, std::span<const Cut> cuts, int64_t count, int64_t position,
                       int64_t members);

// The most ranks of a mesh.
inline constexpr int64_t kMaxRanks = int64_t(1) << 20;
inline constexpr int64_t kFreeSize = -1; // of an axis: known when the module is loaded

// Which ranks one collective joins. Of `axes` (the first named is the slowest): those whose coordinates differ in these
// only. Else of `groups`: lists of ranks, by their numbers in the mesh.
struct GroupSpec {
  std::vector<uint32_t> axes;
  std::vector<std::vector<int64_t>> groups;
  bool operator==(const GroupSpec &) const = default; // equal: one communicator serves both
};

struct CollectiveSpec {
  CollectiveKind kind = CollectiveKind::AllReduce;
  Reduction reduction = Reduction::Sum; // Sum where the kind reduces nothing
  ElementType type = ElementType::F32;
  GroupSpec group;
  int64_t root = 0;           // a position; 0 where the kind has none
  std::vector<int64_t> pairs; // of permute: positions (from, to), each at most once on a side; none: by `shift`
  int64_t shift = 0;          // of permute without pairs: from position p to (p + shift) mod n
};

// The number of ranks of a mesh of these sizes; kFreeSize where one is free; nullopt: more than kMaxRanks, or a size
// below 1.
std::optional<int64_t> ranksOf(std::span<const int64_t> sizes);
// The coordinates of a rank in a mesh of known sizes.
std::vector<int64_t> coordinatesOf(std::span<const int64_t> sizes, int64_t rank);

// The number of members of each group; kFreeSize where it is not known yet, or groups differ in size.
int64_t groupSize(const GroupSpec &group, std::span<const int64_t> sizes);

// Why no ranks of a mesh of these sizes can run the collective; "" where nothing forbids it. Sizes may be free: then
// what depends on them is not said, and the caller asks again when they are known.
std::string explainCollective(const CollectiveSpec &spec, std::span<const int64_t> sizes);

// The place of a rank in its group. Ranks of equal `color` are one group.
struct GroupPlace {
  int64_t color = 0, position = 0, size = 0;
};
// nullopt: no group lists the rank. Sizes are known, and explainCollective() has nothing to say.
std::optional<GroupPlace> placeOf(const GroupSpec &group, std::span<const int64_t> sizes, int64_t rank);
// The ranks of that group in the order of their positions.
std::vector<int64_t> membersOf(const GroupSpec &group, std::span<const int64_t> sizes, int64_t rank);

// Of permute: the positions that the member at `position` of `size` sends to and receives from; -1: none.
struct Partners {
  int64_t to = -1, from = -1;
};
Partners partnersOf(const CollectiveSpec &spec, int64_t position, int64_t size);

} // namespace heddle::contract

#endif // HEDDLE_CONTRACT_COLLECTIVES_H
