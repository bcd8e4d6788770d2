// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --stage-devices --stage-partition --stage-simplify --stage-encode | FileCheck %s --check-prefixes=ALL,GRAPH
// RUN: heddle-opt %s --stage-devices --stage-partition --stage-simplify --stage-encode --stage-form --stage-place --stage-resolve | FileCheck %s --check-prefixes=ALL,PLACED
// Collectives stand between dispatches up to the end of `resolve`: each where it was, in its order, none twice, those that nobody
// reads gone. What is in front of and behind them is formed as if they were arguments and results.

device.global @a = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}>]>
device.global @b = #device.target<"local", {ordinal = 1}, [#device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}>]>
device.mesh @m = [x = 2, y = ?] of @b

// ALL-LABEL: func.func @main
func.func @main(%x: tensor<?x16xf32> {heddle.dims = ["d", ""]}, %w: tensor<16x16xf32>,
                %n: tensor<i64> {heddle.sharding = #flow.sharding<@m, []>}) -> (tensor<?x16xf32>, tensor<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %d = tensor.dim %x, %c0 : tensor<?x16xf32>
  %v = tensor.extract %n[] : tensor<i64>
  %trips = arith.index_cast %v : i64 to index
  %go = arith.cmpi sgt, %v, %v : i64
  %e = tensor.empty(%d) : tensor<?x16xf32>
  // PLACED: flow.dispatch {{.*}}#device.affinity<@a>
  // PLACED: flow.transfer {{.*}} to #device.affinity<@b>
  %y = linalg.exp {heddle.affinity = #device.affinity<@a>} ins(%x : tensor<?x16xf32>) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
  // ALL-NOT: product
  %dead = flow.all_reduce %y product over @m["x"] : tensor<?x16xf32>{%d}
  // ALL: %[[FIRST:.*]] = flow.all_reduce %{{.*}} sum over @m["x"] {heddle.affinity = #device.affinity<@b>
  %first = flow.all_reduce %y sum over @m["x"] : tensor<?x16xf32>{%d}
  // Equal ones are one.
  %again = flow.all_reduce %y sum over @m["x"] : tensor<?x16xf32>{%d}
  %sum = linalg.add ins(%first, %again : tensor<?x16xf32>, tensor<?x16xf32>) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
  // A constant that is given to all stays a collective: it is not computed here.
  %fill = linalg.fill ins(%zero : f32) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
  // ALL: flow.all_reduce %{{.*}} max over @m["y"]
  %ones = flow.all_reduce %fill max over @m["y"] : tensor<?x16xf32>{%d}
  // What does not depend on the iteration stays in the loop.
  // ALL: scf.for
  %r = scf.for %i = %c0 to %trips step %c1 iter_args(%acc = %sum) -> tensor<?x16xf32> {
    // ALL: flow.permute %{{.*}} shift 1 over @m["x", "y"]
    %g = flow.permute %ones shift 1 over @m["x", "y"] : tensor<?x16xf32>{%d}
    // GRAPH: linalg.matmul
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
    %p = linalg.matmul ins(%acc, %w : tensor<?x16xf32>, tensor<16x16xf32>) outs(%f : tensor<?x16xf32>) -> tensor<?x16xf32>
    // ALL: flow.all_reduce %{{.*}} sum over @m["y"]
    %q = flow.all_reduce %p sum over @m["y"] : tensor<?x16xf32>{%d}
    // Read here, too, so it is moved whole.
    %u = linalg.add ins(%p, %g : tensor<?x16xf32>, tensor<?x16xf32>) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
    %t = linalg.add ins(%q, %u : tensor<?x16xf32>, tensor<?x16xf32>) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
    // ALL: scf.yield
    scf.yield %t : tensor<?x16xf32>
  }
  // ALL-NOT: flow.permute
  // ALL-NOT: flow.all_reduce
  // ALL: flow.broadcast %{{.*}} root 1 over @m["x"]
  %s = flow.broadcast %r root 1 over @m["x"] : tensor<?x16xf32>{%d}
  // ALL: return
  return %s, %sum : tensor<?x16xf32>, tensor<?x16xf32>
}
