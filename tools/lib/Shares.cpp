// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/lib/Shares.h"

#include "tools/lib/Elements.h"
#include "tools/lib/Error.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace heddle::tools {
namespace {

// Calls copy(offset in the whole, offset in the share, bytes) for each run of bytes that lie together in both. `begin`:
// where the share begins.
void forEachRun(std::span<const int64_t> whole, std::span<const int64_t> part, const Share &share,
                std::span<const int64_t> begin, size_t elementBytes,
                const std::function<void(size_t, size_t, size_t)> &copy) {
  if (elementCount(part) == 0)
    return;
  size_t inner = whole.size(); // dimensions from here on are whole
  while (inner > 0 && share.dims[inner - 1].parts == 1)
    --inner;
  size_t run = elementBytes; // of the last dimension that is cut, with all behind it
  for (size_t i = inner; i < whole.size(); ++i)
    run *= static_cast<size_t>(whole[i]);
  size_t unit = run;
  if (inner > 0)
    run *= static_cast<size_t>(part[inner - 1]);
  std::vector<size_t> strides(inner); // in the whole
  for (size_t i = inner, stride = unit; i-- > 0; stride *= static_cast<size_t>(whole[i]))
    strides[i] = stride;
  size_t base = 0;
  for (size_t i = 0; i < inner; ++i)
    base += strides[i] * static_cast<size_t>(begin[i]);

  std::vector<int64_t> at(inner, 0);
  for (size_t inPart = 0;; inPart += run) {
    size_t inWhole = base;
    for (size_t i = 0; i + 1 < inner; ++i)
      inWhole += strides[i] * static_cast<size_t>(at[i]);
    copy(inWhole, inPart, run);
    size_t i = inner > 0 ? inner - 1 : 0;
    while (i > 0 && ++at[i - 1] == part[i - 1])
      at[--i] = 0;
    if (i == 0)
      return;
  }
}

std::vector<int64_t> numbersOf(const Share &share) {
  std::vector<int64_t> out;
  for (const DimShare &dim : share.dims)
    out.push_back(dim.part);
  out.push_back(share.summand);
  return out;
}

contract::Cut cutOf(int64_t whole, const DimShare &dim) {
  return {whole / dim.granule, dim.granule, dim.part, dim.parts};
}

// "sum", … as the C interface has it.
contract::Reduction reductionNamed(std::string_view name) {
  for (uint8_t i = 0; i < contract::kReductions; ++i)
    if (name == contract::spelling(static_cast<contract::Reduction>(i)))
      return static_cast<contract::Reduction>(i);
  return contract::Reduction::Sum;
}

template <typename T> T combined(contract::Reduction reduction, T a, T b) {
  using contract::Reduction;
  if constexpr (std::is_floating_point_v<T>)
    if ((reduction == Reduction::Min || reduction == Reduction::Max) && (std::isnan(a) || std::isnan(b)))
      return std::numeric_limits<T>::quiet_NaN();
  switch (reduction) {
  case Reduction::Sum:
  case Reduction::Product:
    if constexpr (std::is_integral_v<T>) { // which wraps
      auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
      return static_cast<T>(reduction == Reduction::Sum ? x + y : x * y);
    } else {
      return reduction == Reduction::Sum ? a + b : a * b;
    }
  case Reduction::Min: return b < a ? b : a;
  case Reduction::Max: return a < b ? b : a;
  default: break;
  }
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(reduction == Reduction::And ? a & b : reduction == Reduction::Or ? a | b : a ^ b);
  return a;
}

} // namespace

Share shareOf(const heddle_sharding &sharding, const heddle_mesh_info &mesh) {
  Share out;
  for (uint32_t i = 0; i < sharding.rank; ++i) {
    const heddle_dim_sharding &dim = sharding.dims[i];
    DimShare share{dim.parts, dim.part, ""};
    if (sharding.cuts) {
      share.whole = sharding.cuts[i].whole;
      share.granule = sharding.cuts[i].granule;
    }
    for (uint32_t a = 0; a < dim.axis_count; ++a)
      share.axes += (a ? ", " : "") + std::string(mesh.axes[dim.axes[a]].name);
    out.dims.push_back(std::move(share));
  }
  for (uint32_t a = 0; a < mesh.axis_count; ++a)
    out.isMember &= mesh.axes[a].coordinate >= 0;
  for (uint32_t i = 0; i < sharding.partial_count; ++i) {
    const heddle_mesh_axis &axis = mesh.axes[sharding.partial[i]];
    out.summands *= axis.size;
    out.summand = out.summand * axis.size + std::max<int64_t>(axis.coordinate, 0);
  }
  if (sharding.partial_count)
    out.reduction = reductionNamed(sharding.reduction);
  return out;
}

