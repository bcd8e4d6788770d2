// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Takes tokens off the front of the text of an attribute (Attributes.h, Shardings.h). Nothing is taken where the token
// is not there.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_ASSEMBLY_TEXTREADER_H
#define HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_ASSEMBLY_TEXTREADER_H

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace mlir::heddle::hlo {

struct TextReader {
  llvm::StringRef text;

  bool take(llvm::StringRef token) {
    text = text.ltrim();
    return text.consume_front(token);
  }
  bool atEnd() {
    text = text.ltrim();
    return text.empty();
  }
  llvm::StringRef word() {
    text = text.ltrim();
    llvm::StringRef result = text.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    text = text.drop_front(result.size());
    return result;
  }
  std::optional<int64_t> integer() {
    text = text.ltrim();
    int64_t value;
    if (text.consumeInteger(10, value))
      return std::nullopt;
    return value;
  }
  // `"name"`, without the quotes. No escapes: names of axes have none.
  std::optional<llvm::StringRef> quoted() {
    text = text.ltrim();
    size_t end = text.starts_with("\"") ? text.find('"', 1) : llvm::StringRef::npos;
    if (end == llvm::StringRef::npos)
      return std::nullopt;
    llvm::StringRef name = text.slice(1, end);
    text = text.drop_front(end + 1);
    return name;
  }
  // `@name` or `@"name"`, without the sign and the quotes.
  std::optional<llvm::StringRef> symbol() {
    if (!take("@"))
      return std::nullopt;
    if (text.starts_with("\""))
      return quoted();
    llvm::StringRef name =
        text.take_while([](char c) { return llvm::isAlnum(c) || llvm::StringRef("_$.-").contains(c); });
    text = text.drop_front(name.size());
    return name.empty() ? std::nullopt : std::optional(name);
  }
};

} // namespace mlir::heddle::hlo

#endif // HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_ASSEMBLY_TEXTREADER_H
