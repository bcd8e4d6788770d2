// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/collectives/local/StreamCopy.h"

#include <algorithm>
#include <cstring>

#include <unistd.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace heddle::collectives {

void streamCopy(std::byte *to, const std::byte *from, uint64_t bytes) {
#if defined(__x86_64__)
  constexpr uint64_t kLine = 64;
  const uint64_t head = std::min(bytes, (kLine - reinterpret_cast<uintptr_t>(to) % kLine) % kLine);
  std::memcpy(to, from, head);
  uint64_t at = head;
  for (; at + kLine <= bytes; at += kLine)
    for (uint64_t i = 0; i < kLine; i += sizeof(__m128i))
      _mm_stream_si128(reinterpret_cast<__m128i *>(to + at + i),
                       _mm_loadu_si128(reinterpret_cast<const __m128i *>(from + at + i)));
  std::memcpy(to + at, from + at, bytes - at);
  _mm_sfence();
#else
  std::memcpy(to, from, bytes);
#endif
}

uint64_t streamThreshold() {
  constexpr uint64_t kWhereNobodySays = 16 << 20;
  static const long lastCache = sysconf(_SC_LEVEL3_CACHE_SIZE);
  return lastCache > 0 ? static_cast<uint64_t>(lastCache) / 2 : kWhereNobodySays;
}

} // namespace heddle::collectives
