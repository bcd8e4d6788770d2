// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/load/LoadPlan.h"

#include "runtime/executor/program/Usage.h"
#include "runtime/hal/Registry.h"

#include <algorithm>
#include <map>

namespace heddle {
namespace {

std::vector<std::string> strings(const flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>> *list) {
  std::vector<std::string> out;
  for (uint32_t i = 0; list && i < list->size(); ++i)
    out.push_back(list->Get(i)->str());
  return out;
}

std::string textOf(const flatbuffers::String *string) { return string ? string->str() : ""; }

TargetRequirement readTarget(const fb::DeviceTarget &target) {
  TargetRequirement out;
  out.driver = textOf(target.driver());
  out.ordinal = target.ordinal();
  out.given = target.given();
  out.formats = strings(target.formats());
  out.minMemory = target.min_memory();
  out.minCores = target.min_cores();
  out.fallback = textOf(target.fallback());
  for (uint32_t i = 0; target.executables() && i < target.executables()->size(); ++i) {
    const fb::ExecutableTarget &executable = *target.executables()->Get(i);
    out.executables.push_back({textOf(executable.format()), strings(executable.features()), ""});
  }
  return out;
}

// As the first variants made for them are called.
void nameExecutables(LoadPlan &plan) {
  std::map<std::pair<std::string, std::vector<std::string>>, std::string> names; // by format and features
  for (const ExecutableRequirement &executable : plan.executables)
    for (const VariantRequirement &variant : executable.variants)
      names.try_emplace({variant.format, variant.features}, variant.target);
  for (DeviceRequirement &device : plan.requirements)
    for (TargetRequirement &target : device.alternatives)
      for (TargetRequirement::Executable &wanted : target.executables)
        if (auto found = names.find({wanted.format, wanted.features}); found != names.end())
          wanted.name = found->second;
}

void readRequirements(const fb::Module &module, LoadPlan &plan) {
  std::vector<bool> needed(module.devices() ? module.devices()->size() : 0), runs(needed.size());
  for (uint32_t i = 0; module.functions() && i < module.functions()->size(); ++i)
    collectNeeded(*module.functions()->Get(i), needed, runs);
  for (uint32_t i = 0; i < needed.size(); ++i) {
    const fb::Device &device = *module.devices()->Get(i);
    DeviceRequirement requirement{textOf(device.name()), {}, needed[i], runs[i]};
    for (const fb::DeviceTarget *target : *device.alternatives())
      requirement.alternatives.push_back(readTarget(*target));
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
  nameExecutables(plan);
}

// The drivers that the program asks for, and that of the default device.
std::vector<std::string> driversOf(std::span<const DeviceRequirement> requirements) {
  std::vector<std::string> out = {"local"};
  for (const DeviceRequirement &requirement : requirements)
    for (const TargetRequirement &target : requirement.alternatives)
      out.push_back(target.driver);
  return out;
}

bool tellsByPosition(std::span<const DeviceRequirement> requirements) {
  for (const DeviceRequirement &requirement : requirements)
    for (const TargetRequirement &target : requirement.alternatives)
      if (target.given >= 0)
        return true;
  return false;
}

// What the machine has that may serve, in the order of `heddle devices`. Positions count all that are there.
std::vector<DeviceInfo> findDevices(std::span<const DeviceRequirement> requirements) {
  if (!tellsByPosition(requirements))
    return enumerateDevices(driversOf(requirements));
  std::vector<DeviceInfo> all = enumerateDevices();
  std::stable_partition(all.begin(), all.end(), [](const DeviceInfo &info) { return info.available; });
  return all;
}

} // namespace

StatusOr<LoadPlan> planLoad(const fb::Module &module, std::span<const std::string> uris,
                            std::span<const std::string> lost) {
  LoadPlan plan;
  readRequirements(module, plan);
  for (const std::string &uri : uris) {
    StatusOr<DeviceInfo> info = queryDevice(uri);
    if (!info.ok())
      return info.takeStatus();
    plan.available.push_back(std::move(*info));
  }
  if (uris.empty())
    plan.available = findDevices(plan.requirements);
  for (DeviceInfo &info : plan.available)
    for (const std::string &uri : lost)
      if (info.uri == uri) {
        info.available = false;
        info.reason = "it was lost while it ran the program";
      }
  StatusOr<std::vector<DeviceMatch>> matches = matchDevices(plan.requirements, plan.executables, plan.available);
  if (!matches.ok())
    return matches.takeStatus();
  plan.matches = std::move(*matches);
  return plan;
}

} // namespace heddle
