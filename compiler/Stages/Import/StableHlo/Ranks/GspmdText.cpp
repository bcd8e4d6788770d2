// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/StableHlo/Ranks/GspmdText.h"

#include "compiler/Stages/Import/StableHlo/Assembly/TextReader.h"

#include "llvm/ADT/Sequence.h"

#include <numeric>

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;

// More devices than any world has.
static constexpr int64_t kMaximumDevices = 1 << 20;

//===--- Text ----------------------------------------------------------------------------------------------------===//

// `[2,1,4]`, positive numbers whose product is at most `kMaximumDevices`.
static bool readSizes(TextReader &reader, StringRef open, StringRef close, SmallVectorImpl<int64_t> &sizes) {
  if (!reader.take(open))
    return false;
  int64_t product = 1;
  do {
    std::optional<int64_t> size = reader.integer();
    if (!size || *size < 1 || *size > kMaximumDevices / product)
      return false;
    product *= *size;
    sizes.push_back(*size);
  } while (reader.take(","));
  return reader.take(close);
}

static int64_t productOf(ArrayRef<int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t(1), std::multiplies<>());
}

// Numbers counted in row-major order of `shape`, read with its dimensions in the order `permutation`.
static SmallVector<int64_t> countTransposed(ArrayRef<int64_t> shape, ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> numbers{0};
  for (int64_t dim : permutation) {
    int64_t stride = productOf(shape.drop_front(dim + 1));
    SmallVector<int64_t> next;
    for (int64_t number : numbers)
      for (int64_t i = 0; i < shape[dim]; ++i)
        next.push_back(number + i * stride);
    numbers = std::move(next);
  }
  return numbers;
}

// `<=[2,4]T(1,0)`.
static bool readIota(TextReader &reader, SmallVectorImpl<int64_t> &devices) {
  SmallVector<int64_t> shape, permutation;
  if (!readSizes(reader, "[", "]", shape))
    return false;
  if (reader.take("T")) {
    if (!reader.take("("))
      return false;
    do {
      std::optional<int64_t> dim = reader.integer();
      if (!dim || *dim < 0 || *dim >= static_cast<int64_t>(shape.size()) || llvm::is_contained(permutation, *dim))
        return false;
      permutation.push_back(*dim);
    } while (reader.take(","));
    if (!reader.take(")") || permutation.size() != shape.size())
      return false;
  } else {
    permutation = llvm::to_vector(llvm::seq<int64_t>(0, shape.size()));
  }
  devices = countTransposed(shape, permutation);
  return true;
}

static bool readTiles(TextReader &reader, GspmdText &text) {
  if (!readSizes(reader, "[", "]", text.tiles))
    return false;
  if (reader.take("<=")) {
    if (!readIota(reader, text.devices))
      return false;
  } else {
    do {
      std::optional<int64_t> id = reader.integer();
      if (!id)
        return false;
      text.devices.push_back(*id);
    } while (reader.take(","));
  }
  if (reader.take("last_tile_dims")) {
    if (!reader.take("=") || !reader.take("{"))
      return false;
    do
      text.groups.push_back(reader.word().str());
    while (reader.take(","));
    if (!reader.take("}"))
      return false;
  } else if (reader.take("last_tile_dim_replicate")) {
    text.groups.push_back("replicated");
  }
  return static_cast<int64_t>(text.devices.size()) == productOf(text.tiles) && text.groups.size() <= text.tiles.size();
}

std::optional<GspmdText> mlir::heddle::hlo::readGspmd(StringRef given) {
  TextReader reader{given};
  GspmdText text{GspmdText::Replicated, {}, {}, {}};
  if (!reader.take("{"))
    return std::nullopt;
  if (reader.take("replicated")) {
    text.kind = GspmdText::Replicated;
  } else if (reader.take("manual")) {
    text.kind = GspmdText::Manual;
  } else if (reader.take("unknown")) {
    text.kind = GspmdText::Unknown;
  } else if (reader.take("maximal")) {
    text.kind = GspmdText::OneDevice;
    if (!reader.take("device") || !reader.take("=") || !reader.integer())
      return std::nullopt;
  } else {
    text.kind = GspmdText::Tiled;
    if (!reader.take("devices") || !reader.take("=") || !readTiles(reader, text))
      return std::nullopt;
  }
  return reader.take("}") && reader.atEnd() ? std::optional(text) : std::nullopt;
}

std::optional<SmallVector<StringRef>> mlir::heddle::hlo::splitGspmd(StringRef text) {
  text = text.trim();
  if (!text.consume_front("{") || !text.consume_back("}") || !text.ltrim().starts_with("{"))
    return std::nullopt;
  SmallVector<StringRef> parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && depth == 0)) {
      parts.push_back(text.slice(begin, i).trim());
      begin = i + 1;
    } else {
      depth += text[i] == '{' ? 1 : text[i] == '}' ? -1 : 0;
    }
  }
  return parts;
}

