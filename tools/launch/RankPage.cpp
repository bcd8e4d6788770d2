// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/launch/RankPage.h"

#include "heddle/contract/RankStatus.h"
#include "tools/lib/Error.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace heddle::tools {
namespace {

using contract::RankRecord;
using contract::RankStatusHeader;

template <size_t N> std::string textOf(const char (&text)[N]) { return std::string(text, strnlen(text, N)); }

} // namespace

RankPage::RankPage(const std::string &path, uint32_t ranks)
    : path_(path), ranks_(ranks), bytes_(sizeof(RankStatusHeader) + sizeof(RankRecord) * ranks) {
  int fd = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0)
    throw Failure("cannot write '" + path + "': " + std::strerror(errno));
  memory_ = ftruncate(fd, static_cast<off_t>(bytes_)) == 0
                ? mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                : MAP_FAILED;
  int error = errno;
  close(fd);
  if (memory_ == MAP_FAILED) {
    unlink(path.c_str());
    throw Failure("cannot map '" + path + "': " + std::strerror(error));
  }
  RankStatusHeader header{contract::kRankStatusMagic, ranks, sizeof(RankRecord), {}};
  std::memcpy(memory_, &header, sizeof(header));
}

RankPage::~RankPage() {
  munmap(memory_, bytes_);
  unlink(path_.c_str());
}

const RankRecord &RankPage::record(uint32_t rank) const {
  return reinterpret_cast<const RankRecord *>(static_cast<const char *>(memory_) + sizeof(RankStatusHeader))[rank];
}

uint64_t RankPage::failedNs(uint32_t rank) const { return record(rank).failedNs.load(std::memory_order_relaxed); }

RankPlace RankPage::read(uint32_t rank) const {
  constexpr int kTries = 1000; // a rank that was killed while it wrote stays odd: then what is there must do
  const RankRecord &record = this->record(rank);
  RankPlace out;
  for (int i = 0; i < kTries; ++i) {
    uint32_t before = record.version.load(std::memory_order_acquire);
    out = {record.sequence.load(std::memory_order_relaxed),
           record.inCollective.load(std::memory_order_relaxed) != 0,
           record.changedNs.load(std::memory_order_relaxed),
           failedNs(rank),
           textOf(record.name),
           textOf(record.location)};
    std::atomic_thread_fence(std::memory_order_acquire);
    if (before % 2 == 0 && record.version.load(std::memory_order_relaxed) == before)
      break;
  }
  return out;
}

std::vector<RankPlace> RankPage::readAll() const {
  std::vector<RankPlace> out;
  for (uint32_t rank = 0; rank < ranks_; ++rank)
    out.push_back(read(rank));
  return out;
}

} // namespace heddle::tools
