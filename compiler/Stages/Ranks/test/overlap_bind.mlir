// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --ranks-overlap=pieces=-2 | FileCheck %s

// Several ways stand in branches, of which the load chooses: the whole, pieces of known sizes, rows from each rank.
// CHECK: heddle.overlaps = ["all_gather of tensor<6x32xf32> is moved whole, {{.*}}from each rank as it is{{.*}}: which, the load decides; by the target's link {{.*}} ns, whole {{[0-9]+}} ns (4 ranks)"]
device.mesh @m = [x = 4]
// CHECK-LABEL: @gathered
// CHECK: %[[N:.*]] = flow.pieces 0 {account = {axes = ["x"], counts = array<i64: 1, {{.*}}>, extent = 6 : i64, feeds = true, joins = array<i64: {{.*}}>, kind = "all_gather", mesh = @m, moved_bytes = 768 : i64, name = "all_gather of tensor<6x32xf32>", rates = array<f64: 1.000000e+02, 2.000000e+01, 1.000000e+00, 1.000000e+01, 2.000000e+01>, slices = array<i64: {{.*}}>, works = array<i64: {{.*}}>}}
// CHECK: %[[WHOLE:.*]] = arith.cmpi eq, %[[N]], %{{.*}} : index
// CHECK: %[[Y:.*]] = scf.if %[[WHOLE]] -> (tensor<24x8xf32>) {
// CHECK:   flow.all_gather %arg0 dim 0 over @m["x"] : tensor<6x32xf32> -> tensor<24x32xf32>
// CHECK:   linalg.fill
// CHECK:   %[[P:.*]] = linalg.matmul
// CHECK:   %[[A:.*]] = linalg.add ins(%[[P]]
// CHECK:   scf.yield %[[A]]
// CHECK: } else {
// CHECK:   flow.permute
// CHECK: return %[[Y]]
func.func @gathered(%x: tensor<6x32xf32>, %w: tensor<32x8xf32>, %b: tensor<24x8xf32>) -> tensor<24x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<24x8xf32>
  %g = flow.all_gather %x dim 0 over @m["x"] : tensor<6x32xf32> -> tensor<24x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<24x8xf32>) -> tensor<24x8xf32>
  %p = linalg.matmul ins(%g, %w : tensor<24x32xf32>, tensor<32x8xf32>) outs(%f : tensor<24x8xf32>) -> tensor<24x8xf32>
  %y = linalg.add ins(%p, %b : tensor<24x8xf32>, tensor<24x8xf32>) outs(%e : tensor<24x8xf32>) -> tensor<24x8xf32>
  return %y : tensor<24x8xf32>
}

// -----

// Of a free size the load chooses whole, or up to 2 or 4 pieces, and the positions for each. The mesh may be free.
// CHECK: heddle.overlaps = ["all_reduce of tensor<?x8xf32> is moved in up to 4 pieces of its free size: how many, the load decides"]
device.mesh @m = [x = ?]
// CHECK-LABEL: @rows
// CHECK-DAG: %[[MOST:.*]] = flow.pieces 0 {account = {{.*}}counts = array<i64>
// CHECK-DAG: %[[EACH:.*]] = flow.pieces 0 positions {account
// CHECK: %[[WHOLE:.*]] = arith.cmpi eq, %[[MOST]], %c1{{.*}} : index
// CHECK: scf.if %[[WHOLE]] -> (tensor<?x8xf32>) {
// CHECK-COUNT-1: flow.all_reduce
// CHECK: } else {
// CHECK: scf.if
// CHECK: %[[DIVISOR:.*]] = arith.maxsi %[[EACH]], %{{.*}} : index
// CHECK: arith.divsi %{{.*}}, %[[DIVISOR]] : index
// CHECK-COUNT-2: flow.all_reduce
// CHECK: } else {
// CHECK: %[[DIVISOR:.*]] = arith.maxsi %[[EACH]], %{{.*}} : index
// CHECK: arith.divsi %{{.*}}, %[[DIVISOR]] : index
// CHECK-COUNT-4: flow.all_reduce
func.func @rows(%x: tensor<?x32xf32>, %w: tensor<32x8xf32>) -> tensor<?x8xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x32xf32>
  %e = tensor.empty(%d) : tensor<?x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %p = linalg.matmul ins(%x, %w : tensor<?x32xf32>, tensor<32x8xf32>) outs(%f : tensor<?x8xf32>) -> tensor<?x8xf32>
  %y = flow.all_reduce %p sum over @m["x"] : tensor<?x8xf32>{%d}
  return %y : tensor<?x8xf32>
}

// -----

// Ways within one another, of a slow device: whole, else in 4 pieces, else in 11.
device.global @a = #device.target<"local", {gflops = 1.0, memory_gbps = 1000.0, launch_us = 1.0}, [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
device.mesh @m = [x = 2]
// CHECK-LABEL: @summed
// CHECK: scf.if
// CHECK-COUNT-1: flow.all_reduce {{.*}} : tensor<32x24xf32>
// CHECK: } else {
// CHECK: scf.if
// CHECK-COUNT-4: flow.all_reduce {{.*}} : tensor<8x24xf32>
// CHECK: tensor.concat
// CHECK: } else {
// CHECK-COUNT-11: flow.all_reduce
func.func @summed(%x: tensor<32x32xf32>, %w: tensor<32x24xf32>, %i: tensor<32x24xf32>) -> tensor<32x24xf32> {
  %p = linalg.matmul ins(%x, %w : tensor<32x32xf32>, tensor<32x24xf32>) outs(%i : tensor<32x24xf32>) -> tensor<32x24xf32>
  %y = flow.all_reduce %p sum over @m["x"] : tensor<32x24xf32>
  return %y : tensor<32x24xf32>
}
