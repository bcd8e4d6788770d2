// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compilations that were made before: artifacts by the keys of Key.h, with what the compiler said.
//
//   CompileCache cache(cacheFolder());
//   if (!cache.reason().empty()) …                           // not usable: compile
//   if (std::optional<Compilation> found = cache.find(key)) … // its artifact is at found->artifact, and whole
//   else cache.keep(key, made);
//
// Three files each, in `compile/`: KEY-DIGEST.heddle, the artifact, named by its content; KEY.entry, which names it and
// has a digest of itself; KEY.uses, a byte for each use. Each appears whole, so processes share the folder without
// locks, and one killed leaves nothing but a temporary file. What is damaged, truncated or not the user's own is as
// good as not there.
#ifndef HEDDLE_TOOLS_CACHE_COMPILECACHE_H
#define HEDDLE_TOOLS_CACHE_COMPILECACHE_H

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle::tools {

struct Compilation {
  std::string model;    // its name without folders
  std::string artifact; // the file's path
  uint64_t bytes = 0;   // of the artifact
  int64_t made = 0;     // seconds since 1970
  // What went to standard error; paths of models and other files are marks (withMarks).
  std::string messages;
  std::string stats;                                          // --stats, JSON
  std::vector<std::pair<std::string, std::string>> libraries; // of the compiler (Identity.h)
  std::string digest;                                         // of the artifact
};

class CompileCache {
public:
  explicit CompileCache(const std::string &folder);
  // Why the cache cannot be used; "" when it can.
  const std::string &reason() const { return reason_; }

  // None when there is no good entry, or the compiler has other libraries now. Reads the whole artifact. A use is
  // counted.
  std::optional<Compilation> find(const std::string &key) const;
  // Copies the artifact of `made` in, then removes what is old until the cache is as small as `limit`. Returns why it
  // was not kept, "" when it was.
  std::string keep(const std::string &key, Compilation made, uint64_t limit) const;

  // Without looking into the artifacts; the last used first.
  struct Listed {
    std::string key;
    Compilation compilation;
    uint64_t uses = 0;
    int64_t used = 0; // seconds since 1970
  };
  std::vector<Listed> list() const;

private:
  std::optional<Compilation> readEntry(const std::string &key) const;

  std::string root_, folder_, reason_;
};

// The text with each of these paths as a mark, and back with others in their place.
std::string withMarks(std::string text, const std::vector<std::string> &paths);
std::string withoutMarks(std::string text, const std::vector<std::string> &paths);

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_CACHE_COMPILECACHE_H
