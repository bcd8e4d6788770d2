// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The devices of a module as placement sees them: numbers in the order of declaration, and what moving a value between
// two of them costs. Plain data; whether a device is a processor or a GPU is not known here.
//
//   Topology topology = Topology::of(module);
//   uint64_t cost = topology.moveNs(*topology.find("cpu"), *topology.find("gpu"), 4096);
#ifndef HEDDLE_COMPILER_DIALECT_FLOW_ANALYSIS_TOPOLOGY_H
#define HEDDLE_COMPILER_DIALECT_FLOW_ANALYSIS_TOPOLOGY_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <string>
#include <vector>

namespace mlir::heddle::flow {

// A way for bytes from one device to another. What is not stated is that of a usual bus.
struct Link {
  bool unified = false;      // one memory: either device uses the other's buffers, nothing is moved
  bool transparent = false;  // the destination may read the source's buffers where they are
  double bandwidthGbps = 10; // 10^9 bytes a second
  double latencyUs = 20;
};

// What a device computes with, for cost models only. What is not stated is that of a core or two.
struct DeviceModel {
  double gflops = 100;      // 10^9 operations on numbers a second
  double memoryGbps = 20;   // 10^9 bytes a second
  double launchUs = 1;      // of one dispatch
  uint64_t memoryBytes = 0; // for parameters and values together; 0: not limited
  unsigned queues = 0;      // that work side by side, each at these rates; 0: not stated
  unsigned units = 0;       // cores or multiprocessors; 0: not stated
  // Between the caller's memory and the device's; none: arguments and results cost nothing.
  std::optional<Link> fromHost, toHost;
  Link ranks; // between such devices of different ranks
};

struct Topology {
  std::vector<std::string> devices; // symbols, as declared
  std::vector<DeviceModel> models;  // of the devices
  unsigned defaultDevice = 0;
  llvm::DenseMap<std::pair<unsigned, unsigned>, Link> links; // stated ones

  // Of the module's device.globals and its `device.topology`. A device's model is in the dictionary of its first
  // target:
  // `{gflops = 2000, memory_gbps = 300.0, launch_us = 5, memory = "8GiB", queues = 2, units = 8, from_host_gbps = 12,
  // from_host_us = 9, to_host_gbps = 12, to_host_us = 9, link_gbps = 25, link_us = 3}`, numbers or text. Names in the
  // topology that no device.global declares are reported by stage `devices` and ignored here.
  static Topology of(ModuleOp module);

  unsigned size() const { return devices.size(); }
  std::optional<unsigned> find(llvm::StringRef device) const;

  // A device is unified with itself; without a stated link nothing is shared.
  Link link(unsigned from, unsigned to) const;

  // Nanoseconds for one move of so many bytes; 0 where nothing is moved.
  uint64_t moveNs(unsigned from, unsigned to, uint64_t bytes) const;
  // For an argument to reach the device, and for a result to leave it; 0 where the device uses the host's memory.
  uint64_t fromHostNs(unsigned device, uint64_t bytes) const;
  uint64_t toHostNs(unsigned device, uint64_t bytes) const;
};

} // namespace mlir::heddle::flow

#endif // HEDDLE_COMPILER_DIALECT_FLOW_ANALYSIS_TOPOLOGY_H
