// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/load/Overlaps.h"

#include "heddle/contract/CollectiveView.h"
#include "heddle/contract/OverlapTime.h"
#include "runtime/executor/program/DeviceSlot.h"
#include "runtime/match/LinkLimits.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <unistd.h>

namespace heddle {

using collectives::Group;

namespace {

// Of a link, in whole numbers so that ranks can agree on the greatest.
struct Figures {
  uint64_t delayPs = 0;     // of a step
  uint64_t psForMB = 1'000; // 10^6 bytes
  uint64_t stallsPpm = 0;   // OverlapRates::stalls, in 10^-6
  double us() const { return static_cast<double>(delayPs) / 1e6; }
  double gbps() const { return 1e9 / static_cast<double>(psForMB); }
  static Figures of(double gbps, double us) {
    return {static_cast<uint64_t>(std::llround(us * 1e6)), static_cast<uint64_t>(std::llround(1e9 / gbps)), 0};
  }
};

enum class Source : uint64_t { Told, Stated, Expected, Measured }; // the greatest counts
constexpr const char *kSources[] = {"HEDDLE_LINK", "stated by the devices", "as the compiler was told", "measured"};
// By measured figures pieces must win this much: they are some per cent off.
constexpr double kMeasuredGain = 0.95;

StatusOr<std::optional<Figures>> readTold() {
  const char *told = std::getenv("HEDDLE_LINK");
  if (!told || !*told)
    return std::optional<Figures>();
  double gbps = 0, us = -1;
  std::string_view rest = told;
  while (!rest.empty()) {
    std::string_view one = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
    size_t equal = one.find('=');
    std::string_view key = one.substr(0, equal), value = equal < one.size() ? one.substr(equal + 1) : "";
    double *to = key == "gbps" ? &gbps : key == "us" ? &us : nullptr;
    char *end = nullptr;
    const std::string number(value);
    if (to && !number.empty())
      *to = std::strtod(number.c_str(), &end);
    if (!end || *end)
      gbps = 0, rest = "";
  }
  if (!(gbps >= 1e-6 && gbps <= 1e6 && us >= 0 && us <= 1e9))
    return Status(
        StatusCode::InvalidArgument,
        "HEDDLE_LINK is what the link between ranks takes, as in \"gbps=1.5,us=20\": 10^9 bytes a second, and "
        "the delay of a step; got \"" +
            std::string(told) + "\"");
  return std::optional(Figures::of(gbps, us));
}

// Without streams, whose locales would be a fifth of the runtime's size.
std::string spell(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%g", value);
  return text;
}

std::optional<Figures> statedBy(const DeviceInfo &info) {
  std::optional<uint64_t> rate, delay;
  for (const auto &[name, value] : info.limits) {
    if (name == kLinkRateLimit)
      rate = value;
    if (name == kLinkDelayLimit)
      delay = value;
  }
  if (!rate || !*rate || !delay)
    return std::nullopt;
  return Figures{*delay, static_cast<uint64_t>(std::llround(1e18 / static_cast<double>(*rate))), 0};
}

// The greatest of each word, of all members.
Status agreeOnGreatest(Group &group, std::span<uint64_t> words) {
  collectives::Request request;
  request.kind = contract::CollectiveKind::AllReduce;
  request.reduction = contract::Reduction::Max;
  request.type = contract::ElementType::U64;
  request.count = words.size();
  request.source = request.target = words.data();
  request.name = "of the load";
  return group.run(request);
}

// Of the cores that a rank's device works on, equal for ranks whose devices share them; 0 where it works on none.
uint64_t nameCores(const DeviceInfo &info) {
  if (info.units.empty())
    return 0;
  char host[256] = {};
  if (gethostname(host, sizeof(host) - 1) != 0)
    host[0] = 0;
  uint64_t hash = 14695981039346656037u; // FNV-1a
  auto add = [&](uint64_t word) { hash = (hash ^ word) * 1099511628211u; };
  for (const char *c = host; *c; ++c)
    add(static_cast<unsigned char>(*c));
  for (int unit : info.units)
    add(static_cast<uint64_t>(unit) + 256);
  return std::max<uint64_t>(hash, 1);
}

uint64_t threadNs() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

// What messages between the members of a group take. All of them measure at once.
class LinkMeter {
public:
  explicit LinkMeter(Group &group) : group_(group) {}

