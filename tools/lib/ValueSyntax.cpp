// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/lib/ValueSyntax.h"

#include "heddle/contract/StorageBytes.h"
#include "tools/lib/Characters.h"
#include "tools/lib/Elements.h"
#include "tools/lib/Error.h"
#include "tools/lib/Files.h"
#include "tools/lib/Npy.h"
#include "tools/lib/Suggest.h"

#include <cctype>
#include <charconv>
#include <cstring>

namespace heddle::tools {
namespace {

bool isType(std::string_view text) {
  ElementType type;
  std::vector<int64_t> dims;
  std::string error;
  return parseType(text, type, dims, error);
}

bool looksLikeValue(std::string_view text) {
  return text.starts_with('@') || (text.find('=') != text.npos && isType(text.substr(0, text.find('='))));
}

std::string elided(std::string_view text) {
  constexpr size_t kMost = 60;
  return text.size() <= kMost ? std::string(text) : std::string(beginningOf(text, kMost)) + "…";
}

// Reads the elements of a literal into a tensor.
class Literal {
public:
  Literal(std::string_view text, HostTensor &to) : rest_(text), to_(to) {}

  void parse() {
    skipBlanks();
    if (rest_.starts_with('[')) {
      nested(0);
      skipBlanks();
      if (!rest_.empty())
        throw UsageError("'" + elided(rest_) + "' follows the last ']'");
    } else {
      flat();
    }
  }

private:
  size_t width() const { return contract::byteSize(to_.type()); }
  std::byte *place(int64_t i) { return to_.data().data() + static_cast<size_t>(i) * width(); }

  void skipBlanks() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_[0])))
      rest_.remove_prefix(1);
  }
  std::string_view word() {
    size_t end = 0;
    while (end < rest_.size() && !std::isspace(static_cast<unsigned char>(rest_[end])) && rest_[end] != ',' &&
           rest_[end] != '[' && rest_[end] != ']')
      ++end;
    std::string_view out = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return out;
  }
  // One comma or blanks. False at the end of the text.
  bool separator() {
    skipBlanks();
    if (rest_.starts_with(',')) {
      rest_.remove_prefix(1);
      skipBlanks();
      return true;
    }
    return !rest_.empty();
  }

  void flat() {
    int64_t given = 0;
    for (bool more = !rest_.empty(); more; more = separator(), ++given) {
      std::string_view text = word();
      std::byte ignored[8];
      parseElement(to_.type(), text, given < to_.count() ? place(given) : ignored);
      if (rest_.starts_with('[') || rest_.starts_with(']'))
        throw UsageError("'" + std::string(beginningOf(rest_, 1)) + "' without a '[' at the beginning");
    }
    if (given == 1 && to_.count() > 1) {
      for (int64_t i = 1; i < to_.count(); ++i)
        std::memcpy(place(i), place(0), width());
    } else if (given != to_.count()) {
      throw UsageError(formatType(to_.type(), to_.dims()) + " has " + std::to_string(to_.count()) +
                       (to_.count() == 1 ? " element" : " elements") +
                       (to_.count() > 1 ? " (one value fills all of them)" : "") + ", got " + std::to_string(given));
    }
  }

  void nested(size_t depth) {
    if (depth == to_.dims().size()) {
      if (rest_.starts_with('['))
        throw UsageError("brackets are nested deeper than the " + std::to_string(depth) + " dimensions of " +
                         formatType(to_.type(), to_.dims()));
      parseElement(to_.type(), word(), place(next_++));
      return;
    }
    if (!rest_.starts_with('['))
      throw UsageError("'[' expected for dimension " + std::to_string(depth) + " before '" + elided(rest_) + "'");
    rest_.remove_prefix(1);
    for (int64_t i = 0; i < to_.dims()[depth]; ++i) {
      skipBlanks();
      if (i > 0 && rest_.starts_with(','))
        separator();
      nested(depth + 1);
    }
    skipBlanks();
    if (!rest_.starts_with(']'))
      throw UsageError("']' expected after " + std::to_string(to_.dims()[depth]) + " parts of dimension " +
                       std::to_string(depth) + (rest_.empty() ? "" : " before '" + elided(rest_) + "'"));
    rest_.remove_prefix(1);
  }

  std::string_view rest_;
  HostTensor &to_;
  int64_t next_ = 0;
};

// Before much memory is asked for: every element has a character, or one value fills all. What needs little is read,
// and then it is known how many are missing.
void checkLength(ElementType type, const std::vector<int64_t> &dims, std::string_view data) {
  constexpr uint64_t kLittle = 1 << 20;
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  size_t begin = std::min(data.find_first_not_of(kBlanks), data.size());
  std::string_view first = data.substr(begin, data.find_last_not_of(kBlanks) + 1 - begin);
  bool isList = first.empty() || first.find_first_of(std::string(kBlanks) + ",[") != first.npos;
  if (int64_t count = elementCount(dims); isList && count > 0 && static_cast<uint64_t>(count) > data.size() + kLittle)
    throw UsageError(formatType(type, dims) + " has " + std::to_string(count) +
                     " elements (one value fills all of them), the text has room for " + std::to_string(data.size()) +
                     " at most");
}

