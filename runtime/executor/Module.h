// An artifact on devices: matched, opened, loaded, decoded. Immutable after load and shared by any number of threads;
// all state of a call is in Invocation.
//
//   StatusOr<std::shared_ptr<const Artifact>> artifact = Artifact::openFile("model.heddle");
//   StatusOr<std::shared_ptr<Module>> module = Module::load(*artifact, {"local://0-1"});
#ifndef HEDDLE_RUNTIME_EXECUTOR_MODULE_H
#define HEDDLE_RUNTIME_EXECUTOR_MODULE_H

#include "runtime/executor/Artifact.h"
#include "runtime/executor/Program.h"
#include "runtime/hal/Device.h"
#include "runtime/match/Match.h"

namespace heddle {

// A device of the program.
struct DeviceSlot {
  DeviceRequirement requirement;
  DeviceMatch match;
  DeviceInfo info;                                           // of the runtime device it got
  std::shared_ptr<hal::Device> device;                       // null: the program does not use it
  std::vector<std::unique_ptr<hal::Executable>> executables; // by executable; null: not used here
  std::vector<uint32_t> variants;                            // by executable: which one is loaded
};

// What would be loaded where: the devices to open and the plan over them.
struct LoadPlan {
  std::vector<DeviceRequirement> requirements;
  std::vector<ExecutableRequirement> executables;
  std::vector<DeviceInfo> available;
  std::vector<DeviceMatch> matches;
};

// `uris` empty: the default devices of this machine. Opens nothing.
StatusOr<LoadPlan> planLoad(const fb::Module &module, std::span<const std::string> uris);

class Module {
public:
  static StatusOr<std::shared_ptr<Module>> load(std::shared_ptr<const Artifact> artifact,
                                                std::span<const std::string> uris);

  const Artifact &artifact() const { return *artifact_; }
  const fb::Module &metadata() const { return artifact_->module(); }
  std::span<const DeviceSlot> devices() const { return devices_; }
  // Entry points: the functions that are not bind functions, in the artifact's order.
  std::span<const Function *const> entryPoints() const { return entryPoints_; }
  // By name; empty: "main", or the only one. NotFound lists them.
  StatusOr<uint32_t> findEntryPoint(std::string_view name) const;
  // The queued stream of calls that name none, on the first device; made on first use.
  StatusOr<hal::Stream *> defaultStream() const;
  // A new queued stream. A device that the program does not use has a stream of the host, which keeps order only.
  StatusOr<std::unique_ptr<hal::Stream>> createStream(uint32_t device) const;

private:
  Module() = default;
  Status openDevices(const LoadPlan &plan);
  StatusOr<std::unique_ptr<hal::Executable>> loadExecutable(const LoadPlan &plan, uint32_t index, DeviceSlot &slot);
  void tabulateKernels();
  Status decodeFunctions();

  std::shared_ptr<const Artifact> artifact_;
  std::vector<DeviceSlot> devices_;
  std::vector<std::vector<const hal::Kernel *>> kernels_; // by export of the module, then by device of the program
  std::vector<Function> functions_;
  std::vector<const Function *> entryPoints_;
  mutable std::mutex streamMutex_;
  mutable std::unique_ptr<hal::Stream> defaultStream_;
};

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_MODULE_H
