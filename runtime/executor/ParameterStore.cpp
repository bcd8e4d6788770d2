#include "runtime/executor/ParameterStore.h"

#include "heddle/contract/ArtifactHash.h"
#include "heddle/contract/ElementType.h"
#include "heddle/contract/Packing.h"
#include "runtime/executor/Decoder.h"

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
    HEDDLE_RETURN_IF_ERROR(place(d, pieces).prefix("while uploading parameters to " + devices_[d].info.uri + ": "));
  }
  return {};
}

Status ParameterStore::place(uint32_t device, std::span<const Piece> pieces) {
  if (pieces.empty())
    return {};
  StatusOr<std::unique_ptr<hal::Stream>> stream = devices_[device].device->createStream(hal::StreamMode::Queued);
  if (!stream.ok())
    return stream.takeStatus();
  Status status;
  for (size_t first = 0; first < pieces.size() && status.ok();) {
    size_t count = 0;
    uint64_t bytes = 0;
    for (; first + count < pieces.size(); ++count) {
      uint64_t next = placeBytes(pieces[first + count].bytes.size());
      if (count && bytes + next > kChunk)
        break;
      bytes += next;
    }
    status = placeTogether(device, **stream, pieces.subspan(first, count), bytes);
    first += count;
  }
  Status done = (*stream)->synchronize();
  return status.ok() ? std::move(done) : std::move(status);
}

Status ParameterStore::placeTogether(uint32_t device, hal::Stream &stream, std::span<const Piece> pieces,
                                     uint64_t bytes) {
  const DeviceSlot &slot = devices_[device];
  StatusOr<hal::BufferRef> buffer = slot.device->allocate(bytes);
  if (!buffer.ok())
    return buffer.takeStatus();
  memory_.push_back(*buffer);
  uint32_t flags = kDefined | kDeviceMemory | (slot.device->hostAddressable() ? kHostMemory : 0) | (1 + device);
  std::byte *at = (*buffer)->address();
  for (const Piece &piece : pieces) {
    HEDDLE_RETURN_IF_ERROR(stream.copy(at, piece.bytes.data(), piece.bytes.size()));
    *piece.to = {at, static_cast<int64_t>(piece.bytes.size()), flags};
    at += placeBytes(piece.bytes.size());
    statistics_.uploadedBytes += piece.bytes.size();
  }
  return {};
}

StatusOr<std::span<const std::byte>> ParameterStore::packOnHost(uint32_t index, uint32_t layout) {
  auto known = packed_.find({index, layout});
  if (known != packed_.end())
    return known->second;
  const fb::Parameter &parameter = *artifact_.module().parameters()->Get(index);
  contract::Tiling tiling = contract::tilingOf(*artifact_.module().layouts()->Get(layout));
  std::vector<int64_t> shape;
  if (parameter.shape())
    shape.assign(parameter.shape()->begin(), parameter.shape()->end());
  uint32_t elementBytes = contract::byteSize(static_cast<contract::ElementType>(parameter.type()));
  uint64_t bytes = elementBytes;
  for (int64_t size : contract::physicalShape(tiling, shape))
    bytes *= static_cast<uint64_t>(size); // the verifier saw that this does not overflow
  std::string key = keyOf(parameter, tiling);
  hal::BufferRef buffer = cache_.find(key, bytesOf(index), bytes);
  if (buffer) {
    ++statistics_.cached;
  } else {
    HEDDLE_RETURN_IF_ERROR(checkHash(parameter, bytesOf(index)));
    StatusOr<hal::BufferRef> made = hal::allocateHostBuffer(bytes);
    if (!made.ok())
      return made.takeStatus();
    buffer = std::move(*made);
    std::string error =
        contract::packBytes(tiling, elementBytes, shape, bytesOf(index), {buffer->address(), buffer->bytes()});
    if (!error.empty())
      return Status(StatusCode::Internal, "a parameter cannot be packed: " + error);
    ++statistics_.packed;
    cache_.keep(key, bytesOf(index), {buffer->address(), buffer->bytes()});
  }
  std::span<const std::byte> packed(buffer->address(), buffer->bytes());
  memory_.push_back(std::move(buffer));
  packed_.emplace(Key(index, layout), packed);
  return packed;
}

StatusOr<PlacedBuffer> ParameterStore::pack(uint32_t parameter, uint32_t layout, uint32_t device) {
  StatusOr<std::span<const std::byte>> packed = packOnHost(parameter, layout);
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
