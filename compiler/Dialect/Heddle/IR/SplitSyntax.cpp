// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Heddle/IR/SplitSyntax.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::split_keys;

static std::string explainInvalidEntry(NamedAttribute entry) {
  StringRef key = entry.getName();
  if (key == kParts || key == kSize || key == kLoop) {
    const int64_t least = key == kLoop ? 0 : 1;
    auto number = dyn_cast<IntegerAttr>(entry.getValue());
    return number && number.getInt() >= least ? ""
                                              : ("has a '" + key + "' that is no number from " + Twine(least)).str();
  }
  if (key == kPerUnit)
    return isa<UnitAttr>(entry.getValue()) ? "" : "has a 'per_unit' with a value";
  if (key == kBy)
    return isa<StringAttr>(entry.getValue()) ? "" : "has a 'by' that is no text";
  return ("has an unknown key '" + key + "'; known: parts, size, per_unit, loop, by").str();
}

std::string mlir::heddle::explainInvalidSplit(Attribute value) {
  if (auto count = dyn_cast<IntegerAttr>(value))
    return count.getInt() < 1 ? "must be at least 1, got " + std::to_string(count.getInt()) : "";
  if (auto strategy = dyn_cast<StringAttr>(value); strategy && (strategy == "default" || strategy == "reproducible"))
    return "";
  std::string text;
  llvm::raw_string_ostream os(text);
  auto asked = dyn_cast<DictionaryAttr>(value);
  if (!asked) {
    os << "stands on a linalg op and is a number of parts, \"default\", \"reproducible\" or a dictionary of what is "
          "asked "
          "for, got "
       << value;
    return text;
  }
  for (NamedAttribute entry : asked)
    if (std::string reason = explainInvalidEntry(entry); !reason.empty())
      return reason;
  if (asked.contains(kParts) == asked.contains(kSize))
    return "says either 'parts' or 'size'";
  return asked.contains(kPerUnit) && !asked.contains(kParts) ? "has 'per_unit' without 'parts'" : "";
}
