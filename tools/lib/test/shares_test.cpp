// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/lib/Shares.h"

#include "tools/lib/Error.h"
#include "tools/lib/test/Expect.h"

#include <cstring>
#include <numeric>
#include <random>

namespace heddle::tools {
namespace {

using test::messageOf;

HostTensor counting(std::vector<int64_t> dims) {
  HostTensor out(ElementType::I32, std::move(dims));
  auto *values = reinterpret_cast<int32_t *>(out.data().data());
  std::iota(values, values + out.count(), 0);
  return out;
}

std::vector<int32_t> valuesOf(const HostTensor &tensor) {
  const auto *values = reinterpret_cast<const int32_t *>(tensor.data().data());
  return {values, values + tensor.count()};
}

std::vector<int64_t> dimsOf(const HostTensor &tensor) { return {tensor.dims().begin(), tensor.dims().end()}; }

// The shares of a grid with so many parts in each dimension, in row-major order of the parts.
std::vector<Share> grid(const std::vector<int64_t> &parts) {
  std::vector<Share> out{Share{}};
  for (int64_t count : parts) {
    std::vector<Share> longer;
    for (const Share &share : out)
      for (int64_t part = 0; part < count; ++part) {
        longer.push_back(share);
        longer.back().dims.push_back({count, part, "x"});
      }
    out = std::move(longer);
  }
  return out;
}

TEST(Shares, RowsAndColumns) {
  HostTensor whole = counting({2, 4});
  EXPECT_EQ(valuesOf(cutShare(whole.view(), grid({2, 1})[1], "x")), (std::vector<int32_t>{4, 5, 6, 7}));
  HostTensor columns = cutShare(whole.view(), grid({1, 2})[1], "x");
  EXPECT_EQ(valuesOf(columns), (std::vector<int32_t>{2, 3, 6, 7}));
  EXPECT_EQ(dimsOf(columns), (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(valuesOf(cutShare(whole.view(), grid({2, 4})[6], "x")), (std::vector<int32_t>{6}));
  EXPECT_EQ(valuesOf(cutShare(whole.view(), grid({1, 1})[0], "x")), valuesOf(whole));
  EXPECT_EQ(valuesOf(cutShare(counting({}).view(), Share{}, "x")), (std::vector<int32_t>{0}));
}

// Every element is where its index says, and the shares are the whole again.
TEST(Shares, Random) {
  unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  auto draw = [&](int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random); };
  for (int round = 0; round < 200; ++round) {
    std::vector<int64_t> parts, dims, granules;
    for (int64_t rank = draw(0, 4); rank > 0; --rank) {
      parts.push_back(draw(1, 3));
      granules.push_back(draw(0, 2));
      dims.push_back(granules.back() ? granules.back() * draw(0, 5) : parts.back() * draw(0, 3));
    }
    HostTensor whole = counting(dims);
    Gathered gathered("x");
    uint32_t rank = 0;
    std::vector<Share> shares = grid(parts);
    std::shuffle(shares.begin(), shares.end(), random);
    for (Share &share : shares)
      for (size_t d = 0; d < dims.size(); ++d)
        if (granules[d]) { // none: equal parts, of which nothing more is said
          share.dims[d].whole = dims[d];
          share.dims[d].granule = granules[d];
        }
    for (const Share &share : shares)
      gathered.measure(rank++, cutShare(whole.view(), share, "x").view(), share);
    rank = 0;
    for (const Share &share : shares) {
      HostTensor part = cutShare(whole.view(), share, "x");
      std::vector<int32_t> values = valuesOf(part);
      for (size_t i = 0; i < values.size(); ++i) {
        int64_t left = static_cast<int64_t>(i), index = 0, stride = 1;
        for (size_t d = dims.size(); d-- > 0;) {
          int64_t g = std::max<int64_t>(granules[d], 1);
          int64_t begin = share.dims[d].part * (dims[d] / g) / parts[d] * g;
          index += (left % part.dims()[d] + begin) * stride;
          left /= part.dims()[d];
          stride *= dims[d];
        }
        ASSERT_EQ(values[i], index);
      }
      gathered.add(rank++, part.view(), share);
    }
    HostTensor back = gathered.take();
    ASSERT_EQ(dimsOf(back), dims);
    ASSERT_EQ(valuesOf(back), valuesOf(whole));
  }
}

TEST(Shares, Uneven) {
  HostTensor whole = counting({2, 10});
  Share share{{{1, 0, ""}, {4, 0, "tp"}}};
  EXPECT_EQ(messageOf<UsageError>([&] { cutShare(whole.view(), share, "argument 'x'"); }),
            "argument 'x': dimension 1 is dealt out along 'tp' in 4 parts, which do not divide its size 10; give a "
            "multiple of 4");
  EXPECT_EQ(messageOf<UsageError>([&] { cutShare(counting({10}).view(), share, "argument 'x'"); }),
            "argument 'x': the whole tensor has 2 dimensions, got 1");
  share.dims[1].whole = 10;
  EXPECT_EQ(dimsOf(cutShare(whole.view(), share, "x")), (std::vector<int64_t>{2, 2}));
  share.dims[1].part = 1;
  EXPECT_EQ(valuesOf(cutShare(whole.view(), share, "x")), (std::vector<int32_t>{2, 3, 4, 12, 13, 14}));
  share.dims[1].granule = 5;
  EXPECT_EQ(dimsOf(cutShare(whole.view(), share, "x")), (std::vector<int64_t>{2, 5}));
  share.dims[1].whole = 15;
  EXPECT_EQ(messageOf<UsageError>([&] { cutShare(whole.view(), share, "argument 'x'"); }),
            "argument 'x': dimension 1 of the whole tensor is 15, got 10");
}

TEST(Shares, Replicas) {
  HostTensor part = counting({2});
  Share share{{{2, 0, "x"}}}, other{{{2, 1, "x"}}};
  Gathered gathered("result 'y'");
  gathered.measure(0, part.view(), share);
  gathered.measure(1, part.view(), share);
  EXPECT_EQ(messageOf<Failure>([&] { gathered.measure(3, counting({3}).view(), share); }),
            "result 'y': rank 3 has 3xi32, the ranks before it 2xi32");
  gathered.add(0, part.view(), share);
  gathered.add(1, part.view(), share);
  EXPECT_EQ(messageOf<Failure>([&] { gathered.take(); }), "result 'y': 1 of 2 parts are there");
  other.isMember = false;
  gathered.add(2, part.view(), other);
  EXPECT_EQ(messageOf<Failure>([&] { gathered.take(); }), "result 'y': 1 of 2 parts are there");
  part.data()[4] = std::byte{7};
  EXPECT_EQ(messageOf<Failure>([&] { gathered.add(4, part.view(), share); }),
            "result 'y': ranks 0 and 4 have the same part of it by its sharding, and differ; the program computes it "
            "from what is not equal on them");
}

// Parts behind one another, whatever their sizes; the summands of each combined.
TEST(Shares, Summands) {
  auto floats = [](std::vector<float> values) {
    HostTensor out(ElementType::F32, {static_cast<int64_t>(values.size())});
    std::memcpy(out.data().data(), values.data(), out.data().size());
    return out;
  };
  auto gather = [&](contract::Reduction reduction, HostTensor first, HostTensor second) {
    Gathered gathered("y");
    Share a{{{1, 0, ""}}, true, 2, 0, reduction}, b{{{1, 0, ""}}, true, 2, 1, reduction};
    gathered.measure(0, first.view(), a);
    gathered.measure(1, second.view(), b);
    gathered.add(0, first.view(), a);
    gathered.add(1, second.view(), b);
    return gathered.take();
  };
  HostTensor sum = gather(contract::Reduction::Sum, floats({1, 2}), floats({10, 0.5}));
  EXPECT_EQ(std::memcmp(sum.data().data(), floats({11, 2.5}).data().data(), 8), 0);
  HostTensor most = gather(contract::Reduction::Max, floats({1, 2}), floats({10, 0.5}));
  EXPECT_EQ(std::memcmp(most.data().data(), floats({10, 2}).data().data(), 8), 0);
  EXPECT_EQ(valuesOf(gather(contract::Reduction::Xor, counting({4}), counting({4}))), (std::vector<int32_t>(4, 0)));
  EXPECT_EQ(valuesOf(gather(contract::Reduction::Sum, counting({3}), counting({3}))), (std::vector<int32_t>{0, 2, 4}));
  Share second{{{1, 0, ""}}, true, 2, 1, contract::Reduction::Sum};
  EXPECT_EQ(valuesOf(cutShare(counting({3}).view(), second, "x")), (std::vector<int32_t>{0, 0, 0}));
  second.reduction = contract::Reduction::Min;
  EXPECT_EQ(messageOf<UsageError>([&] { cutShare(counting({3}).view(), second, "argument 'x'"); }),
            "argument 'x': the whole is combined by 'min' of what ranks have; give each rank its own ({rank})");
}

TEST(Shares, FromTheRuntime) {
  const heddle_mesh_axis axes[] = {{"x", 2, 1}, {"y", 3, 2}};
  const heddle_mesh_info mesh{"m", 2, axes, 0, 6};
  const uint32_t both[] = {1, 0};
  const heddle_dim_sharding dims[] = {{0, nullptr, 1, 0}, {2, both, 6, 5}};
  Share share = shareOf({0, 2, dims}, mesh);
  EXPECT_TRUE(share.isMember);
  EXPECT_EQ(share.dims[0].parts, 1);
  EXPECT_EQ(share.dims[1].part, 5);
  EXPECT_EQ(share.dims[1].axes, "y, x");
  const heddle_dim_cut cuts[] = {{-1, 1}, {66, 3}};
  const uint32_t partial[] = {0};
  Share cut = shareOf({0, 2, dims, cuts, 1, partial, "max"}, mesh);
  EXPECT_EQ(cut.dims[1].whole, 66);
  EXPECT_EQ(cut.dims[1].granule, 3);
  EXPECT_EQ(cut.summands, 2);
  EXPECT_EQ(cut.summand, 1);
  EXPECT_EQ(cut.reduction, contract::Reduction::Max);
  const heddle_mesh_axis outside[] = {{"x", 2, -1}, {"y", 3, -1}};
  EXPECT_FALSE(shareOf({0, 2, dims}, {"m", 2, outside, 0, 6}).isMember);
}

} // namespace
} // namespace heddle::tools
