// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/lib/MachineFiles.h"

#include "tools/lib/Error.h"

#include <cstdlib>
#include <filesystem>
#include <unistd.h>

namespace heddle::tools {

std::string measuredTopologyPath() {
  auto set = [](const char *name) {
    const char *value = std::getenv(name);
    return std::filesystem::path(value ? value : "");
  };
  std::filesystem::path folder = set("HEDDLE_CACHE_DIR");
  if (folder.empty() && !set("XDG_CACHE_HOME").empty())
    folder = set("XDG_CACHE_HOME") / "heddle";
  if (folder.empty() && !set("HOME").empty())
    folder = set("HOME") / ".cache" / "heddle";
  if (folder.empty())
    throw Failure("no folder for this machine's topology: set HEDDLE_CACHE_DIR");
  char host[256] = "";
  gethostname(host, sizeof(host) - 1);
  return folder / ("topology-" + std::string(host) + ".json");
}

} // namespace heddle::tools
