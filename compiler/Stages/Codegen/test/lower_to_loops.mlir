// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(codegen-generalize-ops,codegen-lower-to-loops,cse,canonicalize))' --split-input-file | FileCheck %s

// Elementwise on the same index: one long row, vectors of two registers, a mask at its end and only there.

// CHECK-LABEL: kernel.program @elements
// CHECK-SAME: kernel.strategy = "elements, width 32, 2 dimensions as one"
// CHECK: func.func @workgroups(%[[M:.*]]: index) -> index
// CHECK: func.func @scratch
// CHECK: func.func @kernel()
// CHECK-DAG: %[[A:.*]] = kernel.binding 0 : memref<?xf32>
// CHECK-DAG: %[[R:.*]] = kernel.binding 1 written : memref<?xf32>
// CHECK: kernel.range
// CHECK: scf.for
// CHECK: scf.for
// CHECK: vector.load %[[A]]
// CHECK: math.absf %{{.*}} : vector<32xf32>
// CHECK: vector.store %{{.*}}, %[[R]]
// CHECK: scf.for
// CHECK: vector.maskedload %[[A]]
// CHECK: math.absf %{{.*}} : vector<32xf32>
// CHECK: vector.maskedstore %[[R]]
kernel.program @elements of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%a: tensor<?x5xf32>, %m: index) -> tensor<?x5xf32> {
    %r = math.absf %a : tensor<?x5xf32>
    return %r : tensor<?x5xf32>
  }
}

// -----

// A contraction: 9 x 2 accumulators carried by the loop over k, in a loop over tiles of rows; columns asked for
// ahead; a short sum, so bias is added in registers.

// CHECK-LABEL: kernel.program @dense
// CHECK-SAME: kernel.strategy = "contraction, tile 9x2x16"
// CHECK: func.func @kernel()
// CHECK-NOT: memref.alloca
// CHECK: scf.for {{.*}} iter_args({{.*%arg[0-9]+ = %[a-z0-9_]+, %arg[0-9]+ = %[a-z0-9_]+.*}})
// CHECK-COUNT-2: memref.prefetch
// CHECK-COUNT-2: vector.load
// CHECK-NOT: vector.load
// CHECK: scf.yield
// CHECK-COUNT-18: arith.addf %{{.*}}, %{{.*}} : vector<16xf32>
// CHECK: scf.for
kernel.program @dense of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%a: tensor<?x16xf32>, %b: tensor<16x32xf32>, %bias: tensor<32xf32>, %m: index) -> tensor<?x32xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty(%m) : tensor<?x32xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x32xf32>) -> tensor<?x32xf32>
    %r = linalg.matmul ins(%a, %b : tensor<?x16xf32>, tensor<16x32xf32>) outs(%f : tensor<?x32xf32>) -> tensor<?x32xf32>
    %g = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%r, %bias : tensor<?x32xf32>, tensor<32xf32>) outs(%e : tensor<?x32xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %s = arith.addf %x, %y : f32
      linalg.yield %s : f32
    } -> tensor<?x32xf32>
    return %g : tensor<?x32xf32>
  }
}

// -----

// Shared costly values of a row go to scratch: as many bytes as a row has, rounded up to 64. Short rows are computed in
// pairs, step by step, each in scratch of its own.

// CHECK-LABEL: kernel.program @normalize
// CHECK-SAME: kernel.strategy = "rows, 2 steps, width 32"
// CHECK: func.func @scratch(
// CHECK: %[[C896:.*]] = arith.constant 896 : index
// CHECK: return %[[C896]]
// CHECK: func.func @kernel()
// CHECK: %[[S:.*]] = kernel.scratch
// CHECK: math.exp
// CHECK: vector.maskedstore %[[S]]
// CHECK: %[[T:.*]] = kernel.scratch
// CHECK: math.exp
// CHECK: vector.maskedstore %[[T]]
// CHECK: vector.maskedload %[[S]]
// CHECK: vector.reduction <add>
// CHECK: vector.maskedload %[[T]]
// CHECK: vector.reduction <add>
// CHECK-NOT: math.exp
// CHECK: arith.divf
// CHECK: arith.divf
kernel.program @normalize of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%a: tensor<?x100xf32>, %m: index) -> tensor<?x100xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty(%m) : tensor<?xf32>
    %e2 = tensor.empty(%m) : tensor<?x100xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<?x100xf32>) outs(%e2 : tensor<?x100xf32>) {
    ^bb0(%p: f32, %o: f32):
      %s = math.exp %p : f32
      linalg.yield %s : f32
    } -> tensor<?x100xf32>
    %r = linalg.reduce { arith.addf } ins(%y : tensor<?x100xf32>) outs(%f : tensor<?xf32>) dimensions = [1]
    %g = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%y, %r : tensor<?x100xf32>, tensor<?xf32>) outs(%e2 : tensor<?x100xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %s = arith.divf %p, %q : f32
      linalg.yield %s : f32
    } -> tensor<?x100xf32>
    return %g : tensor<?x100xf32>
  }
}

