// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/drivers/cuda/CudaDriver.h"

#include "heddle/contract/PtxAbi.h"
#include "runtime/drivers/cuda/CudaQueue.h"
#include "runtime/drivers/cuda/CudaStream.h"

#include <algorithm>
#include <charconv>

namespace heddle {
namespace cuda {
namespace {

// Architectures that code can be for, oldest first.
// Of a call, that work at the same time.
constexpr uint32_t kStreams = 4;
constexpr uint32_t kUsualWorkgroup = 128; // threads of a workgroup, which the compiler chooses

constexpr int kArchitectures[] = {50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90, 100, 101, 103, 120, 121};
// CUDA's version from which on a driver reads a version of PTX.
struct PtxVersion {
  int cuda;
  const char *feature;
};
constexpr PtxVersion kPtxVersions[] = {{11000, "ptx70"}, {11010, "ptx71"}, {11020, "ptx72"}, {11030, "ptx73"},
                                       {11040, "ptx74"}, {11050, "ptx75"}, {11060, "ptx76"}, {11070, "ptx77"},
                                       {11080, "ptx78"}, {12000, "ptx80"}, {12010, "ptx81"}, {12020, "ptx82"},
                                       {12030, "ptx83"}, {12040, "ptx84"}, {12050, "ptx85"}};

// Pointers of the driver API are addresses of the process, as unified addressing is asked for.
class CudaMemory final : public hal::ExternalMemory {
public:
  explicit CudaMemory(const std::shared_ptr<CudaContext> &context) : context_(context) {}
  hal::DlpackDevice dlpackDevice() const override { return {2, context_->ordinal()}; } // kDLCUDA
  StatusOr<hal::BufferRef> importPointer(void *pointer, uint64_t bytes) override {
    return context_->lend(pointer, bytes);
  }
  void *pointerOf(hal::Buffer &buffer) const override {
    return reinterpret_cast<void *>(static_cast<uintptr_t>(context_->find({&buffer, 0, 0}).value_or(0)));
  }
  StatusOr<std::unique_ptr<hal::NativeStream>> createNativeStream() override { return createCudaStream(context_); }

private:
  const std::shared_ptr<CudaContext> &context_; // the device's, whose part this is
};

class CudaDevice final : public hal::Device {
public:
  CudaDevice(DeviceInfo info, std::shared_ptr<CudaContext> context)
      : Device(std::move(info)), context_(std::move(context)), external_(context_) {}

  StatusOr<hal::BufferRef> allocate(uint64_t bytes) override { return context_->allocate(bytes); }
  StatusOr<hal::BufferRef> importHost(void *memory, uint64_t bytes) override { return context_->import(memory, bytes); }
  StatusOr<std::unique_ptr<hal::Executable>> load(const hal::ExecutableSource &source) override {
    return loadPtx(context_, source);
  }
  StatusOr<std::unique_ptr<hal::Queue>> createQueue() override {
    StatusOr<std::unique_ptr<engines::Engine>> engine = createCudaEngine(context_);
    if (!engine.ok())
      return engine.takeStatus();
    return engines::createDeviceQueue(std::move(*engine));
  }
  hal::ExternalMemory *external() override { return &external_; }
  bool hostAddressable() const override { return false; }
  bool readsHostMemory() const override { return false; }
  bool hasQueues() const override { return true; }
  bool lost() const override { return context_->lost(); }

private:
  std::shared_ptr<CudaContext> context_;
  CudaMemory external_;
};

// "GPU-6d657361-3232-…", as nvidia-smi -L spells it.
std::string spell(const CUuuid &uuid) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10)
      out += '-';
    auto byte = static_cast<unsigned char>(uuid.bytes[i]);
    out += digits[byte >> 4];
    out += digits[byte & 15];
  }
  return out;
}

struct Found {
  CUdevice device = 0;
  std::string uuid;
  DeviceInfo info;
};

int attribute(const CudaApi &api, CUdevice device, int which) {
  int value = 0;
  return api.DeviceGetAttribute(&value, which, device) == kSuccess ? value : 0;
}

// What a kernel that asks for it may share.
uint64_t sharedBytes(const CudaApi &api, CUdevice device) {
  return static_cast<uint64_t>(std::max(attribute(api, device, kMaxSharedMemoryPerBlock),
                                        attribute(api, device, kMaxSharedMemoryPerBlockOptin)));
}

void readFeatures(const CudaApi &api, Found &found) {
  int major = attribute(api, found.device, kComputeCapabilityMajor);
  int capability = 10 * major + attribute(api, found.device, kComputeCapabilityMinor);
  for (int architecture : kArchitectures)
    if (architecture <= capability)
      found.info.features.push_back("sm_" + std::to_string(architecture));
  if (capability >= 90)
    found.info.features.push_back("sm_" + std::to_string(capability) + "a");
  for (const PtxVersion &version : kPtxVersions)
    if (version.cuda <= api.version)
      found.info.features.emplace_back(version.feature);
  found.info.features.emplace_back(contract::ptx::kConvention);
  if (!attribute(api, found.device, kUnifiedAddressing)) {
    found.info.available = false;
    found.info.reason = "it does not share addresses with the host (unified addressing)";
  }
}

