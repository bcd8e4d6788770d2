// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/lib/Npy.h"

#include "heddle/contract/StorageBytes.h"
#include "tools/lib/Characters.h"
#include "tools/lib/Elements.h"
#include "tools/lib/Error.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace heddle::tools {
namespace {

constexpr char kMagic[] = "\x93NUMPY";
constexpr size_t kMagicBytes = 6;
constexpr uint64_t kLongestHeader = 1 << 20;

struct TypeName {
  ElementType type;
  const char *name; // after the byte order character
};
constexpr TypeName kTypes[] = {
    {ElementType::I1, "b1"},  {ElementType::I8, "i1"},  {ElementType::I16, "i2"}, {ElementType::I32, "i4"},
    {ElementType::I64, "i8"}, {ElementType::U8, "u1"},  {ElementType::U16, "u2"}, {ElementType::U32, "u4"},
    {ElementType::U64, "u8"}, {ElementType::F16, "f2"}, {ElementType::F32, "f4"}, {ElementType::F64, "f8"},
};

ElementType parseDescription(std::string_view text) {
  std::string_view name = text.size() > 1 ? text.substr(1) : "";
  for (const TypeName &entry : kTypes) {
    if (name != entry.name)
      continue;
    bool wide = contract::byteSize(entry.type) > 1;
    if (text[0] == '>' && wide)
      throw Failure("the elements are big-endian ('" + std::string(text) +
                    "'); save array.astype(array.dtype.newbyteorder('<'))");
    if (text[0] == '<' || (text[0] == '|' && !wide))
      return entry.type;
  }
  std::string remedy = "save array.astype(…) with one of bool, int8…int64, uint8…uint64, float16…float64";
  if (name.starts_with('V'))
    remedy = "save a type that NumPy lacks as array.view(numpy.uint8 or numpy.uint16)";
  throw Failure("element type '" + std::string(beginningOf(text, 20)) + "' is not supported; " + remedy);
}

// Just enough of Python's literals: {'key': 'text' | True | False | (1, 2,), …}
class Dictionary {
public:
  explicit Dictionary(std::string_view text) : rest_(text) {}

  NpyHeader parse() {
    NpyHeader header;
    bool haveDescr = false, haveOrder = false, haveShape = false;
    expect('{');
    while (!accept('}')) {
      std::string key = string();
      expect(':');
      bool &have = key == "descr" ? haveDescr : key == "fortran_order" ? haveOrder : haveShape;
      if ((key != "descr" && key != "fortran_order" && key != "shape") || have)
        malformed("has key '" + std::string(beginningOf(key, 20)) + "' " +
                  (have ? "twice" : "beside descr, fortran_order, shape"));
      have = true;
      if (&have == &haveDescr)
        header.type = description();
      else if (&have == &haveOrder)
        header.fortranOrder = boolean();
      else
        header.dims = tuple();
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skipSpace();
    if (!rest_.empty())
      malformed("has text after its end");
    if (!haveDescr || !haveOrder || !haveShape)
      malformed(std::string("lacks key '") + (!haveDescr ? "descr" : !haveOrder ? "fortran_order" : "shape") + "'");
    return header;
  }

private:
  [[noreturn]] static void malformed(const std::string &what) { throw Failure("malformed .npy header: it " + what); }

  void skipSpace() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n' || rest_[0] == '\t' || rest_[0] == '\r'))
      rest_.remove_prefix(1);
  }
  bool accept(char c) {
    skipSpace();
    if (!rest_.starts_with(c))
      return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c))
      malformed(std::string("has ") + (rest_.empty() ? "its end" : "'" + std::string(beginningOf(rest_, 1)) + "'") +
                " where '" + c + "' is expected");
  }
  std::string string() {
    skipSpace();
    char quote = rest_.empty() ? 0 : rest_[0];
    size_t end = quote == '\'' || quote == '"' ? rest_.find(quote, 1) : std::string_view::npos;
    if (end == std::string_view::npos)
      malformed("lacks a quoted string");
    std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }
  ElementType description() {
    skipSpace();
    if (rest_.starts_with('['))
      throw Failure("the array is structured (it has named fields); save one field");
    return parseDescription(string());
  }
  bool boolean() {
    skipSpace();
    for (std::string_view word : {"True", "False"})
      if (rest_.starts_with(word)) {
        rest_.remove_prefix(word.size());
        return word == "True";
      }
    malformed("has a fortran_order that is neither True nor False");
  }
  std::vector<int64_t> tuple() {
    std::vector<int64_t> out;
    expect('(');
    while (!accept(')')) {
      skipSpace();
      int64_t size = -1;
      auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
      if (error != std::errc() || size < 0)
        malformed("has a shape that is not a tuple of sizes");
      rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
      accept('L'); // Python 2 wrote long integers so
      out.push_back(size);
      if (out.size() > kMaxRank)
        throw Failure("the array has more than " + std::to_string(kMaxRank) + " dimensions");
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return out;
  }

  std::string_view rest_;
};

