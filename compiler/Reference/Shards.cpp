// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole arrays and the parts of ranks.
#include "compiler/Reference/Ranks.h"
#include "heddle/contract/Collectives.h"

#include <cstring>

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::reference;
namespace contract = ::heddle::contract;

// Into how many parts a dimension is cut.
static int64_t countParts(const BoundaryValue &value, size_t dim) {
  int64_t parts = 1;
  for (unsigned axis : value.shards[dim])
    parts *= value.meshSizes[axis];
  return parts;
}

// The rank's place in a row-major order of some axes. A rank outside of the mesh has the first one's.
static int64_t findPlace(const BoundaryValue &value, ArrayRef<unsigned> axes, unsigned rank) {
  int64_t number = rank - value.firstRank, place = 0;
  if (number < 0 || number >= contract::ranksOf(value.meshSizes).value_or(0))
    number = 0;
  std::vector<int64_t> coordinates = contract::coordinatesOf(value.meshSizes, number);
  for (unsigned axis : axes)
    place = place * value.meshSizes[axis] + coordinates[axis];
  return place;
}

// Which part of each dimension a rank has.
static SmallVector<int64_t> findPlaces(const BoundaryValue &value, unsigned rank) {
  return llvm::map_to_vector(value.shards, [&](ArrayRef<unsigned> axes) { return findPlace(value, axes, rank); });
}

// How a whole of that size is cut along a dimension.
static contract::Cut findCut(const BoundaryValue &value, size_t dim, int64_t size) {
  return {size / value.granules[dim], value.granules[dim], 0, countParts(value, dim)};
}

unsigned reference::partNumber(const BoundaryValue &value, unsigned rank) {
  if (value.meshSizes.empty())
    return rank;
  unsigned number = 0;
  for (auto [dim, place] : llvm::enumerate(findPlaces(value, rank)))
    number = number * countParts(value, dim) + place;
  for (unsigned axis : value.partial)
    number = number * value.meshSizes[axis] + findPlace(value, axis, rank);
  return number;
}

RankedTensorType reference::partType(const BoundaryValue &value, unsigned number) {
  SmallVector<int64_t> shape(value.type.getShape());
  for (unsigned axis : llvm::reverse(value.partial))
    number /= value.meshSizes[axis];
  for (size_t dim = value.shards.size(); dim-- > 0;) {
    int64_t parts = countParts(value, dim), place = number % parts;
    number /= parts;
    if (value.wholes[dim] != -1 && ShapedType::isDynamic(shape[dim]))
      shape[dim] = findCut(value, dim, value.wholes[dim]).size(place);
  }
  return RankedTensorType::get(shape, value.type.getElementType());
}

// Calls `visit` with the bytes of each element of a part, in the part and in the whole.
static void forEachElement(const Tensor &part, const Tensor &whole, ArrayRef<int64_t> begin,
                           llvm::function_ref<void(char *, char *)> visit) {
  size_t size = contract::byteSize(part.type);
  SmallVector<int64_t> position(part.shape.size(), 0);
  for (int64_t i = 0, count = part.count(); i < count; ++i) {
    int64_t at = 0;
    for (size_t dim = 0; dim < position.size(); ++dim)
      at = at * whole.shape[dim] + begin[dim] + position[dim];
    visit(part.data + i * size, whole.data + at * size);
    for (size_t dim = position.size(); dim-- > 0 && ++position[dim] == part.shape[dim];)
      position[dim] = 0;
  }
}

// Of what changes nothing where parts are combined there are zeros only.
static bool isNeutralZero(contract::Reduction reduction) {
  return reduction == contract::Reduction::Sum || reduction == contract::Reduction::Or ||
         reduction == contract::Reduction::Xor;
}

