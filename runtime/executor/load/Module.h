// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An artifact on devices: matched, opened, loaded, decoded. Immutable after load and shared by any number of threads;
// all that a call changes is in the room of calls (call/Invocation.h).
//
// Bind functions run while a module is loaded, and running is the room of calls, which stands above: the load is given
// the function that does it.
//
//   StatusOr<std::shared_ptr<const Artifact>> artifact = Artifact::openFile("model.heddle");
//   StatusOr<std::shared_ptr<Module>> module = Module::load(*artifact, {"local://0-1"}, runBindFunction);
#ifndef HEDDLE_RUNTIME_EXECUTOR_LOAD_MODULE_H
#define HEDDLE_RUNTIME_EXECUTOR_LOAD_MODULE_H

#include "runtime/base/Fork.h"
#include "runtime/executor/load/Artifact.h"
#include "runtime/executor/load/Draws.h"
#include "runtime/executor/load/HeldBuffer.h"
#include "runtime/executor/load/LoadPlan.h"
#include "runtime/executor/load/ParameterStore.h"
#include "runtime/executor/load/Ranks.h"
#include "runtime/executor/program/DeviceSlot.h"
#include "runtime/executor/program/Fold.h"
#include "runtime/executor/program/Program.h"

namespace heddle {

class Module;
struct Usage;

// Where a bind function reads and writes. Borrowed.
struct Binding {
  ParameterStore &parameters;
  std::vector<BoundValue> &bounds;
  std::vector<hal::BufferRef> &memory; // what bound buffers lie in, parameters apart: to be kept with the module
};

// Runs a bind function of the module, once, in bounded time.
using BindRunner = Status (*)(std::shared_ptr<const Module> module, const Function &function, Binding &binding);

// Calls that were put on a queue, by what they still wait for.
struct CallsOnQueue {
  std::atomic<uint32_t> running{0};  // their end
  std::atomic<uint32_t> turns{0};    // their turn in the queue; somebody may have run them before
  std::atomic<uint64_t> hostTime{0}; // of who ran the last one (hal/HostTime.h)
  void clear() { running = turns = 0; }
};

class Module {
public:
  // Devices in `lost` are not used, whoever names them. `keepsPacked`: packed parameters may go to the cache. Of a
  // program with meshes the load is a collective of the world that `ranks` names; a failure has ended that world,
  // unless all ranks have it.
  static StatusOr<std::shared_ptr<Module>> load(std::shared_ptr<const Artifact> artifact,
                                                std::span<const std::string> uris, BindRunner run,
                                                std::span<const std::string> lost = {}, uint32_t generation = 0,
                                                bool keepsPacked = true, const RankOptions &ranks = {});

  // How often the program was loaded anew before, since a device was lost.
  uint32_t generation() const { return generation_; }
  const Artifact &artifact() const { return *artifact_; }
  const fb::Module &metadata() const { return artifact_->module(); }
  std::span<const DeviceSlot> devices() const { return devices_; }
  // Entry points: the functions that are not bind functions, in the artifact's order.
  std::span<const Function *const> entryPoints() const { return entryPoints_; }
  // By name; empty: "main", or the only one. NotFound lists them.
  StatusOr<uint32_t> findEntryPoint(std::string_view name) const;
  // The memory of a device outside of calls; null where the program does not use the device, so that it is not open.
  const std::shared_ptr<DeviceMemory> &memory(uint32_t device) const { return memories_[device]; }
  // The queue of asynchronous calls that name none, on the first device; made on first use.
  StatusOr<hal::Queue *> defaultQueue() const;
  // The calls on the default queue. Outlives the module.
  const std::shared_ptr<CallsOnQueue> &started() const { return started_; }
  // A new queue for asynchronous calls, which run on its thread. A device that the program does not use, or that has
  // queues of its own, has one of the host, which keeps order only.
  StatusOr<std::unique_ptr<hal::Queue>> createQueue(uint32_t device) const;

  // What entry points are folded with.
  FoldFacts facts() const {
    return {devices_, boundScalars_, ranks_ ? ranks_->meshes() : std::span<const MeshPlace>()};
  }
  // The ranks that the program runs with; null: it has no mesh.
  Ranks *ranks() const { return ranks_.get(); }
  // The numbers that calls draw. Thread-safe.
  Draws &draws() const { return draws_; }
  const LoadStatistics &statistics() const { return parameters_->statistics(); }
  // What went not as it should at load, without harm to results; at most one line. "" for nothing.
  const std::string &warning() const { return parameters_->warning(); }
  // In how many pieces collectives are moved, and by which figures, a line for each that the load chose.
  const std::string &pieces() const { return piecesText_; }
  // URIs of devices in use that were lost (hal::Device::lost); the module is of no use then.
  std::vector<std::string> lostDevices() const;
  // A thread that is gone may have been making the default queue.
  void beforeFork() {}
  void afterForkInParent() {}
  void afterForkInChild() {
    makeAnew(queueMutex_);
    started_->clear();
    draws_.afterForkInChild();
  }

private:
  Module() = default;
  Status join(const RankOptions &options);
  Status loadParts(const LoadPlan &plan, std::shared_ptr<const Module> self, BindRunner run);
  void addSlots(const LoadPlan &plan);
  Status prepare(const LoadPlan &plan, bool bind);
  Status openDevices(const Usage &usage);
  Status loadExecutables(const LoadPlan &plan, const Usage &usage);
  StatusOr<std::shared_ptr<hal::Executable>> loadExecutable(const LoadPlan &plan, uint32_t index, uint32_t device);
  void labelExports();
  Status bind(std::shared_ptr<const Module> self, BindRunner run);
  Status bindPieces();

  std::shared_ptr<const Artifact> artifact_;
  uint32_t generation_ = 0;
  std::unique_ptr<Ranks> ranks_;
  std::vector<DeviceSlot> devices_;
  std::vector<std::shared_ptr<DeviceMemory>> memories_; // by device of the program; of one device, one
  std::vector<hal::DispatchLabel> labels_;              // by export of the module
  std::vector<uint32_t> firstExport_;                   // by executable
  std::unique_ptr<ParameterStore> parameters_;
  std::vector<BoundValue> bounds_;
  std::vector<std::optional<int64_t>> boundScalars_;
  std::vector<hal::BufferRef> boundMemory_;
  std::string piecesText_;
  std::vector<Function> functions_;
  std::vector<const Function *> entryPoints_;
  mutable Draws draws_;
  mutable std::mutex queueMutex_;
  mutable std::unique_ptr<hal::Queue> defaultQueue_;
  std::shared_ptr<CallsOnQueue> started_ = std::make_shared<CallsOnQueue>();
  ForkMember<Module> fork_{this};
};

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_LOAD_MODULE_H
