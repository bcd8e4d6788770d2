// heddle devices: every device of this machine, its features, and why an absent one is absent. docs/cli.md
#include "heddle/heddle.hpp"
#include "tools/lib/CommandLine.h"
#include "tools/lib/Error.h"
#include "tools/lib/Json.h"

#include <cstdio>

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
    std::printf("    memory    %.1f GiB\n", static_cast<double>(device.memory_bytes) / (1 << 30));
  if (*device.formats)
    std::printf("    formats   %s\n", device.formats);
  if (*device.features)
    std::printf("    features  %s\n", device.features);
}

int run(int argc, char **argv) {
  bool json = false;
  CommandLine line("heddle devices", "Lists the devices of this machine, and why an absent one is absent.",
                   "Exit status: 0 done, 1 failed, 2 wrong usage.");
  line.flag(json, "--json", "for programs: {\"devices\": [{uri, driver, available, reason, cores, …}]}");
  if (std::optional<int> status = line.parse(argc, argv))
    return *status;
  DeviceList devices;
  if (json) {
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
