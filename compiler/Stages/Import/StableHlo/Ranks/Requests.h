// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Everything in which a StableHLO program asks for shardings of whole values, as one op:
//
//   %r = "sdy.sharding_constraint"(%x) {sharding = #flow.sharding<@mesh, [["x"], ?]>}
//
// | the program has                                                    | becomes                                 |
// |---|---|
// | sdy.sharding_constraint, sdy.reshard, sdy.all_gather, …            | a request of what the op gives          |
// | sdy.sharding, mhlo.sharding on an op, a call, a private function   | requests of results, and of arguments   |
// | custom calls Sharding and xla.sdy.FuncResultSharding               | a request                               |
// | custom calls SPMDFullToShardShape, SPMDShardToFullShape            | borders (ManualComputation.h)           |
// | sdy.sharding_group                                                 | requests of what one of them asks for   |
// | sdy.propagation_barrier                                            | a request that says which way they go   |
// | sdy.named_computation                                              | its body, between requests              |
// | sdy.constant                                                       | stablehlo.constant                      |
//
// Nothing vanishes: what cannot be asked for is a warning that names it.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_RANKS_REQUESTS_H
#define HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_RANKS_REQUESTS_H

#include "compiler/Stages/Import/StableHlo/Ranks/ReadShardings.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::heddle::hlo {

// Lowered to flow.shard (Ops/Shardings.cpp).
inline constexpr llvm::StringLiteral kRequestOp = "sdy.sharding_constraint";
inline constexpr llvm::StringLiteral kSharding = "sharding";
// On a request until it is read: what a custom call says besides.
inline constexpr llvm::StringLiteral kConfig = "heddle.config";

// Of all functions, before calls are inlined: attributes and ops in the table above become requests whose sharding is
// still the program's attribute; those of public functions' arguments and results stay. Failure: a diagnostic at an op
// that is malformed.
LogicalResult spellRequests(ModuleOp module, const Ranks &ranks);

// Of a function: reads all shardings. Requests that say nothing go, as do those of values that are one rank's own, in
// manual computations.
LogicalResult readRequests(func::FuncOp function, const Ranks &ranks);

// What to ask for of a value. Without a sharding nothing is.
struct Asked {
  flow::ShardingAttr sharding;
  DenseI64ArrayAttr priorities; // by dimension, what has a lower number is propagated first; null: all of them at once

  explicit operator bool() const { return bool(sharding); }
  // As attributes of a kRequestOp.
  void addTo(OperationState &state) const;
};

// Of a value of `rank` dimensions. Nothing also where a warning of `warn` has told that it is not applied. Failure: a
// diagnostic of `report`. Each begins one.
FailureOr<Asked> readRequest(Attribute annotation, int64_t rank, const Ranks &ranks,
                             llvm::function_ref<InFlightDiagnostic()> report,
                             llvm::function_ref<InFlightDiagnostic()> warn);

// Puts a request behind a value, in place of which all others read it.
Operation *createRequest(OpBuilder &b, Value value, Attribute sharding);
void createRequest(OpBuilder &b, Value value, const Asked &asked);

// Refuses an op that is not of a tensor to one of its type.
LogicalResult requireUnary(Operation *op);

// Whether the op is a manual computation.
bool isManual(Operation *op);

// Whether the op belongs to the dialect sdy, or to what spellRequests makes of others.
bool isShardy(Operation *op);

} // namespace mlir::heddle::hlo

#endif // HEDDLE_COMPILER_STAGES_IMPORT_STABLEHLO_RANKS_REQUESTS_H
