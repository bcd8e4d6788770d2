// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of a model's nodes and values, and the patterns by which a user's file speaks of them.
//
//   fitsPattern("encoder/*/Mat???", "encoder/layer.0/MatMul")
#ifndef HEDDLE_COMPILER_DIALECT_NODENAMES_H
#define HEDDLE_COMPILER_DIALECT_NODENAMES_H

#include "mlir/IR/Location.h"
#include "llvm/ADT/StringRef.h"

namespace mlir::heddle {

// `text` without its first character of UTF-8.
inline llvm::StringRef dropCharacter(llvm::StringRef text) {
  size_t bytes = 1;
  while (bytes < text.size() && (text[bytes] & 0xc0) == 0x80)
    ++bytes;
  return text.drop_front(bytes);
}

// Whether the pattern fits the whole name: '*' takes any characters, '?' one (of UTF-8), all others themselves. A star
// first takes nothing, and one character more each time that what follows it does not fit; no star before it needs to
// be tried again.
inline bool fitsPattern(llvm::StringRef pattern, llvm::StringRef name) {
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

// The name of the model's node that an op comes from; "" where its location has none.
inline llvm::StringRef getNodeName(Location location) {
  if (auto name = llvm::dyn_cast<NameLoc>(location))
    return name.getName();
  if (auto call = llvm::dyn_cast<CallSiteLoc>(location)) // inlined: the node is one of the function
    return getNodeName(call.getCallee());
  if (auto fused = llvm::dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (llvm::StringRef name = getNodeName(part); !name.empty())
        return name;
  return "";
}

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_DIALECT_NODENAMES_H
