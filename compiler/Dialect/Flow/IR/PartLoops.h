// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over parts, as dispatches have them: what stage `form` makes of a program's scf.forall and of split reductions,
// and what code generation takes.
//
//   %r = scf.forall (%s) in (%n) shared_outs(%o = %empty) -> (tensor<?x8x16xf32>) {
//     %x = tensor.extract_slice %a[…] [8, %k] [1, 1]            // of what the dispatch reads; %k, … index arithmetic
//     %y = …                                                    // what one dispatch may hold, of such slices
//     scf.forall.in_parallel {
//       tensor.parallel_insert_slice %y into %o[%s, 0, 0] [1, 8, 16] [1, 1, 1] : …   // one for each result
//     }
//   }
//
// One dimension, from 0 in steps of 1; all results leave the dispatch; what is written is begun with a tensor.empty;
// slices have steps of 1, and the last dimension of what is inserted is the last one of the result. Whoever makes the
// loop has proved that slices lie in their tensors, or has put flow.checked_index around their sizes and offsets.
#ifndef HEDDLE_COMPILER_DIALECT_FLOW_IR_PARTLOOPS_H
#define HEDDLE_COMPILER_DIALECT_FLOW_IR_PARTLOOPS_H

#include "llvm/ADT/StringRef.h"

namespace mlir::heddle::flow {

// On the loop: nobody knows which part is the longest. Without it the last one is.
inline constexpr llvm::StringLiteral kUnevenPartsAttr = "flow.uneven_parts";

// On an scf.forall before stage `form`: no two parts write the same element, whatever can be told from their places.
// They are what data says (flow.grouped_matmul), and a part that lies outside of the results fails the call.
inline constexpr llvm::StringLiteral kApartAttr = "flow.parts_apart";

} // namespace mlir::heddle::flow

#endif // HEDDLE_COMPILER_DIALECT_FLOW_IR_PARTLOOPS_H
