// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Devices/PlaceFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"

using namespace mlir::heddle;

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
    llvm::Expected<llvm::GlobPattern> glob = llvm::GlobPattern::create(pattern, /*MaxSubPatterns=*/1024);
    if (!glob)
      return fail("'" + pattern + "' is no pattern: " + llvm::toString(glob.takeError()));
    rules.push_back({pattern.str(), device.str(), std::move(*glob), number});
  }
  return true;
}