// -----

// A body with control flow is computed one element at a time, and the strategy says so.

// CHECK-LABEL: kernel.program @branch
// CHECK-SAME: kernel.strategy = "elements, width 1, 1 dimensions as one (scalar)"
kernel.program @branch of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%a: tensor<9xf32>) -> tensor<9xf32> {
    %e = tensor.empty() : tensor<9xf32>
    %g = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%a : tensor<9xf32>) outs(%e : tensor<9xf32>) {
    ^bb0(%x: f32, %o: f32):
      %z = arith.constant 0.0 : f32
      %c = arith.cmpf ogt, %x, %z : f32
      %s = scf.if %c -> f32 { scf.yield %x : f32 } else { scf.yield %z : f32 }
      linalg.yield %s : f32
    } -> tensor<9xf32>
    return %g : tensor<9xf32>
  }
}

// -----

// A failed check reports after the loop, and reads element 0 meanwhile.

// CHECK-LABEL: kernel.program @gather
// CHECK: %[[OK:.*]] = arith.cmpi ult, %[[I:.*]], %c7 : index
// CHECK: %[[AT:.*]] = arith.select %[[OK]], %[[I]], %c0 : index
// CHECK: scf.if
// CHECK-NEXT: kernel.fail 1
kernel.program @gather of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%t: tensor<7x32xf32>, %i: tensor<?xi64>, %n: index) -> tensor<?x32xf32> {
    %e = tensor.empty(%n) : tensor<?x32xf32>
    %g = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<?xi64>) outs(%e : tensor<?x32xf32>) {
    ^bb0(%x: i64, %o: f32):
      %c7 = arith.constant 7 : index
      %j = linalg.index 1 : index
      %k = arith.index_cast %x : i64 to index
      %s = flow.checked_index %k, %c7
      %v = tensor.extract %t[%s, %j] : tensor<7x32xf32>
      linalg.yield %v : f32
    } -> tensor<?x32xf32>
    return %g : tensor<?x32xf32>
  }
}

// -----

// The attribute kernel.tile says what is chosen otherwise.

// CHECK-LABEL: kernel.program @tuned
// CHECK-SAME: kernel.strategy = "contraction, tile 5x3x16, last 1"
// CHECK: arith.constant 35 : index
kernel.program @tuned of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> attributes {kernel.tile = {rows = array<i64: 5>, vectors = 3, block = array<i64: 35>}} {
  func.func @kernel(%a: tensor<?x16xf32>, %b: tensor<16x64xf32>, %m: index) -> tensor<?x64xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty(%m) : tensor<?x64xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
    %r = linalg.matmul ins(%a, %b : tensor<?x16xf32>, tensor<16x64xf32>) outs(%f : tensor<?x64xf32>) -> tensor<?x64xf32>
    return %r : tensor<?x64xf32>
  }
}

// -----

// Constant columns in panels: while tiles of rows use some, they ask for the next ones by turns (localityHint 2). The
// last tile of columns is narrower and loads its padding; only its stores are masked. Rows 4 KiB apart are copied where
// a call or a block begins.

