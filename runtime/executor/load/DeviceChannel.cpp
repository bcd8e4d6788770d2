// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/load/DeviceChannel.h"

#include "runtime/collectives/nccl/NcclApi.h"
#include "runtime/collectives/nccl/NcclGroup.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace heddle {

using collectives::DeviceGroup;
using collectives::Group;
using collectives::Mismatch;
using collectives::Request;
using contract::CollectiveKind;

namespace {

// What a member brings, as all tell each other.
enum class Offer : uint64_t { NoDevice, Off, NoLibrary, Ready };
constexpr size_t kHardwareBytes = 256; // of a device's name with its number

const char *spell(Offer offer) {
  switch (offer) {
  case Offer::NoDevice: return "has no CUDA device for it";
  case Offer::Off: return "has HEDDLE_NCCL=off";
  case Offer::NoLibrary: return "has no NCCL";
  case Offer::Ready: return "has NCCL";
  }
  return "";
}

Offer offerOf(hal::Device *device, std::unique_ptr<hal::NativeStream> &stream, std::string &why) {
  hal::ExternalMemory *external = device ? device->external() : nullptr;
  if (external)
    if (StatusOr<std::unique_ptr<hal::NativeStream>> made = external->createNativeStream(); made.ok())
      stream = std::move(*made);
  if (!stream)
    return Offer::NoDevice;
  const char *wish = std::getenv("HEDDLE_NCCL");
  if (wish && std::strcmp(wish, "off") == 0)
    return why = "HEDDLE_NCCL is off", Offer::Off;
  StatusOr<const collectives::NcclApi *> library = collectives::NcclApi::get();
  if (!library.ok())
    why = library.status().message();
  return library.ok() ? Offer::Ready : Offer::NoLibrary;
}

// The members that have one device between them, in words; "": none.
StatusOr<std::string> findShared(Group &group, const std::string &hardware) {
  char mine[kHardwareBytes] = {};
  hardware.copy(mine, sizeof(mine) - 1);
  std::vector<char> all(sizeof(mine) * group.size());
  Request request;
  request.kind = CollectiveKind::AllGather;
  request.type = contract::ElementType::U8;
  request.count = sizeof(mine);
  request.source = mine;
  request.target = all.data();
  request.name = "of the ranks' devices";
  HEDDLE_RETURN_IF_ERROR(group.run(request));
  std::vector<std::pair<std::string, uint32_t>> places;
  for (uint32_t member = 0; member < group.size(); ++member)
    places.emplace_back(all.data() + size_t{member} * sizeof(mine), member);
  std::sort(places.begin(), places.end());
  auto same = std::adjacent_find(places.begin(), places.end(),
                                 [](const auto &one, const auto &other) { return one.first == other.first; });
  if (same == places.end())
    return std::string();
  return describeMember(group, same->second) + " and " + describeMember(group, std::next(same)->second) + " share " +
         same->first + ", and NCCL takes a device for each";
}

} // namespace

StatusOr<std::unique_ptr<DeviceChannel>> DeviceChannel::connect(Group &group, hal::Device *device,
                                                                Group::Clock::time_point deadline, std::string &why) {
  std::unique_ptr<DeviceChannel> none;
  if (group.size() == 1) // no library is faster than a copy
    return none;
  std::unique_ptr<hal::NativeStream> stream;
  std::string own;
  const Offer offer = offerOf(device, stream, own);
  const auto word = static_cast<uint64_t>(offer);
  Status agreed = group.agree({&word, 1}, [&](const Mismatch &found) {
    return describeMember(group, found.rank) + " " + spell(Offer(found.value)) + ", " + describeMember(group, 0) + " " +
           spell(Offer(found.expected));
  });
  if (!agreed.ok() && !group.failure().ok())
    return agreed;
  why = agreed.ok() ? own : agreed.message();
  if (!agreed.ok() || offer != Offer::Ready)
    return none;
  StatusOr<std::string> shared = findShared(group, stream->hardware());
  if (!shared.ok())
    return shared.takeStatus();
  why = *shared;
  if (!why.empty())
    return none;
  std::unique_ptr<DeviceChannel> channel(new DeviceChannel(group, *device));
  hal::NativeStream *zeros = stream.get();
  channel->stream_ = std::move(stream);
  Status entered = channel->stream_->enter();
  if (!entered.ok()) {
    group.abort(entered);
    return entered;
  }
  StatusOr<std::unique_ptr<DeviceGroup>> devices = collectives::createNcclGroup(
      group, [zeros](void *target, uint64_t bytes, void *) { return zeros->fillZeros(target, bytes); }, deadline);
  if (!devices.ok())
    return devices.takeStatus();
  channel->devices_ = std::move(*devices);
  return channel;
}

DeviceChannel::~DeviceChannel() {
  (void)stream_->enter();
  if (devices_ && !group_.failure().ok()) // what the others never came to has no end
    devices_->abort();
  devices_.reset();
}

bool DeviceChannel::takes(const Request &request) const {
  Request apart = request; // an exchange in place gets its source from elsewhere
  apart.source = nullptr;
  char elsewhere;
  apart.target = &elsewhere;
  return devices_->supports(apart);
}

