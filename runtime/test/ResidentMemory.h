// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests that memory does not grow with the number of calls.
#ifndef HEDDLE_RUNTIME_TEST_RESIDENTMEMORY_H
#define HEDDLE_RUNTIME_TEST_RESIDENTMEMORY_H

#include <fstream>
#include <unistd.h>

namespace heddle::test {

// Whether a sanitizer watches this program. It keeps freed memory for a while, so that residentBytes() says little.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
inline constexpr bool kSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool kSanitized = false;
#endif

// Bytes of this process that are in memory.
inline long residentBytes() {
  long pages = 0, rest = 0;
  std::ifstream("/proc/self/statm") >> rest >> pages;
  return pages * sysconf(_SC_PAGESIZE);
}

} // namespace heddle::test

#endif // HEDDLE_RUNTIME_TEST_RESIDENTMEMORY_H
