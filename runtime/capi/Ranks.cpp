// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ranks.h: worlds, meshes, shardings.
#include "runtime/base/LaunchedRank.h"
#include "runtime/capi/Capi.h"
#include "runtime/collectives/local/LocalGroup.h"
#include "runtime/collectives/mpi/MpiGroup.h"

#include <algorithm>
#include <cstring>

using namespace heddle;
using collectives::Group;

namespace {

using Groups = StatusOr<std::vector<std::unique_ptr<Group>>>;

// This process's rank among those that its launcher started.
Groups joinProcesses() {
  StatusOr<std::unique_ptr<Group>> group = collectives::createMpiWorld({});
  if (!group.ok())
    return group.takeStatus();
  std::vector<std::unique_ptr<Group>> members;
  members.push_back(std::move(*group));
  return members;
}

StatusOr<std::shared_ptr<World>> createWorld(const heddle_world_options &given) {
  std::string transport = given.transport ? given.transport : "auto";
  if (transport != "auto" && transport != "local" && transport != "mpi")
    return Status(StatusCode::InvalidArgument, "a world's transport is auto, local or mpi, got '" + transport + "'");
  if (transport == "auto") {
    StatusOr<std::optional<LaunchedRank>> launched = launchedRank();
    if (!launched.ok())
      return launched.takeStatus();
    transport = launched->has_value() && (*launched)->size > 1 ? "mpi" : "local";
  }
  Groups groups = transport == "mpi" ? joinProcesses() : collectives::createLocalWorld(given.ranks ? given.ranks : 1);
  if (!groups.ok())
    return groups.takeStatus();
  return std::make_shared<World>(std::move(*groups), std::move(transport), given.timeout_ns);
}

void describeMesh(const fb::Mesh &mesh, const MeshPlace &place, MeshInfos &out) {
  std::vector<heddle_mesh_axis> &axes = out.axes.emplace_back();
  for (uint32_t a = 0; a < place.sizes.size(); ++a)
    axes.push_back(
        {mesh.axes()->Get(a)->name()->c_str(), place.sizes[a], place.isMember() ? place.coordinates[a] : -1});
  out.meshes.push_back({mesh.name()->c_str(), static_cast<uint32_t>(axes.size()), axes.data(),
                        static_cast<uint32_t>(place.first), static_cast<uint32_t>(place.ranks)});
}

heddle_dim_sharding describeDim(const fb::Value &value, uint32_t d, const MeshPlace &place, MeshInfos &infos) {
  heddle_dim_sharding out{0, nullptr, 1, place.isMember() ? 0 : -1};
  if (!value.shards() || d >= value.shards()->size() || !value.shards()->Get(d)->ranks())
    return out;
  std::vector<uint32_t> &axes = infos.shardAxes.emplace_back();
  for (int64_t number : *value.shards()->Get(d)->ranks()) {
    auto axis = static_cast<uint32_t>(number);
    axes.push_back(axis);
    out.parts *= place.sizes[axis];
    if (place.isMember())
      out.part = out.part * place.sizes[axis] + place.coordinates[axis];
  }
  out.axis_count = static_cast<uint32_t>(axes.size());
  out.axes = axes.data();
  return out;
}

std::vector<heddle_dim_cut> describeCuts(const fb::Value &value, size_t dims) {
  std::vector<heddle_dim_cut> out(dims, heddle_dim_cut{-1, 1});
  for (uint32_t d = 0; value.wholes() && d < std::min<size_t>(dims, value.wholes()->size()); ++d)
    out[d] = {value.wholes()->Get(d), value.granules() && d < value.granules()->size() ? value.granules()->Get(d) : 1};
  return out;
}

using Values = flatbuffers::Vector<flatbuffers::Offset<fb::Value>>;

MeshInfos::Shardings describeShardings(const Values *values, const Ranks &ranks, MeshInfos &infos) {
  MeshInfos::Shardings out(values ? values->size() : 0);
  for (uint32_t i = 0; i < out.size(); ++i) {
    const fb::Value &value = *values->Get(i);
    if (value.mesh() < 0)
      continue;
    auto mesh = static_cast<uint32_t>(value.mesh());
    std::vector<heddle_dim_sharding> dims;
    for (uint32_t d = 0; value.dims() && d < value.dims()->size(); ++d)
      dims.push_back(describeDim(value, d, ranks.meshes()[mesh], infos));
    infos.shardDims.push_back(std::move(dims));
    const std::vector<heddle_dim_sharding> &kept = infos.shardDims.back();
    const std::vector<heddle_dim_cut> &cuts = infos.shardCuts.emplace_back(describeCuts(value, kept.size()));
    std::vector<uint32_t> &partial = infos.shardAxes.emplace_back();
    if (value.partial())
      partial.assign(value.partial()->begin(), value.partial()->end());
    out[i] = heddle_sharding{mesh,
                             static_cast<uint32_t>(kept.size()),
                             kept.data(),
                             cuts.data(),
                             static_cast<uint32_t>(partial.size()),
                             partial.data(),
                             contract::spelling(static_cast<contract::Reduction>(value.reduction())).data()};
  }
  return out;
}

const heddle_sharding *find(const std::vector<MeshInfos::Shardings> &shardings, uint32_t entryPoint, uint32_t index) {
  if (entryPoint >= shardings.size() || index >= shardings[entryPoint].size())
    return nullptr;
  const std::optional<heddle_sharding> &found = shardings[entryPoint][index];
  return found ? &*found : nullptr;
}

} // namespace

