// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Devices/DeviceFlags.h"

#include "heddle/contract/ArtifactVerifier.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

using namespace mlir::heddle;
using llvm::StringRef;

static constexpr uint32_t kMostDevices = ::heddle::contract::kMaxDevices;

namespace {

class Parser {
public:
  explicit Parser(StringRef text) : text(text) {}

  bool parseFlag(DeviceFlag &flag);
  FlagError takeError() { return std::move(error); }

private:
  bool parseSpec(DeviceSpec &spec);
  bool parseAlias(DeviceSpec &spec);
  bool parseFallback(DeviceSpec &spec);
  bool parseAttribute(DeviceSpec &spec);
  bool parseOrdinal(DeviceSpec &spec);
  bool parseOptions(DeviceSpec &spec);
  bool parseValue(FlagValue &value);
  bool parseList(FlagValue &value);
  bool parseCount(DeviceFlag &flag);

  bool fail(const llvm::Twine &message) { return failAt(at, message); }
  bool failAt(size_t position, const llvm::Twine &message) {
    error = {message.str(), position};
    return false;
  }
  bool atEnd() const { return at >= text.size(); }
  char peek() const { return atEnd() ? '\0' : text[at]; }
  bool consume(char c) { return peek() == c && (++at, true); }
  bool expect(char c, StringRef where);
  std::string got() const { return atEnd() ? "the end" : ("'" + text.substr(at, characterBytes(at)) + "'").str(); }
  // Of the character of UTF-8 that begins there.
  size_t characterBytes(size_t position) const {
    size_t bytes = 1;
    while (position + bytes < text.size() && (text[position + bytes] & 0xc0) == 0x80)
      ++bytes;
    return bytes;
  }
  template <typename IsPart> StringRef takeWhile(IsPart isPart) {
    StringRef word = text.substr(at).take_while(isPart);
    at += word.size();
    return word;
  }

  StringRef text;
  size_t at = 0;
  FlagError error;
};

} // namespace

static bool isNamePart(char c) { return llvm::isAlnum(c) || c == '_' || c == '-' || c == '.' || c == '$'; }
static bool isWordPart(char c) { return isNamePart(c) || c == '+' || c == ':' || c == '/' || c == '%' || c == '@'; }

bool Parser::expect(char c, StringRef where) {
  return consume(c) || fail("expected '" + llvm::Twine(c) + "' " + where + ", got " + got());
}

bool Parser::parseFlag(DeviceFlag &flag) {
  StringRef name = text.take_while(isNamePart);
  if (text.substr(name.size()).starts_with("=")) {
    if (name.empty() || llvm::isDigit(name[0]))
      return fail("expected a device's name before '=', such as gpu=vulkan");
    flag.name = name.str();
    at = name.size() + 1;
  }
  do
    if (!parseSpec(flag.specs.emplace_back()))
      return false;
  while (consume(','));
  if (consume('*') && !parseCount(flag))
    return false;
  return atEnd() || fail(flag.count ? "expected the end after a count, got " + got()
                                    : "expected ',', '*' or the end after a device, got " + got());
}

bool Parser::parseCount(DeviceFlag &flag) {
  size_t begin = at;
  StringRef digits = takeWhile([](char c) { return llvm::isDigit(c); });
  uint32_t count = 0;
  if (digits.empty())
    return fail("expected a count of devices, such as cuda*8, got " + got());
  if (digits.getAsInteger(10, count) || count == 0 || count > kMostDevices)
    return failAt(begin, "an artifact has from 1 to " + llvm::Twine(kMostDevices) + " devices, got " + digits);
  flag.count = count;
  return true;
}

bool Parser::parseSpec(DeviceSpec &spec) {
  spec.position = at;
  if (peek() == '#')
    return parseAttribute(spec);
  return text.substr(at).starts_with("fallback(") ? parseFallback(spec) : parseAlias(spec);
}

bool Parser::parseAlias(DeviceSpec &spec) {
  if (!llvm::isAlpha(peek()))
    return fail("expected a device such as local, vulkan[0] or #device.target<…>, got " + got());
  spec.text = takeWhile(isNamePart).str();
  if (peek() == '[' && !parseOrdinal(spec))
    return false;
  return peek() != '{' || parseOptions(spec);
}

bool Parser::parseFallback(DeviceSpec &spec) {
  spec.kind = DeviceSpec::Fallback;
  at += StringRef("fallback(").size();
  if (!expect('@', "before the name of the device to fall back to"))
    return false;
  spec.text = takeWhile(isNamePart).str();
  if (spec.text.empty())
    return fail("expected the name of a device, such as fallback(@cpu), got " + got());
  return expect(')', "after the name of a device");
}

// Up to the next comma that is in no bracket and no string.
bool Parser::parseAttribute(DeviceSpec &spec) {
  spec.kind = DeviceSpec::Attribute;
  size_t begin = at;
  std::string open;
  for (; !atEnd(); ++at) {
    char c = peek();
    if (c == '"') {
      size_t start = at++;
      for (; !atEnd() && peek() != '"'; ++at)
        at += peek() == '\\';
      if (at >= text.size())
        return failAt(start, "this string has no end");
    } else if (c == '<' || c == '[' || c == '{' || c == '(') {
      open += c == '<' ? '>' : c == '[' ? ']' : c == '{' ? '}' : ')';
    } else if (c == '-' && text.substr(at).starts_with("->")) {
      ++at;
    } else if (c == '>' || c == ']' || c == '}' || c == ')') {
      if (open.empty() || open.back() != c)
        return fail("unexpected '" + llvm::Twine(c) + "'" +
                    (open.empty() ? "" : ", expected '" + std::string(1, open.back()) + "'"));
      open.pop_back();
    } else if ((c == ',' || c == '*') && open.empty()) {
      break;
    }
  }
  if (!open.empty())
    return fail("expected '" + llvm::Twine(open.back()) + "', got the end");
  spec.text = text.slice(begin, at).str();
  return true;
}

