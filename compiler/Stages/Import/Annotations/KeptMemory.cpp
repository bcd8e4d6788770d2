// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Annotations/KeptMemory.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace mlir;
using namespace mlir::heddle;

std::optional<SmallVector<StringRef>> mlir::heddle::matchStars(StringRef pattern, StringRef name) {
  auto [head, rest] = pattern.split('*');
  if (!pattern.contains('*'))
    return pattern == name ? std::optional(SmallVector<StringRef>()) : std::nullopt;
  if (!name.consume_front(head))
    return std::nullopt;
  for (size_t length = 0; length <= name.size(); ++length)
    if (auto inner = matchStars(rest, name.drop_front(length))) {
      inner->insert(inner->begin(), name.take_front(length));
      return inner;
    }
  return std::nullopt;
}

std::string mlir::heddle::fillStars(StringRef pattern, ArrayRef<StringRef> texts) {
  std::string name;
  for (char c : pattern) {
    if (c != '*') {
      name += c;
    } else if (!texts.empty()) {
      name += texts.front();
      texts = texts.drop_front();
    }
  }
  return name;
}

KeptMemory::Kind KeptMemory::find(StringRef input, StringRef output) const {
  for (StringRef flag : states) {
    auto [from, to] = flag.split('=');
    auto texts = matchStars(from, input);
    if (texts && fillStars(to, *texts) == output)
      return Kind::State;
  }
  bool isDonated = llvm::any_of(donations, [&](StringRef flag) {
    auto [from, to] = flag.split('=');
    return from == input && (to.empty() || to == output);
  });
  return isDonated ? Kind::Donated : Kind::None;
}