// In place of what the host's transports find out by themselves.
Status DeviceChannel::meet(const Request &request) {
  std::vector<uint64_t> words = {static_cast<uint64_t>(request.kind), static_cast<uint64_t>(request.type),
                                 static_cast<uint64_t>(request.reduction), static_cast<uint64_t>(request.root),
                                 request.count};
  for (const contract::Cut &cut : request.allCuts())
    for (int64_t number : {cut.granules, cut.granule, cut.first, cut.parts})
      words.push_back(static_cast<uint64_t>(number));
  return group_.agree(words, [&](const Mismatch &found) {
    return describeMember(group_, found.rank) + " runs another collective than " + describeMember(group_, 0) +
           ", which runs " + titleOf(request) + " of " + std::to_string(request.count) + " elements, or of other sizes";
  });
}

StatusOr<void *> DeviceChannel::stage(hal::BufferRef &staging, uint64_t bytes) {
  if (!staging || staging->bytes() < bytes) {
    staging = {};
    StatusOr<hal::BufferRef> made = device_.allocate(std::max<uint64_t>(bytes, 1));
    if (!made.ok())
      return made.takeStatus();
    staging = std::move(*made);
  }
  return stream_->pointerOf(hal::View::of(staging));
}

Status DeviceChannel::copy(const hal::View &to, const hal::View &from) {
  if (!commands_) {
    StatusOr<std::unique_ptr<hal::Commands>> made = device_.createInline();
    if (!made.ok())
      return made.takeStatus();
    commands_ = std::move(*made);
  }
  return commands_->copy(to, from);
}

Status DeviceChannel::run(Request request, const hal::View &source, const hal::View &target,
                          Group::Clock::time_point deadline) {
  HEDDLE_RETURN_IF_ERROR(meet(request));
  HEDDLE_RETURN_IF_ERROR(stream_->enter());
  void *from = source.bytes ? stream_->pointerOf(source) : nullptr, *to = stream_->pointerOf(target);
  const bool isForeign = source.bytes && !from;
  const bool isExchange = request.kind == CollectiveKind::AllToAll || request.kind == CollectiveKind::Permute;
  const bool isOverwritten = from && from == to && isExchange;
  if (isForeign || isOverwritten) {
    StatusOr<void *> staged = stage(sourceStaging_, source.bytes);
    if (!staged.ok())
      return staged.takeStatus();
    const hal::View view = hal::View::of(sourceStaging_, 0, source.bytes);
    HEDDLE_RETURN_IF_ERROR(isForeign ? copy(view, source) : stream_->copy(*staged, from, source.bytes));
    from = *staged;
  }
  const bool isBroughtBack = target.bytes && !to;
  if (isBroughtBack) {
    StatusOr<void *> staged = stage(targetStaging_, target.bytes);
    if (!staged.ok())
      return staged.takeStatus();
    to = *staged;
  }
  request.source = from;
  request.target = to;
  HEDDLE_RETURN_IF_ERROR(stream_->enter()); // commands may have changed the thread's device
  HEDDLE_RETURN_IF_ERROR(devices_->enqueue(request, stream_->handle()));
  HEDDLE_RETURN_IF_ERROR(await(request, deadline));
  return isBroughtBack ? copy(target, hal::View::of(targetStaging_, 0, target.bytes)) : Status();
}

Status DeviceChannel::await(const Request &request, Group::Clock::time_point deadline) {
  // Collectives of a few microseconds are looked for, longer ones leave the core to others.
  constexpr int kLooks = 64;
  constexpr auto kPause = std::chrono::microseconds(20), kPatience = std::chrono::microseconds(500'000);
  Status failure;
  Group::Clock::time_point end = deadline;
  bool isMarked = false;
  const auto isDone = [&]() -> StatusOr<bool> {
    if (!isMarked) {
      StatusOr<bool> issued = failure.ok() ? devices_->isIssued() : true; // of what is abandoned no more is issued
      if (!issued.ok() || !*issued)
        return false; // a failure is found below
      HEDDLE_RETURN_IF_ERROR(stream_->mark());
      isMarked = true;
    }
    return stream_->isDone();
  };
  for (int look = 0;; ++look) {
    StatusOr<bool> done = isDone();
    if (!done.ok())
      return failure.ok() ? done.takeStatus() : std::move(failure);
    if (*done && failure.ok())
      return devices_->failure();
    const bool isOver = Group::Clock::now() >= end;
    if (!failure.ok() && (*done || isOver)) // it was abandoned, and is off the device
      return failure;
    if (failure.ok()) {
      failure = group_.failure();
      if (failure.ok())
        failure = devices_->failure();
      if (failure.ok() && isOver)
        failure = Status(StatusCode::DeadlineExceeded,
                         titleOf(request) + " runs on the devices of all its ranks beyond its deadline");
      if (!failure.ok()) {
        devices_->abort();
        end = Group::Clock::now() + kPatience;
      }
    }
    if (look < kLooks)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(kPause);
  }
}

} // namespace heddle