std::vector<int64_t> shareDims(std::span<const int64_t> whole, const Share &share, const std::string &what) {
  if (whole.size() != share.dims.size())
    throw UsageError(what + ": the whole tensor has " + std::to_string(share.dims.size()) + " dimensions, got " +
                     std::to_string(whole.size()));
  std::vector<int64_t> out(whole.begin(), whole.end());
  for (size_t i = 0; i < out.size(); ++i) {
    const DimShare &dim = share.dims[i];
    if (dim.whole != -1 && out[i] != dim.whole)
      throw UsageError(what + ": dimension " + std::to_string(i) + " of the whole tensor is " +
                       std::to_string(dim.whole) + ", got " + std::to_string(out[i]));
    if (dim.whole == -1 && out[i] % dim.parts != 0)
      throw UsageError(what + ": dimension " + std::to_string(i) + " is dealt out along '" + dim.axes + "' in " +
                       std::to_string(dim.parts) + " parts, which do not divide its size " + std::to_string(out[i]) +
                       "; give a multiple of " + std::to_string(dim.parts));
    out[i] = cutOf(out[i], dim).size(0);
  }
  return out;
}

int64_t shareBegin(int64_t whole, const DimShare &share) {
  return contract::partBegin(share.part, share.parts, whole / share.granule, share.granule);
}

HostTensor cutShare(TensorView whole, const Share &share, const std::string &what) {
  using contract::Reduction;
  HostTensor out(whole.type, shareDims(whole.dims, share, what));
  if (share.summands > 1 && share.reduction != Reduction::Sum && share.reduction != Reduction::Or &&
      share.reduction != Reduction::Xor)
    throw UsageError(what + ": the whole is combined by '" + std::string(contract::spelling(share.reduction)) +
                     "' of what ranks have; give each rank its own ({rank})");
  if (share.summand > 0) {
    std::fill(out.data().begin(), out.data().end(), std::byte{});
    return out;
  }
  std::vector<int64_t> begin;
  for (size_t i = 0; i < share.dims.size(); ++i)
    begin.push_back(shareBegin(whole.dims[i], share.dims[i]));
  forEachRun(whole.dims, out.dims(), share, begin, contract::byteSize(whole.type),
             [&](size_t from, size_t to, size_t bytes) {
               std::memcpy(out.data().data() + to, whole.data.data() + from, bytes);
             });
  return out;
}

void Gathered::measure(uint32_t rank, TensorView part, const Share &share) {
  if (!share.isMember)
    return;
  if (sizes_.empty()) {
    first_ = formatType(part.type, part.dims);
    expected_ = share.summands;
    for (const DimShare &dim : share.dims) {
      sizes_.emplace_back(static_cast<size_t>(dim.parts), -1);
      expected_ *= dim.parts;
    }
    sizes_.emplace_back(); // never empty from here on
  }
  for (size_t i = 0; i < share.dims.size(); ++i) {
    int64_t &size = sizes_[i][static_cast<size_t>(share.dims[i].part)];
    if (part.dims.size() != share.dims.size() || (size != -1 && size != part.dims[i]))
      throw Failure(what_ + ": rank " + std::to_string(rank) + " has " + formatType(part.type, part.dims) +
                    ", the ranks before it " + first_);
    size = part.dims[i];
  }
}

