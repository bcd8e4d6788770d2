// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/lib/HostTensor.h"

#include "heddle/contract/Quantities.h"
#include "heddle/contract/StorageBytes.h"
#include "tools/lib/Error.h"

#include <new>
#include <unistd.h>

namespace heddle::tools {
namespace {

constexpr size_t kAlignment = 64;

uint64_t physicalMemory() {
  return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGE_SIZE));
}

} // namespace

int64_t elementCount(std::span<const int64_t> dims) {
  // Zero wins over an overflow among the other sizes: such a tensor is empty.
  bool overflow = false;
  int64_t count = 1;
  for (int64_t size : dims) {
    if (size < 0)
      return -1;
    if (size == 0)
      count = 0;
    else
      overflow |= __builtin_mul_overflow(count, size, &count);
  }
  for (int64_t size : dims)
    if (size == 0)
      return 0;
  return overflow ? -1 : count;
}

std::string formatType(ElementType type, std::span<const int64_t> dims) {
  std::string out;
  for (int64_t size : dims)
    out += (size < 0 ? "?" : std::to_string(size)) + "x";
  return out + std::string(contract::spelling(type));
}

HostTensor::HostTensor(ElementType type, std::vector<int64_t> dims) : type_(type), dims_(std::move(dims)) {
  if (dims_.size() > kMaxRank)
    throw Failure("a tensor has at most " + std::to_string(kMaxRank) + " dimensions, got " +
                  std::to_string(dims_.size()));
  count_ = elementCount(dims_);
  std::optional<int64_t> needed = contract::storageBytes(type, count_);
  if (!needed || static_cast<uint64_t>(*needed) > physicalMemory())
    throw Failure(formatType(type_, dims_) + " needs more memory than this machine has (" +
                  contract::formatBytes(physicalMemory()) + ")");
  bytes_ = *needed;
  size_t rounded = bytes_ / kAlignment * kAlignment + kAlignment;
  data_.reset(static_cast<std::byte *>(std::aligned_alloc(kAlignment, rounded)));
  if (!data_)
    throw std::bad_alloc();
}

void HostTensor::retype(ElementType type) {
  if (contract::byteSize(type) == contract::byteSize(type_))
    type_ = type;
}

ElementType npyCarrier(ElementType type) {
  if (type == ElementType::BF16)
    return ElementType::U16;
  if (type == ElementType::I4 || type == ElementType::I2)
    return ElementType::I8;
  return type > ElementType::F64 ? ElementType::U8 : type;
}

unsigned narrowBits(ElementType type) {
  switch (type) {
  case ElementType::F4E2M1FN:
  case ElementType::I4:
  case ElementType::U4: return 4;
  case ElementType::I2:
  case ElementType::U2: return 2;
  default: return 0;
  }
}

} // namespace heddle::tools
