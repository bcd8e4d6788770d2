// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Devices/PlaceFile.h"

#include "compiler/Dialect/NodeNames.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir::heddle;

bool PlaceRule::fits(llvm::StringRef name) const { return fitsPattern(pattern, name); }

// The '=' in front of what a line says. Names of nodes may have one, names of devices not, and streams have one inside.
static size_t findEquals(llvm::StringRef line) {
  for (size_t at = line.find('='); at != llvm::StringRef::npos; at = line.find('=', at + 1))
    if (line.drop_front(at + 1).ltrim().starts_with("stream("))
      return at;
  return line.rfind('=');
}

// "stream(0, 4), stream(1, 2)"; false where it is something else.
static bool parseStreams(llvm::StringRef text, std::vector<std::string> &streams) {
  while (text.consume_front("stream(")) {
    auto [inside, rest] = text.split(')');
    if (!text.contains(')'))
      return false;
    streams.push_back(inside.trim().str());
    text = rest.ltrim();
    if (text.empty())
      return true;
    if (!text.consume_front(","))
      return false;
    text = text.ltrim();
  }
  return false;
}

bool mlir::heddle::parsePlaceFile(llvm::StringRef text, std::vector<PlaceRule> &rules, std::string &error) {
  unsigned number = 0;
  for (llvm::StringRef line : llvm::split(text, '\n')) {
    ++number;
    auto fail = [&](const llvm::Twine &message) {
      error = (llvm::Twine(number) + ": " + message).str();
      return false;
    };
    line = line.trim();
    if (line.empty() || line.starts_with("#"))
      continue;
    size_t equals = findEquals(line);
    llvm::StringRef pattern = line.take_front(equals).rtrim();
    llvm::StringRef device = equals == llvm::StringRef::npos ? "" : line.drop_front(equals + 1).trim();
    device.consume_front("@");
    if (pattern.empty() || device.empty())
      return fail("expected 'pattern = device', such as 'encoder/* = gpu', got '" + line + "'");
    if (!device.starts_with("stream(")) {
      rules.push_back({pattern.str(), device.str(), number});
      continue;
    }
    rules.push_back({pattern.str(), "", number});
    if (!parseStreams(device, rules.back().streams))
      return fail("expected 'pattern = stream(AXIS, STREAMS)', such as 'encoder/mm = stream(0, 4)', got '" + line +
                  "'");
  }
  return true;
}