// Column-major elements into row-major order.
HostTensor toRowMajor(const HostTensor &from) {
  std::span<const int64_t> dims = from.dims();
  HostTensor to(from.type(), {dims.begin(), dims.end()});
  size_t width = contract::byteSize(from.type()), rank = dims.size();
  std::vector<int64_t> stride(rank), index(rank);
  for (size_t d = 0, step = 1; d < rank; step *= static_cast<size_t>(dims[d]), ++d)
    stride[d] = static_cast<int64_t>(step);
  int64_t source = 0;
  for (int64_t i = 0; i < from.count(); ++i) {
    std::memcpy(to.data().data() + static_cast<size_t>(i) * width,
                from.data().data() + static_cast<size_t>(source) * width, width);
    for (size_t d = rank; d-- > 0;) {
      source += stride[d];
      if (++index[d] < dims[d])
        break;
      source -= stride[d] * dims[d];
      index[d] = 0;
    }
  }
  return to;
}

// The length of the fixed part and of the dictionary.
std::pair<uint64_t, uint64_t> readPrefix(const InputFile &file) {
  unsigned char prefix[12] = {};
  size_t have = static_cast<size_t>(std::min<uint64_t>(file.bytes(), sizeof(prefix)));
  file.read(0, std::as_writable_bytes(std::span(prefix, have)));
  if (have >= 2 && prefix[0] == 'P' && prefix[1] == 'K')
    throw Failure("not a .npy file but an archive (.npz?); save one array with numpy.save");
  if (have < 10 || std::memcmp(prefix, kMagic, kMagicBytes) != 0)
    throw Failure("not a .npy file: it does not begin with \\x93NUMPY");
  int version = prefix[6];
  if (version < 1 || version > 3)
    throw Failure(".npy version " + std::to_string(version) + " is not supported (1, 2 and 3 are)");
  if (version == 1)
    return {10, prefix[8] | prefix[9] << 8};
  if (have < 12)
    throw Failure("cut off inside the header");
  return {12, prefix[8] | prefix[9] << 8 | prefix[10] << 16 | static_cast<uint64_t>(prefix[11]) << 24};
}

struct OpenArray {
  NpyHeader header;
  uint64_t start = 0; // of the elements in the file
};

OpenArray readHeader(const InputFile &file) {
  auto [start, length] = readPrefix(file);
  if (length > kLongestHeader || start + length > file.bytes())
    throw Failure("cut off inside the header");
  std::string dictionary(length, '\0');
  file.read(start, std::as_writable_bytes(std::span(dictionary)));
  OpenArray out{parseNpyHeader(dictionary), start + length};
  const NpyHeader &header = out.header;

  uint64_t have = file.bytes() - out.start;
  std::optional<int64_t> need = contract::storageBytes(header.type, elementCount(header.dims));
  if (!need || static_cast<uint64_t>(*need) != have)
    throw Failure("an array of " + formatType(header.type, header.dims) + " has " +
                  (need ? std::to_string(*need) + " bytes" : "more bytes than a file can hold") + ", the file has " +
                  std::to_string(have) + " after its header");
  return out;
}

