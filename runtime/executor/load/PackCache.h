// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packed parameters on disk, so that a second load of an artifact packs nothing. A file per parameter and layout in
// $HEDDLE_CACHE_DIR (else $XDG_CACHE_HOME/heddle, else ~/.cache/heddle; HEDDLE_CACHE_DIR set to nothing: no cache),
// named by a hash of its key. Inside are the key, the parameter's bytes, the packed ones and a hash of those.
//
// An entry is used for a parameter of the same bytes only, all of which are compared: so whatever another artifact had
// packed under the same key, by a hash that collides, is none of this one's. The folder itself is trusted: who can
// write there chooses weights.
//
// An entry that is damaged or of another key is as good as none and is written anew. A folder that cannot be written
// costs the cache and a warning, nothing else. Files appear whole (renamed into place), so processes may share a
// folder, and threads a cache.
//
//   PackCache cache(PackCache::folder());
//   if (hal::BufferRef found = cache.find(key, source, bytes)) …
//   else cache.keep(key, source, packed);
#ifndef HEDDLE_RUNTIME_EXECUTOR_LOAD_PACKCACHE_H
#define HEDDLE_RUNTIME_EXECUTOR_LOAD_PACKCACHE_H

#include "runtime/hal/Buffer.h"

#include <mutex>
#include <span>
#include <string_view>

namespace heddle {

class PackCache {
public:
  // Where the environment says; "" for no cache.
  static std::string folder();
  // With `writes` false nothing is kept, whatever is packed.
  explicit PackCache(std::string folder, bool writes = true) : folder_(std::move(folder)), writes_(writes) {}

  // What `source` was packed to, in `bytes` bytes: mapped into memory, read only and 64-byte aligned; null when there
  // is no good entry.
  hal::BufferRef find(std::string_view key, std::span<const std::byte> source, uint64_t bytes) const;
  void keep(std::string_view key, std::span<const std::byte> source, std::span<const std::byte> packed);
  // Why entries could not be kept: at most one line. Not beside keep().
  const std::string &warning() const { return warning_; }
  // The file of a key.
  std::string pathOf(std::string_view key) const;

private:
  bool isBroken() const;

  std::string folder_, warning_;
  bool writes_;
  mutable std::mutex mutex_; // of warning_
};

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_LOAD_PACKCACHE_H
