// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The folder of the caches and the rules for files in it: whole or not there, the user's own, bounded.
#ifndef HEDDLE_TOOLS_CACHE_FOLDER_H
#define HEDDLE_TOOLS_CACHE_FOLDER_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::tools {

// $HEDDLE_CACHE_DIR, else $XDG_CACHE_HOME/heddle, else ~/.cache/heddle; "" for none, also when the first is set to
// nothing.
std::string cacheFolder();

// $HEDDLE_CACHE_SIZE: bytes, or with KiB to TiB, KB to TB; without it 2 GiB. Throws UsageError for what is no size.
uint64_t cacheLimit();
// "1.5GiB", "500 MB", "4096"; none for what is no size.
std::optional<uint64_t> parseSize(std::string_view text);

// Why a folder is not used: it is another user's or others may write to it; "" when it is fine. One that is not there
// is made, with those above it, for this user alone. The superuser's count as one's own, files likewise.
std::string checkFolder(const std::string &folder);

// What is in a file of the cache; none when it is not there, not a regular file, or not the user's own.
std::optional<std::string> readOwn(const std::string &path);
// Writes a file whole: to another name, then renamed, so that readers see all of it or none. "" or why not.
std::string writeWhole(const std::string &path, std::string_view content);
// Copies a file likewise, sharing the file system's blocks where it can.
std::string copyWhole(const std::string &from, const std::string &to);
// One more use of what has this file of uses, which holds a byte for each. Fails in silence: the folder may be
// read-only.
void countUse(const std::string &path);

// What `heddle cache` shows and prunes: files that go together.
struct Stored {
  enum Kind { Compilation, Kernel, Packed, Leftover } kind;
  std::vector<std::string> paths;
  uint64_t bytes = 0;
  int64_t used = 0; // seconds since 1970, last
};
std::vector<Stored> listStored(const std::string &folder);

// Removes what was not used for longest until the rest has at most `limit` bytes, and what killed processes left.
// Returns the bytes and the number of files that went.
struct Pruned {
  uint64_t bytes = 0, count = 0;
};
Pruned pruneStored(const std::string &folder, uint64_t limit);

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_CACHE_FOLDER_H
