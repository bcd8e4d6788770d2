// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Evaluation/FilePages.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <cinttypes>
#include <cstdio>
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir::heddle;

namespace {

struct Mapping {
  uintptr_t begin, end;
};

} // namespace

// The read-only private mappings of files, by /proc/self/maps.
static llvm::SmallVector<Mapping> listFileMappings() {
  llvm::SmallVector<Mapping> mappings;
  FILE *maps = std::fopen("/proc/self/maps", "re");
  if (!maps)
    return mappings;
  char line[512], access[5];
  bool startsLine = true; // a path may be longer than `line`
  while (std::fgets(line, sizeof(line), maps)) {
    Mapping mapping;
    unsigned long inode = 0;
    if (startsLine &&
        std::sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s %*x %*x:%*x %lu", &mapping.begin, &mapping.end, access,
                    &inode) == 4 &&
        inode != 0 && llvm::StringRef(access) == "r--p")
      mappings.push_back(mapping);
    startsLine = llvm::StringRef(line).ends_with("\n");
  }
  std::fclose(maps);
  return mappings;
}

void evaluation::forgetFilePages(llvm::ArrayRef<llvm::ArrayRef<char>> ranges) {
  if (ranges.empty())
    return;
  llvm::SmallVector<Mapping> mappings = listFileMappings();
  uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  for (llvm::ArrayRef<char> range : ranges) {
    uintptr_t begin = (reinterpret_cast<uintptr_t>(range.begin()) + page - 1) / page * page;
    uintptr_t end = reinterpret_cast<uintptr_t>(range.end()) / page * page;
    auto holds = [&](const Mapping &mapping) { return mapping.begin <= begin && end <= mapping.end; };
    if (begin < end && llvm::any_of(mappings, holds))
      (void)madvise(reinterpret_cast<void *>(begin), end - begin, MADV_DONTNEED);
  }
}
