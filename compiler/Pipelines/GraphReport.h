// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The graph of dispatches and transfers as the artifact's report has it, for `heddle explain`.
#ifndef HEDDLE_COMPILER_PIPELINES_GRAPHREPORT_H
#define HEDDLE_COMPILER_PIPELINES_GRAPHREPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"

namespace mlir::heddle {

// A module between `place` and `schedule` as a small JSON object; equal modules give equal objects. Texts are numbers
// into `strings`, devices numbers into `devices`, nodes numbers into the `nodes` of their function. Absent keys are 0,
// empty, or none.
//
//   unknown    what a size counts as that only the call knows
//   expect     {name: size}                             what free dimensions were expected to be
//   devices    [{name, targets: ["local", …]}]          in the order of declaration; the first alternatives first
//   default    the default device
//   branches   [sentence, …]                            what place-overlap-branches did, and why
//   links      [{from, to, gbps, us, unified, transparent}]   what the topology states
//   strings    [0, "abc", 2, "d", …]                    sorted; each without the first n bytes of the one before
//   functions  [{name, nodes: […]}]
//   refused    [[device, executable, reason], …]        what the device's targets cannot compile
//   meshes     [sentence, …]                            of a program of many ranks
//   shardings  [sentence, …]                            how ranks share the values of a whole program, and why
//   overlaps   [sentence, …]                            which collectives are moved in pieces, and why others are not
//   node       {k: "a" argument, "d" dispatch, "t" transfer, "e" change of layout, "c" collective, "r" result
//               n name, d device, w why there, t [types], i [nodes it reads], o [nodes of the model], x what it
//               computes, p [parameters it reads], f device a transfer comes from, b bytes and c ns as placement
//               estimates them; of a collective what a rank gives and gets}
//   rows       {executable: its row classes}            added after `codegen`: reportRowClasses
llvm::json::Object reportGraph(ModuleOp module);

// After `codegen`: what the strategy of each executable says that has code for few rows beside that for many, or
// products of bf16; those of different targets side by side.
llvm::json::Object reportRowClasses(ModuleOp module);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_PIPELINES_GRAPHREPORT_H