StatusOr<std::vector<Found>> findDevices(const CudaApi &api) {
  int count = 0;
  if (CUresult result = api.DeviceGetCount(&count); result != kSuccess)
    return Status(StatusCode::Unsupported, "cuDeviceGetCount gave " + api.spelling(result));
  std::vector<Found> out;
  for (int i = 0; i < count; ++i) {
    Found found;
    char name[256] = {};
    size_t bytes = 0;
    CUuuid uuid{};
    if (api.DeviceGet(&found.device, i) != kSuccess || api.DeviceGetName(name, sizeof(name) - 1, found.device) ||
        api.DeviceTotalMem(&bytes, found.device) || api.DeviceGetUuid(&uuid, found.device))
      continue;
    found.uuid = spell(uuid);
    found.info.uri = "cuda://" + std::to_string(i);
    found.info.driver = "cuda";
    found.info.description = std::string(name) + ", " + found.uuid;
    found.info.memoryBytes = bytes;
    found.info.cores = static_cast<uint32_t>(std::max(1, attribute(api, found.device, kMultiprocessorCount)));
    found.info.workgroups = std::max(
        1u, static_cast<uint32_t>(attribute(api, found.device, kMaxThreadsPerMultiprocessor)) / kUsualWorkgroup);
    found.info.streams = kStreams;
    found.info.formats = {"ptx"};
    found.info.limits = {
        {"maxThreadsPerBlock", static_cast<uint64_t>(attribute(api, found.device, kMaxThreadsPerBlock))},
        {"maxSharedMemoryPerBlock", static_cast<uint64_t>(attribute(api, found.device, kMaxSharedMemoryPerBlock))},
        {std::string(contract::ptx::kSharedLimit), sharedBytes(api, found.device)},
    };
    readFeatures(api, found);
    out.push_back(std::move(found));
  }
  return out;
}

struct Choice {
  const CudaApi *api = nullptr;
  Found found;
  uint64_t limit = UINT64_MAX;
};

StatusOr<Found> pick(const DeviceUri &uri, std::vector<Found> devices) {
  for (Found &found : devices)
    if (found.uuid == uri.path)
      return std::move(found);
  size_t index = 0;
  const char *end = uri.path.data() + uri.path.size();
  if (!uri.path.empty())
    if (auto [at, error] = std::from_chars(uri.path.data(), end, index); error != std::errc() || at != end)
      return Status(StatusCode::InvalidArgument, "a CUDA device is cuda://N or cuda://GPU-…, as `heddle devices` lists "
                                                 "it, got '" +
                                                     uri.text() + "'");
  if (index >= devices.size())
    return Status(StatusCode::NotFound, "this machine has " + std::to_string(devices.size()) +
                                            (devices.size() == 1 ? " CUDA device" : " CUDA devices") + ", got '" +
                                            uri.text() + "'; see `heddle devices`");
  return std::move(devices[index]);
}

StatusOr<Choice> choose(const DeviceUri &uri) {
  static constexpr std::string_view known[] = {"memory"};
  HEDDLE_RETURN_IF_ERROR(uri.refuseUnknownOptions(known));
  StatusOr<const CudaApi *> api = CudaApi::get();
  if (!api.ok())
    return api.takeStatus().prefix("the device '" + uri.text() + "' is absent: ");
  StatusOr<std::vector<Found>> devices = findDevices(**api);
  if (!devices.ok())
    return devices.takeStatus();
  StatusOr<Found> found = pick(uri, std::move(*devices));
  if (!found.ok())
    return found.takeStatus();
  if (!found->info.available)
    return Status(StatusCode::Unsupported, "the device '" + uri.text() + "' is absent: " + found->info.reason);
  Choice choice{*api, std::move(*found)};
  choice.found.info.uri = uri.text();
  if (const std::string *memory = uri.find("memory")) {
    StatusOr<uint64_t> bytes = parseByteCount(*memory);
    if (!bytes.ok())
      return bytes.takeStatus();
    choice.limit = choice.found.info.memoryBytes = *bytes;
  }
  return choice;
}

class CudaDriver final : public hal::Driver {
public:
  std::string_view name() const override { return "cuda"; }

  std::vector<DeviceInfo> enumerate() const override {
    std::vector<DeviceInfo> out;
    std::string reason = "the driver lists no GPU";
    StatusOr<const CudaApi *> api = CudaApi::get();
    if (!api.ok()) {
      reason = api.status().message();
    } else if (StatusOr<std::vector<Found>> devices = findDevices(**api); !devices.ok()) {
      reason = devices.status().message();
    } else {
      for (Found &found : *devices)
        out.push_back(std::move(found.info));
    }
    if (out.empty()) {
      DeviceInfo absent;
      absent.uri = absent.driver = "cuda";
      absent.available = false;
      absent.reason = std::move(reason);
      out.push_back(std::move(absent));
    }
    return out;
  }

  StatusOr<DeviceInfo> query(const DeviceUri &uri) const override {
    StatusOr<Choice> choice = choose(uri);
    if (!choice.ok())
      return choice.takeStatus();
    return std::move(choice->found.info);
  }

  StatusOr<std::shared_ptr<hal::Device>> open(const DeviceUri &uri) const override {
    StatusOr<Choice> choice = choose(uri);
    if (!choice.ok())
      return choice.takeStatus();
    DeviceInfo info = choice->found.info;
    StatusOr<std::shared_ptr<CudaContext>> context =
        CudaContext::open(*choice->api, choice->found.device, info, choice->limit);
    if (!context.ok())
      return context.takeStatus();
    return std::shared_ptr<hal::Device>(std::make_shared<CudaDevice>(std::move(info), std::move(*context)));
  }
};

} // namespace
} // namespace cuda

const hal::Driver &cudaDriver() {
  static const cuda::CudaDriver driver;
  return driver;
}

} // namespace heddle
