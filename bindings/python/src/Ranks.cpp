// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Ranks.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace heddle::python {
namespace {

// Without the GIL: it blocks until the other ranks come.
nb::list allGather(const World &world, uint32_t member, const nb::bytes &bytes) {
  size_t size = bytes.size();
  std::vector<char> all(size * world.size());
  heddle_status *status = nullptr;
  {
    nb::gil_scoped_release unlocked;
    status = heddle_world_all_gather(world.raw(), member, bytes.data(), size, all.data());
  }
  check(status);
  nb::list out;
  for (uint32_t rank = 0; rank < world.size(); ++rank)
    out.append(nb::bytes(all.data() + size * rank, size));
  return out;
}

void create(World *self, uint32_t ranks, const std::string &transport, uint64_t timeoutNs) {
  heddle_world_options options{sizeof(heddle_world_options), ranks, transport.c_str(), timeoutNs};
  heddle_world *world = nullptr;
  heddle_status *status = nullptr;
  {
    nb::gil_scoped_release unlocked;
    status = heddle_world_create(&options, &world);
  }
  check(status);
  new (self) World(world);
}

uint64_t artifactRanks(const std::string &path, const std::string &mesh, uint32_t worldSize) {
  heddle_artifact *artifact = nullptr;
  check(heddle_artifact_open_file(path.c_str(), &artifact));
  uint64_t ranks = 1;
  heddle_status *status = heddle_artifact_ranks(artifact, mesh.c_str(), worldSize, &ranks);
  heddle_artifact_release(artifact);
  check(status);
  return ranks;
}

std::string planJson(const std::string &path, const std::vector<std::string> &devices) {
  std::vector<const char *> uris;
  for (const std::string &device : devices)
    uris.push_back(device.c_str());
  heddle_load_options options{};
  options.struct_size = sizeof(options);
  options.device_count = static_cast<uint32_t>(uris.size());
  options.devices = uris.data();
  heddle_artifact *artifact = nullptr;
  check(heddle_artifact_open_file(path.c_str(), &artifact));
  char *json = nullptr;
  heddle_status *status = heddle_module_plan_json(artifact, &options, &json);
  heddle_artifact_release(artifact);
  check(status);
  std::string out = json;
  heddle_string_release(json);
  return out;
}

} // namespace

void defineRanks(nb::module_ &m) {
  nb::class_<World>(m, "World", "The ranks of a program, and which of them are this process's members.")
      .def("__init__", &create, nb::arg("ranks") = 0, nb::arg("transport") = "auto", nb::arg("timeout_ns") = 0)
      .def_prop_ro("size", &World::size)
      .def_prop_ro("members", &World::members)
      .def_prop_ro("transport", [](const World &world) { return std::string(world.transport()); })
      .def("rank", &World::rank, nb::arg("member") = 0)
      .def("abort", [](World &world, uint32_t member,
                       const std::string &cause) { world.abort(member, HEDDLE_CANCELLED, cause.c_str()); })
      .def("all_gather", &allGather, "The bytes of each rank, in their order; all give equally many.");
  m.def("artifact_ranks", &artifactRanks, nb::arg("path"), nb::arg("mesh") = "", nb::arg("world_size") = 0,
        "How many ranks the artifact of a file runs on.");
  m.def("plan_json", &planJson, nb::arg("path"), nb::arg("devices"), "As heddle run --dry-run --json.");
  m.def("launched_rank", [] {
    uint32_t rank = 0, size = 1;
    check(heddle_launched_rank(&rank, &size));
    return nb::make_tuple(rank, size);
  });
}

nb::object shardingOf(const Module &module, const heddle_sharding *sharding) {
  if (!sharding)
    return nb::none();
  const heddle_mesh_info &mesh = *heddle_module_mesh(module.raw(), sharding->mesh);
  nb::list axes, parts, part;
  for (uint32_t i = 0; i < sharding->rank; ++i) {
    const heddle_dim_sharding &dim = sharding->dims[i];
    nb::list names;
    for (uint32_t a = 0; a < dim.axis_count; ++a)
      names.append(nb::str(mesh.axes[dim.axes[a]].name));
    axes.append(nb::tuple(names));
    parts.append(dim.parts);
    part.append(dim.part);
  }
  return nb::make_tuple(nb::tuple(axes), nb::tuple(parts), nb::tuple(part));
}

nb::object cutsOf(const Module &module, const heddle_sharding *sharding) {
  if (!sharding)
    return nb::none();
  const heddle_mesh_info &mesh = *heddle_module_mesh(module.raw(), sharding->mesh);
  nb::list wholes, granules;
  for (uint32_t i = 0; i < sharding->rank; ++i) {
    wholes.append(sharding->cuts[i].whole < 0 ? nb::none() : nb::object(nb::int_(sharding->cuts[i].whole)));
    granules.append(sharding->cuts[i].granule);
  }
  nb::list axes;
  int64_t summands = 1, summand = 0;
  for (uint32_t i = 0; i < sharding->partial_count; ++i) {
    const heddle_mesh_axis &axis = mesh.axes[sharding->partial[i]];
    axes.append(nb::str(axis.name));
    summands *= axis.size;
    summand = axis.coordinate < 0 ? -1 : summand * axis.size + axis.coordinate;
  }
  nb::object partial = nb::none();
  if (sharding->partial_count)
    partial = nb::make_tuple(nb::str(sharding->reduction), nb::tuple(axes), summands, summand);
  return nb::make_tuple(nb::tuple(wholes), nb::tuple(granules), partial);
}

} // namespace heddle::python
