// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the functions of heddle.h share: the opaque types and the passage between Status and heddle_status.
//
// Types with `references` are shared: whoever holds one may use it on any thread, and the last release frees it. All
// others have one owner, who releases them, and are used by one thread at a time.
#ifndef HEDDLE_RUNTIME_CAPI_CAPI_H
#define HEDDLE_RUNTIME_CAPI_CAPI_H

#include "heddle/buffers.h"
#include "heddle/ranks.h"
#include "runtime/base/Guarded.h"
#include "runtime/executor/call/Recovery.h"

#include <deque>
#include <optional>

// A failure; success is a null pointer.
struct heddle_status : heddle::Status::Failure {};

// Devices as they were when it was made. What `out` points to lies beside it, so entries do not move.
struct heddle_device_list {
  struct Entry {
    heddle::DeviceInfo info;
    std::string features, formats; // with commas
    heddle_device_info out;
  };
  std::vector<std::unique_ptr<Entry>> entries;
};

// Verified bytes, which modules loaded from it keep.
struct heddle_artifact {
  std::shared_ptr<const heddle::Artifact> artifact; // keeps the file, or the memory it was given in
};

// A member's way to the other ranks.
struct heddle_world {
  std::atomic<uint32_t> references{1};
  std::shared_ptr<heddle::World> world;
};

namespace heddle {

// What ranks.h says of a module. Addresses are stable.
struct MeshInfos {
  using Shardings = std::vector<std::optional<heddle_sharding>>;
  std::vector<heddle_mesh_info> meshes;
  std::vector<Shardings> arguments, results; // by entry point
  std::deque<std::vector<heddle_mesh_axis>> axes;
  std::deque<std::vector<uint32_t>> shardAxes;
  std::deque<std::vector<heddle_dim_sharding>> shardDims;
  std::deque<std::vector<heddle_dim_cut>> shardCuts;
};

} // namespace heddle

// What calls keep from one to the next: values in memory of the module's devices.
struct heddle_state {
  std::shared_ptr<heddle::LiveModule> live; // keeps the devices
  std::shared_ptr<heddle::State> state;
};

// A loaded module, which is loaded anew where a device was lost (executor/call/Recovery.h). What its queries gave stays
// valid until it is freed, so what they point to is made at load and kept.
struct heddle_module {
  std::atomic<uint32_t> references{1};
  std::shared_ptr<heddle::LiveModule> live;
  // Of each module that was loaded, the present one last.
  struct Devices {
    std::shared_ptr<const heddle::Module> module;
    std::vector<heddle_module_device_info> infos;
  };
  mutable std::mutex mutex; // of `devices`
  mutable std::vector<std::unique_ptr<Devices>> devices;
  std::vector<std::vector<heddle_dim>> globalDims;
  std::vector<heddle_value_info> globals; // whose dimensions are `globalDims`
  heddle::MeshInfos meshes;
  std::vector<heddle_key_value> modelFacts, metadata;
  heddle_state own; // of calls that name no state
};

// The end of a call, or of what a caller does itself.
struct heddle_event {
  std::atomic<uint32_t> references{1};
  std::shared_ptr<heddle::hal::Semaphore> event; // reached at 1
  std::shared_ptr<heddle::StartedCall> call;     // whose event it is; null: made by heddle_event_create()
};

// A timeline: calls wait for its values and reach them.
struct heddle_semaphore {
  std::atomic<uint32_t> references{1};
  std::shared_ptr<heddle::hal::Semaphore> semaphore;
};

// A queue of a device of the module, for calls in order.
struct heddle_stream {
  std::shared_ptr<const heddle::Module> module; // keeps the device
  std::unique_ptr<heddle::hal::Queue> queue;
};

// Calls of one entry point, one after the other.
struct heddle_invocation {
  std::unique_ptr<heddle::RecoveringInvocation> invocation;
};

namespace heddle {

// A heddle_buffer is the hal's buffer.
inline hal::Buffer *bufferOf(const heddle_buffer *buffer) {
  return reinterpret_cast<hal::Buffer *>(const_cast<heddle_buffer *>(buffer));
}
inline heddle_buffer *toC(hal::BufferRef buffer) { return reinterpret_cast<heddle_buffer *>(buffer.take()); }
// How DLPack calls memory at this place; type 0: it has no words for it.
hal::DlpackDevice dlpackDeviceOf(const Place &place);
// The memory of a device of the module as it is loaded now. InvalidArgument: no such device, or it is not used.
StatusOr<std::shared_ptr<DeviceMemory>> memoryOf(const heddle_module &module, uint32_t device);

// Fills `out`, whose addresses ranks.h hands out.
void describeMeshes(const Module &module, MeshInfos &out);
// This process alone.
StatusOr<std::shared_ptr<World>> createLoneWorld();
// InvalidArgument unless the process has such a member.
Status checkMember(const heddle_world &world, uint32_t member);

// Null for success. What a message has from an artifact is shown, not obeyed (contract/Text.h).
heddle_status *toC(Status status);

// The body of a function of heddle.h, which throws nothing at its caller.
template <typename Body> heddle_status *entry(Body &&body) { return toC(guarded(body)); }

} // namespace heddle

#endif // HEDDLE_RUNTIME_CAPI_CAPI_H