// CHECK-LABEL: kernel.program @panels
// CHECK-SAME: kernel.strategy = "contraction, tile 9x3x16, rows copied, last 2"
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : index
// CHECK: %[[NEW:.*]] = arith.ori
// CHECK: scf.if %[[NEW]] {
// CHECK: vector.store
// CHECK: arith.cmpi sge
// CHECK: scf.if
// CHECK-COUNT-3: memref.prefetch {{.*}} locality<3>
// CHECK: memref.prefetch {{.*}} locality<2>
// CHECK-COUNT-24: math.fma
// CHECK: } else {
// CHECK-COUNT-2: memref.prefetch {{.*}} locality<3>
// CHECK: memref.prefetch {{.*}} locality<2>
// CHECK-NOT: vector.maskedload
// CHECK: scf.yield
// CHECK: vector.maskedstore
kernel.program @panels of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%a: tensor<1000x1024xf32>, %b: tensor<26x1024x16xf32>) -> tensor<1000x404xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<1000x404xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<1000x404xf32>) -> tensor<1000x404xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j floordiv 16, k, j mod 16)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"], encoding.operands = [#encoding.identity, #encoding.layout<perm = [1, 0], inner_dims = [1], inner_tiles = [16], swizzle = []>]} ins(%a, %b : tensor<1000x1024xf32>, tensor<26x1024x16xf32>) outs(%f : tensor<1000x404xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %p = math.fma %x, %y, %o : f32
      linalg.yield %p : f32
    } -> tensor<1000x404xf32>
    return %r : tensor<1000x404xf32>
  }
}

// -----

// A loop in a body that runs equally often for all elements of a vector; not so in the second one.

// CHECK-LABEL: kernel.program @bins
// CHECK-SAME: kernel.strategy = "elements, width 16
// CHECK: scf.for {{.*}} -> (vector<16xf32>)
// CHECK: vector.load
// CHECK-LABEL: kernel.program @lengths
// CHECK-SAME: (scalar)
kernel.program @bins of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%a: tensor<9x16xf32>, %n: tensor<4xindex>) -> tensor<4x16xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %z = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<4x16xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%n : tensor<4xindex>) outs(%e : tensor<4x16xf32>) {
    ^bb0(%end: index, %o: f32):
      %j = linalg.index 1 : index
      %s = scf.for %k = %c0 to %end step %c1 iter_args(%sum = %z) -> (f32) {
        %x = tensor.extract %a[%k, %j] : tensor<9x16xf32>
        %t = arith.addf %sum, %x : f32
        scf.yield %t : f32
      }
      linalg.yield %s : f32
    } -> tensor<4x16xf32>
    return %r : tensor<4x16xf32>
  }
}
kernel.program @lengths of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%a: tensor<9x16xf32>, %n: tensor<16xindex>) -> tensor<4x16xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %z = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<4x16xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%n : tensor<16xindex>) outs(%e : tensor<4x16xf32>) {
    ^bb0(%end: index, %o: f32):
      %j = linalg.index 1 : index
      %s = scf.for %k = %c0 to %end step %c1 iter_args(%sum = %z) -> (f32) {
        %x = tensor.extract %a[%k, %j] : tensor<9x16xf32>
        %t = arith.addf %sum, %x : f32
        scf.yield %t : f32
      }
      linalg.yield %s : f32
    } -> tensor<4x16xf32>
    return %r : tensor<4x16xf32>
  }
}

// -----

// A long row: four maxima side by side, then what is left of it by one.

// CHECK-LABEL: kernel.program @maximum
// CHECK: func.func @kernel()
// CHECK: scf.for {{.*}} iter_args(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}})
// CHECK-COUNT-4: arith.maximumf %{{.*}} : vector<32xf32>
// CHECK: scf.yield
// CHECK-COUNT-3: arith.maximumf %{{.*}} : vector<32xf32>
// CHECK: vector.load
// CHECK: arith.maximumf %{{.*}} : vector<32xf32>
// CHECK: vector.reduction <maximumf>
kernel.program @maximum of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%a: tensor<8x1056xf32>) -> tensor<8xf32> {
    %z = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<8xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %r = linalg.reduce { arith.maximumf } ins(%a : tensor<8x1056xf32>) outs(%f : tensor<8xf32>) dimensions = [1]
    return %r : tensor<8xf32>
  }
}

// -----

// Rows of a channel are one: vectors and a mask for 35 elements, not for 7; the channel's scale is a scalar.

