// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// buffers.h: buffers and views.
#include "runtime/capi/Capi.h"

#include <cstring>

using namespace heddle;

namespace {

Status invalid(std::string message) { return Status(StatusCode::InvalidArgument, std::move(message)); }
Status unsupported(std::string message) { return Status(StatusCode::Unsupported, std::move(message)); }

// How the device shares memory, or that it does not.
StatusOr<hal::ExternalMemory *> externalOf(hal::Device &device, const char *what) {
  if (hal::ExternalMemory *external = device.external())
    return external;
  return unsupported("the device '" + device.info().uri + "' " + what + "; copy the contents");
}

StatusOr<hal::BufferRef> allocate(const heddle_module &module, uint32_t device, uint64_t bytes, uint32_t flags) {
  if (flags & ~HEDDLE_BUFFER_SHARED)
    return invalid("the flags of a buffer are 0 or HEDDLE_BUFFER_SHARED, got " + std::to_string(flags));
  if (device == HEDDLE_HOST) {
    if (flags)
      return unsupported("memory of the host has no file descriptor here; a shared one is made by memfd_create()");
    return hal::allocateHostBuffer(bytes);
  }
  StatusOr<std::shared_ptr<DeviceMemory>> memory = memoryOf(module, device);
  if (!memory.ok())
    return memory.takeStatus();
  if (!(flags & HEDDLE_BUFFER_SHARED))
    return (*memory)->allocate(bytes);
  StatusOr<hal::ExternalMemory *> external =
      externalOf((*memory)->device(), "shares no memory by file descriptors; those of Vulkan do");
  if (!external.ok())
    return external.takeStatus();
  StatusOr<hal::BufferRef> buffer = (*external)->allocateShared(bytes);
  return buffer.ok() ? (*memory)->hold(std::move(*buffer)) : buffer.takeStatus();
}

StatusOr<hal::BufferRef> importMemory(hal::Device &device, const heddle_memory &memory) {
  if (memory.kind == HEDDLE_MEMORY_HOST)
    return device.importHost(memory.pointer, memory.bytes);
  bool isPointer = memory.kind == HEDDLE_MEMORY_DEVICE;
  StatusOr<hal::ExternalMemory *> external =
      externalOf(device, isPointer ? "takes no pointers of a library of its own" : "takes no file descriptors");
  if (!external.ok())
    return external.takeStatus();
  return isPointer ? (*external)->importPointer(memory.pointer, memory.bytes)
                   : (*external)->importDescriptor(memory.descriptor, memory.bytes);
}

StatusOr<hal::BufferRef> import(const heddle_module &module, uint32_t device, const heddle_memory &given) {
  heddle_memory memory{};
  memory.descriptor = -1;
  std::memcpy(&memory, &given, std::min<size_t>(given.struct_size, sizeof(memory)));
  HeldBuffer::Release release{memory.release, memory.user};
  bool readOnly = memory.read_only != 0;
  if (memory.kind != HEDDLE_MEMORY_DESCRIPTOR && !memory.pointer && memory.bytes)
    return invalid("the memory to import has no pointer; set heddle_memory::pointer");
  auto *pointer = static_cast<std::byte *>(memory.pointer);
  if (device == HEDDLE_HOST) {
    if (memory.kind != HEDDLE_MEMORY_HOST)
      return invalid("memory of the host is of the kind HEDDLE_MEMORY_HOST, got kind " + std::to_string(memory.kind));
    return HeldBuffer::make(nullptr, {}, pointer, memory.bytes, readOnly, release);
  }
  if (memory.kind < HEDDLE_MEMORY_HOST || memory.kind > HEDDLE_MEMORY_DESCRIPTOR)
    return invalid("there is no kind of memory " + std::to_string(memory.kind));
  StatusOr<std::shared_ptr<DeviceMemory>> owner = memoryOf(module, device);
  if (!owner.ok())
    return owner.takeStatus();
  StatusOr<hal::BufferRef> buffer = importMemory((*owner)->device(), memory);
  if (!buffer.ok())
    return buffer.takeStatus();
  std::byte *address = (*buffer)->address();
  return HeldBuffer::make(std::move(*owner), std::move(*buffer), address, memory.bytes, readOnly, release);
}

// The range, as the device's streams name it.
StatusOr<Place> rangeOf(const heddle_buffer *buffer, uint64_t offset, uint64_t bytes) {
  Place place{bufferOf(buffer), offset};
  if (!buffer)
    return invalid("there is no buffer");
  if (offset > place.buffer->bytes() || bytes > place.buffer->bytes() - offset)
    return invalid(std::to_string(bytes) + " bytes at " + std::to_string(offset) + " must lie in the buffer of " +
                   std::to_string(place.buffer->bytes()) + " bytes");
  return place;
}

} // namespace

