// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --ranks-verify-uniform -o /dev/null
// What is equal among the members of a group. Sizes of arguments are agreed on at each call.

device.mesh @m = [x = 2, y = 2, one = 1]
device.mesh @front = [a = 2]
device.mesh @tail = [b = 2] at 2
device.mesh @far = [c = 2] at 8

// A condition that differs along another axis, or along one of size 1.
func.func @other_axis(%x: tensor<4xf32>) -> tensor<4xf32> {
  %i = flow.coordinate @m "y"
  %j = flow.coordinate @m "one"
  %c0 = arith.constant 0 : index
  %k = arith.addi %i, %j : index
  %first = arith.cmpi eq, %k, %c0 : index
  %r = scf.if %first -> tensor<4xf32> {
    %0 = flow.all_reduce %x sum over @m["x", "one"] : tensor<4xf32>
    scf.yield %0 : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// A loop until what all have together is small; sizes and mesh sizes as trip counts.
func.func @together(%x: tensor<?xf32> {heddle.dims = ["d"]}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %limit = arith.constant 1.0 : f32
  %n = flow.mesh_size @m "x"
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %trips = arith.muli %n, %d : index
  %a = scf.for %i = %c0 to %trips step %c1 iter_args(%acc = %x) -> tensor<?xf32> {
    %s = flow.all_reduce %acc sum over @m["x", "y"] : tensor<?xf32>{%d}
    %odd = arith.remui %i, %n : index
    %go = arith.cmpi eq, %odd, %c0 : index
    %t = scf.if %go -> tensor<?xf32> {
      %g = flow.permute %s shift 1 over @m["x"] : tensor<?xf32>{%d}
      scf.yield %g : tensor<?xf32>
    } else {
      scf.yield %s : tensor<?xf32>
    }
    scf.yield %t : tensor<?xf32>
  }
  %all = flow.all_reduce %a max over @m["x", "y"] : tensor<?xf32>{%d}
  %b = scf.while (%v = %all) : (tensor<?xf32>) -> tensor<?xf32> {
    %w = flow.all_reduce %v min over @m["x", "y"] : tensor<?xf32>{%d}
    %first = tensor.extract %w[%c0] : tensor<?xf32>
    %go = arith.cmpf ogt, %first, %limit : f32
    scf.condition(%go) %w : tensor<?xf32>
  } do {
  ^bb0(%v: tensor<?xf32>):
    %w = flow.broadcast %v root 0 over @m["y"] : tensor<?xf32>{%d}
    scf.yield %w : tensor<?xf32>
  }
  return %b : tensor<?xf32>
}

// An argument that is the same along the axis, or everywhere.
func.func @sharded(%x: tensor<4xf32>, %y: tensor<i1> {heddle.sharding = #flow.sharding<@m, []>},
                   %z: tensor<2xi64> {heddle.sharding = #flow.sharding<@m, [["y"]]>}) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %b = tensor.extract %y[] : tensor<i1>
  %v = tensor.extract %z[%c0] : tensor<2xi64>
  %n = arith.index_cast %v : i64 to index
  %r = scf.if %b -> tensor<4xf32> {
    %0 = scf.index_switch %n -> tensor<4xf32>
    case 0 {
      %1 = flow.all_reduce %x sum over @m["x"] : tensor<4xf32>
      scf.yield %1 : tensor<4xf32>
    }
    default {
      scf.yield %x : tensor<4xf32>
    }
    %2 = flow.all_reduce %0 sum over @m groups [[3, 1, 0, 2]] : tensor<4xf32>
    scf.yield %2 : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// Parts of the world: meshes inside of one, or apart from it.
func.func @parts(%x: tensor<4xf32>) -> tensor<4xf32> {
  %inFront = flow.member @front
  %inWhole = flow.member @m
  %r = scf.if %inFront -> tensor<4xf32> {
    %0 = flow.all_reduce %x sum over @front["a"] : tensor<4xf32>
    scf.yield %0 : tensor<4xf32>
  } else {
    %0 = flow.all_reduce %x sum over @tail["b"] : tensor<4xf32>
    scf.yield %0 : tensor<4xf32>
  }
  %s = scf.if %inWhole -> tensor<4xf32> {
    %0 = flow.all_reduce %r sum over @tail["b"] : tensor<4xf32>
    %1 = flow.all_reduce %0 sum over @m["x", "y"] : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } else {
    %0 = flow.all_reduce %r sum over @far["c"] : tensor<4xf32>
    scf.yield %0 : tensor<4xf32>
  }
  return %s : tensor<4xf32>
}

// What all of the world have alike, its parts have.
func.func @whole(%x: tensor<4xf32>, %y: tensor<i1> {heddle.sharding = #flow.sharding<@m, []>}) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %limit = arith.constant 1.0 : f32
  %b = tensor.extract %y[] : tensor<i1>
  %all = flow.all_reduce %x max over @m["y", "x"] : tensor<4xf32>
  %first = tensor.extract %all[%c0] : tensor<4xf32>
  %go = arith.cmpf ogt, %first, %limit : f32
  %both = arith.andi %b, %go : i1
  %r = scf.if %both -> tensor<4xf32> {
    %0 = flow.all_reduce %x sum over @front["a"] : tensor<4xf32>
    %1 = flow.all_reduce %0 sum over @tail["b"] : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// The part of a rank, of a size that is equal on all.
func.func @slices(%x: tensor<?xf32> {heddle.dims = ["d"]}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %n = flow.mesh_size @m "x"
  %i = flow.coordinate @m "x"
  %p = arith.divui %d, %n : index
  %from = arith.muli %i, %p : index
  %part = tensor.extract_slice %x[%from] [%p] [1] : tensor<?xf32> to tensor<?xf32>
  %e = tensor.empty(%p) : tensor<?xf32>
  %y = linalg.exp ins(%part : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %q = tensor.dim %y, %c0 : tensor<?xf32>
  %r = flow.all_gather %y dim 0 over @m["x"] : tensor<?xf32>{%q} -> tensor<?xf32>{%d}
  return %r : tensor<?xf32>
}

// Stages of a pipeline: which side a rank takes differs, the size of what both give does not.
func.func @sides(%x: tensor<?x4xf32> {heddle.dims = ["d", ""]}) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%d) : tensor<?x4xf32>
  %i = flow.coordinate @m "x"
  %first = arith.cmpi eq, %i, %c0 : index
  %y = scf.if %first -> tensor<?x4xf32> {
    %0 = linalg.exp ins(%x : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
    scf.yield %0 : tensor<?x4xf32>
  } else {
    scf.yield %x : tensor<?x4xf32>
  }
  %q = tensor.dim %y, %c0 : tensor<?x4xf32>
  %r = flow.permute %y shift 1 over @m["x"] : tensor<?x4xf32>{%d}
  %s = flow.all_reduce %y sum over @m["x"] : tensor<?x4xf32>{%q}
  %t = arith.select %first, %r, %x : tensor<?x4xf32>
  %u = flow.all_reduce %t max over @m["x"] : tensor<?x4xf32>{%d}
  return %u, %s : tensor<?x4xf32>, tensor<?x4xf32>
}

// Each size of a tensor is one of its own: the rows of a branch's results are of unequal parts, the columns are not.
func.func @dims(%x: tensor<?x?xf32> {heddle.sharding = #flow.sharding<@m, [["x"] of 7, []]>}, %w: tensor<?x5xf32>,
                %b: tensor<i1> {heddle.sharding = #flow.sharding<@m, []>}) -> (tensor<?x5xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %x, %c0 : tensor<?x?xf32>
  %columns = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%rows, %columns) : tensor<?x?xf32>
  %go = tensor.extract %b[] : tensor<i1>
  %y = scf.if %go -> tensor<?x?xf32> {
    %0 = linalg.exp ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
    scf.yield %0 : tensor<?x?xf32>
  } else {
    %0 = tensor.pad %x low[0, 1] high[0, 0] {
    ^bb0(%i: index, %j: index):
      tensor.yield %zero : f32
    } : tensor<?x?xf32> to tensor<?x?xf32>
    scf.yield %0 : tensor<?x?xf32>
  }
  %turned = tensor.empty(%columns, %rows) : tensor<?x?xf32>
  %t = linalg.transpose ins(%x : tensor<?x?xf32>) outs(%turned : tensor<?x?xf32>) permutation = [1, 0]
  %one = tensor.extract_slice %t[0, 0] [%columns, 1] [1, 1] : tensor<?x?xf32> to tensor<?xf32>
  %r = flow.all_reduce %one sum over @m["x"] : tensor<?xf32>{%columns}
  %g = flow.all_gather %w dim 1 over @m["y"] : tensor<?x5xf32>{%c1} -> tensor<?x10xf32>{%c1}
  %width = tensor.dim %y, %c1 : tensor<?x?xf32>
  %f = tensor.empty(%width) : tensor<?x5xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%f : tensor<?x5xf32>) -> tensor<?x5xf32>
  %s = flow.all_reduce %filled sum over @m["x"] : tensor<?x5xf32>{%width}
  return %s, %y : tensor<?x5xf32>, tensor<?x?xf32>
}
