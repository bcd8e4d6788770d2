// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/fuzz/TextMutator.h"

#include <cctype>
#include <string>
#include <string_view>

using namespace heddle::fuzz;

namespace {

struct Word {
  size_t begin, end;
  char kind; // '0' a number, '%' a value, '"' a quoted operation, 't' a type, 'a' another name
};

bool isPart(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '%' || c == '#';
}

size_t endOfType(std::string_view text, size_t begin) {
  size_t depth = 0;
  for (size_t at = begin; at < text.size(); ++at) {
    depth += text[at] == '<';
    if (text[at] == '>' && --depth == 0)
      return at + 1;
  }
  return begin;
}

std::vector<Word> wordsOf(std::string_view text) {
  std::vector<Word> words;
  for (size_t at = 0; at < text.size();) {
    char c = text[at];
    size_t end = at;
    if (text.substr(at).starts_with("tensor<") && (end = endOfType(text, at)) > at) {
      words.push_back({at, end, 't'});
      at += 7; // what is in it is words too
      continue;
    }
    if (c == '"') {
      end = text.find('"', at + 1);
      end = end == text.npos ? text.size() : end + 1;
    } else {
      while (end < text.size() && isPart(text[end]))
        ++end;
    }
    if (end > at)
      words.push_back({at, end, std::isdigit(static_cast<unsigned char>(c)) ? '0' : c == '%' || c == '"' ? c : 'a'});
    at = std::max(end, at + 1);
  }
  return words;
}

std::string replaceWord(const std::string &text, Random &random) {
  std::vector<Word> words = wordsOf(text);
  if (words.empty())
    return text;
  const Word word = random.pick(words);
  std::string by;
  if (word.kind == '0' && random.oneIn(2)) {
    uint64_t old = std::strtoull(text.c_str() + word.begin, nullptr, 10);
    by = std::to_string(static_cast<int64_t>(random.number(old)));
  } else {
    std::vector<Word> others;
    for (const Word &other : words)
      if (other.kind == word.kind)
        others.push_back(other);
    const Word other = random.pick(others);
    by = text.substr(other.begin, other.end - other.begin);
  }
  return text.substr(0, word.begin) + by + text.substr(word.end);
}

std::string changeLines(const std::string &text, Random &random) {
  std::vector<std::string> lines(1);
  for (char c : text) {
    lines.back() += c;
    if (c == '\n')
      lines.emplace_back();
  }
  size_t at = random.below(lines.size()), other = random.below(lines.size());
  switch (random.below(3)) {
  case 0: lines.erase(lines.begin() + static_cast<ptrdiff_t>(at)); break;
  case 1: lines.insert(lines.begin() + static_cast<ptrdiff_t>(at), std::string(lines[other])); break;
  default: std::swap(lines[at], lines[other]);
  }
  std::string out;
  for (const std::string &line : lines)
    out += line;
  return out;
}

} // namespace

Bytes heddle::fuzz::mutateText(Bytes bytes, Random &random, const MutateBytes &mutateBytes) {
  if (random.oneIn(10)) {
    mutateBytes(bytes);
    return bytes;
  }
  std::string text(bytes.begin(), bytes.end());
  for (size_t i = 0, count = 1 + random.below(3); i < count; ++i)
    text = random.oneIn(6) ? changeLines(text, random) : replaceWord(text, random);
  return {text.begin(), text.end()};
}