// So many rows, of the first dimension, as `dims` says, from the row `first` on.
HostTensor readElements(const InputFile &file, const OpenArray &array, std::vector<int64_t> dims, int64_t first) {
  HostTensor tensor(array.header.type, std::move(dims));
  uint64_t row = tensor.dims().empty() || tensor.dims()[0] == 0
                     ? 0
                     : tensor.data().size() / static_cast<uint64_t>(tensor.dims()[0]);
  file.read(array.start + row * static_cast<uint64_t>(first), tensor.data());
  if (tensor.type() == ElementType::I1)
    for (std::byte &value : tensor.data())
      value = std::byte{value != std::byte{0}};
  return tensor;
}

HostTensor readArray(const std::string &path) {
  InputFile file(path);
  OpenArray array = readHeader(file);
  HostTensor tensor = readElements(file, array, array.header.dims, 0);
  return array.header.fortranOrder && array.header.dims.size() > 1 ? toRowMajor(tensor) : std::move(tensor);
}

// Failures with the file's name in front.
template <typename Function> auto named(const std::string &path, Function &&function) -> decltype(function()) {
  try {
    return function();
  } catch (const Failure &failure) {
    std::string_view text = failure.what();
    if (text.starts_with("cannot read"))
      throw;
    throw Failure("'" + path + "': " + std::string(text));
  }
}

} // namespace

NpyHeader parseNpyHeader(std::string_view dictionary) { return Dictionary(dictionary).parse(); }

HostTensor readNpy(const std::string &path) {
  return named(path, [&] { return readArray(path); });
}

NpyHeader readNpyHeader(const std::string &path) {
  return named(path, [&] { return readHeader(InputFile(path)).header; });
}

HostTensor readNpyRows(const std::string &path, int64_t first, int64_t count) {
  return named(path, [&] {
    InputFile file(path);
    OpenArray array = readHeader(file);
    std::vector<int64_t> dims = array.header.dims;
    if (dims.empty() || (array.header.fortranOrder && dims.size() > 1) || first < 0 || count < 0 ||
        first > dims[0] - count)
      throw Failure("has no rows from " + std::to_string(first) + " on, " + std::to_string(count) + " of them");
    dims[0] = count;
    return readElements(file, array, std::move(dims), first);
  });
}

HostTensor fromCarrier(HostTensor array, ElementType type) {
  unsigned bits = narrowBits(type);
  bool isByte = array.type() == ElementType::I8 || array.type() == ElementType::U8;
  if (!isByte || bits == 0) {
    if (array.type() == npyCarrier(type))
      array.retype(type);
    return array;
  }
  bool isSigned = npyCarrier(type) == ElementType::I8, mayBeCode = array.type() == ElementType::U8;
  uint8_t mask = static_cast<uint8_t>((1 << bits) - 1), sign = static_cast<uint8_t>(1 << (bits - 1));
  for (std::byte &element : array.data()) {
    auto given = static_cast<uint8_t>(element);
    uint8_t code = given & mask;
    auto value = static_cast<uint8_t>(isSigned && (code & sign) ? code | ~mask : code);
    if (given != value && !(mayBeCode && given == code))
      throw Failure("element " + std::to_string(&element - array.data().data()) + " of the file is " +
                    formatElement(array.type(), &element) + ", which is no " + std::string(contract::spelling(type)));
    element = std::byte{value};
  }
  array.retype(type);
  return array;
}

void writeNpy(OutputFile &file, TensorView tensor) {
  ElementType carrier = npyCarrier(tensor.type);
  std::string text = "{'descr': '";
  for (const TypeName &entry : kTypes)
    if (entry.type == carrier)
      text += (contract::byteSize(carrier) == 1 ? "|" : "<") + std::string(entry.name);
  text += "', 'fortran_order': False, 'shape': (";
  for (int64_t size : tensor.dims)
    text += std::to_string(size) + ",";
  text += "), }";
  size_t start = kMagicBytes + 4;
  while ((start + text.size() + 1) % 64 != 0)
    text += ' ';
  text += '\n';
  std::string prefix(kMagic, kMagicBytes);
  prefix += {'\1', '\0', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  file.write(prefix + text);
  file.write(tensor.data);
}

} // namespace heddle::tools
