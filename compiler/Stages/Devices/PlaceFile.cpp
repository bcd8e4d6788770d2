// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Devices/PlaceFile.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir::heddle;

static llvm::StringRef dropCharacter(llvm::StringRef text) {
  size_t bytes = 1;
  while (bytes < text.size() && (text[bytes] & 0xc0) == 0x80)
    ++bytes;
  return text.drop_front(bytes);
}

// A star first takes nothing, and one character more each time that what follows it does not fit; no star before it
// needs to be tried again.
bool PlaceRule::fits(llvm::StringRef name) const {
  llvm::StringRef rest = pattern, afterStar, taken;
  bool star = false;
  while (!name.empty()) {
    if (rest.consume_front("*")) {
      star = true;
      afterStar = rest;
      taken = name;
    } else if (rest.consume_front("?")) {
      name = dropCharacter(name);
    } else if (!rest.empty() && rest.front() == name.front()) {
      rest = rest.drop_front();
      name = name.drop_front();
    } else if (star) {
      rest = afterStar;
      name = taken = dropCharacter(taken);
    } else {
      return false;
    }
  }
  return rest.ltrim('*').empty();
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
    // Names of nodes may have an '=', names of devices not.
    auto [pattern, device] = line.rsplit('=');
    pattern = pattern.rtrim();
    device = device.trim();
    device.consume_front("@");
    if (!line.contains('=') || pattern.empty() || device.empty())
      return fail("expected 'pattern = device', such as 'encoder/* = gpu', got '" + line + "'");
    rules.push_back({pattern.str(), device.str(), number});
  }
  return true;
}
