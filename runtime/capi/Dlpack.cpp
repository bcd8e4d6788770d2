// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// buffers.h: tensors of other libraries, by DLPack. Structures and numbers are those of its specification (version 1,
// and the form before it); they are written here anew, so that no header of it is needed.
#include "runtime/capi/Capi.h"

#include "heddle/contract/ElementType.h"

using namespace heddle;

namespace {

enum Code : uint8_t { kInt = 0, kUInt = 1, kFloat = 2, kBfloat = 4, kBool = 6, kFirstFloat8 = 7 };
enum Device : int32_t { kCpu = 1, kCuda = 2, kCudaHost = 3 };
// The codes from kFirstFloat8 on.
constexpr const char *kFloat8[] = {"f8E3M4",     "f8E4M3", "f8E4M3B11FNUZ", "f8E4M3FN",
                                   "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ",    "f8E8M0FNU"};
constexpr uint64_t kReadOnly = 1;

struct DataType {
  uint8_t code, bits;
  uint16_t lanes;
};
struct Tensor {
  void *data;
  hal::DlpackDevice device;
  int32_t rank;
  DataType type;
  int64_t *dims;
  int64_t *strides; // of elements; null: dense and row-major
  uint64_t offset;
};

} // namespace

// By their names in DLPack's header: other libraries' functions take them.
struct DLManagedTensor {
  Tensor tensor;
  void *context;
  void (*release)(DLManagedTensor *self);
};
struct DLManagedTensorVersioned {
  uint32_t major, minor;
  void *context;
  void (*release)(DLManagedTensorVersioned *self);
  uint64_t flags;
  Tensor tensor;
};

namespace {

Status invalid(std::string message) { return Status(StatusCode::InvalidArgument, std::move(message)); }
Status unsupported(std::string message) { return Status(StatusCode::Unsupported, std::move(message)); }

template <typename T> void release(void *managed) {
  auto *tensor = static_cast<T *>(managed);
  if (tensor->release)
    tensor->release(tensor);
}

// HEDDLE_NONE for one that Heddle does not have, or has in another width.
heddle_element_type typeOf(DataType type) {
  std::string name;
  switch (type.code) {
  case kInt: name = "i" + std::to_string(type.bits); break;
  case kUInt: name = "ui" + std::to_string(type.bits); break;
  case kFloat: name = "f" + std::to_string(type.bits); break;
  case kBfloat: name = "bf" + std::to_string(type.bits); break;
  case kBool: name = type.bits == 8 ? "i1" : ""; break;
  default:
    if (size_t i = size_t{type.code} - kFirstFloat8; i < std::size(kFloat8)) // smaller codes wrap: they are no floats
      name = kFloat8[i];
  }
  heddle_element_type found = heddle_element_type_parse(name.c_str());
  return type.lanes == 1 && heddle_element_type_bytes(found) * 8 == type.bits ? found : HEDDLE_NONE;
}

// No value: DLPack has none of one byte for one that takes a byte.
std::optional<DataType> typeOf(heddle_element_type type) {
  auto bits = static_cast<uint8_t>(heddle_element_type_bytes(type) * 8);
  for (uint8_t code : {kInt, kUInt, kFloat, kBfloat, kBool})
    if (DataType one{code, bits, 1}; bits && typeOf(one) == type)
      return one;
  for (uint8_t i = 0; i < std::size(kFloat8); ++i)
    if (DataType one{static_cast<uint8_t>(kFirstFloat8 + i), bits, 1}; typeOf(one) == type)
      return one;
  return std::nullopt;
}

// Type, rank, dims and bytes of the view.
Status describe(const Tensor &from, heddle_view &view) {
  view.type = typeOf(from.type);
  if (view.type == HEDDLE_NONE)
    return invalid("the tensor has elements that Heddle does not have (DLPack type code " +
                   std::to_string(from.type.code) + ", " + std::to_string(from.type.bits) + " bits, " +
                   std::to_string(from.type.lanes) + " lanes); convert it");
  if (from.rank < 0 || from.rank > HEDDLE_MAX_RANK)
    return invalid("a tensor has at most 16 dimensions, got " + std::to_string(from.rank));
  view.rank = static_cast<uint32_t>(from.rank);
  view.bytes = heddle_element_type_bytes(view.type);
  for (uint32_t d = 0; d < view.rank; ++d) {
    view.dims[d] = from.dims[d];
    if (view.dims[d] < 0 || __builtin_mul_overflow(view.bytes, static_cast<uint64_t>(view.dims[d]), &view.bytes))
      return invalid("dimension " + std::to_string(d) + " has the size " + std::to_string(view.dims[d]));
  }
  int64_t stride = 1;
  for (uint32_t d = view.rank; from.strides && view.bytes && d-- > 0;) {
    if (view.dims[d] != 1 && from.strides[d] != stride)
      return invalid("dimension " + std::to_string(d) + " has the stride " + std::to_string(from.strides[d]) +
                     ", a dense row-major tensor " + std::to_string(stride) + "; make it contiguous");
    stride *= view.dims[d];
  }
  return {};
}

// The buffer over the tensor's memory, which is released with it.
StatusOr<hal::BufferRef> bufferFor(const heddle_module &module, const Tensor &from, uint64_t bytes, bool readOnly,
                                   HeldBuffer::Release release) {
  auto *data = static_cast<std::byte *>(from.data) + from.offset;
  int32_t type = from.device.type, index = from.device.index;
  if (type == kCpu || type == kCudaHost)
    return HeldBuffer::make(nullptr, {}, data, bytes, readOnly, release);
  std::shared_ptr<const Module> current = module.live->current();
  for (uint32_t d = 0; d < current->devices().size(); ++d) {
    const std::shared_ptr<DeviceMemory> &memory = current->memory(d);
    hal::ExternalMemory *external = memory ? memory->device().external() : nullptr;
    hal::DlpackDevice own = external ? external->dlpackDevice() : hal::DlpackDevice();
    if (own.type != type || own.index != index)
      continue;
    StatusOr<hal::BufferRef> buffer = external->importPointer(data, bytes);
    if (!buffer.ok())
      return buffer.takeStatus();
    std::byte *address = (*buffer)->address();
    return HeldBuffer::make(memory, std::move(*buffer), address, bytes, readOnly, release);
  }
  std::string where = "the tensor is in memory of a device (DLPack device type " + std::to_string(type) + ", index " +
                      std::to_string(index) + ")";
  return type == kCuda ? invalid(where + " that the module does not use; load it for cuda://" + std::to_string(index) +
                                 ", or copy the tensor to the host first")
                       : unsupported(where + " that Heddle does not take by DLPack; copy it to the host first");
}

// A tensor that was handed out, with what it refers to.
template <typename T> struct Exported {
  T managed{};
  hal::BufferRef buffer;
  int64_t dims[HEDDLE_MAX_RANK], strides[HEDDLE_MAX_RANK];

  static void release(T *self) { delete static_cast<Exported *>(self->context); }
};

Status describe(const heddle_view &view, Tensor &to, int64_t *dims, int64_t *strides) {
  Place place{bufferOf(view.buffer), view.offset};
  std::optional<DataType> type = typeOf(view.type);
  if (!type)
    return unsupported(std::string("DLPack has no elements of ") + heddle_element_type_name(view.type) +
                       " that take a byte each; convert it");
  if (view.rank > HEDDLE_MAX_RANK || view.offset > place.buffer->bytes() ||
      view.bytes > place.buffer->bytes() - view.offset)
    return invalid("the view must have at most 16 dimensions and lie in its buffer");
  to.type = *type;
  to.data = place.hostAddress();
  to.device = dlpackDeviceOf(place);
  if (to.device.type != kCpu) {
    DeviceMemory *device = place.device();
    void *pointer = to.device.type ? device->device().external()->pointerOf(*place.held()->memory()) : nullptr;
    if (!pointer)
      return unsupported("DLPack has no device type for memory of the device '" + device->device().info().uri +
                         "'; copy it to the host");
    to.data = static_cast<std::byte *>(pointer) + view.offset;
  }
  to.rank = static_cast<int32_t>(view.rank);
  to.dims = dims;
  to.strides = strides;
  int64_t stride = 1;
  for (uint32_t d = view.rank; d-- > 0; stride *= view.dims[d]) {
    dims[d] = view.dims[d];
    strides[d] = stride;
  }
  return {};
}

template <typename T> StatusOr<T *> exportAs(const heddle_view &view) {
  if (!view.buffer)
    return invalid("a view without a buffer is memory of the caller's, which nobody could keep");
  auto out = std::make_unique<Exported<T>>();
  HEDDLE_RETURN_IF_ERROR(describe(view, out->managed.tensor, out->dims, out->strides));
  bufferOf(view.buffer)->retain();
  out->buffer = hal::BufferRef(bufferOf(view.buffer));
  out->managed.release = &Exported<T>::release;
  out->managed.context = out.get();
  return &out.release()->managed;
}

} // namespace

