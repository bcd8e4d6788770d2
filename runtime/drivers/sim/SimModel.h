// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a simulated device is declared to be, and how long things take on it: plain data and arithmetic.
//
// The defaults are those of the compiler's cost model (compiler/Dialect/Flow/Analysis/Topology.h), so that its estimate
// and the simulation speak of the same machine. A machine may be written in a file, one thing a line:
//
//   # two devices and what joins them
//   device cpu gflops=100 memory_gbps=20
//   device gpu gflops=2000 memory_gbps=300 launch_us=5 memory=8g
//   link host gpu gbps=12 us=10
//   link cpu gpu gbps=12 us=10
//   link gpu cpu gbps=6 us=10
#ifndef HEDDLE_RUNTIME_DRIVERS_SIM_SIMMODEL_H
#define HEDDLE_RUNTIME_DRIVERS_SIM_SIMMODEL_H

#include "heddle/contract/Collectives.h"
#include "runtime/base/DeviceUri.h"

#include <map>

namespace heddle::sim {

// Where memory of the host is in links, and what is not simulated.
inline constexpr std::string_view kHost = "host";

struct Link {
  double gbps = 10; // 10^9 bytes a second
  double us = 20;   // of each move
};

struct SimModel {
  std::string name = "sim"; // what links call it
  uint32_t units = 1;       // that run workgroups, for kernels of unknown cost
  uint32_t queues = 1;      // that work at the same time, each at the full rate
  double gflops = 100;      // 10^9 operations a second, of all units
  double memoryGbps = 20;
  double launchUs = 1;               // of each dispatch, fill and copy within the device
  double workgroupUs = 1;            // of a workgroup of a kernel of unknown cost
  uint64_t memoryBytes = 0;          // 0: as much as the host has
  Link link;                         // to this device, where none is stated
  std::map<std::string, Link> links; // to this device, by where from; with the host also back

  // Whether the device does not use the host's memory: a link with the host was stated, so arguments and results take
  // it.
  bool isDiscrete() const { return links.contains(std::string(kHost)); }

  // `sim://NAME?gflops=…&memory_gbps=…&launch_us=…&workgroup_us=…&units=…&queues=…&memory=…&link_gbps=…&link_us=…&host_gbps=…&host_us=…&model=FILE`.
  // What the URI says beats the file. InvalidArgument for a wrong number or line, NotFound for a device the file lacks.
  static StatusOr<SimModel> of(const DeviceUri &uri);
  // The device `name` of such a file; `from` is named in messages.
  static StatusOr<SimModel> parse(std::string_view text, const std::string &name, const std::string &from);

  const Link &linkFrom(const std::string &source) const;
  // Nanoseconds. A kernel whose cost nobody knows (both 0) is counted by workgroups.
  uint64_t dispatchNs(int64_t workgroups, uint64_t flops, uint64_t bytes) const;
  uint64_t memoryNs(uint64_t bytes) const;
  uint64_t moveNs(const std::string &source, uint64_t bytes) const;
  // A collective among ranks that are joined by links like this device's, of pieces of so many bytes
  // (contract/CollectiveTime.h): for how long it keeps the link busy, and how much later it ends. 0 for one member.
  std::pair<uint64_t, uint64_t> collectiveNs(contract::CollectiveKind kind, int64_t members, uint64_t bytes) const;
};

} // namespace heddle::sim

#endif // HEDDLE_RUNTIME_DRIVERS_SIM_SIMMODEL_H
