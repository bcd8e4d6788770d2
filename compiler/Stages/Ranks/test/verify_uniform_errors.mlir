// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --verify-diagnostics --ranks-verify-uniform

device.mesh @m = [x = 2, y = 2]
func.func @first_only(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @+1 {{it differs by this}}
  %i = flow.coordinate @m "x"
  %c0 = arith.constant 0 : index
  %first = arith.cmpi eq, %i, %c0 : index
  // expected-note @+1 {{the branch}}
  %r = scf.if %first -> tensor<4xf32> {
    // expected-error @+1 {{may be met by some ranks of its group only: the condition of the branch around it may differ along axis 'x' of mesh @m}}
    %0 = flow.all_reduce %x sum over @m["y", "x"] : tensor<4xf32>
    scf.yield %0 : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

device.mesh @m = [x = ?]
// expected-note @+1 {{argument 1 is each rank's own there; say heddle.sharding where it is equal}}
func.func @trips(%x: tensor<4xf32>, %n: tensor<i64>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = tensor.extract %n[] : tensor<i64>
  %trips = arith.index_cast %v : i64 to index
  // expected-note @+1 {{the loop}}
  %r = scf.for %i = %c0 to %trips step %c1 iter_args(%acc = %x) -> tensor<4xf32> {
    // expected-error @+1 {{may be met by some ranks of its group only: the trip count of the loop around it may differ along axis 'x' of mesh @m}}
    %0 = flow.permute %acc shift 1 over @m["x"] : tensor<4xf32>
    scf.yield %0 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// What a loop carries differs once an iteration made it so.
device.mesh @m = [x = 2]
func.func @carried(%x: tensor<4xf32>, %b: i1) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  // expected-note @+1 {{it differs by this}}
  %k = flow.coordinate @m "x"
  %r:2 = scf.for %i = %c0 to %c9 step %c1 iter_args(%acc = %x, %n = %c0) -> (tensor<4xf32>, index) {
    %go = arith.cmpi ult, %n, %c9 : index
    // expected-note @+1 {{the branch}}
    %s = scf.if %go -> tensor<4xf32> {
      // expected-error @+1 {{the condition of the branch around it may differ along axis 'x'}}
      %0 = flow.all_reduce %acc sum over @m["x"] : tensor<4xf32>
      scf.yield %0 : tensor<4xf32>
    } else {
      scf.yield %acc : tensor<4xf32>
    }
    %next = arith.addi %n, %k : index
    scf.yield %s, %next : tensor<4xf32>, index
  }
  return %r#0 : tensor<4xf32>
}

// -----

// The results of a branch that ranks take differently.
device.mesh @m = [x = 2]
func.func @chosen(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @+1 {{it differs by this}}
  %k = flow.coordinate @m "x"
  %true = arith.constant true
  %false = arith.constant false
  %c0 = arith.constant 0 : index
  %is = arith.cmpi eq, %k, %c0 : index
  %go = scf.if %is -> i1 {
    scf.yield %true : i1
  } else {
    scf.yield %false : i1
  }
  // expected-note @+1 {{the branch}}
  %s = scf.if %go -> tensor<4xf32> {
    // expected-error @+1 {{may be met by some ranks of its group only}}
    %0 = flow.all_reduce %x sum over @m["x"] : tensor<4xf32>
    scf.yield %0 : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %s : tensor<4xf32>
}

// -----

// A loop in a loop; the outer one's condition counts, also for what stands in its first region.
device.mesh @m = [x = 2]
func.func @while(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %limit = arith.constant 1.0 : f32
  // expected-note @+1 {{the loop}}
  %b = scf.while (%v = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    // expected-note @+2 {{it differs by this}}
    // expected-error @+1 {{the trip count of the loop around it may differ along axis 'x'}}
    %w = flow.permute %v shift 1 over @m["x"] : tensor<4xf32>
    %first = tensor.extract %w[%c0] : tensor<4xf32>
    %go = arith.cmpf ogt, %first, %limit : f32
    scf.condition(%go) %w : tensor<4xf32>
  } do {
  ^bb0(%v: tensor<4xf32>):
    scf.yield %v : tensor<4xf32>
  }
  return %b : tensor<4xf32>
}

// -----

// Each member gets another part: what is computed of it differs. An all_reduce along another axis does not help.
device.mesh @m = [x = 2, y = 2]
func.func @parts(%x: tensor<4xf32> {heddle.sharding = #flow.sharding<@m, [[]]>}) -> tensor<2xf32> {
  %c0 = arith.constant 0 : index
  %limit = arith.constant 1.0 : f32
  // expected-note @+1 {{it differs by this}}
  %p = flow.reduce_scatter %x sum dim 0 over @m["x"] : tensor<4xf32> -> tensor<2xf32>
  %q = flow.all_reduce %p sum over @m["y"] : tensor<2xf32>
  %first = tensor.extract %q[%c0] : tensor<2xf32>
  %go = arith.cmpf ogt, %first, %limit : f32
  // expected-note @+1 {{the branch}}
  %s = scf.if %go -> tensor<2xf32> {
    // expected-error @+1 {{the condition of the branch around it may differ along axis 'x'}}
    %0 = flow.all_reduce %q sum over @m["x"] : tensor<2xf32>
    scf.yield %0 : tensor<2xf32>
  } else {
    scf.yield %q : tensor<2xf32>
  }
  return %s : tensor<2xf32>
}

// -----

// Lists of ranks join any of a mesh's axes.
device.mesh @m = [x = 2, y = 2]
func.func @lists(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @+1 {{it differs by this}}
  %i = flow.coordinate @m "y"
  %c0 = arith.constant 0 : index
  %first = arith.cmpi eq, %i, %c0 : index
  // expected-note @+1 {{the branch}}
  %r = scf.if %first -> tensor<4xf32> {
    // expected-error @+1 {{may differ along axis 'y' of mesh @m}}
    %0 = flow.all_reduce %x sum over @m groups [[0, 2], [1, 3]] : tensor<4xf32>
    scf.yield %0 : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// A part of the world under the membership of another part that it shares ranks with.
device.mesh @m = [x = 4]
device.mesh @t = [s = 2] at 3
func.func @members(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @+1 {{it differs by this}}
  %b = flow.member @t
  // expected-note @+1 {{the branch}}
  %r = scf.if %b -> tensor<4xf32> {
    // expected-error @+1 {{may differ along axis 'x' of mesh @m}}
    %0 = flow.all_reduce %x sum over @m["x"] : tensor<4xf32>
    scf.yield %0 : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// Sizes that data tell.
device.mesh @m = [x = 2]
// expected-note @+1 {{argument 1 is each rank's own there}}
func.func @sizes(%x: tensor<8xf32>, %n: tensor<i64>) -> tensor<?xf32> {
  %v = tensor.extract %n[] : tensor<i64>
  %size = arith.index_cast %v : i64 to index
  %part = tensor.extract_slice %x[0] [%size] [1] : tensor<8xf32> to tensor<?xf32>
  // expected-error @+1 {{has sizes that may differ along axis 'x' of mesh @m, and all members of its group move pieces of one size}}
  %r = flow.all_reduce %part sum over @m["x"] : tensor<?xf32>{%size}
  return %r : tensor<?xf32>
}

// -----

// The tensor's own sizes count, too.
device.mesh @m = [x = 2]
func.func @hidden(%x: tensor<8xf32>, %d: tensor<?xf32> {heddle.dims = ["d"]}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %d, %c0 : tensor<?xf32>
  // expected-note @+1 {{it differs by this}}
  %i = flow.coordinate @m "x"
  %part = tensor.extract_slice %x[0] [%i] [1] : tensor<8xf32> to tensor<?xf32>
  // expected-error @+1 {{has sizes that may differ along axis 'x' of mesh @m}}
  %r = flow.all_reduce %part sum over @m["x"] : tensor<?xf32>{%n}
  return %r : tensor<?xf32>
}

// -----

// Sides of a branch with sizes of their own.
device.mesh @m = [x = 2]
func.func @sides(%x: tensor<?xf32> {heddle.dims = ["a"]}, %y: tensor<?xf32> {heddle.dims = ["b"]}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %a = tensor.dim %x, %c0 : tensor<?xf32>
  // expected-note @+1 {{it differs by this}}
  %i = flow.coordinate @m "x"
  %first = arith.cmpi eq, %i, %c0 : index
  %z = scf.if %first -> tensor<?xf32> {
    scf.yield %x : tensor<?xf32>
  } else {
    scf.yield %y : tensor<?xf32>
  }
  // expected-error @+1 {{has sizes that may differ along axis 'x' of mesh @m}}
  %r = flow.all_reduce %z sum over @m["x"] : tensor<?xf32>{%a}
  return %r : tensor<?xf32>
}

// -----

// The number of cores, and the numbers that a call draws.
device.mesh @m = [x = 2]
func.func @drawn(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{it differs by this}}
  %n = flow.dimension "heddle.draw"
  %odd = arith.cmpi eq, %n, %c1 : index
  // expected-note @+1 {{the branch}}
  %r = scf.if %odd -> tensor<8xf32> {
    // expected-error @+1 {{may be met by some ranks of its group only}}
    %0 = flow.all_reduce %x sum over @m["x"] : tensor<8xf32>
    scf.yield %0 : tensor<8xf32>
  } else {
    scf.yield %x : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

device.mesh @m = [x = 2]
func.func @inside(%x: tensor<4xf32>, %n: index) -> tensor<?xf32> {
  // expected-note @+1 {{this body}}
  %r = tensor.generate %n {
  ^bb0(%i: index):
    // expected-error @+1 {{stands in the body of tensor.generate; a collective stands in a function, a branch or a loop of scf}}
    %0 = flow.all_reduce %x sum over @m["x"] : tensor<4xf32>
    %1 = tensor.extract %0[%i] : tensor<4xf32>
    tensor.yield %1 : f32
  } : tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// What is alike along one axis of the world is not on a part of it.
device.mesh @m = [x = 2, y = 2]
device.mesh @t = [s = 2] at 1
func.func @along_one(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %limit = arith.constant 1.0 : f32
  // expected-note @+1 {{it differs by this}}
  %all = flow.all_reduce %x max over @m["y"] : tensor<4xf32>
  %first = tensor.extract %all[%c0] : tensor<4xf32>
  %go = arith.cmpf ogt, %first, %limit : f32
  // expected-note @+1 {{the branch}}
  %r = scf.if %go -> tensor<4xf32> {
    // expected-error @+1 {{may differ along axis 's' of mesh @t}}
    %0 = flow.all_reduce %x sum over @t["s"] : tensor<4xf32>
    scf.yield %0 : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// Members of a group may have pieces of several sizes where they cut alike.
device.mesh @m = [x = 2, y = 3]
func.func @cut(%x: tensor<14x5xf32>) -> tensor<7x5xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c7 = arith.constant 7 : index
  %i = flow.coordinate @m "y"
  %x7 = arith.muli %i, %c7 : index
  %begin = arith.divsi %x7, %c3 : index
  %j = arith.addi %i, %c1 : index
  %j7 = arith.muli %j, %c7 : index
  %end = arith.divsi %j7, %c3 : index
  %size = arith.subi %end, %begin : index
  %p = tensor.extract_slice %x[%begin, 0] [%size, 5] [1, 1] : tensor<14x5xf32> to tensor<?x5xf32>
  %0 = flow.all_gather %p dim 0 cut(%c7, %c1, %c0, %c3) over @m["y"] : tensor<?x5xf32>{%size} -> tensor<7x5xf32>
  return %0 : tensor<7x5xf32>
}

// -----

device.mesh @m = [x = 2, y = 3]
func.func @cut_otherwise(%x: tensor<?x5xf32>, %d: index) -> tensor<7x5xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  // expected-note @+1 {{it differs by this}}
  %i = flow.coordinate @m "y"
  %parts = arith.addi %i, %c7 : index
  // expected-error @+1 {{is cut by a number that may differ along axis 'y' of mesh @m, and all members of its group cut alike}}
  %0 = flow.all_gather %x dim 0 cut(%c7, %c1, %c0, %parts) over @m["y"] : tensor<?x5xf32>{%d} -> tensor<7x5xf32>
  return %0 : tensor<7x5xf32>
}

// -----

// Only what is cut may differ.
device.mesh @m = [x = 2, y = 3]
func.func @another_dimension(%x: tensor<5x5xf32>, %d: index) -> tensor<7x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c7 = arith.constant 7 : index
  // expected-note @+1 {{it differs by this}}
  %i = flow.coordinate @m "y"
  %p = tensor.extract_slice %x[0, 0] [%i, %i] [1, 1] : tensor<5x5xf32> to tensor<?x?xf32>
  // expected-error @+1 {{has sizes that may differ along axis 'y' of mesh @m, and all members of its group move pieces of one size}}
  %0 = flow.all_gather %p dim 0 cut(%c7, %c1, %c0, %c3) over @m["y"] : tensor<?x?xf32>{%i, %i} -> tensor<7x?xf32>{%i}
  return %0 : tensor<7x?xf32>
}

// -----

// The rows of the parts differ, whatever their columns do.
device.mesh @m = [x = 2, y = 3]
func.func @rows(%x: tensor<?x?xf32> {heddle.sharding = #flow.sharding<@m, [["x"] of 7, []]>}, %b: i1) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %x, %c0 : tensor<?x?xf32>
  %columns = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%columns, %rows) : tensor<?x?xf32>
  // expected-note @-6 {{argument 0 is each rank's own there; say heddle.sharding where it is equal}}
  %t = linalg.transpose ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) permutation = [1, 0]
  // expected-error @+1 {{has sizes that may differ along axis 'x' of mesh @m, and all members of its group move pieces of one size}}
  %0 = flow.all_reduce %t sum over @m["x"] : tensor<?x?xf32>{%columns, %rows}
  return %0 : tensor<?x?xf32>
}

// -----

// How often it grew differs.
device.mesh @m = [x = 2, y = 3]
// expected-note @+1 {{argument 1 is each rank's own there; say heddle.sharding where it is equal}}
func.func @grows(%x: tensor<?xf32> {heddle.dims = ["d"]}, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %x) -> (tensor<?xf32>, tensor<?xf32>) {
    %p = tensor.pad %b low[0] high[1] {
    ^bb0(%j: index):
      tensor.yield %zero : f32
    } : tensor<?xf32> to tensor<?xf32>
    scf.yield %p, %a : tensor<?xf32>, tensor<?xf32>
  }
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  // expected-error @+1 {{has sizes that may differ along axis 'x' of mesh @m, and all members of its group move pieces of one size}}
  %0 = flow.all_reduce %r#1 sum over @m["x"] : tensor<?xf32>{%d}
  return %0 : tensor<?xf32>
}
