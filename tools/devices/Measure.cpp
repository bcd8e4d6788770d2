// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/devices/Measure.h"

#include "runtime/hal/Device.h"
#include "runtime/hal/Registry.h"
#include "tools/devices/KernelRate.h"
#include "tools/devices/PeakRate.h"
#include "tools/lib/Error.h"
#include "tools/lib/Json.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <unistd.h>

namespace heddle::tools {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t kLarge = uint64_t{32} << 20, kSmall = 64, kLeast = uint64_t{1} << 20;
constexpr int kLargeRounds = 7, kSmallRounds = 101;

void check(Status status, const std::string &what) {
  if (status.ok())
    return;
  if (status.code() == StatusCode::InvalidArgument || status.code() == StatusCode::NotFound)
    throw UsageError("--device: " + status.text());
  throw Failure(what + ": " + status.text());
}
template <typename T> T take(StatusOr<T> value, const std::string &what) {
  check(value.takeStatus(), what);
  return std::move(*value);
}

double seconds(Clock::time_point from) { return std::chrono::duration<double>(Clock::now() - from).count(); }

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

// An opened device with memory to move, and what moves it.
struct Place {
  std::string name, uri;
  std::shared_ptr<hal::Device> device;
  std::unique_ptr<hal::Commands> commands;
  hal::BufferRef memory, second;
  uint64_t bytes = 0;

  Place(const std::string &uri, const std::string &name)
      : name(name), uri(uri), device(take(openDevice(uri, /*fresh=*/true), uri)) {
    uint64_t limit = device->info().memoryBytes;
    bytes = limit ? std::max(kLeast, std::min(kLarge, limit / 8)) : kLarge;
    commands = hal::createBlockingCommands(take(device->createQueue(), uri));
    memory = take(device->allocate(bytes), uri);
    second = take(device->allocate(bytes), uri);
    for (const hal::BufferRef &buffer : {memory, second}) // touched before anything is timed
      check(commands->fill(hal::View::of(buffer), 0, 1), uri);
  }
};

// Seconds of one copy, until it is done. Memory that neither device may name on the other's behalf goes through the
// host's, as in the executor.
class Mover {
public:
  Mover(Place &from, Place &to) : from_(from), to_(to) {
    staged_ = &from != &to && !from.device->hostAddressable() && !to.device->hostAddressable();
    if (staged_)
      staging_ = take(hal::allocateHostBuffer(std::min(from.bytes, to.bytes)), "host memory");
  }
  double move(uint64_t bytes) {
    Clock::time_point start = Clock::now();
    hal::View target = hal::View::of(&from_ == &to_ ? to_.second : to_.memory, 0, bytes);
    hal::View source = hal::View::of(from_.memory, 0, bytes);
    Place &mover = from_.device->hostAddressable() ? to_ : from_;
    if (staged_) {
      hal::View between = hal::View::of(staging_, 0, bytes);
      copy(from_, between, source);
      copy(to_, target, between);
    } else {
      copy(mover, target, source);
    }
    return seconds(start);
  }

private:
  static void copy(Place &place, const hal::View &to, const hal::View &from) {
    check(place.commands->copy(to, from), place.uri);
  }
  Place &from_, &to_;
  bool staged_;
  hal::BufferRef staging_;
};

struct Rate {
  double gbps, us;
};

template <typename Move> Rate rateOf(uint64_t bytes, Move &&move) {
  std::vector<double> small, large;
  move(bytes);
  for (int i = 0; i < kSmallRounds; ++i)
    small.push_back(move(kSmall));
  for (int i = 0; i < kLargeRounds; ++i)
    large.push_back(move(bytes));
  double latency = median(small), took = median(large);
  return {static_cast<double>(bytes) / std::max(took - latency, 1e-9) / 1e9, latency * 1e6};
}

MeasuredLink linkOf(Place &from, Place &to) {
  Mover mover(from, to);
  Rate rate = rateOf(std::min(from.bytes, to.bytes), [&](uint64_t bytes) { return mover.move(bytes); });
  auto reads = [](const Place &reader, const Place &owner) {
    return owner.device->hostAddressable() && reader.device->readsHostMemory();
  };
  bool unified = reads(to, from) && reads(from, to);
  return {from.name, to.name, rate.gbps, rate.us, unified, !unified && reads(to, from)};
}

// Between memory of the process and a device, in both directions.
void addHostLinks(Place &place, Measurement &out) {
  hal::BufferRef host = take(hal::allocateHostBuffer(place.bytes), "host memory");
  std::memset(host->address(), 0, place.bytes);
  auto rate = [&](bool toDevice) {
    return rateOf(place.bytes, [&](uint64_t bytes) {
      hal::View there = hal::View::of(place.memory, 0, bytes), here = hal::View::ofHost(host->address(), bytes);
      Clock::time_point start = Clock::now();
      check(toDevice ? place.commands->copy(there, here) : place.commands->copy(here, there), place.uri);
      return seconds(start);
    });
  };
  Rate up = rate(true), down = rate(false);
  bool shared = place.device->hostAddressable() && place.device->readsHostMemory();
  out.links.push_back({"host", place.name, up.gbps, up.us, shared, !shared && place.device->readsHostMemory()});
  out.links.push_back({place.name, "host", down.gbps, down.us, shared, !shared && place.device->hostAddressable()});
}

std::vector<std::string> urisToMeasure(const std::vector<std::string> &asked) {
  if (!asked.empty())
    return asked;
  std::vector<std::string> uris;
  for (const DeviceInfo &info : enumerateDevices())
    if (info.available && !info.acceptsAll && info.standsFor.empty())
      uris.push_back(info.uri);
  return uris;
}

// Four digits: more would be noise.
double rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.4g", value);
  return std::strtod(text, nullptr);
}

} // namespace

