// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of pieces that the loader chooses, and what it chooses by. See FlowPieces.td and docs/design/overlap.md.
//
//   DictionaryAttr account = toAttr(context, accountedFor, collective);
//   Account same = *readAccount(account);
#ifndef HEDDLE_COMPILER_DIALECT_FLOW_IR_FLOWPIECES_H
#define HEDDLE_COMPILER_DIALECT_FLOW_IR_FLOWPIECES_H

#include "compiler/Dialect/Flow/IR/FlowCollectives.h"
#include "heddle/contract/OverlapTime.h"

#define GET_OP_CLASSES
#include "compiler/Dialect/Flow/IR/FlowPieces.h.inc"

namespace mlir::heddle::flow {

// What flow.pieces and host.bound carry as an attribute.
struct PiecesAccount {
  std::string name; // of the collective, for people
  ::heddle::contract::OverlapAccount account;
  ::heddle::contract::OverlapRates rates; // the link's as the compiler was told
  std::vector<unsigned> counts;           // none: of an extent that calls know
  FlatSymbolRefAttr mesh;                 // who meets: as of a collective
  ArrayAttr axes, groups;
};

DictionaryAttr toAttr(MLIRContext *context, const PiecesAccount &account);
// None where something is missing or of another kind.
std::optional<PiecesAccount> readAccount(DictionaryAttr attr);

// On host.bound: the account of what the loader gives there. The value's name tells ops of one number, and positions.
inline constexpr llvm::StringLiteral kAccountAttr = "host.overlap";

} // namespace mlir::heddle::flow

#endif // HEDDLE_COMPILER_DIALECT_FLOW_IR_FLOWPIECES_H