void heddle::describeMeshes(const Module &module, MeshInfos &out) {
  const Ranks *ranks = module.ranks();
  for (uint32_t m = 0; ranks && m < ranks->meshes().size(); ++m)
    describeMesh(*module.metadata().meshes()->Get(m), ranks->meshes()[m], out);
  for (const Function *function : module.entryPoints()) {
    if (!ranks)
      return;
    out.arguments.push_back(describeShardings(function->source->arguments(), *ranks, out));
    out.results.push_back(describeShardings(function->source->results(), *ranks, out));
  }
}

StatusOr<std::shared_ptr<World>> heddle::createLoneWorld() { return createWorld({0, 1, "local", 0}); }

heddle_status *heddle_world_create(const heddle_world_options *options, heddle_world **world) {
  return entry([&]() -> Status {
    heddle_world_options given{};
    if (options)
      std::memcpy(&given, options, std::min<size_t>(options->struct_size, sizeof(given)));
    StatusOr<std::shared_ptr<World>> made = createWorld(given);
    if (!made.ok())
      return made.takeStatus();
    *world = new heddle_world;
    (*world)->world = std::move(*made);
    return {};
  });
}
uint32_t heddle_world_size(const heddle_world *world) { return world->world->size(); }
const char *heddle_world_transport(const heddle_world *world) { return world->world->transport().c_str(); }
uint32_t heddle_world_local_count(const heddle_world *world) { return world->world->localCount(); }
uint32_t heddle_world_local_rank(const heddle_world *world, uint32_t member) {
  return member < world->world->localCount() ? world->world->rankOf(member) : UINT32_MAX;
}
void heddle_world_abort(heddle_world *world, uint32_t member, heddle_status *cause) {
  Status status(Status::FailurePointer{cause});
  (void)guarded([&] {
    if (status.ok())
      status = Status(StatusCode::Cancelled, "the program was cancelled");
    world->world->abort(member < world->world->localCount() ? member : 0, status);
    return Status();
  });
}
heddle_status *heddle_world_failure(const heddle_world *world) {
  return entry([&] { return world->world->failure(0); });
}
heddle_status *heddle_world_all_gather(heddle_world *world, uint32_t member, const void *source, uint64_t bytes,
                                       void *target) {
  return entry([&]() -> Status {
    HEDDLE_RETURN_IF_ERROR(checkMember(*world, member));
    Group &group = world->world->group(member);
    collectives::Request request;
    request.kind = contract::CollectiveKind::AllGather;
    request.type = contract::ElementType::U8;
    request.count = bytes;
    request.source = source;
    request.target = target;
    request.name = "heddle_world_all_gather";
    world->world->limit(group);
    return world->world->attribute(member, group.run(request));
  });
}
heddle_status *heddle_launched_rank(uint32_t *rank, uint32_t *size) {
  return entry([&]() -> Status {
    StatusOr<std::optional<LaunchedRank>> launched = launchedRank();
    if (!launched.ok())
      return launched.takeStatus();
    *rank = launched->has_value() ? (*launched)->rank : 0;
    *size = launched->has_value() ? (*launched)->size : 1;
    return {};
  });
}
void heddle_world_retain(heddle_world *world) { world->references.fetch_add(1, std::memory_order_relaxed); }
void heddle_world_release(heddle_world *world) {
  if (world && world->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
    delete world;
}

Status heddle::checkMember(const heddle_world &world, uint32_t member) {
  uint32_t count = world.world->localCount();
  if (member < count)
    return {};
  return Status(StatusCode::InvalidArgument, "the process has " + std::to_string(count) +
                                                 (count == 1 ? " member" : " members") + " of the world, got member " +
                                                 std::to_string(member));
}

heddle_status *heddle_artifact_ranks(const heddle_artifact *artifact, const char *mesh, uint32_t world_size,
                                     uint64_t *ranks) {
  return entry([&]() -> Status {
    const fb::Module &module = artifact->artifact->module();
    StatusOr<MeshSizes> sizes = sizeMeshes(module, mesh ? mesh : "", world_size);
    if (!sizes.ok())
      return sizes.takeStatus();
    *ranks = static_cast<uint64_t>(ranksNeeded(module, *sizes));
    return {};
  });
}

uint32_t heddle_module_mesh_count(const heddle_module *module) {
  return static_cast<uint32_t>(module->meshes.meshes.size());
}
const heddle_mesh_info *heddle_module_mesh(const heddle_module *module, uint32_t index) {
  return index < module->meshes.meshes.size() ? &module->meshes.meshes[index] : nullptr;
}
uint32_t heddle_module_rank(const heddle_module *module) {
  const Ranks *ranks = module->live->first()->ranks();
  return ranks ? ranks->rank() : 0;
}
const heddle_sharding *heddle_module_argument_sharding(const heddle_module *module, uint32_t entry_point,
                                                       uint32_t argument) {
  return find(module->meshes.arguments, entry_point, argument);
}
const heddle_sharding *heddle_module_result_sharding(const heddle_module *module, uint32_t entry_point,
                                                     uint32_t result) {
  return find(module->meshes.results, entry_point, result);
}
