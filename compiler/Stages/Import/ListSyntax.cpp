// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/ListSyntax.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::heddle;

static bool isWordCharacter(char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$' || c == '-'; }

// Behind white space and comments.
static StringRef skipSpace(StringRef text) {
  while (true) {
    text = text.ltrim();
    if (!text.starts_with("//"))
      return text;
    text = text.drop_until([](char c) { return c == '\n'; });
  }
}

// Behind the string that starts here.
static StringRef skipString(StringRef text) {
  size_t end = 1;
  while (end < text.size() && text[end] != '"')
    end += text[end] == '\\' ? 2 : 1;
  return text.drop_front(std::min(end + 1, text.size()));
}

static bool startsWithList(StringRef text) {
  if (!text.consume_front("["))
    return false;
  text = skipSpace(text);
  if (text.starts_with("]"))
    return true;
  while (true) {
    text = skipSpace(text);
    StringRef number = text.take_while([](char c) { return llvm::isDigit(c) || c == '-'; });
    int64_t value;
    if (number.getAsInteger(10, value))
      return false;
    text = skipSpace(text.drop_front(number.size()));
    if (text.starts_with("]"))
      return true;
    if (!text.consume_front(","))
      return false;
  }
}

std::optional<size_t> mlir::heddle::findMalformedList(StringRef text) {
  char before = 0; // the last character that is neither space nor of a word's inside
  for (StringRef rest = skipSpace(text); !rest.empty(); rest = skipSpace(rest)) {
    if (rest.front() == '"') {
      rest = skipString(rest);
      before = '"';
      continue;
    }
    StringRef word = rest.take_while(isWordCharacter);
    if (word.empty()) {
      before = rest.front();
      rest = rest.drop_front();
      continue;
    }
    rest = rest.drop_front(word.size());
    StringRef value = skipSpace(rest);
    bool isKeyword = before == 0 || !StringRef("{,<%#@!^").contains(before); // not an attribute, not a part of a name
    before = word.back();
    if (!isKeyword || (word != "permutation" && word != "dimensions") || !value.consume_front("="))
      continue;
    value = skipSpace(value);
    if (!startsWithList(value))
      return text.size() - value.size();
  }
  return std::nullopt;
}

std::optional<size_t> mlir::heddle::findDeepNesting(StringRef text) {
  constexpr int64_t kMost = 1000;
  int64_t depth = 0, signs = 0;
  for (StringRef rest = text; true;) {
    StringRef between = rest.take_front(rest.find_first_of("\"/-([{<)]}>"));
    rest = rest.drop_front(between.size());
    if (rest.empty())
      return std::nullopt;
    if (!between.trim().empty() || rest.front() != '-')
      signs = 0;
    if (rest.front() == '"') {
      rest = skipString(rest);
      continue;
    }
    if (rest.starts_with("//")) {
      rest = skipSpace(rest);
      continue;
    }
    size_t at = text.size() - rest.size();
    char c = rest.front();
    rest = rest.drop_front();
    if (c == '-') {
      signs += rest.consume_front(">") ? 0 : 1; // an arrow closes nothing
    } else if (rest.starts_with("=") && (c == '<' || c == '>')) {
      continue; // a comparison
    } else {
      depth += StringRef("([{<").contains(c) ? 1 : StringRef(")]}>").contains(c) ? -1 : 0;
      depth = std::max<int64_t>(depth, 0);
    }
    if (depth > kMost || signs > kMost)
      return at;
  }
}
