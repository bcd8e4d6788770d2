// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/load/Module.h"

#include "heddle/contract/Suggest.h"
#include "runtime/base/FloatEnvironment.h"
#include "runtime/base/Guarded.h"
#include "runtime/executor/load/Overlaps.h"
#include "runtime/executor/program/Decoder.h"
#include "runtime/executor/program/Usage.h"
#include "runtime/hal/Registry.h"

namespace heddle {
namespace {

std::string textOf(const flatbuffers::String *string) { return string ? string->str() : ""; }

uint32_t functionCount(const fb::Module &module) { return module.functions() ? module.functions()->size() : 0; }

std::string locationText(const fb::Module &module, uint32_t index) {
  if (!module.locations() || index >= module.locations()->size())
    return "";
  std::string where = describe(module.locations()->Get(index));
  return where.empty() ? "" : "the dispatch comes from " + where;
}

} // namespace

StatusOr<std::shared_ptr<Module>> Module::load(std::shared_ptr<const Artifact> artifact,
                                               std::span<const std::string> uris, BindRunner run,
                                               std::span<const std::string> lost, uint32_t generation, bool keepsPacked,
                                               const RankOptions &ranks) {
  DefaultFloatEnvironment floats; // threads that drivers start inherit it
  std::shared_ptr<Module> module(new Module);
  module->artifact_ = std::move(artifact);
  module->generation_ = generation;
  HEDDLE_RETURN_IF_ERROR(module->join(ranks));
  Status status = guarded([&]() -> Status {
    StatusOr<LoadPlan> plan = planLoad(module->metadata(), uris, lost);
    if (!plan.ok())
      return plan.takeStatus();
    module->addSlots(*plan);
    module->labelExports();
    module->parameters_ = std::make_unique<ParameterStore>(*module->artifact_, module->devices_, keepsPacked);
    return module->loadParts(*plan, module, run);
  });
  if (status.ok())
    return module;
  if (!module->ranks_)
    return status;
  if (!module->ranks_->all().failure().ok())
    return ranks.world->attribute(ranks.member, std::move(status));
  ranks.world->abort(ranks.member, status);
  return status;
}

Status Module::join(const RankOptions &options) {
  if (!metadata().meshes() || metadata().meshes()->size() == 0)
    return {};
  if (!options.world)
    return Status(StatusCode::InvalidArgument,
                  "the program runs on ranks, and was loaded without a world of them (heddle_load_options::world)");
  StatusOr<std::unique_ptr<Ranks>> joined = Ranks::join(*artifact_, options);
  if (!joined.ok())
    return joined.takeStatus();
  ranks_ = std::move(*joined);
  return {};
}

Status Module::loadParts(const LoadPlan &plan, std::shared_ptr<const Module> self, BindRunner run) {
  size_t bounds = metadata().bounds() ? metadata().bounds()->size() : 0;
  bounds_.resize(bounds);
  boundScalars_.resize(bounds);
  functions_.resize(functionCount(metadata()));
  HEDDLE_RETURN_IF_ERROR(prepare(plan, /*bind=*/true));
  HEDDLE_RETURN_IF_ERROR(bind(self, run).prefix("while binding the program to its devices: "));
  if (ranks_) {
    HEDDLE_RETURN_IF_ERROR(ranks_->connect());
    HEDDLE_RETURN_IF_ERROR(bindPieces());
  }
  HEDDLE_RETURN_IF_ERROR(prepare(plan, /*bind=*/false));
  if (!ranks_)
    return {};
  HEDDLE_RETURN_IF_ERROR(ranks_->agreeOnDevices(devices_));
  HEDDLE_RETURN_IF_ERROR(ranks_->connectDevices(devices_));
  StatusOr<uint64_t> seed = ranks_->finish(draws_.currentSeed());
  if (!seed.ok())
    return seed.takeStatus();
  draws_.seed(*seed); // what is random is so alike on all ranks
  return {};
}

void Module::addSlots(const LoadPlan &plan) {
  for (size_t d = 0; d < plan.requirements.size(); ++d) {
    DeviceSlot slot{plan.requirements[d], plan.matches[d], {}, nullptr, {}, {}};
    if (slot.match.matched)
      slot.info = plan.available[slot.match.device];
    slot.executables.resize(plan.executables.size());
    slot.variants.resize(plan.executables.size());
    devices_.push_back(std::move(slot));
  }
}

void Module::labelExports() {
  for (uint32_t e = 0; metadata().executables() && e < metadata().executables()->size(); ++e) {
    firstExport_.push_back(static_cast<uint32_t>(labels_.size()));
    const auto *exports = metadata().executables()->Get(e)->exports();
    for (uint32_t x = 0; exports && x < exports->size(); ++x) {
      const fb::Export &entry = *exports->Get(x);
      labels_.push_back({entry.name() ? entry.name()->str() : "?", locationText(metadata(), entry.location()),
                         entry.flops(), entry.bytes()});
    }
  }
}

// Decodes the bind functions, or the entry points, with what they need: devices, executables, parameters.
Status Module::prepare(const LoadPlan &plan, bool bind) {
  std::vector<std::pair<uint32_t, FoldedFunction>> folded;
  Usage usage(metadata());
  for (uint32_t i = 0; i < functions_.size(); ++i) {
    const fb::Function &source = *metadata().functions()->Get(i);
    if (source.bind() != bind)
      continue;
    folded.emplace_back(i, FoldedFunction(source, facts()));
    collectUsage(metadata(), folded.back().second, usage);
  }
  HEDDLE_RETURN_IF_ERROR(openDevices(usage));
  HEDDLE_RETURN_IF_ERROR(loadExecutables(plan, usage));
  HEDDLE_RETURN_IF_ERROR(parameters_->upload(usage));
  parameters_->prefetch(usage);
  parameters_->packAhead(usage);
  auto find = [this](uint32_t parameter, uint32_t device) { return parameters_->find(parameter, device); };
  DecodeContext context{metadata(), devices_, bounds_, find, labels_, firstExport_, facts().meshes};
  for (auto &[i, function] : folded) {
    HEDDLE_RETURN_IF_ERROR(decode(context, function, functions_[i]));
    if (!bind)
      entryPoints_.push_back(&functions_[i]);
  }
  return {};
}

Status Module::openDevices(const Usage &usage) {
  memories_.resize(devices_.size());
  for (size_t d = 0; d < devices_.size(); ++d) {
    DeviceSlot &slot = devices_[d];
    if (!usage.devices[d] || slot.device)
      continue;
    for (size_t o = 0; o < devices_.size(); ++o)
      if (devices_[o].device && devices_[o].isSame(slot)) {
        slot.device = devices_[o].device;
        memories_[d] = memories_[o];
      }
    if (slot.device)
      continue;
    StatusOr<std::shared_ptr<hal::Device>> device = openDevice(slot.info.uri, slot.match.copy);
    if (!device.ok())
      return device.takeStatus();
    slot.device = std::move(*device);
    memories_[d] = std::make_shared<DeviceMemory>(slot.device);
  }
  return {};
}

Status Module::loadExecutables(const LoadPlan &plan, const Usage &usage) {
  for (uint32_t d = 0; d < devices_.size(); ++d)
    for (uint32_t e = 0; e < plan.executables.size(); ++e)
      if (usage.executables[d][e] && !devices_[d].executables[e]) {
        StatusOr<std::shared_ptr<hal::Executable>> loaded = loadExecutable(plan, e, d);
        if (!loaded.ok())
          return loaded.takeStatus();
        devices_[d].executables[e] = std::move(*loaded);
      }
  return {};
}

// Once for devices that can share what is loaded.
StatusOr<std::shared_ptr<hal::Executable>> Module::loadExecutable(const LoadPlan &plan, uint32_t index,
                                                                  uint32_t device) {
  DeviceSlot &slot = devices_[device];
  StatusOr<size_t> choice =
      chooseVariant(plan.executables[index], slot.info, takenFor(plan.requirements, plan.matches, device));
  if (!choice.ok())
    return choice.takeStatus();
  slot.variants[index] = static_cast<uint32_t>(*choice);
  for (const DeviceSlot &other : devices_)
    if (other.executables[index] && other.variants[index] == *choice && slot.device->sharesExecutables(*other.device))
      return other.executables[index];
  const fb::Executable &executable = *metadata().executables()->Get(index);
  const fb::Variant &variant = *executable.variants()->Get(slot.variants[index]);
  hal::ExecutableSource source{textOf(executable.name()),
                               textOf(variant.format()),
                               artifact_->view().code.subspan(variant.code_offset(), variant.code_bytes()),
                               {},
                               {}};
  for (uint32_t i = 0; variant.symbols() && i < variant.symbols()->size(); ++i)
    source.symbols.push_back(variant.symbols()->Get(i)->str());
  for (uint32_t i = 0; variant.launches() && i < variant.launches()->size(); ++i) {
    const fb::Launch &launch = *variant.launches()->Get(i);
    source.launches.push_back({{launch.block_x(), launch.block_y(), launch.block_z()}, launch.shared_bytes()});
  }
  StatusOr<std::unique_ptr<hal::Executable>> loaded = slot.device->load(source);
  if (!loaded.ok())
    return loaded.takeStatus();
  return std::shared_ptr<hal::Executable>(std::move(*loaded));
}

Status Module::bind(std::shared_ptr<const Module> self, BindRunner run) {
  Binding binding{*parameters_, bounds_, boundMemory_};
  for (const Function &function : functions_)
    if (function.source) // else an entry point, not decoded yet
      HEDDLE_RETURN_IF_ERROR(run(self, function, binding));
  for (size_t i = 0; i < bounds_.size(); ++i)
    if (bounds_[i].set && !metadata().bounds()->Get(static_cast<uint32_t>(i))->buffer())
      boundScalars_[i] = bounds_[i].scalar;
  return {};
}

// What the ranks choose by the links between them.
Status Module::bindPieces() {
  StatusOr<std::vector<ChosenPieces>> chosen = choosePieces(metadata(), *ranks_, devices_);
  if (!chosen.ok())
    return chosen.takeStatus();
  for (uint32_t i = 0; i < bounds_.size(); ++i) {
    const fb::Bound &bound = *metadata().bounds()->Get(i);
    if (bound.overlap() < 0)
      continue;
    const ChosenPieces &of = (*chosen)[static_cast<size_t>(bound.overlap())];
    bounds_[i].set = true;
    bounds_[i].scalar = bound.positions() ? of.positions : of.pieces;
    boundScalars_[i] = bounds_[i].scalar;
  }
  for (ChosenPieces &of : *chosen)
    piecesText_ += of.text + "\n";
  return {};
}

std::vector<std::string> Module::lostDevices() const {
  std::vector<std::string> lost;
  for (const DeviceSlot &slot : devices_)
    if (slot.device && slot.device->lost())
      lost.push_back(slot.info.uri);
  return lost;
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
                                          std::string(name) + "'" + contract::didYouMean(name, names));
}

StatusOr<std::unique_ptr<hal::Queue>> Module::createQueue(uint32_t device) const {
  if (device < devices_.size() && devices_[device].device && !devices_[device].device->hasQueues())
    return devices_[device].device->createQueue();
  StatusOr<std::shared_ptr<hal::Device>> host = openDevice("null");
  return host.ok() ? (*host)->createQueue() : host.takeStatus();
}

StatusOr<hal::Queue *> Module::defaultQueue() const {
  std::lock_guard lock(queueMutex_);
  if (!defaultQueue_) {
    StatusOr<std::unique_ptr<hal::Queue>> made = createQueue(0);
    if (!made.ok())
      return made.takeStatus();
    defaultQueue_ = std::move(*made);
  }
  return defaultQueue_.get();
}

} // namespace heddle
