// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packed parameters on disk, so that a second load of an artifact packs nothing. A file per parameter and layout in
// $HEDDLE_CACHE_DIR (else $XDG_CACHE_HOME/heddle, else ~/.cache/heddle; HEDDLE_CACHE_DIR set to nothing: no cache),
// named by the hash of what it holds, with that key and a hash of the bytes inside.
//
// An entry that is damaged or of another key is as good as none and is written anew. A folder that cannot be written
// costs the cache and a warning, nothing else. Files appear whole (renamed into place), so processes may share a
// folder, and threads a cache.
//
//   PackCache cache(PackCache::folder());
//   if (hal::BufferRef found = cache.find(key, bytes)) …
//   else cache.keep(key, packed);
#ifndef HEDDLE_RUNTIME_EXECUTOR_PACKCACHE_H
#define HEDDLE_RUNTIME_EXECUTOR_PACKCACHE_H

#include "runtime/hal/Buffer.h"

#include <mutex>
#include <span>
#include <string_view>

namespace heddle {

class PackCache {
public:
  // Where the environment says; "" for no cache.
  static std::string folder();
  explicit PackCache(std::string folder) : folder_(std::move(folder)) {}

  // The entry mapped into memory, read only and 64-byte aligned; null when there is no good one.
  hal::BufferRef find(std::string_view key, uint64_t bytes) const;
  void keep(std::string_view key, std::span<const std::byte> packed);
  // Why entries could not be kept: at most one line. Not beside keep().
  const std::string &warning() const { return warning_; }
  // The file of a key.
  std::string pathOf(std::string_view key) const;

private:
  bool isBroken() const;

  std::string folder_, warning_;
  mutable std::mutex mutex_; // of warning_
};

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_PACKCACHE_H