std::string reference::cutPart(const BoundaryValue &value, const Tensor &whole, unsigned rank, Tensor &part) {
  if (whole.shape.size() != value.shards.size())
    return "'" + value.name + "' has " + std::to_string(value.shards.size()) + " dimensions, got " + spell(whole);
  SmallVector<int64_t> shape(whole.shape), begin = findPlaces(value, rank);
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    int64_t parts = countParts(value, dim), place = begin[dim];
    if (value.wholes[dim] != -1 && shape[dim] != value.wholes[dim])
      return "dimension " + std::to_string(dim) + " of '" + value.name + "' is " + std::to_string(value.wholes[dim]) +
             ", got " + spell(whole);
    if (value.wholes[dim] == -1 && shape[dim] % parts)
      return "dimension " + std::to_string(dim) + " of '" + value.name + "' is cut into " + std::to_string(parts) +
             " equal parts, got " + spell(whole);
    contract::Cut cut = findCut(value, dim, shape[dim]);
    begin[dim] = cut.begin(place);
    shape[dim] = cut.size(place);
  }
  part = Tensor::allocate(whole.type, shape);
  if (!value.partial.empty() && !isNeutralZero(value.reduction))
    return "'" + value.name + "' is combined of parts by '" + std::string(contract::spelling(value.reduction)) +
           "': give each rank its own";
  if (findPlace(value, value.partial, rank) != 0)
    return "";
  size_t size = contract::byteSize(whole.type);
  forEachElement(part, whole, begin, [&](char *own, char *all) { std::memcpy(own, all, size); });
  return "";
}

// The whole along a dimension: where the parts at its places begin, and behind them its size. "" as error.
static std::string findBegins(const BoundaryValue &value, ArrayRef<Tensor> parts, size_t dim,
                              SmallVectorImpl<int64_t> &begins) {
  SmallVector<int64_t> sizes(countParts(value, dim), -1);
  for (int64_t rank = 0, count = *contract::ranksOf(value.meshSizes); rank < count; ++rank) {
    const Tensor &part = parts[value.firstRank + rank];
    int64_t &size = sizes[findPlace(value, value.shards[dim], value.firstRank + rank)];
    if (part.shape.size() != value.shards.size() || (size != -1 && size != part.shape[dim]))
      return "'" + value.name + "' has parts of " + spell(parts[value.firstRank]) + " and " + spell(part) +
             " at one place along dimension " + std::to_string(dim);
    size = part.shape[dim];
  }
  begins.assign(1, 0);
  for (int64_t size : sizes)
    begins.push_back(begins.back() + size);
  return "";
}

// The parts of ranks that differ along the partial axes only, combined in their order.
static Tensor combine(const BoundaryValue &value, ArrayRef<Tensor> parts, unsigned rank) {
  contract::GroupSpec group;
  group.axes.assign(value.partial.begin(), value.partial.end());
  SmallVector<Tensor> operands;
  for (int64_t member : contract::membersOf(group, value.meshSizes, rank - value.firstRank))
    operands.push_back(parts[value.firstRank + member]);
  CollectiveInfo info{};
  info.spec.kind = contract::CollectiveKind::AllReduce;
  info.spec.reduction = value.reduction;
  info.spec.type = parts[rank].type;
  return computeCollective(info, {}, operands, 0);
}

std::string reference::joinParts(const BoundaryValue &value, ArrayRef<Tensor> parts, Tensor &whole) {
  SmallVector<SmallVector<int64_t>> begins(value.shards.size());
  SmallVector<int64_t> shape;
  for (auto [dim, begin] : llvm::enumerate(begins)) {
    if (std::string why = findBegins(value, parts, dim, begin); !why.empty())
      return why;
    shape.push_back(begin.back());
  }
  whole = Tensor::allocate(parts[value.firstRank].type, shape);
  size_t size = contract::byteSize(whole.type);
  for (int64_t i = 0, count = *contract::ranksOf(value.meshSizes); i < count; ++i) {
    unsigned rank = value.firstRank + i;
    if (!value.partial.empty() && findPlace(value, value.partial, rank) != 0)
      continue;
    Tensor part = value.partial.empty() ? parts[rank] : combine(value, parts, rank);
    SmallVector<int64_t> at = findPlaces(value, rank);
    for (auto [dim, place] : llvm::enumerate(at))
      place = begins[dim][place];
    forEachElement(part, whole, at, [&](char *own, char *all) { std::memcpy(all, own, size); });
  }
  return "";
}