heddle_status *heddle_view_from_dlpack(heddle_module *module, void *tensor, int32_t versioned, heddle_view *view) {
  return entry([&]() -> Status {
    if (!tensor)
      return invalid("there is no tensor");
    auto *old = static_cast<DLManagedTensor *>(tensor);
    auto *now = static_cast<DLManagedTensorVersioned *>(tensor);
    if (versioned && now->major != 1)
      return unsupported("DLPack's version 1 is known, got a tensor of version " + std::to_string(now->major));
    const Tensor &from = versioned ? now->tensor : old->tensor;
    heddle_view out{};
    HEDDLE_RETURN_IF_ERROR(describe(from, out));
    auto address = reinterpret_cast<uintptr_t>(from.data) + from.offset;
    if (out.bytes && address % heddle_element_type_bytes(out.type))
      return invalid("the tensor must be aligned to its elements of " +
                     std::to_string(heddle_element_type_bytes(out.type)) + " bytes; copy it");
    HeldBuffer::Release end{versioned ? &release<DLManagedTensorVersioned> : &release<DLManagedTensor>, tensor};
    bool readOnly = versioned && (now->flags & kReadOnly);
    StatusOr<hal::BufferRef> buffer = bufferFor(*module, from, out.bytes, readOnly, end);
    if (!buffer.ok())
      return buffer.takeStatus();
    out.data = Place{buffer->get()}.hostAddress();
    out.buffer = toC(std::move(*buffer));
    *view = out;
    return {};
  });
}

heddle_status *heddle_view_to_dlpack(const heddle_view *view, int32_t versioned, void **tensor) {
  return entry([&]() -> Status {
    bool readOnly = view->buffer && Place{bufferOf(view->buffer)}.readOnly();
    if (readOnly && !versioned)
      return unsupported("DLPack before version 1 cannot say that memory is only read; ask for version 1");
    if (!versioned) {
      StatusOr<DLManagedTensor *> made = exportAs<DLManagedTensor>(*view);
      if (!made.ok())
        return made.takeStatus();
      *tensor = *made;
      return {};
    }
    StatusOr<DLManagedTensorVersioned *> made = exportAs<DLManagedTensorVersioned>(*view);
    if (!made.ok())
      return made.takeStatus();
    (*made)->major = 1;
    (*made)->flags = readOnly ? kReadOnly : 0;
    *tensor = *made;
    return {};
  });
}
