// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(codegen-lower-to-invocations,cse))' | FileCheck %s

// An invocation for each element: the last ones of the last workgroup have nothing to do.
// CHECK: kernel.program @add {{.*}} attributes {kernel.strategy = "elements, workgroups of 32"}
// CHECK: func.func @workgroups(%[[N:.*]]: index) -> index
// CHECK: %[[ALL:.*]] = arith.addi %[[N]], %c31
// CHECK: %[[GROUPS:.*]] = arith.divsi %[[ALL]], %c32
// More elements than indices of 32 bits count are refused in the call.
// CHECK: %[[MANY:.*]] = arith.cmpi sgt, %[[N]], %c2147483647
// CHECK: %[[RESULT:.*]] = arith.select %[[MANY]], %c-9223372036854775808, %[[GROUPS]]
// CHECK: return %[[RESULT]]
// CHECK: func.func @scratch
// CHECK: func.func @kernel() attributes {kernel.bindings = 2 : i64, kernel.constants = 1 : i64, kernel.may_need_addresses}
// CHECK-DAG: %[[W:.*]] = kernel.workgroup
// CHECK-DAG: %[[I:.*]] = kernel.invocation
// CHECK-DAG: %[[X:.*]] = kernel.binding 0 : memref<?xf32>
// CHECK-DAG: %[[Y:.*]] = kernel.binding 1 written : memref<?xf32>
// CHECK: scf.if
// CHECK: %[[BEGIN:.*]] = arith.muli %[[W]], %c32
// CHECK: %[[AT:.*]] = arith.addi %[[BEGIN]], %[[I]]
// CHECK: scf.if
// CHECK: %[[V:.*]] = memref.load %[[X]][%[[AT]]]
// CHECK: %[[SUM:.*]] = arith.addf %[[V]], %[[V]]
// CHECK: memref.store %[[SUM]], %[[Y]][%[[AT]]]
kernel.program @add of @e for #device.executable<"spirv", {workgroup = 32}> {
  func.func @kernel(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
    %r = arith.addf %x, %x : tensor<?xf32>
    return %r : tensor<?xf32>
  }
}

// What all elements of a row need, the invocations of a workgroup compute together.
// CHECK: kernel.program @norm {{.*}} attributes {kernel.strategy = "rows by workgroups of 4, 1 steps"}
// CHECK: scf.for %{{.*}} = %[[ME:.*]] to %c100 step %c4
// CHECK: %[[SHARED:.*]] = kernel.shared : memref<4xf32>
// CHECK: memref.store %{{.*}}, %[[SHARED]][%[[ME]]]
// CHECK: kernel.barrier
// CHECK: kernel.barrier
// CHECK: kernel.barrier
// CHECK-NOT: kernel.barrier
// CHECK: memref.load %[[SHARED]][%c0]
// CHECK: scf.for %{{.*}} = %[[ME]] to %c100 step %c4
// CHECK: arith.subf
kernel.program @norm of @e for #device.executable<"spirv", {workgroup = 4}> {
  func.func @kernel(%x: tensor<8x100xf32>) -> tensor<8x100xf32> {
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<8x100xf32>
    %row = tensor.empty() : tensor<8xf32>
    %zeros = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%row : tensor<8xf32>) {
    ^bb0(%b: f32):
      linalg.yield %zero : f32
    } -> tensor<8xf32>
    %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<8x100xf32>) outs(%zeros : tensor<8xf32>) {
    ^bb0(%a: f32, %b: f32):
      %m = arith.addf %a, %b : f32
      linalg.yield %m : f32
    } -> tensor<8xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %sum : tensor<8x100xf32>, tensor<8xf32>) outs(%empty : tensor<8x100xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %m = arith.subf %a, %b : f32
      linalg.yield %m : f32
    } -> tensor<8x100xf32>
    return %s : tensor<8x100xf32>
  }
}

// A product: an invocation computes rows times columns, the latter a block of columns apart. Rows of free size past the
// last one are computed as the last one is, and not stored.
// CHECK: kernel.program @product {{.*}} attributes {kernel.strategy = "tiles of 4x4, workgroups of 64"}
// CHECK: func.func @workgroups(%[[M:.*]]: index) -> index
// CHECK: arith.addi %[[M]], %c3
// CHECK: func.func @kernel
// CHECK: scf.for {{.*}} to %c32 step %c1 iter_args({{.*}}) -> (f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)
// Eight loads serve sixteen products.
// CHECK-COUNT-8: memref.load
// CHECK-NOT: memref.load
// CHECK: scf.yield
kernel.program @product of @e for #device.executable<"spirv", {}> {
  func.func @kernel(%x: tensor<?x32xf32>, %w: tensor<32x256xf32>, %m: index) -> tensor<?x256xf32> {
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty(%m) : tensor<?x256xf32>
    %zeros = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%empty : tensor<?x256xf32>) {
    ^bb0(%b: f32):
      linalg.yield %zero : f32
    } -> tensor<?x256xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : tensor<?x32xf32>, tensor<32x256xf32>) outs(%zeros : tensor<?x256xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %c, %p : f32
      linalg.yield %s : f32
    } -> tensor<?x256xf32>
    return %r : tensor<?x256xf32>
  }
}

