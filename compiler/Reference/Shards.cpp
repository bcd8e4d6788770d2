// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole arrays and the parts of ranks.
#include "compiler/Reference/Reference.h"
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

// Which part of each dimension a rank has. A rank outside of the mesh has the first one's.
static SmallVector<int64_t> findPlaces(const BoundaryValue &value, unsigned rank) {
  int64_t number = rank - value.firstRank;
  if (number < 0 || number >= contract::ranksOf(value.meshSizes).value_or(0))
    number = 0;
  std::vector<int64_t> coordinates = contract::coordinatesOf(value.meshSizes, number);
  SmallVector<int64_t> places;
  for (ArrayRef<unsigned> axes : value.shards) {
    places.push_back(0);
    for (unsigned axis : axes)
      places.back() = places.back() * value.meshSizes[axis] + coordinates[axis];
  }
  return places;
}

static SmallVector<int64_t> findBegin(const BoundaryValue &value, ArrayRef<int64_t> part, unsigned rank) {
  SmallVector<int64_t> begin = findPlaces(value, rank);
  for (auto [at, size] : llvm::zip_equal(begin, part))
    at *= size;
  return begin;
}

unsigned reference::partNumber(const BoundaryValue &value, unsigned rank) {
  if (value.meshSizes.empty())
    return rank;
  unsigned number = 0;
  for (auto [dim, place] : llvm::enumerate(findPlaces(value, rank)))
    number = number * countParts(value, dim) + place;
  return number;
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

std::string reference::cutPart(const BoundaryValue &value, const Tensor &whole, unsigned rank, Tensor &part) {
  if (whole.shape.size() != value.shards.size())
    return "'" + value.name + "' has " + std::to_string(value.shards.size()) + " dimensions, got " + spell(whole);
  SmallVector<int64_t> shape(whole.shape);
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    int64_t parts = countParts(value, dim);
    if (shape[dim] % parts)
      return "dimension " + std::to_string(dim) + " of '" + value.name + "' is cut into " + std::to_string(parts) +
             " equal parts, got " + spell(whole);
    shape[dim] /= parts;
  }
  part = Tensor::allocate(whole.type, shape);
  size_t size = contract::byteSize(whole.type);
  forEachElement(part, whole, findBegin(value, shape, rank),
                 [&](char *own, char *all) { std::memcpy(own, all, size); });
  return "";
}

std::string reference::joinParts(const BoundaryValue &value, ArrayRef<Tensor> parts, Tensor &whole) {
  SmallVector<int64_t> shape(parts[value.firstRank].shape);
  for (size_t dim = 0; dim < shape.size(); ++dim)
    shape[dim] *= countParts(value, dim);
  whole = Tensor::allocate(parts[value.firstRank].type, shape);
  size_t size = contract::byteSize(whole.type);
  for (int64_t rank = 0, count = *contract::ranksOf(value.meshSizes); rank < count; ++rank) {
    const Tensor &part = parts[value.firstRank + rank];
    if (part.shape != parts[value.firstRank].shape)
      return "'" + value.name + "' has parts of " + spell(parts[value.firstRank]) + " and " + spell(part);
    forEachElement(part, whole, findBegin(value, part.shape, value.firstRank + rank),
                   [&](char *own, char *all) { std::memcpy(all, own, size); });
  }
  return "";
}