HostTensor readRaw(ElementType type, std::vector<int64_t> dims, const std::string &path) {
  InputFile file(path);
  // Before so much memory is asked for; what no memory holds the tensor refuses itself.
  std::optional<int64_t> bytes = contract::storageBytes(type, elementCount(dims));
  if (bytes && static_cast<uint64_t>(*bytes) != file.bytes())
    throw Failure("'" + path + "': " + formatType(type, dims) + " has " + std::to_string(*bytes) +
                  " bytes, the file has " + std::to_string(file.bytes()));
  HostTensor tensor(type, std::move(dims));
  file.read(0, tensor.data());
  return tensor;
}

HostTensor parse(std::string_view value) {
  if (value.starts_with('@'))
    return readNpy(std::string(value.substr(1)));
  size_t equals = value.find('=');
  ElementType type = ElementType::None;
  std::vector<int64_t> dims;
  std::string error;
  if (!parseType(value.substr(0, equals), type, dims, error))
    throw UsageError(error);
  if (equals == value.npos)
    throw UsageError("'=' and elements are missing after the type");
  std::string_view data = value.substr(equals + 1);
  if (data.starts_with('@'))
    return readRaw(type, std::move(dims), std::string(data.substr(1)));
  checkLength(type, dims, data);
  HostTensor tensor(type, std::move(dims));
  Literal(data, tensor).parse();
  return tensor;
}

} // namespace

bool parseType(std::string_view text, ElementType &type, std::vector<int64_t> &dims, std::string &error) {
  dims.clear();
  std::string_view rest = text;
  while (!rest.empty() && std::isdigit(static_cast<unsigned char>(rest[0]))) {
    int64_t size = 0;
    auto [end, code] = std::from_chars(rest.data(), rest.data() + rest.size(), size);
    if (code != std::errc()) {
      error = "the size in '" + elided(rest) + "' is too large";
      return false;
    }
    rest.remove_prefix(static_cast<size_t>(end - rest.data()));
    if (!rest.starts_with('x')) {
      error = "'x' and an element type are missing after size " + std::to_string(size);
      return false;
    }
    rest.remove_prefix(1);
    dims.push_back(size);
  }
  if (dims.size() > kMaxRank) {
    error = "a tensor has at most " + std::to_string(kMaxRank) + " dimensions, got " + std::to_string(dims.size());
    return false;
  }
  type = contract::parseElementType(rest);
  if (type != ElementType::None)
    return true;
  std::vector<std::string> known;
  for (uint8_t i = 1; i < contract::kElementTypes; ++i)
    known.emplace_back(contract::spelling(static_cast<ElementType>(i)));
  std::string guess = didYouMean(rest, known);
  error = "'" + elided(rest) + "' is not an element type" +
          (guess.empty() ? "; they are " + quotedList(known, known.size()) : guess);
  return false;
}

NamedValue splitName(std::string_view text, std::span<const std::string> names) {
  const std::string *known = nullptr;
  for (const std::string &name : names)
    if (text.starts_with(name) && text.substr(name.size()).starts_with('=') &&
        looksLikeValue(text.substr(name.size() + 1)) && (!known || name.size() > known->size()))
      known = &name;
  if (known && !known->empty())
    return {*known, std::string(text.substr(known->size() + 1))};
  // `f32=2xf32=1,2` names an input f32: no literal contains '='.
  size_t first = text.find('=');
  bool named = first != text.npos && !text.starts_with('@') && looksLikeValue(text.substr(first + 1)) &&
               !text.substr(first + 1).starts_with('@');
  if (!named && looksLikeValue(text))
    return {"", std::string(text)};
  for (size_t p = first; p != text.npos; p = text.find('=', p + 1))
    if (p > 0 && looksLikeValue(text.substr(p + 1)))
      return {std::string(text.substr(0, p)), std::string(text.substr(p + 1))};
  // Neither: the last part before an '=' was meant as a type.
  std::string_view meant = text.substr(0, text.rfind('='));
  if (size_t p = meant.rfind('='); p != meant.npos)
    meant.remove_prefix(p + 1);
  ElementType type;
  std::vector<int64_t> dims;
  std::string error = "'=' and elements are missing after the type";
  parseType(meant, type, dims, error);
  throw UsageError(
      "value '" + elided(text) + "': " + error +
      "; write 2x3xf32=1,2,3,4,5,6 or 4xi32=7 or @file.npy or 2xf32=@raw.bin, with NAME= in front if wanted");
}

HostTensor parseValue(std::string_view value) {
  try {
    return parse(value);
  } catch (const UsageError &error) {
    throw UsageError("value '" + elided(value) + "': " + error.what());
  }
}

} // namespace heddle::tools
