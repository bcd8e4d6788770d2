// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/load/ParameterStore.h"

#include "heddle/contract/ArtifactHash.h"
#include "heddle/contract/ElementType.h"
#include "runtime/executor/load/ParallelFor.h"
#include "runtime/executor/program/Usage.h"

#include <algorithm>

namespace heddle {
namespace {

// Parameters are uploaded into common allocations of about this size: drivers have few large ones rather than many.
constexpr uint64_t kChunk = 64 << 20;
// Bindings may have to start at such a multiple (Vulkan allows at most 256).
constexpr uint64_t kPlaceAlignment = 256;

uint64_t placeBytes(uint64_t bytes) { return (bytes + kPlaceAlignment - 1) / kPlaceAlignment * kPlaceAlignment; }

// What a packed parameter's bytes depend on.
std::string keyOf(const fb::Parameter &parameter, const contract::Tiling &tiling) {
  std::string key = "heddle packed parameter 2\n" + std::to_string(parameter.hash()) + " " +
                    std::to_string(parameter.bytes()) + " " + std::to_string(parameter.type());
  auto list = [&](const char *name, const auto &values) {
    key += std::string("\n") + name;
    for (int64_t value : values)
      key += " " + std::to_string(value);
  };
  if (parameter.shape())
    list("shape", *parameter.shape());
  list("perm", tiling.perm);
  list("inner_dims", tiling.innerDims);
  list("inner_tiles", tiling.innerTiles);
  list("swizzle", tiling.swizzle);
  return key;
}

// What the cache is to keep for all programs is what its key says.
Status checkHash(const fb::Parameter &parameter, std::span<const std::byte> bytes) {
  if (contract::hashBytes(bytes) == parameter.hash())
    return {};
  std::string name = parameter.key() ? parameter.key()->str() : "";
  return Status(StatusCode::Malformed,
                "parameter '" + name + "' does not match its hash; the file is damaged, copy or compile it again");
}

} // namespace

bool ParameterStore::isForeign(uint32_t device) const {
  return device < devices_.size() && devices_[device].device && !devices_[device].device->readsHostMemory();
}

std::span<const std::byte> ParameterStore::bytesOf(uint32_t index) const {
  const fb::Parameter &parameter = *artifact_.module().parameters()->Get(index);
  return artifact_.view().data.subspan(parameter.offset(), parameter.bytes());
}

static PlacedBuffer onHost(std::span<const std::byte> bytes) {
  return {const_cast<std::byte *>(bytes.data()), static_cast<int64_t>(bytes.size()), kDefined | kHostMemory};
}

PlacedBuffer ParameterStore::find(uint32_t parameter, uint32_t device) const {
  if (!isForeign(device))
    return onHost(bytesOf(parameter));
  auto found = uploaded_.find({devices_[device].match.instance, parameter});
  return found == uploaded_.end() ? PlacedBuffer{} : found->second;
}

Status ParameterStore::upload(const Usage &usage) {
  for (uint32_t d = 0; d < devices_.size(); ++d) {
    if (!isForeign(d))
      continue;
    std::vector<Piece> pieces;
    for (uint32_t p = 0; p < usage.parameters[d].size(); ++p)
      if (usage.parameters[d][p]) {
        auto [at, isNew] = uploaded_.try_emplace({devices_[d].match.instance, p});
        if (isNew)
          pieces.push_back({bytesOf(p), &at->second});
      }
    for (const Piece &piece : pieces)
      artifact_.prefetch(piece.bytes);
    HEDDLE_RETURN_IF_ERROR(place(d, pieces).prefix("while uploading parameters to " + devices_[d].info.uri + ": "));
    for (const Piece &piece : pieces)
      artifact_.release(piece.bytes); // the device has a copy
  }
  return {};
}

void ParameterStore::prefetch(const Usage &usage) const {
  std::vector<std::span<const std::byte>> ranges;
  for (uint32_t d = 0; d < devices_.size(); ++d)
    for (uint32_t p = 0; p < usage.parameters[d].size() && !isForeign(d); ++p)
      if (usage.parameters[d][p])
        ranges.push_back(bytesOf(p));
  std::sort(ranges.begin(), ranges.end(), [](auto a, auto b) { return a.data() < b.data(); });
  for (size_t begin = 0, end; begin < ranges.size(); begin = end) {
    const std::byte *last = ranges[begin].data() + ranges[begin].size();
    for (end = begin + 1; end < ranges.size() && ranges[end].data() <= last + kPlaceAlignment; ++end)
      last = std::max(last, ranges[end].data() + ranges[end].size());
    artifact_.prefetch({ranges[begin].data(), last});
  }
}

Status ParameterStore::place(uint32_t device, std::span<const Piece> pieces) {
  if (pieces.empty())
    return {};
  StatusOr<std::unique_ptr<hal::Queue>> queue = devices_[device].device->createQueue();
  if (!queue.ok())
    return queue.takeStatus();
  for (size_t first = 0; first < pieces.size();) {
    size_t count = 0;
    uint64_t bytes = 0;
    for (; first + count < pieces.size(); ++count) {
      uint64_t next = placeBytes(pieces[first + count].bytes.size());
      if (count && bytes + next > kChunk)
        break;
      bytes += next;
    }
    HEDDLE_RETURN_IF_ERROR(placeTogether(device, **queue, pieces.subspan(first, count), bytes));
    first += count;
  }
  return {};
}

Status ParameterStore::placeTogether(uint32_t device, hal::Queue &queue, std::span<const Piece> pieces,
                                     uint64_t bytes) {
  const DeviceSlot &slot = devices_[device];
  StatusOr<hal::BufferRef> buffer = slot.device->allocate(bytes);
  if (!buffer.ok())
    return buffer.takeStatus();
  memory_.push_back(*buffer);
  uint32_t flags = kDefined | kDeviceMemory | (slot.device->hostAddressable() ? kHostMemory : 0) | (1 + device);
  PlacedBuffer at = PlacedBuffer::of(*buffer, 0, flags);
  hal::CommandBuffer commands;
  for (const Piece &piece : pieces) {
    at.bytes = static_cast<int64_t>(piece.bytes.size());
    HEDDLE_RETURN_IF_ERROR(commands.copy(at.view(), hal::View::ofHost(piece.bytes.data(), piece.bytes.size())));
    *piece.to = at;
    at.address = hal::advance(at.address, placeBytes(piece.bytes.size()));
    statistics_.uploadedBytes += piece.bytes.size();
  }
  return hal::runToEnd(queue, commands);
}

ParameterStore::Packing ParameterStore::describePacking(Key at) const {
  const fb::Parameter &parameter = *artifact_.module().parameters()->Get(at.first);
  Packing packing{at, contract::tilingOf(*artifact_.module().layouts()->Get(at.second)), {}, 0, 0, {}};
  if (parameter.shape())
    packing.shape.assign(parameter.shape()->begin(), parameter.shape()->end());
  packing.elementBytes = contract::byteSize(static_cast<contract::ElementType>(parameter.type()));
  packing.bytes = packing.elementBytes;
  for (int64_t size : contract::physicalShape(packing.tiling, packing.shape))
    packing.bytes *= static_cast<uint64_t>(size); // the verifier saw that this does not overflow
  packing.key = keyOf(parameter, packing.tiling);
  return packing;
}

Status ParameterStore::packInto(const Packing &packing, std::span<std::byte> target) {
  std::span<const std::byte> source = bytesOf(packing.at.first);
  artifact_.prefetch(source);
  HEDDLE_RETURN_IF_ERROR(checkHash(*artifact_.module().parameters()->Get(packing.at.first), source));
  std::string error = contract::packBytes(packing.tiling, packing.elementBytes, packing.shape, source, target);
  if (!error.empty())
    return Status(StatusCode::Internal, "a parameter cannot be packed: " + error);
  cache_.keep(packing.key, source, target);
  artifact_.release(source); // nobody needs two copies
  return {};
}

hal::BufferRef ParameterStore::findPacked(const Packing &packing) const {
  std::span<const std::byte> source = bytesOf(packing.at.first);
  hal::BufferRef found = cache_.find(packing.key, source, packing.bytes);
  if (found)
    artifact_.release(source);
  return found;
}

StatusOr<std::span<const std::byte>> ParameterStore::packOnHost(Key at) {
  if (auto known = packed_.find(at); known != packed_.end())
    return known->second;
  Packing packing = describePacking(at);
  hal::BufferRef buffer = findPacked(packing);
  if (buffer) {
    ++statistics_.cached;
  } else {
    StatusOr<hal::BufferRef> made = hal::allocateHostBuffer(packing.bytes);
    if (!made.ok())
      return made.takeStatus();
    buffer = std::move(*made);
    HEDDLE_RETURN_IF_ERROR(packInto(packing, {buffer->address(), buffer->bytes()}));
    ++statistics_.packed;
  }
  std::span<const std::byte> packed(buffer->address(), buffer->bytes());
  memory_.push_back(std::move(buffer));
  packed_.emplace(at, packed);
  return packed;
}

void ParameterStore::packAhead(const Usage &usage) {
  std::vector<Key> keys(usage.packed);
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  std::vector<Packing> packings, missing;
  for (const Key &key : keys)
    if (packed_.count(key) == 0)
      packings.push_back(describePacking(key));
  std::vector<hal::BufferRef> cached(packings.size());
  forEachInParallel(packings.size(), [&](size_t i) { cached[i] = findPacked(packings[i]); });
  for (size_t i = 0; i < packings.size(); ++i) {
    if (!cached[i]) {
      missing.push_back(std::move(packings[i]));
      continue;
    }
    packed_.emplace(packings[i].at, std::span<const std::byte>(cached[i]->address(), cached[i]->bytes()));
    memory_.push_back(std::move(cached[i]));
    ++statistics_.cached;
  }
  // The largest first, so that no thread begins one when the others are done.
  std::sort(missing.begin(), missing.end(),
            [](const Packing &a, const Packing &b) { return a.bytes != b.bytes ? a.bytes > b.bytes : a.at < b.at; });
  for (size_t first = 0, count; first < missing.size(); first += count) {
    uint64_t bytes = placeBytes(missing[first].bytes);
    for (count = 1; first + count < missing.size() && bytes + missing[first + count].bytes <= kChunk; ++count)
      bytes += placeBytes(missing[first + count].bytes);
    packTogether(std::span(missing).subspan(first, count));
  }
}

void ParameterStore::packTogether(std::span<const Packing> packings) {
  std::vector<std::span<std::byte>> targets;
  uint64_t bytes = 0;
  for (const Packing &packing : packings)
    bytes += placeBytes(packing.bytes);
  StatusOr<hal::BufferRef> buffer = hal::allocateHostBuffer(bytes);
  if (!buffer.ok())
    return;
  for (std::byte *at = (*buffer)->address(); const Packing &packing : packings) {
    targets.emplace_back(at, packing.bytes);
    at += placeBytes(packing.bytes);
  }
  memory_.push_back(std::move(*buffer));
  std::vector<char> done(packings.size());
  forEachInParallel(packings.size(), [&](size_t i) { done[i] = packInto(packings[i], targets[i]).ok(); });
  for (size_t i = 0; i < packings.size(); ++i)
    if (done[i]) {
      packed_.emplace(packings[i].at, targets[i]);
      ++statistics_.packed;
    }
}

StatusOr<PlacedBuffer> ParameterStore::slice(uint32_t parameter, uint32_t device, int64_t offset, int64_t bytes) {
  std::span<const std::byte> whole = bytesOf(parameter);
  auto size = static_cast<int64_t>(whole.size());
  if (offset < 0 || bytes < 0 || offset > size || bytes > size - offset)
    return Status(StatusCode::InvalidArgument, std::to_string(bytes) + " bytes at " + std::to_string(offset) +
                                                   " must lie in the parameter's " + std::to_string(size));
  std::span<const std::byte> part = whole.subspan(static_cast<size_t>(offset), static_cast<size_t>(bytes));
  PlacedBuffer at = onHost(part);
  if (isForeign(device)) {
    Piece piece{part, &at};
    HEDDLE_RETURN_IF_ERROR(place(device, {&piece, 1}));
    artifact_.release(part);
  } else {
    artifact_.prefetch(part);
  }
  return at;
}

StatusOr<PlacedBuffer> ParameterStore::pack(uint32_t parameter, uint32_t layout, uint32_t device) {
  StatusOr<std::span<const std::byte>> packed = packOnHost({parameter, layout});
  if (!packed.ok())
    return packed.takeStatus();
  if (!isForeign(device))
    return onHost(*packed);
  auto [at, isNew] = uploadedPacked_.try_emplace({devices_[device].match.instance, Key(parameter, layout)});
  if (isNew) {
    Piece piece{*packed, &at->second};
    HEDDLE_RETURN_IF_ERROR(place(device, {&piece, 1}));
  }
  return at->second;
}

} // namespace heddle