  StatusOr<Figures> measure() {
    constexpr uint64_t kFirst = 64 << 10, kLast = 8 << 20;
    StatusOr<uint64_t> small = leastNs(1);
    if (!small.ok())
      return small.takeStatus();
    // Until bytes count for more than the delay.
    uint64_t bytes = kFirst, large = 0;
    for (;; bytes *= 4) {
      StatusOr<uint64_t> ns = leastNs(bytes);
      if (!ns.ok())
        return ns.takeStatus();
      large = *ns;
      if (large > 4 * *small || bytes * 4 > kLast)
        break;
    }
    auto steps = static_cast<double>(group_.size() - 1);
    auto moving = static_cast<double>(std::max<uint64_t>(1, large - std::min(large, *small)));
    Figures figures =
        Figures::of(steps * static_cast<double>(bytes) / moving, static_cast<double>(*small) / steps / 1000);
    figures.stallsPpm = std::min<uint64_t>(1'000'000, worked_ * 1'000'000 / std::max<uint64_t>(1, own_));
    return figures;
  }

private:
  // The same on all members.
  StatusOr<uint64_t> leastNs(uint64_t bytes) {
    constexpr int kRuns = 4; // the first is for what begins slowly
    source_.resize(bytes);
    target_.resize(bytes * group_.size());
    collectives::Request request;
    request.kind = contract::CollectiveKind::AllGather;
    request.type = contract::ElementType::U8;
    request.count = bytes;
    request.source = source_.data();
    request.target = target_.data();
    request.name = "that measures the link";
    uint64_t least = ~uint64_t{0};
    for (int run = 0; run < kRuns; ++run) {
      HEDDLE_RETURN_IF_ERROR(group_.barrier());
      auto begin = std::chrono::steady_clock::now();
      uint64_t work = threadNs();
      HEDDLE_RETURN_IF_ERROR(group_.run(request));
      work = threadNs() - work;
      auto ns = static_cast<uint64_t>(
          std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin).count());
      if (run && ns < least) {
        least = own_ = ns;
        worked_ = work;
      }
    }
    HEDDLE_RETURN_IF_ERROR(agreeOnGreatest(group_, {&least, 1}));
    return least;
  }

  Group &group_;
  std::vector<uint8_t> source_, target_;
  uint64_t own_ = 1, worked_ = 0; // of this member's last least run, and what its thread had of a core
};

class Chooser {
public:
  Chooser(const fb::Module &module, Ranks &ranks, std::span<const DeviceSlot> devices)
      : module_(module), ranks_(ranks), devices_(devices) {}

  StatusOr<std::vector<ChosenPieces>> run() {
    std::vector<ChosenPieces> all;
    for (const fb::Overlap *overlap : *module_.overlaps()) {
      HEDDLE_RETURN_IF_ERROR(findFigures(*overlap));
      all.push_back(choose(*overlap));
    }
    return all;
  }

private:
  // How much of its device's work a rank misses while a core of each rank that shares the cores moves bytes: 0 to 1.
  StatusOr<double> findSharing(uint32_t device) {
    const DeviceInfo *info = device < devices_.size() ? &devices_[device].info : nullptr;
    const uint64_t own = info ? nameCores(*info) : 0;
    std::vector<uint64_t> names(ranks_.all().size());
    collectives::Request request;
    request.kind = contract::CollectiveKind::AllGather;
    request.type = contract::ElementType::U64;
    request.count = 1;
    request.source = &own;
    request.target = names.data();
    request.name = "of the load";
    ranks_.world().limit(ranks_.all());
    if (Status status = ranks_.world().attribute(ranks_.member(), ranks_.all().run(request)); !status.ok())
      return status;
    if (own == 0)
      return 0.0;
    auto sharing = static_cast<double>(std::count(names.begin(), names.end(), own));
    return std::min(1.0, sharing / std::max<double>(1, static_cast<double>(info->units.size())));
  }

  // Of the groups of a collective, once for each kind of group.
  Status findFigures(const fb::Overlap &overlap) {
    const uint32_t collective = overlap.collective();
    uint32_t channel = ranks_.collective(collective).channel;
    if (figures_.contains(channel))
      return {};
    StatusOr<std::optional<Figures>> told = readTold();
    if (!told.ok())
      return told.takeStatus();
    uint32_t device = module_.meshes()->Get(module_.collectives()->Get(collective)->mesh())->device();
    std::optional<Figures> known = *told;
    if (!known && device < devices_.size())
      known = statedBy(devices_[device].info);
    uint64_t source = static_cast<uint64_t>(*told ? Source::Told : known ? Source::Stated : Source::Measured);
    // Memory of its own, between which a library may go: what the host's messages take says nothing.
    if (!known && overlap.link_gbps() > 0 && device < devices_.size() && devices_[device].info.units.empty()) {
      known = Figures::of(overlap.link_gbps(), overlap.link_us());
      source = static_cast<uint64_t>(Source::Expected);
    }
    HEDDLE_RETURN_IF_ERROR(agree({&source, 1}));
    Figures figures = known.value_or(Figures());
    if (static_cast<Source>(source) == Source::Measured) {
      figures = {};
      StatusOr<double> sharing = findSharing(device);
      if (!sharing.ok())
        return sharing.takeStatus();
      if (Group *group = ranks_.collective(collective).group; group && group->size() > 1) {
        ranks_.world().limit(*group);
        StatusOr<Figures> measured = LinkMeter(*group).measure();
        if (!measured.ok())
          return ranks_.world().attribute(ranks_.member(), measured.takeStatus());
        figures = *measured;
        figures.stallsPpm = static_cast<uint64_t>(static_cast<double>(figures.stallsPpm) * *sharing);
      }
    }
    uint64_t words[] = {figures.delayPs, figures.psForMB, figures.stallsPpm};
    HEDDLE_RETURN_IF_ERROR(agree(words));
    figures_[channel] = {words[0], words[1], words[2]};
    sources_[channel] = static_cast<Source>(source);
    return {};
  }