// Moves the runs of a share; with the first one the whole is made, and sizes become begins.
void Gathered::place(TensorView part, const Share &share, const std::function<void(size_t, size_t, size_t)> &move) {
  if (!whole_) {
    std::vector<int64_t> dims;
    for (size_t i = 0; i < share.dims.size(); ++i) {
      dims.push_back(0);
      for (int64_t &size : sizes_[i]) {
        int64_t own = std::max<int64_t>(size, 0); // take() says that one is missing
        size = dims.back();
        if (__builtin_add_overflow(size, own, &dims.back()))
          throw Failure("a whole tensor has more elements than fit 64 bits");
      }
    }
    whole_.emplace(part.type, std::move(dims));
  }
  std::vector<int64_t> begin;
  for (size_t i = 0; i < share.dims.size(); ++i)
    begin.push_back(sizes_[i][static_cast<size_t>(share.dims[i].part)]);
  forEachRun(whole_->dims(), part.dims, share, begin, contract::byteSize(part.type), move);
}

// Adds a summand to those that are there.
void Gathered::combine(TensorView part, const Share &share) {
  std::vector<int64_t> numbers = numbersOf(share);
  numbers.pop_back();
  bool isFirst = begun_.insert(std::move(numbers)).second;
  visitType(part.type, [&](auto sample) {
    using T = decltype(sample);
    constexpr bool isFloat = isFloating<T> && !isSmallFloat<T>;
    using Number = std::conditional_t<isFloat, double, std::conditional_t<std::is_integral_v<T>, T, uint8_t>>;
    place(part, share, [&](size_t to, size_t from, size_t bytes) {
      if constexpr (isFloat)
        sums_.resize(static_cast<size_t>(whole_->count()));
      for (size_t at = 0; at < bytes; at += sizeof(T)) {
        T element;
        std::memcpy(&element, part.data.data() + from + at, sizeof(T));
        if constexpr (isFloat) {
          double &sum = sums_[(to + at) / sizeof(T)], value = 0;
          if constexpr (std::is_floating_point_v<T>)
            value = element;
          else
            value = toDouble(element);
          sum = isFirst ? value : combined<double>(share.reduction, sum, value);
        } else {
          Number sum, value;
          std::memcpy(&sum, whole_->data().data() + to + at, sizeof(T));
          std::memcpy(&value, &element, sizeof(T));
          sum = isFirst ? value : combined<Number>(share.reduction, sum, value);
          std::memcpy(whole_->data().data() + to + at, &sum, sizeof(T));
        }
      }
    });
  });
}

// What floats were combined to, as the type holds it.
void Gathered::round() {
  visitType(whole_->type(), [&](auto sample) {
    using T = decltype(sample);
    if constexpr (isFloating<T> && !isSmallFloat<T>)
      for (size_t i = 0; i < sums_.size(); ++i) {
        T element;
        if constexpr (std::is_same_v<T, Half>)
          element = toHalf(sums_[i]);
        else if constexpr (std::is_same_v<T, BFloat16>)
          element = toBFloat16(sums_[i]);
        else
          element = static_cast<T>(sums_[i]);
        std::memcpy(whole_->data().data() + i * sizeof(T), &element, sizeof(T));
      }
  });
}

void Gathered::add(uint32_t rank, TensorView part, const Share &share) {
  if (!share.isMember)
    return;
  std::string_view bytes(reinterpret_cast<const char *>(part.data.data()), part.data.size());
  uint64_t hash = share.summands > 1 ? std::hash<std::string_view>()(bytes) : 0;
  auto [seen, isNew] = seen_.try_emplace(numbersOf(share), Seen{rank, hash});
  bool same = seen->second.hash == hash;
  if (share.summands > 1 && isNew)
    combine(part, share);
  else if (share.summands == 1)
    place(part, share, [&](size_t to, size_t from, size_t count) {
      if (isNew)
        std::memcpy(whole_->data().data() + to, part.data.data() + from, count);
      else
        same &= std::memcmp(whole_->data().data() + to, part.data.data() + from, count) == 0;
    });
  if (!same)
    throw Failure(what_ + ": ranks " + std::to_string(seen->second.rank) + " and " + std::to_string(rank) +
                  " have the same part of it by its sharding, and differ; the program computes it from what is not "
                  "equal on them");
}

HostTensor Gathered::take() {
  if (!whole_ || static_cast<int64_t>(seen_.size()) != expected_)
    throw Failure(what_ + ": " + std::to_string(seen_.size()) + " of " + std::to_string(expected_) +
                  " parts are there");
  if (!sums_.empty())
    round();
  return std::move(*whole_);
}

} // namespace heddle::tools
