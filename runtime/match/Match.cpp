#include "runtime/match/Match.h"

#include <algorithm>

namespace heddle {
namespace {

bool contains(const std::vector<std::string> &list, const std::string &item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

std::string join(const std::vector<std::string> &list) {
  std::string out;
  for (const std::string &item : list)
    out += (out.empty() ? "" : ", ") + item;
  return out;
}

// What the device lacks for this variant; "" when it can run it.
std::string missing(const VariantRequirement &variant, const DeviceInfo &device) {
  if (!contains(device.formats, variant.format))
    return "format " + variant.format;
  std::vector<std::string> lacking;
  for (const std::string &feature : variant.features)
    if (!contains(device.features, feature))
      lacking.push_back(feature);
  return join(lacking);
}

// An available device with what it can run at all: the part of a match that does not depend on the target.
struct Candidate {
  const DeviceInfo &info;
  std::string cannotRun; // "" when it can run some executable, or there are none
};

std::vector<Candidate> prepare(std::span<const ExecutableRequirement> executables,
                               std::span<const DeviceInfo> available) {
  std::vector<Candidate> out;
  for (const DeviceInfo &device : available) {
    std::string lacking;
    bool runs = false;
    for (size_t e = 0; e < executables.size() && !runs; ++e) {
      lacking.clear();
      for (const VariantRequirement &variant : executables[e].variants) {
        std::string lack = missing(variant, device);
        runs |= lack.empty();
        lacking += (lacking.empty() ? "" : "; ") + variant.target + " needs " + lack;
      }
    }
    out.push_back({device, runs ? "" : lacking});
  }
  return out;
}

// Why the device does not fit the target; "" when it does.
std::string refusal(const TargetRequirement &target, const Candidate &candidate) {
  const DeviceInfo &device = candidate.info;
  if (!device.available)
    return device.reason;
  if (device.acceptsAll)
    return "";
  if (device.driver != target.driver)
    return "its driver is '" + device.driver + "'";
  bool format =
      target.formats.empty() || std::any_of(target.formats.begin(), target.formats.end(),
                                            [&](const std::string &f) { return contains(device.formats, f); });
  if (!format)
    return "it does not load " + join(target.formats);
  return candidate.cannotRun.empty() ? "" : "it can run no executable: " + candidate.cannotRun;
}

std::vector<size_t> fitting(const TargetRequirement &target, std::span<const Candidate> available) {
  std::vector<size_t> out;
  for (size_t i = 0; i < available.size(); ++i)
    if (refusal(target, available[i]).empty())
      out.push_back(i);
  return out;
}

std::string spell(const TargetRequirement &target) {
  return target.driver + (target.ordinal >= 0 ? "[" + std::to_string(target.ordinal) + "]" : "");
}

Status noMatch(const DeviceRequirement &requirement, std::span<const Candidate> available) {
  std::string asked;
  for (const TargetRequirement &target : requirement.alternatives)
    asked += (asked.empty() ? "" : ", ") + spell(target);
  Status status(StatusCode::NotFound, "the program's device '" + requirement.name + "' needs " + asked +
                                          ", got no device that fits; name one with --device, or see `heddle devices`");
  for (const TargetRequirement &target : requirement.alternatives) {
    size_t fits = fitting(target, available).size();
    if (fits)
      status = std::move(status).note(spell(target) + ": there are only " + std::to_string(fits) + " such devices");
    for (const Candidate &candidate : available)
      if (std::string why = refusal(target, candidate); !why.empty())
        status = std::move(status).note(spell(target) + ": " + candidate.info.uri + " refused: " + why);
  }
  if (available.empty())
    status = std::move(status).note("no device is available");
  return status;
}

} // namespace

StatusOr<std::vector<DeviceMatch>> matchDevices(std::span<const DeviceRequirement> requirements,
                                                std::span<const ExecutableRequirement> executables,
                                                std::span<const DeviceInfo> available) {
  std::vector<Candidate> prepared = prepare(executables, available);
  std::vector<DeviceMatch> plan(requirements.size());
  std::vector<std::vector<size_t>> fits(requirements.size());
  std::vector<bool> taken(available.size());
  for (size_t r = 0; r < requirements.size(); ++r) {
    const auto &alternatives = requirements[r].alternatives;
    bool found = false;
    for (uint32_t a = 0; a < alternatives.size() && !found; ++a) {
      fits[r] = fitting(alternatives[a], prepared);
      found = static_cast<int64_t>(fits[r].size()) > std::max(alternatives[a].ordinal, 0);
      plan[r].alternative = a;
    }
    if (!found)
      return noMatch(requirements[r], prepared);
    if (int32_t ordinal = alternatives[plan[r].alternative].ordinal; ordinal >= 0) {
      plan[r].device = fits[r][ordinal];
      taken[plan[r].device] = true;
    }
  }
  for (size_t r = 0; r < requirements.size(); ++r) {
    if (requirements[r].alternatives[plan[r].alternative].ordinal >= 0)
      continue;
    auto free = std::find_if(fits[r].begin(), fits[r].end(), [&](size_t d) { return !taken[d]; });
    plan[r].copy = free == fits[r].end();
    plan[r].device = plan[r].copy ? fits[r].front() : *free;
    taken[plan[r].device] = true;
    if (plan[r].copy)
      plan[r].note = "a second logical copy of " + available[plan[r].device].uri;
  }
  return plan;
}

StatusOr<size_t> chooseVariant(const ExecutableRequirement &executable, const DeviceInfo &device) {
  if (device.acceptsAll && !executable.variants.empty())
    return size_t{0};
  std::optional<size_t> best;
  for (size_t v = 0; v < executable.variants.size(); ++v)
    if (missing(executable.variants[v], device).empty() &&
        (!best || executable.variants[v].features.size() > executable.variants[*best].features.size()))
      best = v;
  if (best)
    return *best;
  Status status(StatusCode::Unsupported, "executable '" + executable.name + "' has no variant that " + device.uri +
                                             " can run; compile for this CPU (--target-cpu), or use another device");
  for (const VariantRequirement &variant : executable.variants)
    status = std::move(status).note("variant " + variant.target + " needs " + missing(variant, device));
  return status;
}

// ", variants: x86-64-v4 12, x86-64-v3 1"; "" without executables.
static std::string describeVariants(std::span<const ExecutableRequirement> executables, const DeviceInfo &device) {
  std::vector<std::pair<std::string, size_t>> counts; // in the order of the variants
  for (const ExecutableRequirement &executable : executables) {
    StatusOr<size_t> choice = chooseVariant(executable, device);
    std::string name = choice.ok() ? executable.variants[*choice].target : "none";
    auto known = std::find_if(counts.begin(), counts.end(), [&](auto &count) { return count.first == name; });
    if (known == counts.end())
      counts.emplace_back(name, 1);
    else
      ++known->second;
  }
  std::string out;
  for (const auto &[name, count] : counts)
    out += (out.empty() ? ", variants: " : ", ") + name + " " + std::to_string(count);
  return out;
}

std::string describePlan(std::span<const DeviceRequirement> requirements,
                         std::span<const ExecutableRequirement> executables, std::span<const DeviceMatch> plan,
                         std::span<const DeviceInfo> available) {
  std::string out;
  for (size_t i = 0; i < plan.size(); ++i) {
    const auto &alternatives = requirements[i].alternatives;
    out += requirements[i].name + " = " + available[plan[i].device].uri + " (alternative " +
           std::to_string(plan[i].alternative) + " of " + std::to_string(alternatives.size()) + ": " +
           spell(alternatives[plan[i].alternative]) + ")" + (plan[i].note.empty() ? "" : ", " + plan[i].note) +
           describeVariants(executables, available[plan[i].device]) + "\n";
  }
  return out;
}

} // namespace heddle
