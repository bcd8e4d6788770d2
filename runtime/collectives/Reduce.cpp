// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/collectives/Reduce.h"

#include "runtime/base/FloatEnvironment.h"
#include "runtime/collectives/SmallFloats.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <type_traits>

namespace heddle::collectives {
namespace {

using contract::ElementType;
using contract::Reduction;
using Sources = std::span<const std::byte *const>;
using Targets = std::span<std::byte *const>;

// What is written may be what is read, at the same place: no reason for a compiler to take one element at a time.
#if defined(__clang__)
#define HEDDLE_SAME_PLACE _Pragma("clang loop vectorize(assume_safety)")
#else
#define HEDDLE_SAME_PLACE _Pragma("GCC ivdep")
#endif

constexpr uint64_t kBlock = 512; // elements: f32 of two blocks lie in the first cache

// What sums and products are computed in: integers wrap around, and none narrower than `unsigned`, whose products
// would be those of `int`.
template <typename T>
using Wrapping = std::conditional_t<std::is_integral_v<T>, std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>, T>;

// The lesser: NaN if one is, -0 before +0.
template <typename T> T least(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    const T ordered = a < b ? a : b;
    const T zeros = a == b ? std::bit_cast<T>(std::bit_cast<Bits>(a) | std::bit_cast<Bits>(b)) : ordered;
    return a != a ? a : zeros; // where b is NaN, a < b is false
  } else {
    return std::min(a, b);
  }
}
template <typename T> T greatest(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    const T ordered = a > b ? a : b;
    const T zeros = a == b ? std::bit_cast<T>(std::bit_cast<Bits>(a) & std::bit_cast<Bits>(b)) : ordered;
    return a != a ? a : zeros;
  } else {
    return std::max(a, b);
  }
}

template <Reduction kReduction, typename T> T combine(T a, T b) {
  using W = Wrapping<T>;
  if constexpr (kReduction == Reduction::Sum)
    return T(W(a) + W(b));
  else if constexpr (kReduction == Reduction::Product)
    return T(W(a) * W(b));
  else if constexpr (kReduction == Reduction::Min)
    return least(a, b);
  else if constexpr (kReduction == Reduction::Max)
    return greatest(a, b);
  else if constexpr (std::is_integral_v<T>)
    return kReduction == Reduction::And ? T(a & b) : kReduction == Reduction::Or ? T(a | b) : T(a ^ b);
  else
    std::abort();
}

// Of types that C++ has.
template <Reduction kReduction, typename T>
[[gnu::always_inline]] inline void reduceLoops(Sources sources, Targets targets, uint64_t count) {
  const auto target = [&](size_t i) { return reinterpret_cast<T *>(targets[i]); };
  const auto source = [&](size_t i) { return reinterpret_cast<const T *>(sources[i]); };
  const T *a = source(0), *b = source(1);
  if (sources.size() == 2 && targets.size() <= 2) {
    T *out = target(0), *other = target(targets.size() - 1);
    if (out == other) {
      HEDDLE_SAME_PLACE
      for (uint64_t i = 0; i < count; ++i)
        out[i] = combine<kReduction>(a[i], b[i]);
      return;
    }
    HEDDLE_SAME_PLACE
    for (uint64_t i = 0; i < count; ++i) {
      const T value = combine<kReduction>(a[i], b[i]);
      out[i] = value;
      other[i] = value;
    }
    return;
  }
  alignas(64) T block[kBlock]; // a target may be a source that is yet to be read
  for (uint64_t begin = 0; begin < count; begin += kBlock) {
    const uint64_t n = std::min(kBlock, count - begin);
    for (uint64_t i = 0; i < n; ++i)
      block[i] = combine<kReduction>(a[begin + i], b[begin + i]);
    for (size_t s = 2; s < sources.size(); ++s) {
      const T *next = source(s) + begin;
      for (uint64_t i = 0; i < n; ++i)
        block[i] = combine<kReduction>(block[i], next[i]);
    }
    for (size_t t = 0; t < targets.size(); ++t)
      std::memcpy(target(t) + begin, block, n * sizeof(T));
  }
}

// Of floats that are computed in f32 and rounded once.
template <Reduction kReduction, typename Format, typename Code>
[[gnu::always_inline]] inline void reduceSmallLoops(Sources sources, Targets targets, uint64_t count) {
  alignas(64) float block[kBlock];
  for (uint64_t begin = 0; begin < count; begin += kBlock) {
    const uint64_t n = std::min(kBlock, count - begin);
    const auto source = [&](size_t s) { return reinterpret_cast<const Code *>(sources[s]) + begin; };
    const Code *first = source(0);
    for (uint64_t i = 0; i < n; ++i)
      block[i] = Format::toFloat(first[i]);
    for (size_t s = 1; s < sources.size(); ++s) {
      const Code *next = source(s);
      for (uint64_t i = 0; i < n; ++i)
        block[i] = combine<kReduction>(block[i], Format::toFloat(next[i]));
    }
    Code *out = reinterpret_cast<Code *>(targets[0]) + begin;
    for (uint64_t i = 0; i < n; ++i)
      out[i] = Format::fromFloat(block[i]);
    for (std::byte *other : targets.subspan(1))
      std::memcpy(reinterpret_cast<Code *>(other) + begin, out, n * sizeof(Code));
  }
}

