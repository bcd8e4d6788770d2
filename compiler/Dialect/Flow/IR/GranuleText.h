// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text of granules, what parts begin at multiples of: 16, "seq", or 2 * "heads" * "seq". Shared by marks of loops over
// streams and by shardings.
#ifndef HEDDLE_COMPILER_DIALECT_FLOW_IR_GRANULETEXT_H
#define HEDDLE_COMPILER_DIALECT_FLOW_IR_GRANULETEXT_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpImplementation.h"

namespace mlir::heddle::flow {

// The names come sorted. A factor below 1 is for the caller to refuse.
inline ParseResult parseGranule(AsmParser &parser, int64_t &factor, SmallVectorImpl<StringAttr> &names) {
  factor = 1;
  do {
    int64_t number = 1;
    StringAttr name;
    OptionalParseResult isNumber = parser.parseOptionalInteger(number);
    if (isNumber.has_value() ? failed(*isNumber) : failed(parser.parseAttribute(name)))
      return failure();
    factor *= number;
    if (name)
      names.push_back(name);
  } while (succeeded(parser.parseOptionalStar()));
  llvm::sort(names, [](StringAttr a, StringAttr b) { return a.getValue() < b.getValue(); });
  return success();
}

inline void printGranule(AsmPrinter &printer, int64_t factor, ArrayRef<StringAttr> names) {
  if (factor != 1 || names.empty())
    printer << factor << (names.empty() ? "" : " * ");
  llvm::interleave(names, printer.getStream(), [&](StringAttr name) { printer << name; }, " * ");
}

} // namespace mlir::heddle::flow

#endif // HEDDLE_COMPILER_DIALECT_FLOW_IR_GRANULETEXT_H
