// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/inspect/Meshes.h"

#include "heddle/contract/Collectives.h"
#include "tools/lib/Error.h"

namespace heddle::tools {
namespace {

using contract::CollectiveKind;

const fb::MeshT &meshAt(const fb::ModuleT &module, int64_t index) {
  if (index < 0 || static_cast<size_t>(index) >= module.meshes.size())
    throw Failure("the artifact is malformed: mesh " + std::to_string(index) + " of " +
                  std::to_string(module.meshes.size()));
  return *module.meshes[static_cast<size_t>(index)];
}

const std::string &axisAt(const fb::MeshT &mesh, int64_t index) {
  if (index < 0 || static_cast<size_t>(index) >= mesh.axes.size())
    throw Failure("the artifact is malformed: axis " + std::to_string(index) + " of " +
                  std::to_string(mesh.axes.size()));
  return mesh.axes[static_cast<size_t>(index)]->name;
}

std::string textOf(const Json &json) { return json.is_string() ? json.get<std::string>() : json.dump(); }

std::string joined(const Json &list) {
  std::string out;
  for (const Json &element : list)
    out += (out.empty() ? "" : ", ") + textOf(element);
  return out;
}

} // namespace

Json meshJson(const fb::MeshT &mesh, const std::string &device) {
  Json axes = Json::array();
  for (const auto &axis : mesh.axes)
    axes.push_back({{"name", axis->name}, {"size", axis->size < 0 ? Json(nullptr) : Json(axis->size)}});
  return {{"name", mesh.name}, {"axes", axes}, {"first", mesh.first}, {"device", device}};
}

Json collectiveJson(const fb::CollectiveT &collective, const fb::ModuleT &module) {
  auto kind = static_cast<CollectiveKind>(collective.kind);
  const fb::MeshT &mesh = meshAt(module, collective.mesh);
  Json out = {{"name", collective.name},
              {"kind", contract::spelling(kind)},
              {"reduction", nullptr},
              {"type", contract::spelling(static_cast<contract::ElementType>(collective.type))},
              {"mesh", mesh.name}};
  if (contract::reduces(kind))
    out["reduction"] = contract::spelling(static_cast<contract::Reduction>(collective.reduction));
  if (collective.groups.empty()) {
    out["axes"] = Json::array();
    for (uint32_t axis : collective.axes)
      out["axes"].push_back(axisAt(mesh, axis));
  } else {
    for (const auto &group : collective.groups)
      out["groups"].push_back(group->ranks);
  }
  if (contract::hasRoot(kind))
    out["root"] = collective.root;
  if (kind == CollectiveKind::Permute && collective.pairs.empty())
    out["shift"] = collective.shift;
  for (size_t i = 0; i + 1 < collective.pairs.size(); i += 2)
    out["pairs"].push_back({collective.pairs[i], collective.pairs[i + 1]});
  out["source"] = collective.location < module.locations.size() ? module.locations[collective.location]->name : "";
  return out;
}

Json shardingJson(const fb::ValueT &value, const fb::ModuleT &module) {
  if (value.mesh < 0)
    return nullptr;
  const fb::MeshT &mesh = meshAt(module, value.mesh);
  Json dims = Json::array();
  for (size_t d = 0; d < value.dims.size(); ++d) {
    dims.push_back(Json::array());
    if (d < value.shards.size())
      for (int64_t axis : value.shards[d]->ranks)
        dims.back().push_back(axisAt(mesh, axis));
  }
  Json out = {{"mesh", mesh.name}, {"dims", dims}};
  if (!value.wholes.empty()) {
    out["wholes"] = value.wholes;
    out["granules"] = value.granules;
  }
  if (!value.partial.empty()) {
    out["reduction"] = std::string(contract::spelling(static_cast<contract::Reduction>(value.reduction)));
    out["partial"] = Json::array();
    for (uint32_t axis : value.partial)
      out["partial"].push_back(axisAt(mesh, axis));
  }
  return out;
}

Json overlapJson(const fb::OverlapT &overlap, const fb::ModuleT &module) {
  if (overlap.collective >= module.collectives.size())
    throw Failure("the artifact is malformed: collective " + std::to_string(overlap.collective) + " of " +
                  std::to_string(module.collectives.size()));
  return {{"name", overlap.name},
          {"collective", module.collectives[overlap.collective]->name},
          {"counts", overlap.counts},
          {"extent", overlap.extent}};
}

std::string overlapLine(const Json &overlap) {
  std::string pieces, around;
  for (const Json &count : overlap["counts"])
    if (count == 0)
      around = ", or each rank's rows as they are";
    else if (count != 1)
      pieces += (pieces.empty() ? ", in " : ", ") + count.dump();
  pieces += pieces.empty() ? "" : " pieces";
  return textOf(overlap["name"]) + ": " +
         (overlap["counts"].empty() ? "in pieces of its free size, as the load decides"
                                    : "whole" + pieces + around + ", as the load decides");
}

std::string meshLine(const Json &mesh) {
  std::string axes;
  for (const Json &axis : mesh["axes"])
    axes += (axes.empty() ? "" : ", ") + textOf(axis["name"]) + " = " +
            (axis["size"].is_null() ? "?" : textOf(axis["size"]));
  std::string out = textOf(mesh["name"]) + ": [" + axes + "] of " + textOf(mesh["device"]);
  return mesh["first"] == 0 ? out : out + ", from rank " + textOf(mesh["first"]);
}

std::string collectiveLine(const Json &collective) {
  std::string out = textOf(collective["name"]) + ": " + textOf(collective["kind"]) + " ";
  if (!collective["reduction"].is_null())
    out += textOf(collective["reduction"]) + " ";
  out += textOf(collective["type"]) + " over " + textOf(collective["mesh"]);
  out +=
      collective.contains("groups") ? " groups " + collective["groups"].dump() : "[" + joined(collective["axes"]) + "]";
  if (collective.contains("root"))
    out += " root " + textOf(collective["root"]);
  if (collective.contains("shift"))
    out += " shift " + textOf(collective["shift"]);
  if (collective.contains("pairs"))
    out += " pairs " + collective["pairs"].dump();
  std::string source = textOf(collective["source"]);
  return source.empty() ? out : out + "  (" + source + ")";
}

std::string shardingText(const Json &sharding) {
  if (sharding.is_null())
    return "";
  std::string dims;
  bool isCut = false;
  for (const Json &axes : sharding["dims"]) {
    isCut |= !axes.empty();
    dims += (dims.empty() ? "" : ", ") + (axes.empty() ? "-" : joined(axes));
  }
  return isCut ? " by [" + dims + "] of " + textOf(sharding["mesh"]) : " the same on " + textOf(sharding["mesh"]);
}

} // namespace heddle::tools