// CHECK-LABEL: kernel.program @channels
// CHECK-SAME: kernel.strategy = "elements, width 32, 0 dimensions as one, rows of 2"
// CHECK: func.func @kernel()
// CHECK: kernel.range
// CHECK-COUNT-2: scf.for
// CHECK: %[[ROW:.*]] = arith.muli %{{.*}}, %c35
// CHECK: vector.load %{{.*}}[%[[ROW]]] : memref<?xf32>, vector<32xf32>
// CHECK: memref.load
// CHECK: vector.store
// CHECK: vector.maskedload
// CHECK: vector.maskedstore
// CHECK-NOT: scf.for
// CHECK: return
kernel.program @channels of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%a: tensor<6x5x7xf32>, %s: tensor<6xf32>) -> tensor<6x5x7xf32> {
    %e = tensor.empty() : tensor<6x5x7xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%a, %s : tensor<6x5x7xf32>, tensor<6xf32>) outs(%e : tensor<6x5x7xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %p = arith.mulf %x, %y : f32
      linalg.yield %p : f32
    } -> tensor<6x5x7xf32>
    return %r : tensor<6x5x7xf32>
  }
}

// -----

// Not where an operand has an element for each row or is walked along another dimension too, and not where rows would
// be more than a workgroup's work.

// CHECK-LABEL: kernel.program @each_row
// CHECK-SAME: kernel.strategy = "elements, width 8, 0 dimensions as one"
kernel.program @each_row of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%a: tensor<6x5x7xf32>, %s: tensor<6x5xf32>) -> tensor<6x5x7xf32> {
    %e = tensor.empty() : tensor<6x5x7xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%a, %s : tensor<6x5x7xf32>, tensor<6x5xf32>) outs(%e : tensor<6x5x7xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %p = arith.mulf %x, %y : f32
      linalg.yield %p : f32
    } -> tensor<6x5x7xf32>
    return %r : tensor<6x5x7xf32>
  }
}

// CHECK-LABEL: kernel.program @diagonal
// CHECK-SAME: kernel.strategy = "elements, width 8, 0 dimensions as one"
kernel.program @diagonal of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%a: tensor<7x5x7xf32>) -> tensor<6x5x7xf32> {
    %e = tensor.empty() : tensor<6x5x7xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, j, k)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%a : tensor<7x5x7xf32>) outs(%e : tensor<6x5x7xf32>) {
    ^bb0(%x: f32, %o: f32):
      linalg.yield %x : f32
    } -> tensor<6x5x7xf32>
    return %r : tensor<6x5x7xf32>
  }
}

// CHECK-LABEL: kernel.program @long_rows
// CHECK-SAME: kernel.strategy = "elements, width 32, 0 dimensions as one"
kernel.program @long_rows of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%a: tensor<3x160x128xf32>, %s: tensor<3xf32>) -> tensor<3x160x128xf32> {
    %e = tensor.empty() : tensor<3x160x128xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%a, %s : tensor<3x160x128xf32>, tensor<3xf32>) outs(%e : tensor<3x160x128xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %p = arith.mulf %x, %y : f32
      linalg.yield %p : f32
    } -> tensor<3x160x128xf32>
    return %r : tensor<3x160x128xf32>
  }
}

// -----

// A quotient that may be a product with the reciprocal, which is computed once for each row.

// CHECK-LABEL: kernel.program @ratio
// CHECK: func.func @kernel()
// CHECK: scf.for
// CHECK: %[[INVERSE:.*]] = arith.divf %{{.*}}, %{{.*}} : f32
// CHECK: %[[ALL:.*]] = vector.broadcast %[[INVERSE]] : f32 to vector<32xf32>
// CHECK: arith.mulf %{{.*}}, %[[ALL]] : vector<32xf32>
// CHECK-NOT: math.fma
// CHECK-NOT: arith.divf {{.*}} : vector
// CHECK: return
kernel.program @ratio of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  func.func @kernel(%a: tensor<6x64xf32>, %s: tensor<6xf32>) -> tensor<6x64xf32> {
    %e = tensor.empty() : tensor<6x64xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a, %s : tensor<6x64xf32>, tensor<6xf32>) outs(%e : tensor<6x64xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %p = arith.divf %x, %y fastmath<arcp> : f32
      linalg.yield %p : f32
    } -> tensor<6x64xf32>
    return %r : tensor<6x64xf32>
  }
}