StatusOr<std::shared_ptr<DeviceMemory>> heddle::memoryOf(const heddle_module &module, uint32_t device) {
  std::shared_ptr<const Module> current = module.live->current();
  if (device >= current->devices().size())
    return invalid("the module has " + std::to_string(current->devices().size()) + " devices, got index " +
                   std::to_string(device));
  if (!current->memory(device))
    return invalid("the program does not use its device " + std::to_string(device) + " here, so it is not open");
  return current->memory(device);
}

hal::DlpackDevice heddle::dlpackDeviceOf(const Place &place) {
  if (!place.device() || place.hostAddress())
    return {1, 0}; // kDLCPU
  hal::ExternalMemory *external = place.device()->device().external();
  return external ? external->dlpackDevice() : hal::DlpackDevice();
}

heddle_status *heddle_buffer_allocate(heddle_module *module, uint32_t device, uint64_t bytes, uint32_t flags,
                                      heddle_buffer **buffer) {
  return entry([&]() -> Status {
    StatusOr<hal::BufferRef> made = allocate(*module, device, bytes, flags);
    if (!made.ok())
      return made.takeStatus();
    *buffer = toC(std::move(*made));
    return {};
  });
}

heddle_status *heddle_buffer_import(heddle_module *module, uint32_t device, const heddle_memory *memory,
                                    heddle_buffer **buffer) {
  return entry([&]() -> Status {
    StatusOr<hal::BufferRef> made = import(*module, device, *memory);
    if (!made.ok())
      return made.takeStatus();
    *buffer = toC(std::move(*made));
    return {};
  });
}

heddle_status *heddle_buffer_export(heddle_buffer *buffer, int32_t *descriptor) {
  return entry([&]() -> Status {
    const HeldBuffer *held = buffer ? bufferOf(buffer)->held() : nullptr;
    if (!held || !held->device())
      return unsupported("memory of the host has no file descriptor here");
    StatusOr<hal::ExternalMemory *> external = externalOf(held->device()->device(), "shares no memory");
    if (!external.ok())
      return external.takeStatus();
    StatusOr<int> made = (*external)->exportDescriptor(*held->memory());
    if (!made.ok())
      return made.takeStatus();
    *descriptor = *made;
    return {};
  });
}

void heddle_buffer_get_info(const heddle_buffer *buffer, heddle_buffer_info *info) {
  Place place{bufferOf(buffer)};
  const HeldBuffer *held = place.held();
  hal::Device *device = place.device() ? &place.device()->device() : nullptr;
  heddle_buffer_info out{};
  out.struct_size = info->struct_size;
  out.read_only = place.readOnly();
  out.bytes = place.buffer->bytes();
  out.host = place.hostAddress();
  out.pointer = device && device->external() ? device->external()->pointerOf(*held->memory()) : nullptr;
  out.uri = device ? device->info().uri.c_str() : "";
  hal::DlpackDevice dlpack = dlpackDeviceOf(place);
  out.dlpack_type = dlpack.type;
  out.dlpack_index = dlpack.index;
  out.is_lost = device && device->lost();
  std::memcpy(info, &out, std::min<size_t>(info->struct_size, sizeof(out)));
}

heddle_status *heddle_buffer_write(heddle_buffer *buffer, uint64_t offset, const void *data, uint64_t bytes) {
  return entry([&]() -> Status {
    StatusOr<Place> to = rangeOf(buffer, offset, bytes);
    if (!to.ok())
      return to.takeStatus();
    if (to->readOnly())
      return invalid("the buffer is only read");
    if (DeviceMemory *device = to->device())
      return device->write(to->view(bytes), data);
    if (bytes)
      std::memcpy(to->hostAddress(), data, bytes);
    return {};
  });
}

heddle_status *heddle_buffer_read(const heddle_buffer *buffer, uint64_t offset, void *data, uint64_t bytes) {
  return entry([&]() -> Status {
    StatusOr<Place> from = rangeOf(buffer, offset, bytes);
    if (!from.ok())
      return from.takeStatus();
    if (DeviceMemory *device = from->device())
      return device->read(data, from->view(bytes));
    if (bytes)
      std::memcpy(data, from->hostAddress(), bytes);
    return {};
  });
}

void heddle_buffer_retain(heddle_buffer *buffer) { bufferOf(buffer)->retain(); }
void heddle_buffer_release(heddle_buffer *buffer) {
  if (buffer)
    bufferOf(buffer)->release();
}

void heddle_view_reset(heddle_view *view) {
  if (!view)
    return;
  heddle_buffer_release(view->buffer);
  std::memset(view, 0, sizeof(*view));
}
