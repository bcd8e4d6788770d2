// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/match/Match.h"

#include "runtime/match/Assignment.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>
#include <unordered_map>

namespace heddle {

std::string describeTarget(const TargetRequirement &target) {
  if (!target.fallback.empty())
    return "fallback to " + target.fallback;
  if (target.given >= 0)
    return "ordinal<" + std::to_string(target.given) + "> as " + target.driver;
  return target.driver + (target.ordinal >= 0 ? "[" + std::to_string(target.ordinal) + "]" : "");
}

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

// Whether the feature is a limit, "NAME>=N", that the device keeps.
bool keepsLimit(const DeviceInfo &device, std::string_view feature) {
  size_t at = feature.find(">=");
  uint64_t least = 0;
  if (at == std::string_view::npos)
    return false;
  const char *end = feature.data() + feature.size();
  auto [last, error] = std::from_chars(feature.data() + at + 2, end, least);
  return error == std::errc() && last == end &&
         std::any_of(device.limits.begin(), device.limits.end(),
                     [&](const auto &limit) { return limit.first == feature.substr(0, at) && limit.second >= least; });
}

// What the device lacks for this variant; "" when it can run it.
std::string missing(const VariantRequirement &variant, const DeviceInfo &device) {
  if (!contains(device.formats, variant.format))
    return "format " + variant.format;
  std::vector<std::string> lacking;
  for (const std::string &feature : variant.features)
    if (!contains(device.features, feature) && !keepsLimit(device, feature))
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

// Why the device can run none of the target's executables; "" when it can run one.
std::string refuseExecutables(const TargetRequirement &target, const Candidate &candidate) {
  const DeviceInfo &device = candidate.info;
  std::string lacking;
  std::vector<std::string> formats;
  bool loads = false, named = false;
  for (const TargetRequirement::Executable &executable : target.executables) {
    std::string lack = missing({"", executable.format, executable.features}, device);
    if (lack.empty())
      return "";
    loads |= contains(device.formats, executable.format);
    if (!contains(formats, executable.format))
      formats.push_back(executable.format);
    named |= !executable.name.empty();
    lacking += (lacking.empty() ? "" : "; or ") + (executable.name.empty() ? "" : executable.name + " needs ") + lack;
  }
  if (loads)
    return (named ? "it can run no executable: " : "it lacks ") + lacking;
  if (!formats.empty())
    return "it does not load " + join(formats);
  bool format =
      target.formats.empty() || std::any_of(target.formats.begin(), target.formats.end(),
                                            [&](const std::string &f) { return contains(device.formats, f); });
  if (!format)
    return "it does not load " + join(target.formats);
  return candidate.cannotRun.empty() ? "" : "it can run no executable: " + candidate.cannotRun;
}

// Why the device does not fit the target; "" when it does. `runs`: executables of the program run on it.
std::string refusal(const TargetRequirement &target, const Candidate &candidate, bool runs) {
  const DeviceInfo &device = candidate.info;
  if (!device.available)
    return device.reason;
  if (device.acceptsAll)
    return "";
  if (device.driver != target.driver && device.standsFor != target.driver)
    return "its driver is '" + device.driver + "'";
  if (device.memoryBytes && device.memoryBytes < target.minMemory)
    return "it has " + std::to_string(device.memoryBytes) + " bytes of memory, the program needs " +
           std::to_string(target.minMemory);
  if (!runs)
    return "";
  if (device.cores < target.minCores)
    return "it has " + std::to_string(device.cores) + " cores, the program needs " + std::to_string(target.minCores);
  return refuseExecutables(target, candidate);
}

// Whether the target speaks of the device at this position.
bool isMeant(const TargetRequirement &target, size_t position) {
  return target.given < 0 || static_cast<size_t>(target.given) == position;
}

// Which devices fit a target, asked once for all targets that differ in position and ordinal only: of a thousand
// devices of a program most are alike.
class Fitting {
public:
  explicit Fitting(std::span<const Candidate> available) : available_(available) {}

  // Those whose position the target means; its ordinal does not count.
  std::vector<uint32_t> of(const TargetRequirement &target, bool runs) {
    const std::vector<uint32_t> &alike = alikeOf(target, runs);
    if (target.given < 0)
      return alike;
    auto position = static_cast<uint32_t>(target.given);
    bool fits = std::binary_search(alike.begin(), alike.end(), position);
    return fits ? std::vector<uint32_t>{position} : std::vector<uint32_t>{};
  }

private:
  const std::vector<uint32_t> &alikeOf(const TargetRequirement &target, bool runs) {
    std::string key = runs ? "runs" : "";
    auto add = [&](const std::string &text) { key += '\0' + std::to_string(text.size()) + ':' + text; };
    add(target.driver);
    add(std::to_string(target.minMemory) + ' ' + std::to_string(target.minCores));
    for (const std::string &format : target.formats)
      add(format);
    for (const TargetRequirement::Executable &executable : target.executables) {
      add("executable");
      add(executable.format);
      for (const std::string &feature : executable.features)
        add(feature);
    }
    auto [at, isNew] = known_.try_emplace(std::move(key));
    if (isNew)
      for (uint32_t i = 0; i < available_.size(); ++i)
        if (refusal(target, available_[i], runs).empty())
          at->second.push_back(i);
    return at->second;
  }

  std::span<const Candidate> available_;
  std::map<std::string, std::vector<uint32_t>> known_;
};

// "only one such device", "only 3 such devices".
std::string onlySuch(size_t count) {
  return count == 1 ? "there is only one such device" : "there are only " + std::to_string(count) + " such devices";
}

// "there is 1 device, counted from 0: local://0".
std::string listPositions(std::span<const Candidate> available) {
  std::vector<std::string> uris;
  for (const Candidate &candidate : available)
    uris.push_back(candidate.info.uri);
  return (uris.size() == 1 ? "there is 1 device" : "there are " + std::to_string(uris.size()) + " devices") +
         ", counted from 0: " + join(uris);
}

Status noMatch(const DeviceRequirement &requirement, std::span<const Candidate> available, Fitting &fitting,
               bool runs) {
  std::string asked;
  for (const TargetRequirement &target : requirement.alternatives)
    asked += (asked.empty() ? "" : ", ") + describeTarget(target);
  Status status(StatusCode::NotFound, "the program's device '" + requirement.name + "' needs " + asked +
                                          ", got no device that fits; name one with --device, or see `heddle devices`");
  for (const TargetRequirement &target : requirement.alternatives) {
    if (!target.fallback.empty()) {
      status = std::move(status).note(describeTarget(target) + ": that device was not found either");
      continue;
    }
    if (size_t fits = fitting.of(target, runs).size())
      status = std::move(status).note(describeTarget(target) + ": " + onlySuch(fits));
    if (!available.empty() && target.given >= 0 && static_cast<size_t>(target.given) >= available.size())
      status = std::move(status).note(describeTarget(target) + ": " + listPositions(available));
    constexpr size_t kMostNotes = 32;
    size_t refused = 0;
    for (size_t i = 0; i < available.size(); ++i)
      if (std::string why = refusal(target, available[i], runs); isMeant(target, i) && !why.empty())
        if (++refused <= kMostNotes)
          status = std::move(status).note(describeTarget(target) + ": " + available[i].info.uri + " refused: " + why);
    if (refused > kMostNotes)
      status = std::move(status).note(describeTarget(target) + ": " + std::to_string(refused - kMostNotes) +
                                      " more devices refused");
  }
  if (available.empty())
    status = std::move(status).note("no device is available");
  return status;
}

// Whether the target names one device, which several may then share.
bool isExact(const TargetRequirement &target) { return target.ordinal >= 0 || target.given >= 0; }

class Matcher {
public:
  Matcher(std::span<const DeviceRequirement> requirements, std::span<const Candidate> available)
      : requirements_(requirements), available_(available), fitting_(available), plan_(requirements.size()),
        fits_(requirements.size()), state_(requirements.size(), State::Open), runs_(requirements.size()),
        taken_(requirements.size()), takers_(available.size()), owner_(available.size(), kNobody) {
    for (size_t r = 0; r < requirements.size(); ++r)
      names_.try_emplace(requirements[r].name, r);
  }

  StatusOr<std::vector<DeviceMatch>> run() {
    for (size_t r = 0; r < requirements_.size(); ++r)
      if (requirements_[r].runs)
        markRunning(r);
    for (size_t r = 0; r < requirements_.size(); ++r)
      if (!choose(r) && requirements_[r].needed)
        return noMatch(requirements_[r], available_, fitting_, runs_[r]);
    takeAll();
    for (size_t r = 0; r < requirements_.size(); ++r)
      if (plan_[r].matched && !chosen(r).fallback.empty())
        share(r);
    noteSharedUnits();
    return std::move(plan_);
  }

private:
  enum class State : uint8_t { Open, Busy, Done };
  static constexpr size_t kNobody = SIZE_MAX;

  const TargetRequirement &chosen(size_t r) const { return requirements_[r].alternatives[plan_[r].alternative]; }

  size_t named(const std::string &name) const {
    auto found = names_.find(name);
    return found == names_.end() ? requirements_.size() : found->second;
  }

  // What runs on a device runs on the one it falls back to.
  void markRunning(size_t r) {
    if (r == requirements_.size() || runs_[r])
      return;
    runs_[r] = true;
    for (const TargetRequirement &target : requirements_[r].alternatives)
      if (!target.fallback.empty())
        markRunning(named(target.fallback));
  }

  // Finds the first alternative that exists. Which device it is, take() says.
  bool choose(size_t r) {
    if (state_[r] != State::Open)
      return state_[r] == State::Done && plan_[r].matched;
    state_[r] = State::Busy;
    plan_[r].matched = false;
    const auto &alternatives = requirements_[r].alternatives;
    for (uint32_t a = 0; a < alternatives.size() && !plan_[r].matched; ++a) {
      plan_[r].alternative = a;
      if (!alternatives[a].fallback.empty()) {
        size_t other = named(alternatives[a].fallback);
        plan_[r].matched = other < requirements_.size() && choose(other);
      } else {
        fits_[r] = fitting_.of(alternatives[a], runs_[r]);
        plan_[r].matched = static_cast<int64_t>(fits_[r].size()) > std::max(alternatives[a].ordinal, 0);
      }
    }
    state_[r] = State::Done;
    return plan_[r].matched;
  }

  // Those that name one device have it; of the others each gets one of its own, as far as there are; the rest shares,
  // or is a copy.
  void takeAll() {
    for (size_t r = 0; r < requirements_.size(); ++r)
      if (isTaker(r) && isExact(chosen(r)) && requirements_[r].needed)
        take(r, exactDevice(r));
    std::vector<Wish> wishes;
    for (size_t r = 0; r < requirements_.size(); ++r)
      wishes.push_back(wishOf(r));
    std::vector<std::optional<size_t>> got = assign(wishes, available_.size());
    for (size_t r = 0; r < requirements_.size(); ++r)
      if (got[r]) {
        const Choice &choice = wishes[r].choices[*got[r]];
        if (choice.level != plan_[r].alternative)
          plan_[r].note = "alternative " + std::to_string(plan_[r].alternative) + " has no device left";
        plan_[r].alternative = choice.level;
        take(r, choice.thing);
      }
    for (size_t r = 0; r < requirements_.size(); ++r)
      if (isTaker(r) && !taken_[r])
        take(r, isExact(chosen(r)) ? exactDevice(r) : leastTaken(r));
  }

  // What it may get without sharing, in order of preference: of the alternative that exists and those behind it, up to
  // a fallback, which always shares.
  Wish wishOf(size_t r) {
    Wish wish{{}, requirements_[r].needed};
    if (!isTaker(r) || taken_[r])
      return wish;
    const auto &alternatives = requirements_[r].alternatives;
    for (uint32_t a = plan_[r].alternative; a < alternatives.size() && alternatives[a].fallback.empty(); ++a) {
      std::vector<uint32_t> fits = fitting_.of(alternatives[a], runs_[r]);
      if (alternatives[a].ordinal >= 0)
        fits = static_cast<size_t>(alternatives[a].ordinal) < fits.size()
                   ? std::vector<uint32_t>{fits[alternatives[a].ordinal]}
                   : std::vector<uint32_t>{};
      for (uint32_t d : fits)
        if (takers_[d] == 0)
          wish.choices.push_back({d, a});
      if (isExact(chosen(r)))
        break; // it shares that one rather than be another
    }
    return wish;
  }

  bool isTaker(size_t r) const { return plan_[r].matched && chosen(r).fallback.empty(); }
  size_t exactDevice(size_t r) const { return fits_[r][std::max(chosen(r).ordinal, 0)]; }
  size_t leastTaken(size_t r) const {
    return *std::min_element(fits_[r].begin(), fits_[r].end(),
                             [&](size_t a, size_t b) { return takers_[a] < takers_[b]; });
  }

  void take(size_t r, size_t device) {
    DeviceMatch &match = plan_[r];
    taken_[r] = true;
    match.device = device;
    bool first = owner_[device] == kNobody;
    match.copy = !isExact(chosen(r)) && !first;
    if (first)
      owner_[device] = r;
    match.instance = match.copy ? r : owner_[device];
    ++takers_[device];
    if (match.copy)
      match.note = "a second logical copy of " + available_[device].info.uri;
  }

  void share(size_t r) {
    DeviceMatch &match = plan_[r];
    size_t other = r;
    while (!chosen(other).fallback.empty())
      other = named(chosen(other).fallback);
    match.device = plan_[other].device;
    match.copy = plan_[other].copy;
    match.instance = plan_[other].instance;
    match.note = "the same device as " + requirements_[other].name;
  }

  // Devices that are different sets of some of the same units compete for them: said, not forbidden. Of logical copies
  // the first is named.
  void noteSharedUnits() {
    std::vector<size_t> firsts; // of the program's devices, by the device they got
    for (size_t r = 0; r < plan_.size(); ++r) {
      if (!plan_[r].matched || available_[plan_[r].device].info.units.empty())
        continue;
      bool isFirst = true;
      for (size_t o : firsts) {
        if (plan_[r].device == plan_[o].device) {
          isFirst = false;
          continue;
        }
        const std::vector<int> &a = available_[plan_[r].device].info.units, &b = available_[plan_[o].device].info.units;
        auto shared = std::find_first_of(a.begin(), a.end(), b.begin(), b.end());
        if (shared != a.end())
          plan_[r].note += (plan_[r].note.empty() ? "" : ", ") + ("shares core " + std::to_string(*shared)) + " with " +
                           requirements_[o].name;
      }
      if (isFirst)
        firsts.push_back(r);
    }
  }

  std::span<const DeviceRequirement> requirements_;
  std::span<const Candidate> available_;
  Fitting fitting_;
  std::unordered_map<std::string_view, size_t> names_; // the first requirement of a name
  std::vector<DeviceMatch> plan_;
  std::vector<std::vector<uint32_t>> fits_;
  std::vector<State> state_;
  std::vector<bool> runs_, taken_;
  std::vector<size_t> takers_, owner_;
};

} // namespace

StatusOr<std::vector<DeviceMatch>> matchDevices(std::span<const DeviceRequirement> requirements,
                                                std::span<const ExecutableRequirement> executables,
                                                std::span<const DeviceInfo> available) {
  std::vector<Candidate> prepared = prepare(executables, available);
  return Matcher(requirements, prepared).run();
}

const TargetRequirement &takenFor(std::span<const DeviceRequirement> requirements, std::span<const DeviceMatch> plan,
                                  size_t index) {
  // Fallbacks form no cycle.
  while (true) {
    const TargetRequirement &target = requirements[index].alternatives[plan[index].alternative];
    if (target.fallback.empty())
      return target;
    auto other = std::find_if(requirements.begin(), requirements.end(),
                              [&](const DeviceRequirement &device) { return device.name == target.fallback; });
    if (other == requirements.end())
      return target;
    index = other - requirements.begin();
  }
}

// Whether the variant was made for an executable of the target, as far as its features tell.
static bool isMadeFor(const VariantRequirement &variant, const TargetRequirement &target) {
  return target.executables.empty() ||
         std::any_of(target.executables.begin(), target.executables.end(), [&](const auto &executable) {
           return executable.format == variant.format && executable.features == variant.features;
         });
}

bool hasMadeFor(const ExecutableRequirement &executable, const TargetRequirement &target) {
  return std::any_of(executable.variants.begin(), executable.variants.end(),
                     [&](const VariantRequirement &variant) { return isMadeFor(variant, target); });
}

// Code may need less than its target: then the format has to do.
static bool mayServe(const VariantRequirement &variant, const TargetRequirement &target, bool exact) {
  return exact ? isMadeFor(variant, target)
               : std::any_of(target.executables.begin(), target.executables.end(),
                             [&](const auto &executable) { return executable.format == variant.format; });
}

StatusOr<size_t> chooseVariant(const ExecutableRequirement &executable, const DeviceInfo &device,
                               const TargetRequirement &target) {
  std::optional<size_t> best;
  bool exact = hasMadeFor(executable, target);
  for (size_t v = 0; v < executable.variants.size(); ++v) {
    const VariantRequirement &variant = executable.variants[v];
    if (!mayServe(variant, target, exact) || (!device.acceptsAll && !missing(variant, device).empty()))
      continue;
    if (!best || (!device.acceptsAll && variant.features.size() > executable.variants[*best].features.size()))
      best = v;
  }
  if (best)
    return *best;
  Status status(StatusCode::Unsupported, "executable '" + executable.name + "' has no variant that " + device.uri +
                                             " can run; compile for this CPU (--target-cpu), or use another device");
  for (const VariantRequirement &variant : executable.variants) {
    std::string lack = missing(variant, device);
    status = std::move(status).note("variant " + variant.target +
                                    (lack.empty() ? " is made for another device of the program" : " needs " + lack));
  }
  return status;
}

} // namespace heddle