// The same code for the instructions that the processor has: equal bits, for there is nothing to contract.
#if defined(__x86_64__)
template <Reduction kReduction, typename T>
[[gnu::target("avx2")]] void reduceWide(Sources sources, Targets targets, uint64_t count) {
  reduceLoops<kReduction, T>(sources, targets, count);
}
template <Reduction kReduction, typename Format, typename Code>
[[gnu::target("avx2")]] void reduceSmallWide(Sources sources, Targets targets, uint64_t count) {
  reduceSmallLoops<kReduction, Format, Code>(sources, targets, count);
}
bool isWide() {
  static const bool isThere = __builtin_cpu_supports("avx2");
  return isThere;
}
#endif
template <Reduction kReduction, typename T> void reducePlain(Sources sources, Targets targets, uint64_t count) {
#if defined(__x86_64__)
  if (isWide())
    return reduceWide<kReduction, T>(sources, targets, count);
#endif
  reduceLoops<kReduction, T>(sources, targets, count);
}
template <Reduction kReduction, typename Format> void reduceHalf(Sources sources, Targets targets, uint64_t count) {
#if defined(__x86_64__)
  if (isWide())
    return reduceSmallWide<kReduction, Format, uint16_t>(sources, targets, count);
#endif
  reduceSmallLoops<kReduction, Format, uint16_t>(sources, targets, count);
}
// Of 8 bits, which are decoded one by one.
template <Reduction kReduction, typename Format> void reduceByte(Sources sources, Targets targets, uint64_t count) {
  reduceSmallLoops<kReduction, Format, uint8_t>(sources, targets, count);
}
// Only the order of integers depends on their sign.
template <Reduction kReduction, typename T> void reduceSigned(Sources sources, Targets targets, uint64_t count) {
  constexpr bool isOrder = kReduction == Reduction::Min || kReduction == Reduction::Max;
  reducePlain<kReduction, std::conditional_t<isOrder, T, std::make_unsigned_t<T>>>(sources, targets, count);
}

template <Reduction kReduction> void reduceAs(ElementType type, Sources sources, Targets targets, uint64_t count) {
  switch (type) {
  case ElementType::I1:
  case ElementType::U8: return reducePlain<kReduction, uint8_t>(sources, targets, count);
  case ElementType::I8: return reduceSigned<kReduction, int8_t>(sources, targets, count);
  case ElementType::I16: return reduceSigned<kReduction, int16_t>(sources, targets, count);
  case ElementType::U16: return reducePlain<kReduction, uint16_t>(sources, targets, count);
  case ElementType::I32: return reduceSigned<kReduction, int32_t>(sources, targets, count);
  case ElementType::U32: return reducePlain<kReduction, uint32_t>(sources, targets, count);
  case ElementType::I64: return reduceSigned<kReduction, int64_t>(sources, targets, count);
  case ElementType::U64: return reducePlain<kReduction, uint64_t>(sources, targets, count);
  default: break;
  }
  if constexpr (kReduction < Reduction::And) {
    switch (type) {
    case ElementType::F32: return reducePlain<kReduction, float>(sources, targets, count);
    case ElementType::F64: return reducePlain<kReduction, double>(sources, targets, count);
    case ElementType::F16: return reduceHalf<kReduction, Half>(sources, targets, count);
    case ElementType::BF16: return reduceHalf<kReduction, BFloat16>(sources, targets, count);
    case ElementType::F8E4M3FN: return reduceByte<kReduction, F8E4M3FN>(sources, targets, count);
    case ElementType::F8E5M2: return reduceByte<kReduction, F8E5M2>(sources, targets, count);
    case ElementType::F8E4M3FNUZ: return reduceByte<kReduction, F8E4M3FNUZ>(sources, targets, count);
    case ElementType::F8E5M2FNUZ: return reduceByte<kReduction, F8E5M2FNUZ>(sources, targets, count);
    default: break;
    }
  }
  std::abort();
}

} // namespace

void reduceElements(Reduction reduction, ElementType type, Sources sources, Targets targets, uint64_t count) {
  if (sources.size() == 1) { // no arithmetic: also the payload of a NaN stays
    for (std::byte *target : targets)
      if (target != sources[0] && count) // of nothing, either may be null
        std::memcpy(target, sources[0], count * byteSize(type));
    return;
  }
  DefaultFloatEnvironment floats;
  switch (reduction) {
  case Reduction::Sum: return reduceAs<Reduction::Sum>(type, sources, targets, count);
  case Reduction::Product: return reduceAs<Reduction::Product>(type, sources, targets, count);
  case Reduction::Min: return reduceAs<Reduction::Min>(type, sources, targets, count);
  case Reduction::Max: return reduceAs<Reduction::Max>(type, sources, targets, count);
  case Reduction::And: return reduceAs<Reduction::And>(type, sources, targets, count);
  case Reduction::Or: return reduceAs<Reduction::Or>(type, sources, targets, count);
  case Reduction::Xor: return reduceAs<Reduction::Xor>(type, sources, targets, count);
  }
  std::abort();
}

bool canReduce(Reduction reduction, ElementType type) {
  switch (type) {
  case ElementType::I1: return reduction != Reduction::Sum && reduction != Reduction::Product;
  case ElementType::F16:
  case ElementType::BF16:
  case ElementType::F32:
  case ElementType::F64:
  case ElementType::F8E4M3FN:
  case ElementType::F8E4M3FNUZ:
  case ElementType::F8E5M2:
  case ElementType::F8E5M2FNUZ: return reduction < Reduction::And;
  default: return type >= ElementType::I8 && type <= ElementType::U64;
  }
}

} // namespace heddle::collectives
