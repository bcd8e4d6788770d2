// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is known of a device without opening it: plain data, made by drivers, read by the matcher and by tools.
#ifndef HEDDLE_RUNTIME_MATCH_DEVICEINFO_H
#define HEDDLE_RUNTIME_MATCH_DEVICEINFO_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

struct DeviceInfo {
  std::string uri;
  std::string driver;
  std::string standsFor; // another driver, whose programs it runs; "" for none
  std::string description;
  bool available = true;
  std::string reason; // why it is absent and what to do
  uint32_t cores = 0;
  uint32_t streams = 1;     // of one call that it works on at the same time
  uint32_t workgroups = 1;  // of a dispatch that each core works on at the same time
  std::vector<int> units;   // which ones of the machine, where devices may share some (cores of the CPU); ascending
  uint64_t memoryBytes = 0; // 0: unknown
  std::vector<std::string> features;
  std::vector<std::string> formats;                     // executable formats it loads
  std::vector<std::pair<std::string, uint64_t>> limits; // spelt as the device's interface does; none for host devices
  bool isDefault = false;  // tried for every program; others only for one that names their driver
  bool isSoftware = false; // a processor that plays a GPU (lavapipe): no `gpu`
  bool acceptsAll = false; // stands for any device and runs any executable (the null driver)
};

} // namespace heddle

#endif // HEDDLE_RUNTIME_MATCH_DEVICEINFO_H
