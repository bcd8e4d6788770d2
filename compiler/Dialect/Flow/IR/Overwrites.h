// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which results of an executable may lie in the memory of an operand.
//
//   flow.executable private @add_0 attributes {flow.overwrites = [array<i64: 0, 2>]} { … }   // binding 2 over binding
//   0
//
// Bindings count as a dispatch's do: operands, then results. The attribute is a demand and a promise. Whoever writes it
// has asked every target that the executable is compiled for (Target::findOverwrites); code is made so that it holds,
// or not at all. A kernel then reads each byte of the operand before it writes the byte of the result in its place, and
// no workgroup reads what another one writes, in whatever order or at whatever time workgroups run. Of dispatches
// only those that bind one range of bytes to both make use of it (verified by VerifyHost).
#ifndef HEDDLE_COMPILER_DIALECT_FLOW_IR_OVERWRITES_H
#define HEDDLE_COMPILER_DIALECT_FLOW_IR_OVERWRITES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace mlir::heddle::flow {

inline constexpr llvm::StringLiteral kOverwritesAttr = "flow.overwrites";

struct Overwrite {
  int64_t operand, result; // numbers of bindings
  bool operator==(const Overwrite &other) const { return operand == other.operand && result == other.result; }
};

// Of a flow.executable, or of the kernel.program made of it. What is no pair of numbers is left out.
inline SmallVector<Overwrite> getOverwrites(Operation *op) {
  SmallVector<Overwrite> pairs;
  if (auto all = op->getAttrOfType<ArrayAttr>(kOverwritesAttr))
    for (Attribute attribute : all)
      if (auto pair = dyn_cast<DenseI64ArrayAttr>(attribute); pair && pair.size() == 2)
        pairs.push_back({pair[0], pair[1]});
  return pairs;
}

inline void addOverwrite(Operation *executable, Overwrite pair) {
  SmallVector<Overwrite> pairs = getOverwrites(executable);
  if (llvm::is_contained(pairs, pair))
    return;
  pairs.push_back(pair);
  SmallVector<Attribute> all;
  for (const Overwrite &one : pairs)
    all.push_back(DenseI64ArrayAttr::get(executable->getContext(), {one.operand, one.result}));
  executable->setAttr(kOverwritesAttr, ArrayAttr::get(executable->getContext(), all));
}

} // namespace mlir::heddle::flow

#endif // HEDDLE_COMPILER_DIALECT_FLOW_IR_OVERWRITES_H
