#include "tools/lib/Elements.h"

#include "tools/lib/Error.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace heddle::tools {
namespace {

// A binary floating point format of 16 bits.
struct Format {
  int mantissa; // stored bits
  int minExponent;
  int maxExponent;
};
constexpr Format kHalf{10, -14, 15};
constexpr Format kBFloat16{7, -126, 127};

double decode(uint16_t bits, Format format) {
  int mantissa = bits & ((1 << format.mantissa) - 1);
  int exponent = (bits & 0x7fff) >> format.mantissa;
  int special = (0x7fff >> format.mantissa);
  double value;
  if (exponent == special)
    value = mantissa ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  else if (exponent == 0)
    value = std::ldexp(mantissa, format.minExponent - format.mantissa);
  else
    value = std::ldexp(mantissa + (1 << format.mantissa), exponent - 1 + format.minExponent - format.mantissa);
  return bits & 0x8000 ? -value : value;
}

uint16_t encode(double value, Format format) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  int special = 0x7fff >> format.mantissa;
  uint16_t infinity = static_cast<uint16_t>(special << format.mantissa);
  double size = std::fabs(value);
  if (std::isnan(value))
    return sign | infinity | static_cast<uint16_t>(1 << (format.mantissa - 1));
  if (std::isinf(size))
    return sign | infinity;
  if (size == 0)
    return sign;
  int exponent = std::max(std::ilogb(size), format.minExponent);
  if (exponent > format.maxExponent)
    return sign | infinity;
  // Scaling by a power of two is exact, so there is one rounding. A carry into the exponent is the right result.
  int steps = static_cast<int>(std::nearbyint(std::ldexp(size, format.mantissa - exponent)));
  int biased = exponent - format.minExponent; // of the implicit bit, which `steps` contains when normal
  return sign | static_cast<uint16_t>((biased << format.mantissa) + steps);
}

[[noreturn]] void notANumber(ElementType type, std::string_view text) {
  throw UsageError("'" + std::string(text.substr(0, 40)) + "' is not a value of type " +
                   std::string(contract::spelling(type)));
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
  using Limits = std::numeric_limits<T>;
  uint64_t most = negative ? (std::is_signed_v<T> ? static_cast<uint64_t>(Limits::max()) + 1 : 0)
                           : static_cast<uint64_t>(Limits::max());
  if (error == std::errc::result_out_of_range || size > most)
    throw UsageError("'" + std::string(text.substr(0, 40)) + "' does not fit " + std::string(contract::spelling(type)) +
                     " (" + std::to_string(Limits::min()) + " to " + std::to_string(Limits::max()) + ")");
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
      throw UsageError("'" + std::string(text.substr(0, 40)) + "' is too large for " +
                       std::string(contract::spelling(type)) + "; write inf for infinity");
    value = static_cast<T>(wide);
  }
  return value;
}

template <typename T> T parseSmallFloat(ElementType type, std::string_view text, T (*convert)(double)) {
  double wide = parseFloat<double>(type, text);
  T value = convert(wide);
  if (std::isfinite(wide) && !std::isfinite(toDouble(value)))
    throw UsageError("'" + std::string(text.substr(0, 40)) + "' is too large for " +
                     std::string(contract::spelling(type)) + "; write inf for infinity");
  return value;
}

template <typename T> std::string formatFloat(T value) {
  if (std::isnan(value))
    return "nan";
  char text[32];
  return std::string(text, std::to_chars(text, text + sizeof(text), value).ptr);
}

// The shortest decimal that rounds to the same 16 bits.
std::string formatSmallFloat(double value, uint16_t bits, Format format) {
  if (!std::isfinite(value))
    return formatFloat(value);
  char text[40];
  for (int precision = 1;; ++precision) {
    auto [end, error] = std::to_chars(text, text + sizeof(text), value, std::chars_format::general, precision);
    double back = 0;
    std::from_chars(text, end, back);
    if (precision == 17 || encode(back, format) == bits)
      return std::string(text, end);
  }
}

} // namespace

double toDouble(Half value) { return decode(value.bits, kHalf); }
double toDouble(BFloat16 value) { return decode(value.bits, kBFloat16); }
Half toHalf(double value) { return {encode(value, kHalf)}; }
BFloat16 toBFloat16(double value) { return {encode(value, kBFloat16)}; }

bool isFloatType(ElementType type) {
  return visitType(type, [](auto tag) { return isFloating<decltype(tag)>; });
}

void parseElement(ElementType type, std::string_view text, void *out) {
  visitType(type, [&](auto value) {
    using T = decltype(value);
    if constexpr (std::is_same_v<T, Bool>) {
      bool yes = text == "1" || text == "true";
      if (!yes && text != "0" && text != "false")
        throw UsageError("'" + std::string(text.substr(0, 40)) + "' is not a value of type i1 (0, 1, true, false)");
      value.value = yes;
    } else if constexpr (std::is_same_v<T, Half>) {
      value = parseSmallFloat(type, text, toHalf);
    } else if constexpr (std::is_same_v<T, BFloat16>) {
      value = parseSmallFloat(type, text, toBFloat16);
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
    else if constexpr (std::is_same_v<T, Half>)
      return formatSmallFloat(toDouble(value), value.bits, kHalf);
    else if constexpr (std::is_same_v<T, BFloat16>)
      return formatSmallFloat(toDouble(value), value.bits, kBFloat16);
    else if constexpr (std::is_floating_point_v<T>)
      return formatFloat(value);
    else
      return std::to_string(value);
  });
}

} // namespace heddle::tools
