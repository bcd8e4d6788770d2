// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Evaluation/FilePages.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

using namespace mlir::heddle;

namespace {

// Pages of [data, data + bytes) that this process maps.
int mappedPages(const char *data, size_t bytes) {
  int pagemap = open("/proc/self/pagemap", O_RDONLY), mapped = 0;
  for (size_t at = 0; at < bytes; at += 4096) {
    uint64_t entry = 0;
    if (pread(pagemap, &entry, sizeof(entry), reinterpret_cast<uintptr_t>(data + at) / 4096 * 8) == sizeof(entry))
      mapped += entry >> 63;
  }
  close(pagemap);
  return mapped;
}

TEST(FilePages, ForgottenPagesAreReadAgain) {
  constexpr size_t bytes = 1 << 20;
  llvm::SmallString<128> path;
  int fd;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("heddle", "bin", fd, path));
  llvm::raw_fd_ostream(fd, /*shouldClose=*/true) << std::string(bytes, 'x');
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  llvm::sys::fs::remove(path);
  ASSERT_TRUE(file);
  llvm::StringRef text = (*file)->getBuffer();
  EXPECT_EQ(text.count('x'), bytes);
  EXPECT_EQ(mappedPages(text.data(), bytes), 256);
  evaluation::forgetFilePages({{text.data(), bytes / 2}});
  EXPECT_EQ(mappedPages(text.data(), bytes), 128);
  EXPECT_EQ(text.count('x'), bytes);
}

TEST(FilePages, OtherMemoryIsKept) {
  std::string text(1 << 20, 'y');
  evaluation::forgetFilePages({{text.data(), text.size()}});
  EXPECT_EQ(llvm::StringRef(text).count('y'), text.size());
}

} // namespace
