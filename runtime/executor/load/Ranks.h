// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a module with meshes knows of the ranks that it runs with: its place in each mesh, and for each collective the
// group that it meets in. Made while the module is loaded, which is a collective of the whole world:
//
//   StatusOr<std::unique_ptr<Ranks>> ranks = Ranks::join(artifact, {world, member, "x=2"}); // all load the same
//   HEDDLE_RETURN_IF_ERROR(ranks->connect());                                               // communicators, once
//   …                                                                                       // devices, decoding
//   HEDDLE_RETURN_IF_ERROR(ranks->connectDevices(devices));
//   StatusOr<uint64_t> seed = ranks->finish(seed);                                          // all have loaded it
//
// Afterwards immutable but for the order of calls.
#ifndef HEDDLE_RUNTIME_EXECUTOR_LOAD_RANKS_H
#define HEDDLE_RUNTIME_EXECUTOR_LOAD_RANKS_H

#include "runtime/executor/load/Artifact.h"
#include "runtime/executor/load/CallOrder.h"
#include "runtime/executor/load/DeviceChannel.h"
#include "runtime/executor/load/World.h"
#include "runtime/executor/program/MeshPlace.h"

namespace heddle {

struct DeviceSlot;

// Which rank a module is loaded for. No world: the process alone, which is enough for programs without a mesh.
struct RankOptions {
  std::shared_ptr<World> world;
  uint32_t member = 0; // of this process
  std::string mesh;    // sizes of free axes, "x=2,y=4"
};

// A collective as this rank takes part in it.
struct BoundCollective {
  collectives::Request request;        // but for memory and count
  collectives::Group *group = nullptr; // null: no group lists this rank, which gets zeros
  // Of equal groups, the first of which that is: each of World::atOnce() collectives in flight has one of its own.
  std::span<const std::unique_ptr<collectives::Group>> groups;
  DeviceChannel *device = nullptr; // of the group's devices; null: everything goes through the host
  uint32_t members = 1;            // of the group
  uint32_t firstRank = 0;          // of them, in the world
  uint32_t channel = 0;            // equal for collectives of equal groups
  int64_t meeting = 0;             // the group's number, equal on all its members (hal/Meeting.h)
  std::string name, title, where;  // "'psum'", "all_reduce 'psum'", "'psum' (file.mlir:3)"
};

class Ranks {
public:
  // Collective. InvalidArgument, on all ranks and the world goes on: sizes that do not fit, other artifacts or sizes
  // than rank 0 has. Any other failure has ended the world.
  static StatusOr<std::unique_ptr<Ranks>> join(const Artifact &artifact, RankOptions options);

  std::span<const MeshPlace> meshes() const { return places_; }
  World &world() const { return *options_.world; }
  const std::shared_ptr<World> &sharedWorld() const { return options_.world; }
  uint32_t member() const { return options_.member; }
  uint32_t rank() const { return options_.world->rankOf(options_.member); }
  collectives::Group &all() const { return options_.world->group(options_.member); }

  // Collective, where a program decides by data around its collectives: equal kernels and equal facts about devices
  // make equal decisions. InvalidArgument, on all ranks, names the first device that differs.
  Status agreeOnDevices(std::span<const DeviceSlot> devices) const;
  // Collective: communicators for each kind of group, as many as there are collectives in flight.
  Status connect();
  // Collective: channels of their devices, which are open, where there is a library for it.
  Status connectDevices(std::span<const DeviceSlot> devices);
  // Why collectives of devices that a library could connect go through the host; "": they do not, or there are none.
  const std::string &detour() const { return detour_; }
  // Collectives that this rank has in flight. A device's library wants them one after the other.
  uint32_t atOnce() const;
  // Collective: returns when all ranks are as far, with what rank 0 gave.
  StatusOr<uint64_t> finish(uint64_t seed);

  const BoundCollective &collective(uint32_t index) const { return collectives_[index]; }
  uint32_t channels() const { return static_cast<uint32_t>(groups_.size() / world().atOnce()); }
  // Of the calls of this rank that meet others.
  CallOrder &order() { return order_; }

private:
  Ranks(const fb::Module &module, RankOptions options) : module_(module), options_(std::move(options)) {}
  void bind(uint32_t index, uint32_t channel);
  // The next channel's, of a mesh.
  Status connectDevice(uint32_t mesh, std::span<const DeviceSlot> devices);

  const fb::Module &module_;
  RankOptions options_;
  std::vector<MeshPlace> places_;
  std::vector<uint32_t> channelMeshes_;
  std::vector<std::unique_ptr<collectives::Group>> groups_;    // World::atOnce() of each channel; null: not in it
  std::vector<std::unique_ptr<DeviceChannel>> deviceChannels_; // by channel; null: through the host
  std::string detour_;
  std::vector<BoundCollective> collectives_;
  uint64_t firstMeeting_ = 0;
  CallOrder order_;
};

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_LOAD_RANKS_H
