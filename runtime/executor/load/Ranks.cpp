// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/load/Ranks.h"

#include "heddle/contract/CollectiveView.h"
#include "heddle/contract/InstructionReader.h"
#include "runtime/executor/program/DeviceSlot.h"
#include "runtime/executor/program/Program.h"

#include <algorithm>

namespace heddle {

using collectives::Group;
using collectives::Mismatch;

namespace {

std::string rankText(const Mismatch &mismatch) { return "rank " + std::to_string(mismatch.rank); }

std::string describeArtifacts(const Mismatch &mismatch) {
  return rankText(mismatch) + " loads another artifact than rank 0; give all ranks the same file";
}

// The sizes of all meshes, one behind the other.
std::string describeSizes(const fb::Module &module, const MeshSizes &sizes, const Mismatch &mismatch) {
  uint64_t word = mismatch.word;
  for (uint32_t m = 0; m < sizes.size(); ++m) {
    const fb::Mesh &mesh = *module.meshes()->Get(m);
    if (word < sizes[m].size())
      return rankText(mismatch) + " has the size " + std::to_string(mismatch.value) + " for axis '" +
             mesh.axes()->Get(static_cast<uint32_t>(word))->name()->str() + "' of mesh @" + mesh.name()->str() +
             ", rank 0 has " + std::to_string(mismatch.expected) + "; tell all ranks the same (--mesh)";
    word -= sizes[m].size();
  }
  return rankText(mismatch) + " has another mesh than rank 0";
}

} // namespace

StatusOr<std::unique_ptr<Ranks>> Ranks::join(const Artifact &artifact, RankOptions options) {
  const fb::Module &module = artifact.module();
  World &world = *options.world;
  uint32_t member = options.member;
  HEDDLE_RETURN_IF_ERROR(world.failure(member));
  Group &all = world.group(member);
  world.limit(all);
  uint64_t hash = artifact.view().header->metaHash;
  HEDDLE_RETURN_IF_ERROR(world.attribute(member, all.agree({&hash, 1}, describeArtifacts)));
  StatusOr<MeshSizes> sizes = sizeMeshes(module, options.mesh, world.size());
  if (!sizes.ok()) { // what this rank was told; the others may have been told better
    world.abort(member, sizes.status());
    return sizes.takeStatus();
  }
  std::vector<uint64_t> words;
  for (const std::vector<int64_t> &mesh : *sizes)
    words.insert(words.end(), mesh.begin(), mesh.end());
  const auto explain = [&](const Mismatch &mismatch) { return describeSizes(module, *sizes, mismatch); };
  HEDDLE_RETURN_IF_ERROR(world.attribute(member, all.agree(words, explain)));
  HEDDLE_RETURN_IF_ERROR(checkRanks(module, *sizes, world.size()));
  std::unique_ptr<Ranks> ranks(new Ranks(module, std::move(options)));
  ranks->places_ = placeMeshes(module, *sizes, world.rankOf(member));
  return ranks;
}

namespace {

// Some function reads data and has collectives.
bool decidesByData(const fb::Module &module) {
  for (const fb::Function *function : *module.functions()) {
    std::span<const uint32_t> code(function->code()->data(), function->code()->size());
    bool reads = false, meets = false;
    for (size_t at = 0; at < code.size(); at += contract::instructionWords(code[at])) {
      auto opcode = static_cast<contract::Opcode>(contract::opcodeOf(code[at]));
      reads |= opcode == contract::Opcode::Read;
      meets |= contract::isCollective(opcode);
    }
    if (reads && meets)
      return true;
  }
  return false;
}

} // namespace

Status Ranks::agreeOnDevices(std::span<const DeviceSlot> devices) const {
  if (!module_.functions() || !decidesByData(module_))
    return {};
  std::vector<uint64_t> words;
  std::vector<std::pair<size_t, const char *>> what; // by word: the device, and what of it
  auto add = [&](size_t device, const char *name, uint64_t value) {
    words.push_back(value);
    what.emplace_back(device, name);
  };
  for (size_t d = 0; d < devices.size(); ++d) {
    add(d, "alternative", devices[d].match.alternative);
    add(d, "number of cores", devices[d].info.cores);
    add(d, "number of streams", devices[d].info.streams);
    for (size_t e = 0; e < devices[d].executables.size(); ++e)
      add(d, "variant of a kernel", devices[d].executables[e] ? 1 + devices[d].variants[e] : 0);
  }
  world().limit(all());
  return world().attribute(member(), all().agree(words, [&](const Mismatch &mismatch) {
    auto [device, name] = what[std::min<size_t>(mismatch.word, what.size() - 1)];
    return std::string("the program decides by data what its ranks do together, and the ") + name + " of device '" +
           devices[device].requirement.name + "' differs: " + rankText(mismatch) + " has " +
           std::to_string(mismatch.value) + ", rank 0 has " + std::to_string(mismatch.expected) +
           "; give all ranks devices of one kind (--device)";
  }));
}

// The communicators of collectives of equal groups, in the order in which the program names them.
Status Ranks::connect() {
  std::vector<std::pair<uint32_t, contract::GroupSpec>> channels; // mesh, groups
  uint32_t count = module_.collectives() ? module_.collectives()->size() : 0;
  firstMeeting_ = world().takeMeetings(member(), uint64_t(count) * world().size());
  collectives_.resize(count);
  for (uint32_t c = 0; c < count; ++c) {
    const fb::Collective &collective = *module_.collectives()->Get(c);
    std::pair key(collective.mesh(), contract::groupOf(collective));
    auto channel = static_cast<uint32_t>(std::find(channels.begin(), channels.end(), key) - channels.begin());
    if (channel == channels.size()) {
      const MeshPlace &place = places_[key.first];
      std::optional<contract::GroupPlace> in;
      if (place.isMember())
        in = contract::placeOf(key.second, place.sizes, place.rank);
      for (uint32_t i = 0; i < world().atOnce(); ++i) {
        world().limit(all());
        StatusOr<std::unique_ptr<Group>> group = all().split(in ? in->color : -1, in ? in->position : 0);
        if (!group.ok())
          return group.takeStatus();
        groups_.push_back(std::move(*group));
      }
      channelMeshes_.push_back(key.first);
      channels.push_back(std::move(key));
    }
    collectives_[c].channel = channel;
  }
  for (uint32_t c = 0; c < count; ++c)
    bind(c, collectives_[c].channel);
  return {};
}

Status Ranks::connectDevices(std::span<const DeviceSlot> devices) {
  for (uint32_t mesh : channelMeshes_)
    HEDDLE_RETURN_IF_ERROR(connectDevice(mesh, devices));
  for (BoundCollective &collective : collectives_)
    collective.device = deviceChannels_[collective.channel].get();
  return {};
}

Status Ranks::connectDevice(uint32_t mesh, std::span<const DeviceSlot> devices) {
  deviceChannels_.emplace_back();
  Group *group = groups_[(deviceChannels_.size() - 1) * world().atOnce()].get();
  if (!group)
    return {};
  const uint32_t device = module_.meshes()->Get(mesh)->device();
  std::string why;
  const Group::Clock::time_point deadline = world().deadline();
  group->setDeadline(deadline);
  StatusOr<std::unique_ptr<DeviceChannel>> made =
      DeviceChannel::connect(*group, device < devices.size() ? devices[device].device.get() : nullptr, deadline, why);
  if (!made.ok())
    return world().attribute(member(), made.takeStatus());
  deviceChannels_.back() = std::move(*made);
  if (detour_.empty())
    detour_ = std::move(why);
  return {};
}

uint32_t Ranks::atOnce() const {
  bool anyDevice = std::any_of(deviceChannels_.begin(), deviceChannels_.end(), [](auto &channel) { return !!channel; });
  return anyDevice ? 1 : world().atOnce();
}

void Ranks::bind(uint32_t index, uint32_t channel) {
  const fb::Collective &source = *module_.collectives()->Get(index);
  contract::CollectiveSpec spec = contract::specOf(source);
  BoundCollective &to = collectives_[index];
  to.groups = std::span(groups_).subspan(size_t(channel) * world().atOnce(), world().atOnce());
  Group *group = to.groups[0].get();
  to.group = group;
  if (module_.locations() && source.location() < module_.locations()->size())
    to.where = describe(module_.locations()->Get(source.location()));
  to.request.kind = spec.kind;
  to.request.reduction = spec.reduction;
  to.request.type = spec.type;
  to.request.root = spec.root;
  if (source.name() && source.name()->size() && source.name()->string_view() != contract::spelling(spec.kind))
    to.name = "'" + source.name()->str() + "'";
  to.request.name = to.name.c_str();
  to.title = titleOf(to.request);
  if (!group)
    return;
  to.members = group->size();
  to.firstRank = group->worldRank(0);
  to.meeting = static_cast<int64_t>(firstMeeting_ + uint64_t(channel) * world().size() + to.firstRank);
  if (spec.kind == contract::CollectiveKind::Permute) {
    contract::Partners partners = contract::partnersOf(spec, group->rank(), group->size());
    to.request.sendTo = partners.to;
    to.request.receiveFrom = partners.from;
  }
}

StatusOr<uint64_t> Ranks::finish(uint64_t seed) {
  world().limit(all());
  HEDDLE_RETURN_IF_ERROR(all().barrier());
  collectives::Request request;
  request.kind = contract::CollectiveKind::Broadcast;
  request.type = contract::ElementType::U64;
  request.count = 1;
  request.source = request.target = &seed;
  request.name = "of the load";
  HEDDLE_RETURN_IF_ERROR(all().run(request));
  return seed;
}

} // namespace heddle
