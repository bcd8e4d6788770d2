// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A group of ranks whose collectives run on memory of their devices, by the library of the devices' maker
// (collectives/DeviceGroup.h: NCCL between CUDA devices), in place of the host. Made once per load, where every member
// has such a device of its own and the library; else there is none, and the reason.
//
// Each collective begins with a meeting of the members on the host, which finds who is late or asks for something else,
// so the library is only entered when all are there. Then it is put on a stream of its own, and the thread waits for
// its end as long as the world allows: a failure of the library, of the device or of another rank ends it.
//
//   std::string why;
//   StatusOr<std::unique_ptr<DeviceChannel>> channel = DeviceChannel::connect(group, device, why); // all members
//   if (*channel && (*channel)->takes(request))
//     HEDDLE_RETURN_IF_ERROR((*channel)->run(request, source, target, deadline));
#ifndef HEDDLE_RUNTIME_EXECUTOR_LOAD_DEVICECHANNEL_H
#define HEDDLE_RUNTIME_EXECUTOR_LOAD_DEVICECHANNEL_H

#include "runtime/collectives/DeviceGroup.h"
#include "runtime/hal/Device.h"
#include "runtime/hal/NativeStream.h"

namespace heddle {

class DeviceChannel {
public:
  // Collective of the group. `device` is the member's, and outlives this; null: it has none. Null where the members'
  // collectives go through the host; `why` says so in words that are equal on all members, "" where no member has a
  // device of such a kind. $HEDDLE_NCCL=off is a reason. A failure has ended the world.
  // `deadline` is the group's, for what the library waits for.
  static StatusOr<std::unique_ptr<DeviceChannel>> connect(collectives::Group &group, hal::Device *device,
                                                          collectives::Group::Clock::time_point deadline,
                                                          std::string &why);
  ~DeviceChannel();

  // All members say the same.
  bool takes(const collectives::Request &request) const;
  // The collective, to its end, on the views in place of the request's memory: they may lie anywhere, but only what
  // lies on the device is used where it is. A failure is the caller's to tell the world.
  Status run(collectives::Request request, const hal::View &source, const hal::View &target,
             collectives::Group::Clock::time_point deadline);

private:
  DeviceChannel(collectives::Group &group, hal::Device &device) : group_(group), device_(device) {}
  Status meet(const collectives::Request &request);
  // Memory of the device for so many bytes, kept for the next collective.
  StatusOr<void *> stage(hal::BufferRef &staging, uint64_t bytes);
  Status copy(const hal::View &to, const hal::View &from);
  Status await(const collectives::Request &request, collectives::Group::Clock::time_point deadline);

  collectives::Group &group_;
  hal::Device &device_;
  std::unique_ptr<hal::NativeStream> stream_;
  std::unique_ptr<collectives::DeviceGroup> devices_;
  std::unique_ptr<hal::Commands> commands_; // for memory of others; made when it is first needed
  hal::BufferRef sourceStaging_, targetStaging_;
};

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_LOAD_DEVICECHANNEL_H
