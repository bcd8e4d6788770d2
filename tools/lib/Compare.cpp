// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/lib/Compare.h"

#include "tools/lib/Elements.h"
#include "tools/lib/Print.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

namespace heddle::tools {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double widen(double value) { return value; }
double widen(float value) { return value; }
double widen(Half value) { return toDouble(value); }
double widen(BFloat16 value) { return toDouble(value); }
template <ElementType kType> double widen(SmallFloat<kType> value) { return toDouble(value); }

// The absolute error of one element.
template <typename T> double errorOf(T got, T expected) {
  if constexpr (isFloating<T>) {
    double g = widen(got), e = widen(expected);
    if ((std::isnan(g) && std::isnan(e)) || g == e)
      return 0;
    return std::isfinite(g) && std::isfinite(e) ? std::fabs(g - e) : kInfinity;
  } else if constexpr (std::is_same_v<T, Bool>) {
    return (got.value != 0) != (expected.value != 0);
  } else {
    __int128 difference = static_cast<__int128>(got) - expected;
    return static_cast<double>(difference < 0 ? -difference : difference);
  }
}

template <typename T> double magnitude(T value) {
  if constexpr (isFloating<T>)
    return std::fabs(widen(value));
  else if constexpr (std::is_same_v<T, Bool>)
    return value.value != 0;
  else
    return std::fabs(static_cast<double>(value));
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3g", value);
  return text;
}

std::string at(int64_t flat, TensorView got, TensorView expected) {
  size_t offset = static_cast<size_t>(flat) * contract::byteSize(got.type);
  return formatIndex(flat, got.dims) + ": got " + formatElement(got.type, got.data.data() + offset) + ", expected " +
         formatElement(expected.type, expected.data.data() + offset);
}

} // namespace

Tolerance defaultTolerance(ElementType type) {
  switch (type) {
  case ElementType::F32:
  case ElementType::F64: return {1e-5, 1e-4};
  case ElementType::F16: return {1e-3, 1e-2};
  case ElementType::BF16: return {1e-2, 5e-2};
  default: return {};
  }
}

Comparison compare(TensorView got, TensorView expected, Tolerance tolerance) {
  Comparison out;
  visitType(got.type, [&](auto tag) {
    using T = decltype(tag);
    int64_t count = elementCount(got.dims);
    for (int64_t i = 0; i < count; ++i) {
      T g, e;
      std::memcpy(&g, got.data.data() + static_cast<size_t>(i) * sizeof(T), sizeof(T));
      std::memcpy(&e, expected.data.data() + static_cast<size_t>(i) * sizeof(T), sizeof(T));
      double error = errorOf(g, e);
      if (error > out.worstError) {
        out.worstError = error;
        out.worst = i;
      }
      double allowed = tolerance.atol + (tolerance.rtol > 0 ? tolerance.rtol * magnitude(e) : 0);
      if (error > 0 && (std::isinf(error) || !(error <= allowed)) && out.different++ == 0)
        out.first = i;
    }
  });
  return out;
}

std::optional<std::string> describeDifference(TensorView got, TensorView expected, Tolerance tolerance) {
  if (got.type != expected.type || !std::ranges::equal(got.dims, expected.dims))
    return "got " + formatType(got.type, got.dims) + ", expected " + formatType(expected.type, expected.dims);
  Comparison result = compare(got, expected, tolerance);
  if (result.different == 0)
    return std::nullopt;
  return std::to_string(result.different) + " of " + std::to_string(elementCount(got.dims)) +
         " elements differ; first at " + at(result.first, got, expected) + "; worst at " +
         at(result.worst, got, expected) + " (error " + number(result.worstError) + ", allowed " +
         number(tolerance.atol) + " + " + number(tolerance.rtol) + " × |expected|)";
}

} // namespace heddle::tools
