// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/lib/MakeUp.h"

#include "heddle/contract/Text.h"
#include "tools/lib/Elements.h"
#include "tools/lib/Error.h"
#include "tools/lib/Suggest.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <random>

namespace heddle::tools {
namespace {

// Sizes by the names of free dimensions; one without a name is called INPUT.DIMENSION.
class Sizes {
public:
  explicit Sizes(std::span<const heddle_value_info> arguments) : arguments_(arguments) {
    for (const heddle_value_info &argument : arguments)
      for (uint32_t dim = 0; dim < argument.rank; ++dim)
        if (std::string name = nameOf(argument, dim);
            argument.dims[dim].size < 0 && std::find(known_.begin(), known_.end(), name) == known_.end())
          known_.push_back(name);
  }

  static std::string nameOf(const heddle_value_info &argument, uint32_t dim) {
    const char *symbol = argument.dims[dim].symbol;
    return symbol && *symbol ? symbol : std::string(argument.name) + "." + std::to_string(dim);
  }

  void take(const std::string &flag) {
    size_t at = flag.rfind('=');
    int64_t size = 0;
    const char *begin = flag.data() + (at == flag.npos ? 0 : at + 1), *end = flag.data() + flag.size();
    auto [stop, error] = std::from_chars(begin, end, size);
    if (at == flag.npos || at == 0 || error != std::errc() || stop != end || size < 1)
      throw UsageError("--dim takes NAME=SIZE, a size of at least 1, got '" + flag + "'");
    std::string name = flag.substr(0, at), own = resolve(name, size);
    if (!own.empty())
      set(own, size, "--dim=" + flag);
  }

  void set(const std::string &name, int64_t size, const std::string &by) {
    auto [entry, isNew] = sizes_.try_emplace(name, size);
    if (!isNew && entry->second != size)
      throw UsageError(by + ": '" + name + "' is " + std::to_string(entry->second) + " by another input or --dim");
  }

  int64_t of(const heddle_value_info &argument, uint32_t dim) const {
    if (argument.dims[dim].size >= 0)
      return argument.dims[dim].size;
    auto found = sizes_.find(nameOf(argument, dim));
    return found == sizes_.end() ? 1 : found->second;
  }

private:
  // The own name of a dimension that is free; "" for one that has this size already.
  std::string resolve(const std::string &name, int64_t size) const {
    if (std::find(known_.begin(), known_.end(), name) != known_.end())
      return name;
    size_t dot = name.rfind('.');
    for (const heddle_value_info &argument : arguments_)
      for (uint32_t dim = 0; dim < argument.rank; ++dim)
        if (dot != name.npos && name == std::string(argument.name) + "." + std::to_string(dim)) {
          if (argument.dims[dim].size >= 0 && argument.dims[dim].size != size)
            throw UsageError("--dim=" + name + "=" + std::to_string(size) + ": the program says that it is " +
                             std::to_string(argument.dims[dim].size));
          return argument.dims[dim].size >= 0 ? "" : nameOf(argument, dim);
        }
    throw UsageError(
        "--dim: no free size is called '" + name + "'; " +
        (known_.empty() ? "the program has none" : "there are: " + quotedList(known_) + didYouMean(name, known_)));
  }

  std::span<const heddle_value_info> arguments_;
  std::vector<std::string> known_;
  std::map<std::string, int64_t> sizes_;
};

bool isMask(const heddle_value_info &argument) {
  std::string name = argument.name;
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name.find("mask") != name.npos;
}

// How many integers, from 0 on, an argument is made of: what the type holds of `bound`; 2 where it is 0.
int64_t countIntegers(ElementType type, int64_t bound) {
  constexpr int64_t kMost = 1 << 16; // texts are made of them
  if (bound < 1 || narrowBits(type) != 0 || type == ElementType::I1)
    return 2;
  size_t bits = 8 * contract::byteSize(type) - 1;
  return std::min({bound, kMost, bits < 16 ? int64_t{1} << bits : kMost});
}

HostTensor makeOne(const heddle_value_info &argument, const Sizes &sizes, std::mt19937_64 &generator, int64_t bound) {
  std::vector<int64_t> dims;
  for (uint32_t dim = 0; dim < argument.rank; ++dim)
    dims.push_back(sizes.of(argument, dim));
  auto type = static_cast<ElementType>(argument.type);
  HostTensor tensor(type, dims);
  bool ones = isMask(argument), isFloat = isFloatType(type);
  size_t width = contract::byteSize(type);
  std::vector<std::byte> element(width);
  // Texts of a few numbers, so that every type gets them by its own rules; not std::uniform_*: the same everywhere.
  constexpr int kSteps = 256;
  std::vector<std::byte> choices;
  for (int64_t i = 0, steps = isFloat ? kSteps : countIntegers(type, bound); i < steps; ++i) {
    std::string text = ones      ? "1"
                       : isFloat ? std::to_string((2.0 * static_cast<double>(i) - kSteps) / kSteps)
                                 : std::to_string(i);
    if (isFloat && type == ElementType::F8E8M0FNU)
      text = "1"; // has powers of two only
    parseElement(type, text, element.data());
    choices.insert(choices.end(), element.begin(), element.end());
  }
  size_t count = choices.size() / width;
  for (int64_t i = 0; i < tensor.count(); ++i)
    std::memcpy(tensor.data().data() + static_cast<size_t>(i) * width,
                choices.data() + (generator() >> 32) % count * width, width);
  return tensor;
}

} // namespace

std::string makeUp(std::span<const heddle_value_info> arguments, std::span<const std::string> dims, uint64_t seed,
                   std::vector<std::optional<HostTensor>> &values, const std::map<std::string, int64_t> &bounds) {
  Sizes sizes(arguments);
  for (size_t i = 0; i < arguments.size(); ++i)
    for (uint32_t dim = 0; values[i] && dim < std::min<size_t>(arguments[i].rank, values[i]->dims().size()); ++dim)
      if (arguments[i].dims[dim].size < 0)
        sizes.set(Sizes::nameOf(arguments[i], dim), values[i]->dims()[dim],
                  "--input: '" + std::string(arguments[i].name) + "'");
  for (const std::string &flag : dims)
    sizes.take(flag);
  std::mt19937_64 generator(seed);
  std::string line;
  for (size_t i = 0; i < arguments.size(); ++i)
    if (!values[i]) {
      auto bound = bounds.find(arguments[i].name);
      values[i] = makeOne(arguments[i], sizes, generator, bound == bounds.end() ? 0 : bound->second);
      line += (line.empty() ? "" : ", ") + contract::showText(arguments[i].name, contract::Lines::One) + " " +
              formatType(values[i]->type(), values[i]->dims()) +
              (isMask(arguments[i])    ? " of ones"
               : bound == bounds.end() ? ""
                                       : " below " + std::to_string(bound->second));
    }
  return line.empty() ? "" : "inputs made up with --seed=" + std::to_string(seed) + ": " + line;
}

} // namespace heddle::tools
