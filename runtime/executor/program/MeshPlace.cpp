// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/program/MeshPlace.h"

#include "heddle/contract/CollectiveView.h"
#include "runtime/base/DeviceUri.h"
#include "runtime/executor/program/Program.h"

#include <algorithm>
#include <charconv>

namespace heddle {
namespace {

Status invalid(std::string message) { return Status(StatusCode::InvalidArgument, std::move(message)); }

std::string textOf(const flatbuffers::String *string) { return string ? string->str() : ""; }

uint32_t meshCount(const fb::Module &module) { return module.meshes() ? module.meshes()->size() : 0; }

std::string nameOf(const fb::Mesh &mesh, uint32_t axis) {
  return "axis '" + textOf(mesh.axes()->Get(axis)->name()) + "' of mesh @" + textOf(mesh.name());
}

// "x=2": the axes of that name get the size.
Status tell(const fb::Module &module, std::string_view item, MeshSizes &sizes) {
  size_t equals = item.find('=');
  int64_t size = 0;
  const char *end = item.data() + item.size();
  if (equals == std::string_view::npos || equals == 0 ||
      std::from_chars(item.data() + equals + 1, end, size).ptr != end || size < 1)
    return invalid("sizes of a mesh are given as \"x=2,y=4\", got '" + std::string(item) + "'");
  std::string name(item.substr(0, equals));
  std::vector<std::string> names;
  bool found = false;
  for (uint32_t m = 0; m < meshCount(module); ++m) {
    const fb::Mesh &mesh = *module.meshes()->Get(m);
    for (uint32_t a = 0; a < sizes[m].size(); ++a) {
      std::string axis = textOf(mesh.axes()->Get(a)->name());
      names.push_back(axis);
      if (name != axis && name != textOf(mesh.name()) + "." + axis)
        continue;
      int64_t fixed = mesh.axes()->Get(a)->size();
      if (fixed != contract::kFreeSize && fixed != size)
        return invalid("the " + nameOf(mesh, a) + " has the size " + std::to_string(fixed) + " in the program, got " +
                       std::string(item) + "; compile it for that size, or with the size free");
      if (fixed == contract::kFreeSize && sizes[m][a] != contract::kFreeSize && sizes[m][a] != size)
        return invalid("the " + nameOf(mesh, a) + " is given twice, got " + name + "=" + std::to_string(sizes[m][a]) +
                       " and " + std::string(item));
      sizes[m][a] = size;
      found = true;
    }
  }
  if (found)
    return {};
  std::string list;
  for (const std::string &axis : names)
    list += (list.empty() ? "" : ", ") + axis;
  return invalid("no mesh of the program has the axis '" + name + "'; " +
                 (list.empty() ? "it has no mesh" : "the axes are " + list));
}

// The one free size that is left is what the world leaves.
Status complete(const fb::Mesh &mesh, uint32_t worldSize, std::vector<int64_t> &sizes) {
  auto free = std::find(sizes.begin(), sizes.end(), contract::kFreeSize);
  if (free == sizes.end())
    return {};
  std::string name = nameOf(mesh, static_cast<uint32_t>(free - sizes.begin()));
  std::string remedy =
      "; tell its size (--mesh=" + textOf(mesh.axes()->Get(static_cast<uint32_t>(free - sizes.begin()))->name()) +
      "=RANKS)";
  if (!worldSize || std::find(free + 1, sizes.end(), contract::kFreeSize) != sizes.end())
    return invalid("the " + name + " is free" + remedy);
  int64_t left = static_cast<int64_t>(worldSize) - mesh.first(), others = 1;
  for (int64_t size : sizes)
    if (size != contract::kFreeSize && __builtin_mul_overflow(others, size, &others))
      others = INT64_MAX;
  if (left < 1 || left % others != 0)
    return invalid("the " + name + " is free, and the " + std::to_string(std::max<int64_t>(left, 0)) +
                   " ranks that the world has for its mesh are not a multiple of the other axes' " +
                   std::to_string(others) + remedy);
  *free = left / others;
  return {};
}

} // namespace

StatusOr<MeshSizes> sizeMeshes(const fb::Module &module, std::string_view told, uint32_t worldSize) {
  MeshSizes sizes;
  for (uint32_t m = 0; m < meshCount(module); ++m)
    sizes.push_back(contract::sizesOf(*module.meshes()->Get(m)));
  while (!told.empty()) {
    size_t comma = std::min(told.find(','), told.size());
    HEDDLE_RETURN_IF_ERROR(tell(module, told.substr(0, comma), sizes));
    told.remove_prefix(std::min(comma + 1, told.size()));
  }
  for (uint32_t m = 0; m < sizes.size(); ++m) {
    HEDDLE_RETURN_IF_ERROR(complete(*module.meshes()->Get(m), worldSize, sizes[m]));
    if (!contract::ranksOf(sizes[m]))
      return invalid("mesh @" + textOf(module.meshes()->Get(m)->name()) + " has more than " +
                     std::to_string(contract::kMaxRanks) + " ranks");
  }
  return sizes;
}

int64_t ranksNeeded(const fb::Module &module, const MeshSizes &sizes) {
  int64_t needed = 1;
  for (uint32_t m = 0; m < sizes.size(); ++m)
    needed = std::max(needed, module.meshes()->Get(m)->first() + contract::ranksOf(sizes[m]).value_or(1));
  return needed;
}

Status checkRanks(const fb::Module &module, const MeshSizes &sizes, uint32_t worldSize) {
  int64_t needed = ranksNeeded(module, sizes);
  std::string count = std::to_string(needed);
  if (!sizes.empty() && needed != worldSize)
    return invalid("the program runs on " + count + (needed == 1 ? " rank" : " ranks") + ", the world has " +
                   std::to_string(worldSize) + "; start " + count + " (heddle launch -n " + count + ", mpirun -n " +
                   count + "), or tell other sizes where the mesh leaves them free (--mesh)");
  for (uint32_t c = 0; module.collectives() && c < module.collectives()->size(); ++c) {
    const fb::Collective &collective = *module.collectives()->Get(c);
    std::string why = contract::explainCollective(contract::specOf(collective), sizes[collective.mesh()]);
    if (why.empty())
      continue;
    Status failure = invalid("collective '" + textOf(collective.name()) + "': " + why);
    std::string where = collective.location() < (module.locations() ? module.locations()->size() : 0)
                            ? describe(module.locations()->Get(collective.location()))
                            : "";
    return where.empty() ? std::move(failure) : std::move(failure).note("it comes from " + where);
  }
  return {};
}

std::vector<MeshPlace> placeMeshes(const fb::Module &module, const MeshSizes &sizes, uint32_t worldRank) {
  std::vector<MeshPlace> places;
  for (uint32_t m = 0; m < sizes.size(); ++m) {
    MeshPlace &place = places.emplace_back();
    place.sizes = sizes[m];
    place.first = module.meshes()->Get(m)->first();
    place.ranks = contract::ranksOf(sizes[m]).value_or(1);
    int64_t rank = static_cast<int64_t>(worldRank) - place.first;
    bool isMember = rank >= 0 && rank < place.ranks;
    place.rank = isMember ? rank : -1;
    place.coordinates = isMember ? contract::coordinatesOf(sizes[m], rank) : std::vector<int64_t>(sizes[m].size());
  }
  return places;
}

} // namespace heddle