bool Parser::parseOrdinal(DeviceSpec &spec) {
  size_t begin = ++at;
  StringRef digits = takeWhile([](char c) { return llvm::isDigit(c); });
  int64_t ordinal = 0;
  if (digits.empty())
    return fail("expected an ordinal, a number from 0 on, got " + got());
  if (digits.getAsInteger(10, ordinal) || ordinal > INT32_MAX)
    return failAt(begin, "an ordinal is at most 2147483647, got " + digits);
  spec.ordinal = ordinal;
  return expect(']', "after an ordinal");
}

bool Parser::parseOptions(DeviceSpec &spec) {
  ++at;
  do {
    size_t begin = at;
    StringRef key = takeWhile(isNamePart);
    if (key.empty())
      return fail("expected an option, key=value, got " + got());
    if (llvm::any_of(spec.options, [&](const auto &option) { return option.first == key; }))
      return failAt(begin, "option '" + key + "' is given twice");
    if (!expect('=', "after an option's key"))
      return false;
    if (!parseValue(spec.options.emplace_back(key.str(), FlagValue()).second))
      return false;
  } while (consume(','));
  return expect('}', "after the options of a device");
}

bool Parser::parseValue(FlagValue &value) {
  if (peek() == '[')
    return parseList(value);
  StringRef word = takeWhile(isWordPart);
  if (word.empty())
    return fail("expected a value: a word, a number or [value,…], got " + got());
  double number;
  value.text = word.str();
  bool isNumber = word.find_first_not_of("0123456789.eE+-") == StringRef::npos && llvm::isDigit(word[0]) &&
                  (llvm::isDigit(word.back()) || word.back() == '.');
  value.kind = isNumber && !word.getAsDouble(number) ? FlagValue::Number : FlagValue::Word;
  return true;
}

bool Parser::parseList(FlagValue &value) {
  ++at;
  value.kind = FlagValue::List;
  do
    if (!parseValue(value.items.emplace_back()))
      return false;
  while (consume(','));
  return expect(']', "after the values of a list");
}

std::string mlir::heddle::pointAt(std::string_view flag, const FlagError &error) {
  // A column is a character, not a byte.
  size_t column = llvm::count_if(flag.substr(0, error.position), [](char c) { return (c & 0xc0) != 0x80; });
  return error.message + "\n  " + std::string(flag) + "\n  " + std::string(column, ' ') + "^";
}

// Names of kinds of devices are written out: what they stand for is chosen where the artifact is loaded.
static void expandKinds(std::vector<DeviceSpec> &specs) {
  std::vector<DeviceSpec> out;
  for (DeviceSpec &spec : specs) {
    bool isKind = spec.kind == DeviceSpec::Alias && (spec.text == "cpu" || spec.text == "gpu");
    if (!isKind) {
      out.push_back(std::move(spec));
      continue;
    }
    for (const char *alias : {"local", "cuda", "vulkan"})
      if ((spec.text == "cpu") == (StringRef(alias) == "local")) {
        out.push_back(spec);
        out.back().text = alias;
      }
  }
  specs = std::move(out);
}

std::optional<FlagError> mlir::heddle::parseDeviceFlag(std::string_view text, DeviceFlag &flag) {
  flag = DeviceFlag();
  flag.text = text;
  Parser parser(text);
  if (!parser.parseFlag(flag))
    return parser.takeError();
  expandKinds(flag.specs);
  return std::nullopt;
}

std::string DeviceFlag::nameOf(uint32_t member) const {
  return name.empty() || !count ? name : name + "_" + std::to_string(member);
}

// Names for all or for none.
static std::string checkNamed(const std::vector<DeviceFlag> &flags) {
  for (size_t i = 0; i < flags.size(); ++i)
    if (flags[i].name.empty() != flags[0].name.empty()) {
      size_t named = flags[i].name.empty() ? 0 : i, other = i - named;
      return "--target-device: '" + flags[named].text + "' has a name and '" + flags[other].text +
             "' has none: name all devices, or none";
    }
  return "";
}

// Each name once, those of members too.
static std::string checkNames(const std::vector<DeviceFlag> &flags) {
  llvm::StringMap<size_t> known;
  for (size_t i = 0; i < flags.size(); ++i)
    for (uint32_t member = 0; member < flags[i].members() && !flags[i].name.empty(); ++member) {
      std::string name = flags[i].nameOf(member);
      if (auto [other, isNew] = known.try_emplace(name, i); !isNew)
        return "--target-device: the name '" + name + "' is given twice, to '" + flags[other->second].text + "' and '" +
               flags[i].text + "'";
    }
  return "";
}

std::string mlir::heddle::parseDeviceFlags(const std::vector<std::string> &texts, bool targetCpu,
                                           std::vector<DeviceFlag> &flags) {
  flags.clear();
  uint64_t devices = 0;
  for (const std::string &text : texts) {
    if (auto error = parseDeviceFlag(text, flags.emplace_back()))
      return "--target-device: " + pointAt(text, *error);
    devices += flags.back().members();
  }
  if (devices > kMostDevices)
    return "--target-device: an artifact has at most " + std::to_string(kMostDevices) + " devices, got " +
           std::to_string(devices);
  if (std::string message = checkNamed(flags); !message.empty())
    return message;
  if (std::string message = checkNames(flags); !message.empty())
    return message;
  if (targetCpu && devices > 1)
    return "--target-cpu belongs to one device, got " + std::to_string(devices) +
           ": say it with the device, as in --target-device=local{cpu=x86-64-v3}";
  return "";
}
