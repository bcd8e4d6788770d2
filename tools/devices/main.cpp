// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle devices: every device of this machine, its features, and why an absent one is absent. docs/cli.md
#include "heddle/heddle.hpp"
#include "tools/devices/Measure.h"
#include "tools/lib/CommandLine.h"
#include "tools/lib/Error.h"
#include "tools/lib/Files.h"
#include "tools/lib/Json.h"
#include "tools/lib/MachineFiles.h"
#include "tools/lib/Quantities.h"

#include <cstdio>
#include <filesystem>

namespace heddle::tools {
namespace {

Json split(const std::string &list) {
  Json out = Json::array();
  for (size_t at = 0; at < list.size();) {
    size_t end = std::min(list.find(',', at), list.size());
    out.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

Json toJson(const heddle_device_info &device) {
  return {{"uri", device.uri},
          {"driver", device.driver},
          {"description", device.description},
          {"available", device.available != 0},
          {"reason", device.reason},
          {"default", device.is_default != 0},
          {"cores", device.cores},
          {"memory_bytes", device.memory_bytes},
          {"features", split(device.features)},
          {"formats", split(device.formats)}};
}

void print(const heddle_device_info &device) {
  if (!device.available) {
    std::printf("%s  absent: %s\n", device.uri, device.reason);
    return;
  }
  std::printf("%s  %s%s\n", device.uri, device.description, device.is_default ? "  (default)" : "");
  std::printf("    cores     %u\n", device.cores);
  if (device.memory_bytes)
    std::printf("    memory    %s\n", formatBytes(device.memory_bytes).c_str());
  if (*device.formats)
    std::printf("    formats   %s\n", device.formats);
  if (*device.features)
    std::printf("    features  %s\n", device.features);
}

struct Options {
  bool json = false, measure = false;
  std::vector<std::string> devices;
  std::string output;
};

// Measures, saves for `heddle compile --topology=measured`, and shows.
int measure(const Options &options) {
  std::string path = options.output.empty() ? measuredTopologyPath() : options.output;
  if (options.output.empty()) {
    std::error_code ignored; // OutputFile says what is wrong with the folder
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  }
  OutputFile file(path);
  Measurement measurement = measureDevices(options.devices);
  std::string text = toJson(measurement);
  file.write(text);
  file.commit();
  std::fputs((options.json ? text : toTable(measurement) + "written to " + path + "\n").c_str(), stdout);
  return kDone;
}

int run(int argc, char **argv) {
  Options options;
  CommandLine line("heddle devices", "Lists the devices of this machine, and says why a device is absent.",
                   "Exit status: 0 done, 1 failed, 2 wrong usage.");
  line.flag(options.json, "--json", "print JSON: {\"devices\": [{uri, driver, available, reason, cores, …}]}");
  line.flag(options.measure, "--measure",
            "measure devices and the copies between them, and save the result for this machine");
  line.list(options.devices, "--device", "URI",
            "with --measure: measure this device; repeat in order. Default: all available devices that compute");
  line.value(options.output, "-o,--output", "FILE.json", "with --measure: save the result here");
  if (std::optional<int> status = line.parse(argc, argv))
    return *status;
  if (options.measure)
    return measure(options);
  if (!options.devices.empty() || !options.output.empty())
    throw UsageError("--device and --output belong to --measure");
  DeviceList devices;
  if (options.json) {
    Json list = Json::array();
    for (uint32_t i = 0; i < devices.size(); ++i)
      list.push_back(toJson(devices[i]));
    std::fputs(toText({{"devices", list}}).c_str(), stdout);
    return kDone;
  }
  for (uint32_t i = 0; i < devices.size(); ++i)
    print(devices[i]);
  return kDone;
}

} // namespace
} // namespace heddle::tools

int main(int argc, char **argv) {
  return heddle::tools::runTool("heddle devices", [&] { return heddle::tools::run(argc, argv); });
}
