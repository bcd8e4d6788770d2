// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --stage-schedule | FileCheck %s
// RUN: heddle-opt %s --stage-schedule --run-host -o /dev/null | FileCheck %s --check-prefix=RANK
// RUN: sed 's/module {/module attributes {host.pieces = 1 : i64} {/' %s > %t.mlir
// RUN: heddle-opt %t.mlir --stage-schedule --run-host -o /dev/null | FileCheck %s --check-prefix=RANK
module {
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
device.mesh @m = [x = 2]
flow.executable private @h attributes {host.fake = "add"} { func.func @h(%a: tensor<2xi32>, %b: tensor<2xi32>) -> tensor<2xi32> { return %a : tensor<2xi32> } }
flow.executable private @g attributes {host.fake = "add"} { func.func @g(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> { return %a : tensor<4xi32> } }

// Which way is taken is a value that the load gives. Collectives in branches, and the parts of pieces, are written in the
// caller's memory.
// CHECK-LABEL: host.func @main
// CHECK: %[[N:.*]] = host.bound "overlap.0" {host.overlap = {{.*}} : index
// CHECK: %[[WHOLE:.*]] = arith.cmpi eq, %[[N]]
// CHECK: %[[Y:.*]] = host.result 0
// CHECK: scf.if %[[WHOLE]] {
// CHECK:   host.collective %{{.*}} all_reduce sum i32 over @m["x"] (%{{.*}}) -> (%[[Y]])
// CHECK: } else {
// CHECK:   %[[P:.*]] = host.view %[[Y]][%c0] size %c8
// CHECK:   host.collective %{{.*}} all_reduce sum i32 over @m["x"] (%{{.*}}) -> (%[[P]])
// CHECK:   %[[Q:.*]] = host.view %[[Y]][%c8] size %c8
// CHECK:   host.collective %{{.*}} all_reduce sum i32 over @m["x"] (%{{.*}}) -> (%[[Q]])
// CHECK-NOT: host.copy
// CHECK: host.return
// RANK: main call 0:
// RANK: rank 1: y = dense<[44, 88, 132, 176]>
func.func @main(%x: tensor<4xi32> {heddle.name = "x"}, %b: tensor<4xi32> {heddle.name = "b"}) -> (tensor<4xi32> {heddle.name = "y"})
    attributes {host.inputs = [[[dense<[1, 2, 3, 4]> : tensor<4xi32>, dense<[10, 20, 30, 40]> : tensor<4xi32>],
                                [dense<[3, 6, 9, 12]> : tensor<4xi32>, dense<[30, 60, 90, 120]> : tensor<4xi32>]]]} {
  %n = flow.pieces 0 {account = {axes = ["x"], counts = array<i64: 1, 2>, extent = 4 : i64, feeds = false, joins = array<i64>, kind = "all_reduce", mesh = @m, moved_bytes = 16 : i64, name = "sum", rates = array<f64: 1.0, 1.0, 0.0, 1.0, 0.0>, slices = array<i64>, works = array<i64: 4, 32, 0>}}
  %c1 = arith.constant 1 : index
  %is = arith.cmpi eq, %n, %c1 : index
  %y = scf.if %is -> (tensor<4xi32>) {
    %p = flow.dispatch @g(%x, %b) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
    %s = flow.all_reduce %p sum over @m["x"] : tensor<4xi32>
    scf.yield %s : tensor<4xi32>
  } else {
    %all = tensor.empty() {flow.filled = 0 : i64} : tensor<4xi32>
    %x0 = tensor.extract_slice %x[0] [2] [1] : tensor<4xi32> to tensor<2xi32>
    %b0 = tensor.extract_slice %b[0] [2] [1] : tensor<4xi32> to tensor<2xi32>
    %p0 = flow.dispatch @h(%x0, %b0) : (tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>)
    %s0 = flow.all_reduce %p0 sum over @m["x"] : tensor<2xi32>
    %x1 = tensor.extract_slice %x[2] [2] [1] : tensor<4xi32> to tensor<2xi32>
    %b1 = tensor.extract_slice %b[2] [2] [1] : tensor<4xi32> to tensor<2xi32>
    %p1 = flow.dispatch @h(%x1, %b1) : (tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>)
    %s1 = flow.all_reduce %p1 sum over @m["x"] : tensor<2xi32>
    %first = tensor.insert_slice %s0 into %all[0] [2] [1] : tensor<2xi32> into tensor<4xi32>
    %both = tensor.insert_slice %s1 into %first[2] [2] [1] : tensor<2xi32> into tensor<4xi32>
    scf.yield %both : tensor<4xi32>
  }
  return %y : tensor<4xi32>
}
}
