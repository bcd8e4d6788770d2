// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// std::span of C++20 for the headers of this folder, which C++17 reads too: elements that somebody else owns. One type
// in every standard, so that programs may mix them. Whatever has data() and size() becomes a Span without being named,
// and a Span becomes a std::span.
//
//   std::vector<float> x = {1, 2};
//   heddle::Span<const float> some = x;
#ifndef HEDDLE_SPAN_HPP
#define HEDDLE_SPAN_HPP

#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>
#if defined(__cplusplus) && __cplusplus >= 202002L
#include <ranges>
#endif

namespace heddle {

template <typename T> class Span {
  // A container of U, read-only or not: U* becomes T* without a conversion of the elements.
  template <typename Container>
  using IfHolds = std::enable_if_t<
      std::is_convertible_v<std::remove_pointer_t<decltype(std::data(std::declval<Container &>()))> (*)[], T (*)[]> &&
      std::is_convertible_v<decltype(std::size(std::declval<Container &>())), size_t>>;

public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  using iterator = T *;

  constexpr Span() noexcept = default;
  constexpr Span(T *data, size_t size) noexcept : data_(data), size_(size) {}
  template <typename Container, typename = IfHolds<Container>>
  constexpr Span(Container &from) noexcept : data_(std::data(from)), size_(std::size(from)) {}
  // What ends with the statement may be read in it alone.
  template <typename Container, typename = IfHolds<const Container>>
  constexpr Span(const Container &&from) noexcept : data_(std::data(from)), size_(std::size(from)) {}

  constexpr T *data() const noexcept { return data_; }
  constexpr size_t size() const noexcept { return size_; }
  constexpr size_t size_bytes() const noexcept { return size_ * sizeof(T); }
  constexpr bool empty() const noexcept { return size_ == 0; }
  constexpr T &operator[](size_t index) const { return data_[index]; }
  constexpr T &front() const { return data_[0]; }
  constexpr T &back() const { return data_[size_ - 1]; }
  constexpr T *begin() const noexcept { return data_; }
  constexpr T *end() const noexcept { return data_ + size_; }
  constexpr Span first(size_t count) const { return {data_, count}; }
  constexpr Span last(size_t count) const { return {data_ + (size_ - count), count}; }
  constexpr Span subspan(size_t from) const { return {data_ + from, size_ - from}; }
  constexpr Span subspan(size_t from, size_t count) const { return {data_ + from, count}; }

private:
  T *data_ = nullptr;
  size_t size_ = 0;
};

} // namespace heddle

#if defined(__cplusplus) && __cplusplus >= 202002L
template <typename T> inline constexpr bool std::ranges::enable_borrowed_range<heddle::Span<T>> = true;
#endif

#endif // HEDDLE_SPAN_HPP
