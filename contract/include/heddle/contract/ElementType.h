// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element types of tensors at the boundary, with their spelling (MLIR's) and size. The values are part of the format
// and of the C ABI (heddle_element_type): append only.
#ifndef HEDDLE_CONTRACT_ELEMENTTYPE_H
#define HEDDLE_CONTRACT_ELEMENTTYPE_H

#include <cstdint>
#include <string_view>

namespace heddle::contract {

enum class ElementType : uint8_t {
  None = 0,
  I1,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  F16,
  BF16,
  F32,
  F64,
  F8E4M3FN,
  F8E4M3FNUZ,
  F8E5M2,
  F8E5M2FNUZ,
  F8E8M0FNU,
  F4E2M1FN,
  I4,
  U4,
  I2,
  U2,
};
inline constexpr uint8_t kElementTypes = static_cast<uint8_t>(ElementType::U2) + 1;

// Bytes of one element in memory. What is narrower than a byte takes one: i1 as 0 or 1, i4 and i2 sign-extended, ui4,
// ui2 and f4E2M1FN zero-extended. 0 for None.
constexpr uint32_t byteSize(ElementType type) {
  switch (type) {
  case ElementType::None: return 0;
  case ElementType::I1:
  case ElementType::I8:
  case ElementType::U8:
  case ElementType::F8E4M3FN:
  case ElementType::F8E4M3FNUZ:
  case ElementType::F8E5M2:
  case ElementType::F8E5M2FNUZ:
  case ElementType::F8E8M0FNU:
  case ElementType::F4E2M1FN:
  case ElementType::I4:
  case ElementType::U4:
  case ElementType::I2:
  case ElementType::U2: return 1;
  case ElementType::I16:
  case ElementType::U16:
  case ElementType::F16:
  case ElementType::BF16: return 2;
  case ElementType::I32:
  case ElementType::U32:
  case ElementType::F32: return 4;
  case ElementType::I64:
  case ElementType::U64:
  case ElementType::F64: return 8;
  }
  return 0;
}

// "i1", "ui8", "bf16", …; "none" for None.
constexpr std::string_view spelling(ElementType type) {
  constexpr std::string_view names[] = {"none",      "i1",       "i8",       "i16",        "i32",    "i64",
                                        "ui8",       "ui16",     "ui32",     "ui64",       "f16",    "bf16",
                                        "f32",       "f64",      "f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ",
                                        "f8E8M0FNU", "f4E2M1FN", "i4",       "ui4",        "i2",     "ui2"};
  return static_cast<uint8_t>(type) < kElementTypes ? names[static_cast<uint8_t>(type)] : names[0];
}

// The inverse; None for an unknown spelling.
constexpr ElementType parseElementType(std::string_view text) {
  for (uint8_t i = 1; i < kElementTypes; ++i)
    if (spelling(static_cast<ElementType>(i)) == text)
      return static_cast<ElementType>(i);
  return ElementType::None;
}

} // namespace heddle::contract

#endif // HEDDLE_CONTRACT_ELEMENTTYPE_H