Measurement measureDevices(const std::vector<std::string> &uris) {
  Measurement out;
  std::vector<std::unique_ptr<Place>> places;
  std::map<std::string, int> ordinals;
  for (const std::string &uri : urisToMeasure(uris)) {
    DeviceInfo info = take(queryDevice(uri), uri);
    if (!info.available)
      throw Failure("device '" + uri + "' is absent: " + info.reason);
    std::string name = info.driver + "[" + std::to_string(ordinals[info.driver]++) + "]";
    places.push_back(std::make_unique<Place>(uri, name));
    Mover within(*places.back(), *places.back());
    Rate copy = rateOf(places.back()->bytes, [&](uint64_t bytes) { return within.move(bytes); });
    KernelRate rate{measurePeakGflops(info), ""};
    bool computesItself = info.driver != "local" && info.driver != "null" && info.standsFor.empty();
    if (computesItself)
      rate = measureKernelRate(info.driver, uri);
    out.devices.push_back({name, uri, rate.gflops, rate.reason, 2 * copy.gbps});
  }
  for (auto &from : places)
    for (auto &to : places)
      if (from != to)
        out.links.push_back(linkOf(*from, *to));
  for (auto &place : places)
    addHostLinks(*place, out);
  return out;
}

std::string toJson(const Measurement &measurement) {
  Json devices = Json::array(), links = Json::array();
  for (const MeasuredDevice &device : measurement.devices) {
    Json json = {{"name", device.name}, {"uri", device.uri}};
    if (device.gflops)
      json["gflops"] = rounded(*device.gflops);
    json["memory_gbps"] = rounded(device.memoryGbps);
    devices.push_back(json);
  }
  for (const MeasuredLink &link : measurement.links) {
    Json json = {{"from", link.from},
                 {"to", link.to},
                 {"bandwidth_gbps", rounded(link.bandwidthGbps)},
                 {"latency_us", rounded(link.latencyUs)}};
    if (link.unified)
      json["unified"] = true;
    if (link.transparent)
      json["transparent"] = true;
    links.push_back(json);
  }
  char host[256] = "";
  gethostname(host, sizeof(host) - 1);
  return toText({{"version", 1}, {"machine", host}, {"devices", devices}, {"links", links}});
}

std::string toTable(const Measurement &measurement) {
  std::string out = "devices\n";
  char line[256];
  for (const MeasuredDevice &device : measurement.devices) {
    std::snprintf(line, sizeof(line), "  %-12s %-24s %7.1f GB/s", device.name.c_str(), device.uri.c_str(),
                  device.memoryGbps);
    out += line;
    if (device.gflops) {
      std::snprintf(line, sizeof(line), "  %8.1f GFLOP/s", *device.gflops);
      out += line;
    } else if (!device.note.empty()) {
      out += "  arithmetic not measured: " + device.note;
    }
    out += "\n";
  }
  out += "copies\n";
  for (const MeasuredLink &link : measurement.links) {
    std::snprintf(line, sizeof(line), "  %-12s -> %-12s %7.2f GB/s  %7.1f µs%s\n", link.from.c_str(), link.to.c_str(),
                  link.bandwidthGbps, link.latencyUs,
                  link.unified       ? "  one memory"
                  : link.transparent ? "  readable in place"
                                     : "");
    out += line;
  }
  return out;
}

} // namespace heddle::tools
