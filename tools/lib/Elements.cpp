// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/lib/Elements.h"

#include "tools/lib/Characters.h"
#include "tools/lib/Error.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

namespace heddle::tools {
namespace {

// A binary floating point format of at most 16 bits.
struct Format {
  int width;
  int mantissa; // stored bits
  int bias;
  int largest;  // the bits of the largest finite value
  int infinity; // of infinity and NaN; -1: it has none
  int nan;
  // The code of -0 is the NaN, and nothing else is.
  bool hasOneZero() const { return nan == 1 << (width - 1); }
};
constexpr Format kHalf{16, 10, 15, 0x7bff, 0x7c00, 0x7e00};
constexpr Format kBFloat16{16, 7, 127, 0x7f7f, 0x7f80, 0x7fc0};

Format formatOf(ElementType type) {
  switch (type) {
  case ElementType::F16: return kHalf;
  case ElementType::BF16: return kBFloat16;
  case ElementType::F8E4M3FN: return {8, 3, 7, 0x7e, -1, 0x7f};
  case ElementType::F8E4M3FNUZ: return {8, 3, 8, 0x7f, -1, 0x80};
  case ElementType::F8E5M2: return {8, 2, 15, 0x7b, 0x7c, 0x7e};
  case ElementType::F8E5M2FNUZ: return {8, 2, 16, 0x7f, -1, 0x80};
  case ElementType::F4E2M1FN: return {4, 1, 1, 0x7, -1, -1};
  default: std::abort();
  }
}

double decode(uint16_t bits, Format format) {
  int signBit = 1 << (format.width - 1);
  int code = bits & (signBit - 1);
  int mantissa = code & ((1 << format.mantissa) - 1);
  int exponent = code >> format.mantissa;
  double value;
  if (code == format.infinity)
    value = std::numeric_limits<double>::infinity();
  else if (code > format.largest || (format.hasOneZero() && bits == format.nan))
    value = std::numeric_limits<double>::quiet_NaN();
  else if (exponent == 0)
    value = std::ldexp(mantissa, 1 - format.bias - format.mantissa);
  else
    value = std::ldexp(mantissa + (1 << format.mantissa), exponent - format.bias - format.mantissa);
  return bits & signBit ? -value : value;
}

// Too large gives infinity, or NaN where there is none. A format without NaN must not be given what needs one.
uint16_t encode(double value, Format format) {
  int sign = std::signbit(value) ? 1 << (format.width - 1) : 0;
  int outside = format.infinity < 0 ? format.nan : format.infinity;
  double size = std::fabs(value);
  int code = 0;
  if (std::isnan(value)) {
    code = format.nan;
  } else if (std::isinf(size)) {
    code = outside;
  } else if (size != 0) {
    int exponent = std::max(std::ilogb(size), 1 - format.bias);
    // Scaling by a power of two is exact, so there is one rounding. A carry into the exponent is the right result.
    int steps = static_cast<int>(std::nearbyint(std::ldexp(size, format.mantissa - exponent)));
    code = ((exponent + format.bias - 1) << format.mantissa) + steps; // `steps` contains the implicit bit when normal
    code = code > format.largest ? outside : code;
  }
  return static_cast<uint16_t>(format.hasOneZero() && code == 0 ? 0 : code | sign);
}

// f8E8M0FNU: powers of two from 2^-127 to 2^127, and NaN. Half way goes up.
constexpr int kScaleBias = 127, kScaleNan = 0xff;

double decodeScale(uint8_t bits) {
  return bits == kScaleNan ? std::numeric_limits<double>::quiet_NaN() : std::ldexp(1, bits - kScaleBias);
}

uint8_t encodeScale(double value) {
  if (!(value >= 0) || std::isinf(value))
    return kScaleNan;
  int exponent = 0;
  double part = std::frexp(value, &exponent); // in [0.5, 1)
  int code = value == 0 ? 0 : exponent - (part < 0.75) + kScaleBias;
  return static_cast<uint8_t>(std::clamp(code, 0, kScaleNan));
}

uint8_t encodeSmall(ElementType type, double value) {
  return type == ElementType::F8E8M0FNU ? encodeScale(value) : static_cast<uint8_t>(encode(value, formatOf(type)));
}

[[noreturn]] void notANumber(ElementType type, std::string_view text) {
  throw UsageError("'" + std::string(beginningOf(text, 40)) + "' is not a value of type " +
                   std::string(contract::spelling(type)));
}

// What a narrow integer's byte may hold.
struct Range {
  int least, most;
};
std::optional<Range> rangeOf(ElementType type) {
  switch (type) {
  case ElementType::I4: return Range{-8, 7};
  case ElementType::U4: return Range{0, 15};
  case ElementType::I2: return Range{-2, 1};
  case ElementType::U2: return Range{0, 3};
  default: return std::nullopt;
  }
}

template <typename T> T parseInteger(ElementType type, std::string_view text) {
  std::string_view digits = text;
  bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+'))
    digits.remove_prefix(1);
  int base = digits.starts_with("0x") || digits.starts_with("0X") ? 16 : 10;
  if (base == 16)
    digits.remove_prefix(2);
  uint64_t size = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), size, base);
  if (digits.empty() || error == std::errc::invalid_argument || end != digits.data() + digits.size())
    notANumber(type, text);
  T least = std::numeric_limits<T>::min(), greatest = std::numeric_limits<T>::max();
  if (std::optional<Range> range = rangeOf(type)) {
    least = static_cast<T>(range->least);
    greatest = static_cast<T>(range->most);
  }
  uint64_t most = negative ? 0 - static_cast<uint64_t>(least) : static_cast<uint64_t>(greatest);
  if (error == std::errc::result_out_of_range || size > most)
    throw UsageError("'" + std::string(beginningOf(text, 40)) + "' does not fit " +
                     std::string(contract::spelling(type)) + " (" + std::to_string(least) + " to " +
                     std::to_string(greatest) + ")");
  return static_cast<T>(negative ? 0 - size : size);
}

