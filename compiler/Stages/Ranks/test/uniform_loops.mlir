// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --stage-devices --stage-partition -o /dev/null
// What a loop carries keeps its size, whichever side of a branch computes it.

device.mesh @m = [x = 2]

func.func @stages(%x: tensor<?x4xf32> {heddle.dims = ["d", ""]}) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %d = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%d) : tensor<?x4xf32>
  %i = flow.coordinate @m "x"
  %first = arith.cmpi eq, %i, %c0 : index
  %r = scf.for %k = %c0 to %c3 step %c1 iter_args(%a = %x) -> tensor<?x4xf32> {
    %p = flow.permute %a shift 1 over @m["x"] : tensor<?x4xf32>{%d}
    %y = scf.if %first -> tensor<?x4xf32> {
      %0 = linalg.exp ins(%p : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
      scf.yield %0 : tensor<?x4xf32>
    } else {
      scf.yield %p : tensor<?x4xf32>
    }
    scf.yield %y : tensor<?x4xf32>
  }
  %s = flow.all_reduce %r sum over @m["x"] : tensor<?x4xf32>{%d}
  return %s : tensor<?x4xf32>
}

// Loops without collectives keep sizes, too; so do loops that swap what they carry, and loops with a condition.
func.func @kept(%x: tensor<?x4xf32> {heddle.dims = ["d", ""]}, %y: tensor<?x4xf32> {heddle.dims = ["d", ""]},
                %n: tensor<1xi64>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = tensor.dim %x, %c0 : tensor<?x4xf32>
  %own = tensor.extract %n[%c0] : tensor<1xi64>
  %trips = arith.index_cast %own : i64 to index
  %i = flow.coordinate @m "x"
  %first = arith.cmpi eq, %i, %c0 : index
  %r:2 = scf.for %k = %c0 to %trips step %c1 iter_args(%a = %x, %b = %y) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
    %t = arith.select %first, %a, %b : tensor<?x4xf32>
    scf.yield %b, %t : tensor<?x4xf32>, tensor<?x4xf32>
  }
  %w:2 = scf.while (%a = %r#0, %s = %d) : (tensor<?x4xf32>, index) -> (tensor<?x4xf32>, index) {
    %go = arith.cmpi slt, %trips, %s : index
    scf.condition(%go) %a, %s : tensor<?x4xf32>, index
  } do {
  ^bb0(%a: tensor<?x4xf32>, %s: index):
    scf.yield %y, %d : tensor<?x4xf32>, index
  }
  %s = flow.all_reduce %w#0 sum over @m["x"] : tensor<?x4xf32>{%w#1}
  return %s : tensor<?x4xf32>
}
