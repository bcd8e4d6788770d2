#include "compiler/Dialect/Flow/Analysis/Topology.h"

#include "compiler/Dialect/Device/IR/DeviceOps.h"

#include <cmath>

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::flow;

Topology Topology::of(ModuleOp module) {
  Topology topology;
  for (auto global : module.getOps<device::GlobalOp>())
    topology.devices.push_back(global.getSymName().str());
  if (device::GlobalOp device = device::getDefaultDevice(module))
    topology.defaultDevice = topology.find(device.getSymName()).value_or(0);
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

uint64_t Topology::moveNs(unsigned from, unsigned to, uint64_t bytes) const {
  Link way = link(from, to);
  if (way.unified)
    return 0;
  return std::llround(way.latencyUs * 1e3 + bytes / way.bandwidthGbps);
}