template <typename T> T parseFloat(ElementType type, std::string_view text) {
  std::string_view digits = text;
  if (digits.starts_with('+') && !digits.starts_with("+-"))
    digits.remove_prefix(1);
  T value = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || error == std::errc::invalid_argument || end != digits.data() + digits.size())
    notANumber(type, text);
  if (error == std::errc::result_out_of_range) { // too large or too small: strtod tells
    double wide = std::strtod(std::string(digits).c_str(), nullptr);
    if (std::fabs(wide) >= 1)
      throw UsageError("'" + std::string(beginningOf(text, 40)) + "' is too large for " +
                       std::string(contract::spelling(type)) + "; write inf for infinity");
    value = static_cast<T>(wide);
  }
  return value;
}

template <typename T> T parseHalf(ElementType type, std::string_view text, T (*convert)(double)) {
  double wide = parseFloat<double>(type, text);
  T value = convert(wide);
  if (std::isfinite(wide) && !std::isfinite(toDouble(value)))
    throw UsageError("'" + std::string(beginningOf(text, 40)) + "' is too large for " +
                     std::string(contract::spelling(type)) + "; write inf for infinity");
  return value;
}

uint8_t parseSmallFloat(ElementType type, std::string_view text) {
  double wide = parseFloat<double>(type, text);
  auto refuse = [&](const char *why) {
    throw UsageError("'" + std::string(beginningOf(text, 40)) + "' is not a value of " +
                     std::string(contract::spelling(type)) + ": " + why);
  };
  if (type == ElementType::F8E8M0FNU && std::signbit(wide) && !std::isnan(wide))
    refuse("it has no sign");
  if (std::isnan(wide) && type == ElementType::F4E2M1FN)
    refuse("it has no NaN");
  if (std::isinf(wide) && type != ElementType::F8E5M2)
    refuse("it has no infinity");
  // f4E2M1FN has nothing to stand for what is too large: beyond half way to the next step, which would be 8.
  if (type == ElementType::F4E2M1FN && std::fabs(wide) >= 7)
    refuse("it is too large");
  uint8_t bits = encodeSmall(type, wide);
  if (std::isfinite(wide) && !std::isfinite(toDouble(type, bits)))
    refuse("it is too large");
  return bits;
}

template <typename T> std::string formatFloat(T value) {
  if (std::isnan(value))
    return "nan";
  char text[32];
  return std::string(text, std::to_chars(text, text + sizeof(text), value).ptr);
}

// The shortest decimal that `isSame` says rounds to the same bits.
template <typename IsSame> std::string formatShortest(double value, IsSame isSame) {
  if (!std::isfinite(value))
    return formatFloat(value);
  char text[40];
  for (int precision = 1;; ++precision) {
    auto [end, error] = std::to_chars(text, text + sizeof(text), value, std::chars_format::general, precision);
    double back = 0;
    std::from_chars(text, end, back);
    if (precision == 17 || isSame(back))
      return std::string(text, end);
  }
}

} // namespace

double toDouble(Half value) { return decode(value.bits, kHalf); }
double toDouble(BFloat16 value) { return decode(value.bits, kBFloat16); }
Half toHalf(double value) { return {encode(value, kHalf)}; }
BFloat16 toBFloat16(double value) { return {encode(value, kBFloat16)}; }
double toDouble(ElementType type, uint8_t bits) {
  return type == ElementType::F8E8M0FNU ? decodeScale(bits) : decode(bits, formatOf(type));
}

bool isFloatType(ElementType type) {
  return visitType(type, [](auto tag) { return isFloating<decltype(tag)>; });
}

void parseElement(ElementType type, std::string_view text, void *out) {
  visitType(type, [&](auto value) {
    using T = decltype(value);
    if constexpr (std::is_same_v<T, Bool>) {
      bool yes = text == "1" || text == "true";
      if (!yes && text != "0" && text != "false")
        throw UsageError("'" + std::string(beginningOf(text, 40)) + "' is not a value of type i1 (0, 1, true, false)");
      value.value = yes;
    } else if constexpr (std::is_same_v<T, Half>) {
      value = parseHalf(type, text, toHalf);
    } else if constexpr (std::is_same_v<T, BFloat16>) {
      value = parseHalf(type, text, toBFloat16);
    } else if constexpr (isSmallFloat<T>) {
      value.bits = parseSmallFloat(type, text);
    } else if constexpr (std::is_floating_point_v<T>) {
      value = parseFloat<T>(type, text);
    } else {
      value = parseInteger<T>(type, text);
    }
    std::memcpy(out, &value, sizeof(T));
  });
}

std::string formatElement(ElementType type, const void *element) {
  return visitType(type, [&](auto value) -> std::string {
    using T = decltype(value);
    std::memcpy(&value, element, sizeof(T));
    if constexpr (std::is_same_v<T, Bool>)
      return value.value ? "1" : "0";
    else if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>)
      return formatShortest(toDouble(value), [&](double back) { return encode(back, formatOf(type)) == value.bits; });
    else if constexpr (isSmallFloat<T>)
      return formatShortest(toDouble(value), [&](double back) {
        return back == toDouble(value) || (std::fabs(back) < 1e300 && encodeSmall(type, back) == value.bits);
      });
    else if constexpr (std::is_floating_point_v<T>)
      return formatFloat(value);
    else
      return std::to_string(value);
  });
}

} // namespace heddle::tools
