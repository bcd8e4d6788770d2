// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `heddle.split` says of a structured op: into how many parts its reduction is computed, or by which strategy.
//
//   heddle.split = 77                                      // parts
//   heddle.split = "default"                               // as many as the strategy finds
//   heddle.split = {parts = 13, loop = 2, by = "a.mlir:4"} // of the op's loop 2; a script asks for them
//   heddle.split = {parts = 2, per_unit}                   // for each unit of the device
//   heddle.split = {size = 4096}                           // parts of about so many steps of the loop
#ifndef HEDDLE_COMPILER_DIALECT_HEDDLE_IR_SPLITREQUEST_H
#define HEDDLE_COMPILER_DIALECT_HEDDLE_IR_SPLITREQUEST_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

#include <optional>

namespace mlir::heddle {

// Either `strategy`, `parts` or `size` is there. Numbers are at least 1, a loop at least 0.
struct SplitRequest {
  std::optional<int64_t> parts;
  bool perUnit = false;         // as many for each unit of the device
  std::optional<int64_t> size;  // steps of the loop
  std::optional<unsigned> loop; // that is cut; none: the longest
  StringRef strategy;           // a name
  StringRef by;                 // who asks, "splits.mlir:4"; "": the program or the compiler

  // Whether somebody says how many: what cannot be split is an error then.
  bool isAsked() const { return strategy.empty(); }
  bool isWhole() const { return parts == 1 && !perUnit; }
};

// None where the op does not say. The attribute is a valid one.
std::optional<SplitRequest> getSplitRequest(Operation *op);
SplitRequest readSplitRequest(Attribute value);
// A dictionary of a request that is asked for.
Attribute toAttribute(const SplitRequest &request, MLIRContext *context);

// Whether the op may be computed in parts: it has a request that does not keep it whole.
bool mayBeSplit(Operation *op);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_DIALECT_HEDDLE_IR_SPLITREQUEST_H
