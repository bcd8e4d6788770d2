// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/lib/Shares.h"

#include "tools/lib/Error.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace heddle::tools {
namespace {

// Calls copy(offset in the whole, offset in the share, bytes) for each run of bytes that lie together in both.
void forEachRun(std::span<const int64_t> whole, std::span<const int64_t> part, const Share &share, size_t elementBytes,
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
    base += strides[i] * static_cast<size_t>(share.dims[i].part * part[i]);

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
  return out;
}

} // namespace

Share shareOf(const heddle_sharding &sharding, const heddle_mesh_info &mesh) {
  Share out;
  for (uint32_t i = 0; i < sharding.rank; ++i) {
    const heddle_dim_sharding &dim = sharding.dims[i];
    DimShare share{dim.parts, dim.part, ""};
    for (uint32_t a = 0; a < dim.axis_count; ++a)
      share.axes += (a ? ", " : "") + std::string(mesh.axes[dim.axes[a]].name);
    out.dims.push_back(std::move(share));
  }
  for (uint32_t a = 0; a < mesh.axis_count; ++a)
    out.isMember &= mesh.axes[a].coordinate >= 0;
  return out;
}

std::vector<int64_t> shareDims(std::span<const int64_t> whole, const Share &share, const std::string &what) {
  if (whole.size() != share.dims.size())
    throw UsageError(what + ": the whole tensor has " + std::to_string(share.dims.size()) + " dimensions, got " +
                     std::to_string(whole.size()));
  std::vector<int64_t> out(whole.begin(), whole.end());
  for (size_t i = 0; i < out.size(); ++i) {
    const DimShare &dim = share.dims[i];
    if (out[i] % dim.parts != 0)
      throw UsageError(what + ": dimension " + std::to_string(i) + " is dealt out along '" + dim.axes + "' in " +
                       std::to_string(dim.parts) + " parts, which do not divide its size " + std::to_string(out[i]) +
                       "; give a multiple of " + std::to_string(dim.parts));
    out[i] /= dim.parts;
  }
  return out;
}

std::vector<int64_t> wholeDims(std::span<const int64_t> part, const Share &share) {
  std::vector<int64_t> out(part.begin(), part.end());
  for (size_t i = 0; i < out.size(); ++i)
    if (__builtin_mul_overflow(out[i], share.dims[i].parts, &out[i]))
      throw Failure("a whole tensor has more elements than fit 64 bits");
  return out;
}

HostTensor cutShare(TensorView whole, const Share &share, const std::string &what) {
  HostTensor out(whole.type, shareDims(whole.dims, share, what));
  forEachRun(whole.dims, out.dims(), share, contract::byteSize(whole.type), [&](size_t from, size_t to, size_t bytes) {
    std::memcpy(out.data().data() + to, whole.data.data() + from, bytes);
  });
  return out;
}

void Gathered::add(uint32_t rank, TensorView part, const Share &share) {
  if (!share.isMember)
    return;
  if (!whole_) {
    whole_.emplace(part.type, wholeDims(part.dims, share));
    partDims_.assign(part.dims.begin(), part.dims.end());
    expected_ = 1;
    for (const DimShare &dim : share.dims)
      expected_ *= dim.parts;
  }
  if (!std::equal(partDims_.begin(), partDims_.end(), part.dims.begin(), part.dims.end()))
    throw Failure(what_ + ": rank " + std::to_string(rank) + " has " + formatType(part.type, part.dims) +
                  ", the ranks before it " + formatType(part.type, partDims_));
  auto [seen, isNew] = seen_.try_emplace(numbersOf(share), rank);
  bool same = true;
  forEachRun(whole_->dims(), part.dims, share, contract::byteSize(part.type),
             [&](size_t to, size_t from, size_t bytes) {
               if (isNew)
                 std::memcpy(whole_->data().data() + to, part.data.data() + from, bytes);
               else
                 same &= std::memcmp(whole_->data().data() + to, part.data.data() + from, bytes) == 0;
             });
  if (!same)
    throw Failure(what_ + ": ranks " + std::to_string(seen->second) + " and " + std::to_string(rank) +
                  " have the same part of it by its sharding, and differ; the program computes it from what is not "
                  "equal on them");
}

HostTensor Gathered::take() {
  if (!whole_ || static_cast<int64_t>(seen_.size()) != expected_)
    throw Failure(what_ + ": " + std::to_string(seen_.size()) + " of " + std::to_string(expected_) +
                  " parts are there");
  return std::move(*whole_);
}

} // namespace heddle::tools
