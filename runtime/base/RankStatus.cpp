// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/RankStatus.h"

#include "heddle/contract/RankStatus.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <span>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle::rankstatus {
namespace {

using contract::RankRecord;
using contract::RankStatusHeader;

std::span<RankRecord> mapRecords(const char *path) {
  int fd = path ? open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) : -1;
  if (fd < 0)
    return {};
  struct stat info{};
  void *memory = MAP_FAILED;
  if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && static_cast<size_t>(info.st_size) >= sizeof(RankStatusHeader))
    memory = mmap(nullptr, static_cast<size_t>(info.st_size), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (memory == MAP_FAILED)
    return {};
  auto *header = static_cast<RankStatusHeader *>(memory);
  size_t room = (static_cast<size_t>(info.st_size) - sizeof(RankStatusHeader)) / sizeof(RankRecord);
  if (header->magic != contract::kRankStatusMagic || header->recordBytes != sizeof(RankRecord) ||
      header->ranks > room) {
    munmap(memory, static_cast<size_t>(info.st_size));
    return {};
  }
  return {reinterpret_cast<RankRecord *>(header + 1), header->ranks};
}

RankRecord *recordOf(uint32_t rank) {
  static const std::span<RankRecord> records = mapRecords(getenv(contract::kRankStatusVariable));
  return rank < records.size() ? &records[rank] : nullptr;
}

uint64_t nowNs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

template <size_t N> void copyText(char (&to)[N], std::string_view text) {
  size_t length = std::min(text.size(), N - 1);
  std::memcpy(to, text.data(), length);
  to[length] = 0;
}

// Between the two the record's version is odd.
void beginChange(RankRecord &record) {
  record.version.fetch_add(1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
}
void endChange(RankRecord &record) {
  record.changedNs.store(nowNs(), std::memory_order_relaxed);
  record.version.fetch_add(1, std::memory_order_release);
}

} // namespace

void enter(uint32_t rank, std::string_view name, std::string_view location, bool isNew) {
  RankRecord *record = recordOf(rank);
  if (!record)
    return;
  beginChange(*record);
  copyText(record->name, name);
  copyText(record->location, location);
  record->sequence.fetch_add(isNew, std::memory_order_relaxed);
  record->inCollective.store(1, std::memory_order_relaxed);
  endChange(*record);
}

void leave(uint32_t rank) {
  RankRecord *record = recordOf(rank);
  if (!record)
    return;
  beginChange(*record);
  record->inCollective.store(0, std::memory_order_relaxed);
  endChange(*record);
}

void fail(uint32_t rank) {
  if (RankRecord *record = recordOf(rank)) {
    uint64_t never = 0;
    record->failedNs.compare_exchange_strong(never, nowNs(), std::memory_order_relaxed);
  }
}

} // namespace heddle::rankstatus