// Products without elements.
// CHECK: kernel.program @no_rows {{.*}} attributes {kernel.strategy = "elements
kernel.program @no_rows of @e for #device.executable<"spirv", {}> {
  func.func @kernel(%x: tensor<0x8xf32>, %w: tensor<8x8xf32>, %b: tensor<0x8xf32>) -> tensor<0x8xf32> {
    %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : tensor<0x8xf32>, tensor<8x8xf32>) outs(%b : tensor<0x8xf32>) {
    ^bb0(%a: f32, %c: f32, %d: f32):
      %p = arith.mulf %a, %c : f32
      %s = arith.addf %d, %p : f32
      linalg.yield %s : f32
    } -> tensor<0x8xf32>
    return %r : tensor<0x8xf32>
  }
}

// CHECK: kernel.program @no_columns {{.*}} attributes {kernel.strategy = "elements
kernel.program @no_columns of @e for #device.executable<"spirv", {}> {
  func.func @kernel(%x: tensor<8x8xf32>, %w: tensor<8x0xf32>, %b: tensor<8x0xf32>) -> tensor<8x0xf32> {
    %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : tensor<8x8xf32>, tensor<8x0xf32>) outs(%b : tensor<8x0xf32>) {
    ^bb0(%a: f32, %c: f32, %d: f32):
      %p = arith.mulf %a, %c : f32
      %s = arith.addf %d, %p : f32
      linalg.yield %s : f32
    } -> tensor<8x0xf32>
    return %r : tensor<8x0xf32>
  }
}

// What a pad adds is a nest of its own; the product is computed where it lies in the padded result.
// CHECK: kernel.program @padded {{.*}} attributes {kernel.strategy = "border, workgroups of 32\0Aelements
// CHECK: %[[P:.*]] = kernel.binding 2 written : memref<?xf32>
// CHECK: %[[BELOW:.*]] = arith.cmpi uge, %{{.*}}, %c64
// CHECK: %[[RIGHT:.*]] = arith.cmpi uge, %{{.*}}, %c64
// CHECK: %[[BORDER:.*]] = arith.ori %[[BELOW]], %[[RIGHT]]
// CHECK: scf.if %[[BORDER]]
// CHECK: memref.store %cst{{.*}}, %[[P]]
// CHECK: %[[SUM:.*]] = scf.for
// CHECK: %[[ROW:.*]] = arith.muli %{{.*}}, %c65
// CHECK: %[[INSIDE:.*]] = arith.addi %[[ROW]], %c65
// CHECK: %[[AT:.*]] = arith.addi %[[INSIDE]]
// CHECK: memref.store %[[SUM]], %[[P]][%[[AT]]]
kernel.program @padded of @e for #device.executable<"spirv", {workgroup = 32}> {
  func.func @kernel(%x: tensor<64x32xf32>, %w: tensor<32x64xf32>) -> tensor<67x65xf32> {
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %empty = tensor.empty() : tensor<64x64xf32>
    %zeros = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%empty : tensor<64x64xf32>) {
    ^bb0(%b: f32):
      linalg.yield %zero : f32
    } -> tensor<64x64xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : tensor<64x32xf32>, tensor<32x64xf32>) outs(%zeros : tensor<64x64xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %c, %m : f32
      linalg.yield %s : f32
    } -> tensor<64x64xf32>
    %p = tensor.pad %r low[1, 0] high[2, 1] {
    ^bb0(%i: index, %j: index):
      tensor.yield %one : f32
    } : tensor<64x64xf32> to tensor<67x65xf32>
    return %p : tensor<67x65xf32>
  }
}

// Only the call knows how long the sums are, and how many: a workgroup or an invocation for each.
// CHECK: kernel.program @free_sums {{.*}} attributes {kernel.strategy = "rows by workgroups of 32, 1 steps, or elements where sizes say so"}
// CHECK: func.func @workgroups(%[[ROWS:.*]]: index, %[[LENGTH:.*]]: index)
// CHECK: %[[MOST:.*]] = arith.maxsi %[[LENGTH]], %c0
// CHECK-DAG: %[[LONG:.*]] = arith.cmpi sgt, %[[MOST]], %c127
// CHECK-DAG: %[[ENDLESS:.*]] = arith.cmpi sgt, %[[MOST]], %c16383
// CHECK-DAG: %[[FEW:.*]] = arith.cmpi slt, %[[ROWS]], %c4097
// CHECK: %[[PAYS:.*]] = arith.andi %[[LONG]], %[[FEW]]
// CHECK: %[[CHOSEN:.*]] = arith.ori %[[PAYS]], %[[ENDLESS]]
// CHECK: arith.select %[[CHOSEN]], %[[ROWS]], %{{.*}} : index
// CHECK: func.func @kernel()
// CHECK: scf.if
// CHECK: kernel.barrier
// CHECK: } else {
// CHECK-NOT: kernel.barrier
// CHECK: scf.for
kernel.program @free_sums of @e for #device.executable<"spirv", {workgroup = 32}> {
  func.func @kernel(%x: tensor<?x?xf32>, %rows: index, %length: index) -> tensor<?xf32> {
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty(%rows) : tensor<?xf32>
    %zeros = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%empty : tensor<?xf32>) {
    ^bb0(%b: f32):
      linalg.yield %zero : f32
    } -> tensor<?xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<?x?xf32>) outs(%zeros : tensor<?xf32>) {
    ^bb0(%a: f32, %c: f32):
      %s = arith.addf %c, %a : f32
      linalg.yield %s : f32
    } -> tensor<?xf32>
    return %r : tensor<?xf32>
  }
}
