// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements of tensors as C++ values: the C++ type of each contract::ElementType, text, and conversions of the floating
// point types that C++ lacks.
#ifndef HEDDLE_TOOLS_LIB_ELEMENTS_H
#define HEDDLE_TOOLS_LIB_ELEMENTS_H

#include "heddle/contract/ElementType.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <type_traits>

namespace heddle::tools {

using contract::ElementType;

struct Bool {
  uint8_t value;
}; // i1: 0 or 1
struct Half {
  uint16_t bits;
};
struct BFloat16 {
  uint16_t bits;
};
// A float of 8 or 4 bits.
template <ElementType kType> struct SmallFloat {
  uint8_t bits;
};

// Exact.
double toDouble(Half value);
double toDouble(BFloat16 value);
double toDouble(ElementType type, uint8_t bits); // of a SmallFloat
template <ElementType kType> double toDouble(SmallFloat<kType> value) { return toDouble(kType, value.bits); }
// To nearest, ties to even; too large becomes infinity, NaN stays a quiet NaN.
Half toHalf(double value);
BFloat16 toBFloat16(double value);

template <typename T> inline constexpr bool isSmallFloat = false;
template <ElementType kType> inline constexpr bool isSmallFloat<SmallFloat<kType>> = true;
template <typename T>
inline constexpr bool isFloating =
    std::is_floating_point_v<T> || std::is_same_v<T, Half> || std::is_same_v<T, BFloat16> || isSmallFloat<T>;

bool isFloatType(ElementType type);

// Calls f(T{}) with the C++ type of an element type, which is not None. Integers narrower than a byte are those of a
// byte.
template <typename F> decltype(auto) visitType(ElementType type, F &&f) {
  switch (type) {
  case ElementType::I1: return f(Bool{});
  case ElementType::I8: return f(int8_t{});
  case ElementType::I16: return f(int16_t{});
  case ElementType::I32: return f(int32_t{});
  case ElementType::I64: return f(int64_t{});
  case ElementType::U8: return f(uint8_t{});
  case ElementType::U16: return f(uint16_t{});
  case ElementType::U32: return f(uint32_t{});
  case ElementType::U64: return f(uint64_t{});
  case ElementType::F16: return f(Half{});
  case ElementType::BF16: return f(BFloat16{});
  case ElementType::F32: return f(float{});
  case ElementType::F64: return f(double{});
  case ElementType::F8E4M3FN: return f(SmallFloat<ElementType::F8E4M3FN>{});
  case ElementType::F8E4M3FNUZ: return f(SmallFloat<ElementType::F8E4M3FNUZ>{});
  case ElementType::F8E5M2: return f(SmallFloat<ElementType::F8E5M2>{});
  case ElementType::F8E5M2FNUZ: return f(SmallFloat<ElementType::F8E5M2FNUZ>{});
  case ElementType::F8E8M0FNU: return f(SmallFloat<ElementType::F8E8M0FNU>{});
  case ElementType::F4E2M1FN: return f(SmallFloat<ElementType::F4E2M1FN>{});
  case ElementType::I4:
  case ElementType::I2: return f(int8_t{});
  case ElementType::U4:
  case ElementType::U2: return f(uint8_t{});
  case ElementType::None: break;
  }
  std::abort();
}

// Text to one element, written at `out` (byteSize(type) bytes). Integers are decimal or 0x…; floats decimal, `inf`,
// `nan`; i1 also `true` and `false`. A decimal is rounded to nearest. Throws UsageError: not a number, out of range, an
// infinity or NaN of a type that has none.
void parseElement(ElementType type, std::string_view text, void *out);

// The shortest decimal that parseElement() reads back as the same value.
std::string formatElement(ElementType type, const void *element);

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_LIB_ELEMENTS_H
