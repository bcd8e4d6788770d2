// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the parameters of a module are for each of its devices. A device that reads host memory uses the mapped file in
// place; for others parameters are uploaded, once per logical device. What bind functions pack is packed once for all
// devices, or taken from the cache (PackCache.h), then placed in the same way.
//
// Used by the loading thread; find() afterwards by any.
#ifndef HEDDLE_RUNTIME_EXECUTOR_LOAD_PARAMETERSTORE_H
#define HEDDLE_RUNTIME_EXECUTOR_LOAD_PARAMETERSTORE_H

#include "heddle/contract/Packing.h"
#include "runtime/executor/load/Artifact.h"
#include "runtime/executor/load/PackCache.h"
#include "runtime/executor/program/DeviceSlot.h"
#include "runtime/executor/program/Program.h"

#include <map>

namespace heddle {

struct Usage;

struct LoadStatistics {
  uint64_t packed = 0; // parameters packed at bind time
  uint64_t cached = 0; // packed parameters found in the cache
  uint64_t uploadedBytes = 0;
};

class ParameterStore {
public:
  // Both are borrowed. `keepsPacked`: what is packed may go to the cache.
  ParameterStore(const Artifact &artifact, std::span<const DeviceSlot> devices, bool keepsPacked)
      : artifact_(artifact), devices_(devices), cache_(PackCache::folder(), keepsPacked) {}

  // Uploads what the usage needs and is not there yet; done when it returns. OutOfMemory, and what copying says.
  Status upload(const Usage &usage);
  // Has the system read what kernels use in place, ahead of the first call. Best effort.
  void prefetch(const Usage &usage) const;
  // Packs what bind functions are going to, on all cores. What fails is left to pack(), which says why.
  void packAhead(const Usage &usage);
  // Where kernels of the device read the parameter. It was uploaded if it had to be.
  PlacedBuffer find(uint32_t parameter, uint32_t device) const;
  // These bytes of the parameter, and no others, where kernels of the device read them: a view of the file, or an
  // upload. Lives as long as the store. InvalidArgument for a range that is none.
  StatusOr<PlacedBuffer> slice(uint32_t parameter, uint32_t device, int64_t offset, int64_t bytes);
  // The parameter in a layout of the module where kernels of the device read it. Lives as long as the store. Malformed
  // when bytes to be packed do not match their hash.
  StatusOr<PlacedBuffer> pack(uint32_t parameter, uint32_t layout, uint32_t device);

  const LoadStatistics &statistics() const { return statistics_; }
  const std::string &warning() const { return cache_.warning(); }

private:
  struct Piece {
    std::span<const std::byte> bytes;
    PlacedBuffer *to;
  };
  using Key = std::pair<uint32_t, uint32_t>;
  // A parameter to be packed.
  struct Packing {
    Key at;
    contract::Tiling tiling;
    std::vector<int64_t> shape;
    uint32_t elementBytes;
    uint64_t bytes;  // when packed
    std::string key; // in the cache
  };
  bool isForeign(uint32_t device) const;
  std::span<const std::byte> bytesOf(uint32_t parameter) const;
  Packing describePacking(Key at) const;
  Status packInto(const Packing &packing, std::span<std::byte> target); // any thread
  hal::BufferRef findPacked(const Packing &packing) const;              // any thread; null where the cache has none
  // Packs in a common buffer, in parallel; those that fail are left out.
  void packTogether(std::span<const Packing> packings);
  StatusOr<std::span<const std::byte>> packOnHost(Key key);
  Status place(uint32_t device, std::span<const Piece> pieces);
  Status placeTogether(uint32_t device, hal::Queue &queue, std::span<const Piece> pieces, uint64_t bytes);

  const Artifact &artifact_;
  std::span<const DeviceSlot> devices_;
  PackCache cache_;
  std::vector<hal::BufferRef> memory_;
  std::map<Key, std::span<const std::byte>> packed_;              // by parameter and layout, on the host
  std::map<std::pair<size_t, uint32_t>, PlacedBuffer> uploaded_;  // by logical device and parameter
  std::map<std::pair<size_t, Key>, PlacedBuffer> uploadedPacked_; // by logical device, parameter and layout
  LoadStatistics statistics_;
};

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_LOAD_PARAMETERSTORE_H
