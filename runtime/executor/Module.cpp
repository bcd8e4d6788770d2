#include "runtime/executor/Module.h"

#include "runtime/executor/Decoder.h"
#include "runtime/executor/Invocation.h"
#include "runtime/hal/Registry.h"

namespace heddle {
namespace {

// A bind function computes sizes; one that runs longer is a wrong program, and a load must end.
constexpr uint64_t kBindLimitNs = 5'000'000'000;

std::vector<std::string> strings(const flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>> *list) {
  std::vector<std::string> out;
  for (uint32_t i = 0; list && i < list->size(); ++i)
    out.push_back(list->Get(i)->str());
  return out;
}

std::string textOf(const flatbuffers::String *string) { return string ? string->str() : ""; }

void readRequirements(const fb::Module &module, LoadPlan &plan) {
  for (uint32_t i = 0; module.devices() && i < module.devices()->size(); ++i) {
    const fb::Device &device = *module.devices()->Get(i);
    DeviceRequirement requirement{textOf(device.name()), {}};
    for (const fb::DeviceTarget *target : *device.alternatives())
      requirement.alternatives.push_back({textOf(target->driver()), target->ordinal(), strings(target->formats())});
    plan.requirements.push_back(std::move(requirement));
  }
  for (uint32_t i = 0; module.executables() && i < module.executables()->size(); ++i) {
    const fb::Executable &executable = *module.executables()->Get(i);
    ExecutableRequirement requirement{textOf(executable.name()), {}};
    for (uint32_t v = 0; executable.variants() && v < executable.variants()->size(); ++v) {
      const fb::Variant &variant = *executable.variants()->Get(v);
      requirement.variants.push_back({textOf(variant.target()), textOf(variant.format()), strings(variant.features())});
    }
    plan.executables.push_back(std::move(requirement));
  }
}

// The drivers that the program asks for, and that of the default device.
std::vector<std::string> driversOf(std::span<const DeviceRequirement> requirements) {
  std::vector<std::string> out = {"local"};
  for (const DeviceRequirement &requirement : requirements)
    for (const TargetRequirement &target : requirement.alternatives)
      out.push_back(target.driver);
  return out;
}

uint32_t functionCount(const fb::Module &module) { return module.functions() ? module.functions()->size() : 0; }

} // namespace

StatusOr<LoadPlan> planLoad(const fb::Module &module, std::span<const std::string> uris) {
  LoadPlan plan;
  readRequirements(module, plan);
  for (const std::string &uri : uris) {
    StatusOr<DeviceInfo> info = queryDevice(uri);
    if (!info.ok())
      return info.takeStatus();
    plan.available.push_back(std::move(*info));
  }
  if (uris.empty())
    for (DeviceInfo &info : enumerateDevices(driversOf(plan.requirements)))
      if (info.available)
        plan.available.push_back(std::move(info));
  StatusOr<std::vector<DeviceMatch>> matches = matchDevices(plan.requirements, plan.executables, plan.available);
  if (!matches.ok())
    return matches.takeStatus();
  plan.matches = std::move(*matches);
  return plan;
}

StatusOr<std::shared_ptr<Module>> Module::load(std::shared_ptr<const Artifact> artifact,
                                               std::span<const std::string> uris) {
  StatusOr<LoadPlan> plan = planLoad(artifact->module(), uris);
  if (!plan.ok())
    return plan.takeStatus();
  std::shared_ptr<Module> module(new Module);
  module->artifact_ = std::move(artifact);
  module->artifact_->prefetchParameters();
  HEDDLE_RETURN_IF_ERROR(module->openDevices(*plan));
  module->tabulateKernels();
  HEDDLE_RETURN_IF_ERROR(module->decodeFunctions());
  for (const Function &function : module->functions_)
    if (function.source->bind()) {
      StatusOr<std::unique_ptr<Invocation>> bind = Invocation::create(module, function);
      if (!bind.ok())
        return bind.takeStatus();
      (*bind)->setTimeout(kBindLimitNs);
      HEDDLE_RETURN_IF_ERROR((*bind)->call({}, {}).prefix("while binding the program to its devices: "));
    }
  return module;
}

Status Module::openDevices(const LoadPlan &plan) {
  Usage usage;
  usage.devices.resize(plan.requirements.size());
  usage.executables.assign(plan.requirements.size(), std::vector<bool>(plan.executables.size()));
  for (uint32_t i = 0; i < functionCount(metadata()); ++i)
    collectUsage(metadata(), *metadata().functions()->Get(i), usage);
  for (size_t d = 0; d < plan.requirements.size(); ++d) {
    DeviceSlot slot{plan.requirements[d], plan.matches[d], plan.available[plan.matches[d].device], nullptr, {}, {}};
    slot.executables.resize(plan.executables.size());
    slot.variants.resize(plan.executables.size());
    if (usage.devices[d]) {
      StatusOr<std::shared_ptr<hal::Device>> device = openDevice(slot.info.uri, slot.match.copy);
      if (!device.ok())
        return device.takeStatus();
      slot.device = std::move(*device);
    }
    for (uint32_t e = 0; e < plan.executables.size(); ++e)
      if (usage.executables[d][e]) {
        StatusOr<std::unique_ptr<hal::Executable>> loaded = loadExecutable(plan, e, slot);
        if (!loaded.ok())
          return loaded.takeStatus();
        slot.executables[e] = std::move(*loaded);
      }
    devices_.push_back(std::move(slot));
  }
  return {};
}

StatusOr<std::unique_ptr<hal::Executable>> Module::loadExecutable(const LoadPlan &plan, uint32_t index,
                                                                  DeviceSlot &slot) {
  StatusOr<size_t> choice = chooseVariant(plan.executables[index], slot.info);
  if (!choice.ok())
    return choice.takeStatus();
  slot.variants[index] = static_cast<uint32_t>(*choice);
  const fb::Executable &executable = *metadata().executables()->Get(index);
  const fb::Variant &variant = *executable.variants()->Get(static_cast<uint32_t>(*choice));
  return slot.device->load({textOf(executable.name()), textOf(variant.format()),
                            artifact_->view().code.subspan(variant.code_offset(), variant.code_bytes()),
                            strings(variant.symbols())});
}

void Module::tabulateKernels() {
  for (uint32_t e = 0; metadata().executables() && e < metadata().executables()->size(); ++e) {
    const auto *exports = metadata().executables()->Get(e)->exports();
    for (uint32_t x = 0; exports && x < exports->size(); ++x) {
      std::vector<const hal::Kernel *> byDevice;
      for (const DeviceSlot &slot : devices_)
        byDevice.push_back(slot.executables[e] ? &slot.executables[e]->kernels()[x] : nullptr);
      kernels_.push_back(std::move(byDevice));
    }
  }
}

Status Module::decodeFunctions() {
  std::vector<uint32_t> firstExport;
  uint32_t exports = 0;
  for (uint32_t e = 0; metadata().executables() && e < metadata().executables()->size(); ++e) {
    firstExport.push_back(exports);
    const auto *list = metadata().executables()->Get(e)->exports();
    exports += list ? list->size() : 0;
  }
  DecodeContext context{metadata(), artifact_->view().data, devices_, kernels_, firstExport};
  functions_.resize(functionCount(metadata()));
  for (uint32_t i = 0; i < functions_.size(); ++i) {
    HEDDLE_RETURN_IF_ERROR(decode(context, *metadata().functions()->Get(i), functions_[i]));
    if (!functions_[i].source->bind())
      entryPoints_.push_back(&functions_[i]);
  }
  return {};
}

StatusOr<uint32_t> Module::findEntryPoint(std::string_view name) const {
  std::vector<std::string_view> names;
  std::string list;
  for (uint32_t i = 0; i < entryPoints_.size(); ++i) {
    std::string_view one = entryPoints_[i]->info.name;
    if (one == (name.empty() ? "main" : name))
      return i;
    names.push_back(one);
    list += (list.empty() ? "" : ", ") + std::string(one);
  }
  if (name.empty() && entryPoints_.size() == 1)
    return 0;
  if (name.empty())
    return Status(StatusCode::NotFound, "name an entry point: the artifact has " + (list.empty() ? "none" : list));
  return Status(StatusCode::NotFound, "the entry points are " + (list.empty() ? "none" : list) + ", got '" +
                                          std::string(name) + "'" + didYouMean(name, names));
}

StatusOr<std::unique_ptr<hal::Stream>> Module::createStream(uint32_t device) const {
  if (device < devices_.size() && devices_[device].device)
    return devices_[device].device->createStream(hal::StreamMode::Queued);
  StatusOr<std::shared_ptr<hal::Device>> host = openDevice("null");
  return host.ok() ? (*host)->createStream(hal::StreamMode::Queued) : host.takeStatus();
}

StatusOr<hal::Stream *> Module::defaultStream() const {
  std::lock_guard lock(streamMutex_);
  if (!defaultStream_) {
    StatusOr<std::unique_ptr<hal::Stream>> made = createStream(0);
    if (!made.ok())
      return made.takeStatus();
    defaultStream_ = std::move(*made);
  }
  return defaultStream_.get();
}

} // namespace heddle