  Status agree(std::span<uint64_t> words) {
    ranks_.world().limit(ranks_.all());
    return ranks_.world().attribute(ranks_.member(), agreeOnGreatest(ranks_.all(), words));
  }

  contract::OverlapAccount accountOf(const fb::Overlap &overlap) const {
    const fb::Collective &collective = *module_.collectives()->Get(overlap.collective());
    contract::OverlapAccount account;
    account.kind = static_cast<contract::CollectiveKind>(collective.kind());
    account.feeds = overlap.feeds();
    account.members = contract::groupSize(contract::groupOf(collective), ranks_.meshes()[collective.mesh()].sizes);
    account.extent = overlap.extent();
    account.movedBytes = overlap.moved_bytes();
    auto read = [](const flatbuffers::Vector<const fb::OverlapWork *> *from, auto &to) {
      for (uint32_t i = 0; from && i < from->size(); ++i)
        to.push_back({from->Get(i)->flops(), from->Get(i)->bytes(), from->Get(i)->shared_bytes()});
    };
    read(overlap.works(), account.works);
    read(overlap.slices(), account.slices);
    read(overlap.joins(), account.joins);
    read(overlap.sums(), account.sums);
    return account;
  }

  ChosenPieces choose(const fb::Overlap &overlap) const {
    uint32_t channel = ranks_.collective(overlap.collective()).channel;
    const Figures &figures = figures_.at(channel);
    contract::OverlapAccount account = accountOf(overlap);
    contract::OverlapRates rates{.gflops = overlap.gflops(),
                                 .memoryGbps = overlap.memory_gbps(),
                                 .launchUs = overlap.launch_us(),
                                 .linkGbps = figures.gbps(),
                                 .linkUs = figures.us(),
                                 .stalls = static_cast<double>(figures.stallsPpm) / 1e6};
    const Source source = sources_.at(channel);
    const double gain = source == Source::Measured ? kMeasuredGain : 1;
    if (source == Source::Measured)
      rates.inFlight = ranks_.atOnce();
    std::string text = overlap.name() ? overlap.name()->str() : "a collective";
    const auto number = [](uint64_t value) { return std::to_string(value); };
    ChosenPieces chosen;
    if (overlap.counts() && overlap.counts()->size()) {
      std::vector<unsigned> counts(overlap.counts()->begin(), overlap.counts()->end());
      contract::OverlapChoice choice = contract::chooseAmong(account, counts, rates, gain);
      chosen.pieces = choice.pieces;
      if (choice.pieces == 1)
        text +=
            " is moved whole: " + number(choice.wholeNs) + " ns, otherwise " + number(choice.bestNs) + " ns at best";
      else if (choice.pieces == contract::kAround)
        text += (account.feeds ? " comes from each rank: " : " goes to each rank: ") + number(choice.ns) +
                " ns, whole " + number(choice.wholeNs) + " ns";
      else
        text += " is moved in " + std::to_string(choice.pieces) + " pieces: " + number(choice.ns) + " ns, whole " +
                number(choice.wholeNs) + " ns";
    } else {
      contract::FreeChoice choice = contract::chooseFree(account, rates, gain);
      chosen.pieces = choice.most;
      chosen.positions = choice.positions;
      if (choice.most == 1)
        text += " is moved whole";
      else
        text += " is moved in up to " + std::to_string(choice.most) + " pieces, one for each " +
                std::to_string(choice.positions) + " positions";
    }
    text += " (" + std::to_string(account.members) + " ranks, " + spell(rates.linkGbps) + " GB/s and " +
            spell(rates.linkUs) + " us a step, " + kSources[static_cast<size_t>(source)] +
            (rates.stalls > 0 ? ", " + std::to_string(std::lround(100 * rates.stalls)) + " % of the work stands still"
                              : "") +
            ")";
    chosen.text = std::move(text);
    return chosen;
  }

  const fb::Module &module_;
  Ranks &ranks_;
  std::span<const DeviceSlot> devices_;
  std::map<uint32_t, Figures> figures_; // by channel
  std::map<uint32_t, Source> sources_;
};

} // namespace

StatusOr<std::vector<ChosenPieces>> choosePieces(const fb::Module &module, Ranks &ranks,
                                                 std::span<const DeviceSlot> devices) {
  if (!module.overlaps())
    return std::vector<ChosenPieces>();
  return Chooser(module, ranks, devices).run();
}

} // namespace heddle
