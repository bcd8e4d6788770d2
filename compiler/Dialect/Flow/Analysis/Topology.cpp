// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Analysis/Topology.h"

#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Dialect/Quantities.h"

#include <cmath>

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::flow;

// A number, however it is written: 64, 6.4e7, "64MiB".
static std::optional<double> toNumber(Attribute attribute) {
  if (auto number = dyn_cast_if_present<IntegerAttr>(attribute))
    return number.getValue().roundToDouble();
  if (auto number = dyn_cast_if_present<FloatAttr>(attribute))
    return number.getValueAsDouble();
  auto text = dyn_cast_if_present<StringAttr>(attribute);
  if (!text)
    return std::nullopt;
  if (std::optional<int64_t> bytes = parseBytes(text.getValue()))
    return static_cast<double>(*bytes);
  double number = 0;
  if (text.getValue().trim().getAsDouble(number))
    return std::nullopt;
  return number;
}

static DeviceModel modelOf(device::GlobalOp global) {
  DeviceModel model;
  for (Attribute alternative : global.getAlternatives()) {
    auto target = dyn_cast<device::TargetAttr>(alternative);
    if (!target)
      continue;
    auto read = [&](StringRef key, auto &into) {
      if (auto number = toNumber(target.getConfig().get(key)); number && *number > 0)
        into = *number;
    };
    read("gflops", model.gflops);
    read("memory_gbps", model.memoryGbps);
    read("launch_us", model.launchUs);
    read("memory", model.memoryBytes);
    read("queues", model.queues);
    read("units", model.units);
    auto readLink = [&](StringRef gbps, StringRef us, std::optional<Link> &link) {
      if (!target.getConfig().get(gbps) && !target.getConfig().get(us))
        return;
      link.emplace();
      read(gbps, link->bandwidthGbps);
      if (auto number = toNumber(target.getConfig().get(us)); number && *number >= 0)
        link->latencyUs = *number;
    };
    readLink("from_host_gbps", "from_host_us", model.fromHost);
    readLink("to_host_gbps", "to_host_us", model.toHost);
    std::optional<Link> ranks;
    readLink("link_gbps", "link_us", ranks);
    model.ranks = ranks.value_or(Link());
    break;
  }
  return model;
}

Topology Topology::of(ModuleOp module) {
  Topology topology;
  for (auto global : module.getOps<device::GlobalOp>()) {
    topology.devices.push_back(global.getSymName().str());
    topology.models.push_back(modelOf(global));
  }
  if (device::GlobalOp device = device::getDefaultDevice(module))
    topology.defaultDevice = topology.find(device.getSymName()).value_or(0);
  if (auto stated = module->getAttrOfType<device::TopologyAttr>(device::DeviceDialect::kTopologyAttr))
    for (device::LinkAttr one : stated.getLinks()) {
      std::optional<unsigned> from = topology.find(one.getFrom().getValue()),
                              to = topology.find(one.getTo().getValue());
      if (!from || !to)
        continue;
      Link &link = topology.links[{*from, *to}];
      link.unified = one.isUnified();
      link.transparent = one.isTransparent();
      if (std::optional<double> rate = one.getBandwidth())
        link.bandwidthGbps = *rate / 1e9;
      if (std::optional<double> latency = one.getLatency())
        link.latencyUs = *latency * 1e6;
    }
  return topology;
}

std::optional<unsigned> Topology::find(StringRef device) const {
  auto it = llvm::find(devices, device);
  return it == devices.end() ? std::nullopt : std::optional<unsigned>(it - devices.begin());
}

Link Topology::link(unsigned from, unsigned to) const {
  if (auto it = links.find({from, to}); it != links.end())
    return it->second;
  Link link;
  link.unified = from == to;
  return link;
}

static uint64_t getNs(const Link &link, uint64_t bytes) {
  return std::llround(link.latencyUs * 1e3 + bytes / link.bandwidthGbps);
}

uint64_t Topology::fromHostNs(unsigned device, uint64_t bytes) const {
  return models[device].fromHost ? getNs(*models[device].fromHost, bytes) : 0;
}

uint64_t Topology::toHostNs(unsigned device, uint64_t bytes) const {
  return models[device].toHost ? getNs(*models[device].toHost, bytes) : 0;
}

uint64_t Topology::moveNs(unsigned from, unsigned to, uint64_t bytes) const {
  Link way = link(from, to);
  return way.unified ? 0 : getNs(way, bytes);
}
