// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle cache: what the caches hold; clear and prune. As `heddle-cache compile …` it is the front of the compiler
// (Front.h). docs/cli.md
#include "tools/cache/CompileCache.h"
#include "tools/cache/Folder.h"
#include "tools/cache/Front.h"
#include "tools/lib/CommandLine.h"
#include "tools/lib/Error.h"
#include "tools/lib/Quantities.h"
#include "tools/lib/Suggest.h"

#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>
#include <string_view>

namespace heddle::tools {
namespace {

constexpr const char *kFooter =
    R"(Without ACTION the contents are listed. clear removes all of them, prune those that were not used for longest.
Results of --tune and of heddle devices --measure stay.
Examples:
  heddle cache
  heddle cache prune --size=500MB
The folder is $HEDDLE_CACHE_DIR, else $XDG_CACHE_HOME/heddle, else ~/.cache/heddle; it holds $HEDDLE_CACHE_SIZE (2GiB).)";

struct Totals {
  uint64_t bytes = 0, count = 0;
};

Totals totalOf(const std::vector<Stored> &all, Stored::Kind kind) {
  Totals totals;
  for (const Stored &stored : all)
    if (stored.kind == kind) {
      totals.bytes += stored.bytes;
      ++totals.count;
    }
  return totals;
}

std::string ageOf(int64_t then) {
  int64_t seconds = std::max<int64_t>(std::time(nullptr) - then, 0);
  return seconds < 120         ? std::to_string(seconds) + " s"
         : seconds < 7200      ? std::to_string(seconds / 60) + " min"
         : seconds < 2 * 86400 ? std::to_string(seconds / 3600) + " h"
                               : std::to_string(seconds / 86400) + " days";
}

void printJson(const std::string &folder, const std::vector<CompileCache::Listed> &listed,
               const std::vector<Stored> &all) {
  nlohmann::ordered_json root{
      {"folder", folder}, {"limit_bytes", cacheLimit()}, {"compilations", nlohmann::ordered_json::array()}};
  for (const CompileCache::Listed &one : listed)
    root["compilations"].push_back({{"key", one.key},
                                    {"model", one.compilation.model},
                                    {"bytes", one.compilation.bytes},
                                    {"made", one.compilation.made},
                                    {"used", one.used},
                                    {"hits", one.uses}});
  for (auto [name, kind] : {std::pair("kernels", Stored::Kernel), {"packed", Stored::Packed}}) {
    Totals totals = totalOf(all, kind);
    root[name] = {{"files", totals.count}, {"bytes", totals.bytes}};
  }
  std::printf("%s\n", root.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

void printList(const std::string &folder, const std::vector<CompileCache::Listed> &listed,
               const std::vector<Stored> &all) {
  uint64_t total = 0;
  for (const Stored &stored : all)
    total += stored.bytes;
  std::printf("%s: %s of %s\n", folder.c_str(), formatBytes(total).c_str(), formatBytes(cacheLimit()).c_str());
  for (const CompileCache::Listed &one : listed)
    std::printf("  %-32s %10s  used %s ago, %s\n", one.compilation.model.c_str(),
                formatBytes(one.compilation.bytes).c_str(), ageOf(one.used).c_str(),
                formatCount(one.uses, "hit").c_str());
  for (auto [name, kind] : {std::pair("kernel", Stored::Kernel), {"packed parameter", Stored::Packed}})
    if (Totals totals = totalOf(all, kind); totals.count)
      std::printf("  %-32s %10s\n", formatCount(totals.count, name).c_str(), formatBytes(totals.bytes).c_str());
}

int run(int argc, char **argv) {
  std::string action, size;
  bool json = false;
  CommandLine line("heddle cache",
                   "Lists and removes the contents of the caches of compilations, kernels and parameters.", kFooter);
  line.optionalPositional(action, "ACTION", "clear or prune; without it the cache is listed");
  line.value(size, "--size", "SIZE", "with prune: how much may stay (500MB, 2GiB); default: $HEDDLE_CACHE_SIZE");
  line.flag(json, "--json", "print the list as JSON");
  if (std::optional<int> status = line.parse(argc, argv))
    return *status;
  const std::vector<std::string> actions{"clear", "list", "prune"};
  if (!action.empty() && std::find(actions.begin(), actions.end(), action) == actions.end())
    throw UsageError("there is no '" + action + "'; give one of " + quotedList(actions) + didYouMean(action, actions));
  if (!size.empty() && action != "prune")
    throw UsageError("--size goes with prune");
  if (json && !action.empty() && action != "list")
    throw UsageError("--json goes with the list");
  std::optional<uint64_t> limit = size.empty() ? cacheLimit() : parseSize(size);
  if (!limit)
    throw UsageError("--size takes bytes, such as 500MB or 1.5GiB, got '" + size + "'");
  std::string folder = cacheFolder();
  CompileCache cache(folder);
  if (!cache.reason().empty())
    throw Failure("there is no cache: " + cache.reason());
  if (action == "clear" || action == "prune") {
    Pruned pruned = pruneStored(folder, action == "clear" ? 0 : *limit);
    std::printf("removed %s, %s\n", formatCount(pruned.count, "file").c_str(), formatBytes(pruned.bytes).c_str());
    return kDone;
  }
  std::vector<Stored> all = listStored(folder);
  (json ? printJson : printList)(folder, cache.list(), all);
  return kDone;
}

} // namespace
} // namespace heddle::tools

int main(int argc, char **argv) {
  using namespace heddle::tools;
  if (argc > 1 && std::string_view(argv[1]) == "compile")
    return runTool("heddle compile", [&] { return compileFromCache(argc - 1, argv + 1); });
  return runTool("heddle cache", [&] { return run(argc, argv); });
}