//===--- Axes ----------------------------------------------------------------------------------------------------===//

namespace {

// `size` ranks that are `stride` apart.
struct Digit {
  int64_t stride, size;
};

} // namespace

// The numbers as those that digits count, the slowest first; nothing if none do.
static std::optional<SmallVector<Digit>> findDigits(ArrayRef<int64_t> numbers) {
  int64_t count = numbers.size();
  SmallVector<Digit> digits; // the fastest first
  for (int64_t round = 1; round < count;) {
    int64_t stride = numbers[round] - numbers[0], size = 1;
    while (size * round < count && numbers[size * round] - numbers[0] == size * stride)
      ++size;
    while (count / round % size != 0)
      --size;
    if (stride < 1 || size < 2)
      return std::nullopt;
    digits.push_back({stride, size});
    round *= size;
  }
  for (auto [place, number] : llvm::enumerate(numbers)) {
    int64_t rest = place, expected = 0;
    for (const Digit &digit : digits) {
      expected += rest % digit.size * digit.stride;
      rest /= digit.size;
    }
    if (number != expected)
      return std::nullopt;
  }
  return llvm::to_vector(llvm::reverse(digits));
}

// Appends the axes, or parts of them, that a digit is; false if there are none.
static bool appendAxes(const Digit &digit, ArrayRef<MeshAxis> axes, SmallVectorImpl<AxisText> &list) {
  int64_t stride = 1, found = 1;
  for (const MeshAxis &axis : axes)
    stride *= axis.size;
  for (const MeshAxis &axis : axes) {
    int64_t end = stride; // the axis' ranks lie in [stride, end)
    stride /= axis.size;
    int64_t low = std::max(stride, digit.stride), high = std::min(end, digit.stride * digit.size);
    if (low >= high)
      continue;
    if (high % low != 0 || end % high != 0 || low % stride != 0)
      return false;
    found *= high / low;
    list.push_back(high / low == axis.size ? AxisText{axis.name} : AxisText{axis.name, end / high, high / low});
  }
  return found == digit.size;
}

// Takes the axes of `tiles` tiles off the front of `digits`.
static bool takeTiles(int64_t tiles, SmallVectorImpl<Digit> &digits, ArrayRef<MeshAxis> axes,
                      SmallVectorImpl<AxisText> &list) {
  while (tiles > 1) {
    if (digits.empty())
      return false;
    Digit &digit = digits.front();
    int64_t size = std::gcd(tiles, digit.size);
    if (size != tiles && size != digit.size)
      return false;
    // The slower part of the digit.
    if (!appendAxes({digit.stride * (digit.size / size), size}, axes, list))
      return false;
    digit.size /= size;
    tiles /= size;
    if (digit.size == 1)
      digits.erase(digits.begin());
  }
  return true;
}

std::optional<ShardingText> mlir::heddle::hlo::toSharding(const GspmdText &text, int64_t rank, StringRef symbol,
                                                          ArrayRef<MeshAxis> axes, ArrayRef<int64_t> rankOf) {
  ShardingText sharding;
  sharding.mesh = symbol.str();
  sharding.dims.resize(rank);
  if (text.kind == GspmdText::Unknown)
    sharding.open = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (text.kind == GspmdText::Manual)
    for (const MeshAxis &axis : axes)
      sharding.manual.push_back({axis.name});
  if (text.kind != GspmdText::Tiled)
    return sharding;
  int64_t count = 1;
  for (const MeshAxis &axis : axes)
    count *= axis.size;
  SmallVector<int64_t> places;
  for (int64_t device : text.devices) {
    if (device < 0 || device >= count)
      return std::nullopt;
    places.push_back(rankOf.empty() ? device : rankOf[device]);
  }
  std::optional<SmallVector<Digit>> digits = findDigits(places);
  int64_t dims = text.tiles.size() - text.groups.size();
  if (!digits || dims != rank || static_cast<int64_t>(places.size()) != count)
    return std::nullopt;
  for (auto [i, tiles] : llvm::enumerate(text.tiles)) {
    SmallVector<AxisText> list;
    if (!takeTiles(tiles, *digits, axes, list))
      return std::nullopt;
    if (static_cast<int64_t>(i) < rank)
      sharding.dims[i] = std::move(list);
    else if (text.groups[i - rank] == "manual")
      llvm::append_range(sharding.manual, list);
    else if (text.groups[i - rank] == "unreduced")
      llvm::append_range(sharding.unreduced, list);
    else if (text.groups[i - rank] != "replicated")
      return std::nullopt;
  }
  return sharding;
}
