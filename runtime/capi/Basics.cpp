// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle.h: status, devices, element types, tensors.
#include "runtime/capi/Capi.h"

#include "heddle/contract/ElementType.h"
#include "heddle/contract/Text.h"
#include "runtime/hal/Registry.h"

#include <cstring>

using namespace heddle;

namespace {

std::string join(const std::vector<std::string> &items) {
  std::string out;
  for (const std::string &item : items)
    out += (out.empty() ? "" : ",") + item;
  return out;
}

heddle_device_list *toList(std::vector<DeviceInfo> infos) {
  auto list = std::make_unique<heddle_device_list>();
  for (DeviceInfo &info : infos) {
    auto entry = std::make_unique<heddle_device_list::Entry>();
    entry->info = std::move(info);
    entry->features = join(entry->info.features);
    entry->formats = join(entry->info.formats);
    const DeviceInfo &i = entry->info;
    entry->out = {i.uri.c_str(),          i.driver.c_str(), i.description.c_str(), i.available,
                  i.reason.c_str(),       i.cores,          i.memoryBytes,         entry->features.c_str(),
                  entry->formats.c_str(), i.isDefault};
    list->entries.push_back(std::move(entry));
  }
  return list.release();
}

} // namespace

heddle_status *heddle::toC(Status status) {
  auto show = [](std::string &text) { text = contract::showText(text, contract::Lines::One); };
  if (!status.ok()) [[unlikely]]
    status = std::move(status).rewrite(show);
  return static_cast<heddle_status *>(status.take().release());
}

uint32_t heddle_abi_version(void) { return HEDDLE_ABI_VERSION; }
const char *heddle_version(void) { return HEDDLE_VERSION; }

heddle_status_code heddle_status_get_code(const heddle_status *status) {
  return status ? static_cast<heddle_status_code>(status->code) : HEDDLE_OK;
}
const char *heddle_status_message(const heddle_status *status) { return status ? status->message.c_str() : "ok"; }
uint32_t heddle_status_note_count(const heddle_status *status) {
  return status ? static_cast<uint32_t>(status->notes.size()) : 0;
}
const char *heddle_status_note(const heddle_status *status, uint32_t index) {
  return index < heddle_status_note_count(status) ? status->notes[index].c_str() : "";
}
const char *heddle_status_code_name(heddle_status_code code) { return spelling(static_cast<StatusCode>(code)); }
heddle_status *heddle_status_create(heddle_status_code code, const char *message) {
  return entry([&] {
    return Status(static_cast<StatusCode>(code == HEDDLE_OK ? HEDDLE_INTERNAL : code), message ? message : "");
  });
}
void heddle_status_release(heddle_status *status) {
  // The base is what Status allocated.
  Status::FailurePointer(static_cast<Status::Failure *>(status)).reset();
}

heddle_status *heddle_device_list_create(heddle_device_list **list) {
  return entry([&] {
    *list = toList(enumerateDevices());
    return Status();
  });
}

heddle_status *heddle_device_list_create_for(const char *uri, heddle_device_list **list) {
  return entry([&]() -> Status {
    StatusOr<DeviceInfo> info = queryDevice(uri ? uri : "");
    if (!info.ok())
      return info.takeStatus();
    std::vector<DeviceInfo> infos;
    infos.push_back(std::move(*info));
    *list = toList(std::move(infos));
    return {};
  });
}

uint32_t heddle_device_list_count(const heddle_device_list *list) {
  return static_cast<uint32_t>(list->entries.size());
}
const heddle_device_info *heddle_device_list_get(const heddle_device_list *list, uint32_t index) {
  return index < list->entries.size() ? &list->entries[index]->out : nullptr;
}
void heddle_device_list_release(heddle_device_list *list) { delete list; }

uint32_t heddle_element_type_bytes(heddle_element_type type) {
  return static_cast<uint32_t>(type) < contract::kElementTypes
             ? contract::byteSize(static_cast<contract::ElementType>(type))
             : 0;
}
const char *heddle_element_type_name(heddle_element_type type) {
  return contract::spelling(static_cast<uint32_t>(type) < contract::kElementTypes
                                ? static_cast<contract::ElementType>(type)
                                : contract::ElementType::None)
      .data();
}
heddle_element_type heddle_element_type_parse(const char *name) {
  return static_cast<heddle_element_type>(contract::parseElementType(name ? name : ""));
}

static Status allocate(heddle_element_type type, uint32_t rank, const int64_t *dims, heddle_tensor *tensor) {
  uint64_t bytes = heddle_element_type_bytes(type);
  if (bytes == 0 || rank > HEDDLE_MAX_RANK)
    return Status(StatusCode::InvalidArgument, "a tensor has an element type and at most 16 dimensions, got type " +
                                                   std::to_string(type) + " and " + std::to_string(rank) +
                                                   " dimensions");
  for (uint32_t d = 0; d < rank; ++d)
    if (dims[d] < 0 || __builtin_mul_overflow(bytes, static_cast<uint64_t>(dims[d]), &bytes))
      return Status(StatusCode::InvalidArgument,
                    "dimension " + std::to_string(d) + " has the size " + std::to_string(dims[d]));
  StatusOr<hal::BufferRef> buffer = hal::allocateHostBuffer(bytes);
  if (!buffer.ok())
    return buffer.takeStatus();
  *tensor = {};
  tensor->data = (*buffer)->address();
  tensor->bytes = bytes;
  tensor->type = type;
  tensor->rank = rank;
  std::copy_n(dims, rank, tensor->dims);
  tensor->owner = reinterpret_cast<heddle_buffer *>(buffer->take());
  return {};
}

heddle_status *heddle_tensor_allocate(heddle_element_type type, uint32_t rank, const int64_t *dims,
                                      heddle_tensor *tensor) {
  return entry([&] { return allocate(type, rank, dims, tensor); });
}

void heddle_tensor_retain(const heddle_tensor *tensor) {
  if (tensor->owner)
    reinterpret_cast<hal::Buffer *>(tensor->owner)->retain();
}

void heddle_tensor_reset(heddle_tensor *tensor) {
  if (!tensor)
    return;
  if (tensor->owner)
    reinterpret_cast<hal::Buffer *>(tensor->owner)->release();
  std::memset(tensor, 0, sizeof(*tensor));
}
