// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --stage-schedule | FileCheck %s
// RUN: heddle-opt %s --stage-schedule --run-host -o /dev/null | FileCheck %s --check-prefix=RANK

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
device.mesh @m = [x = 2]
flow.executable private @h attributes {host.fake = "add"} { func.func @h(%a: tensor<2xi32>, %b: tensor<2xi32>) -> tensor<2xi32> { return %a : tensor<2xi32> } }
flow.executable private @g attributes {host.fake = "add"} { func.func @g(%a: tensor<?xi32>, %b: tensor<?xi32>) -> tensor<?xi32> { return %a : tensor<?xi32> } }

// The sum is issued as soon as its operand is there and waited for when nothing else is left; it is computed in the
// operand's memory.
// CHECK-LABEL: host.func @overlap
// CHECK: %[[C:.*]] = host.comm_stream
// CHECK: host.dispatch %[[S:.*]], @g(%{{.*}}, %{{.*}}, %[[A:.*]]) access
// CHECK-NEXT: %[[READY:.*]] = host.record %[[S]]
// CHECK-NEXT: host.wait %[[C]], %[[READY]]
// CHECK-NEXT: host.collective %[[C]] all_reduce sum i32 over @m["x"] (%[[A]]) -> (%[[A]]) count %{{.*}}
// CHECK-NEXT: %[[SUMMED:.*]] = host.record %[[C]]
// CHECK: host.dispatch %[[S]], @g(%{{.*}}, %{{.*}}, %[[B:.*]]) access
// CHECK: host.wait %[[S]], %[[SUMMED]]
// CHECK: host.dispatch %[[S]], @g(%[[A]], %[[B]], %{{.*}}) access
// RANK: overlap call 0:
// RANK-NEXT: rank 0: y = dense<[10, 16]> : tensor<2xi32>
// RANK-NEXT: rank 1: y = dense<[14, 20]> : tensor<2xi32>
func.func @overlap(%x: tensor<?xi32> {heddle.name = "x", heddle.dims = ["n"]}) -> (tensor<?xi32> {heddle.name = "y", heddle.dims = ["n"]})
    attributes {host.inputs = [[[dense<[1, 2]> : tensor<2xi32>], [dense<[3, 4]> : tensor<2xi32>]]]} {
  %n = flow.dimension "n"
  %0 = flow.dispatch @g(%x, %x) : (tensor<?xi32>{%n}, tensor<?xi32>{%n}) -> (tensor<?xi32>{%n})
  %1 = flow.dispatch @g(%x, %x) : (tensor<?xi32>{%n}, tensor<?xi32>{%n}) -> (tensor<?xi32>{%n})
  %2 = flow.all_reduce %0 sum over @m["x"] : tensor<?xi32>{%n}
  %3 = flow.dispatch @g(%2, %1) : (tensor<?xi32>{%n}, tensor<?xi32>{%n}) -> (tensor<?xi32>{%n})
  return %3 : tensor<?xi32>
}

// What is returned is computed in the caller's storage, the operand too; it stays where something else reads it.
// CHECK-LABEL: host.func @returned
// CHECK: %[[Y:.*]] = host.result 0
// CHECK: host.dispatch %{{.*}}, @g(%{{.*}}, %{{.*}}, %[[Y]]) access
// CHECK: host.collective %{{.*}} all_reduce max i32 over @m["x"] (%[[Y]]) -> (%[[Y]]) count
// CHECK: host.dispatch %{{.*}}, @g(%{{.*}}, %{{.*}}, %[[B:.*]]) access
// CHECK: host.collective %{{.*}} broadcast i32 root 1 over @m["x"] (%[[B]]) -> (%[[Z:.*]]) count
// CHECK: host.return %[[Y]], %[[Z]], %
// RANK: returned call 0:
// RANK-NEXT: rank 0: y = dense<[6, 8]> : tensor<2xi32>, z = dense<[6, 8]> : tensor<2xi32>, w = dense<[3, 6]> : tensor<2xi32>
// RANK-NEXT: rank 1: y = dense<[6, 8]> : tensor<2xi32>, z = dense<[6, 8]> : tensor<2xi32>, w = dense<[9, 12]> : tensor<2xi32>
func.func @returned(%x: tensor<?xi32> {heddle.name = "x", heddle.dims = ["n"]})
    -> (tensor<?xi32> {heddle.name = "y"}, tensor<?xi32> {heddle.name = "z"}, tensor<?xi32> {heddle.name = "w"})
    attributes {host.inputs = [[[dense<[1, 2]> : tensor<2xi32>], [dense<[3, 4]> : tensor<2xi32>]]]} {
  %n = flow.dimension "n"
  %0 = flow.dispatch @g(%x, %x) : (tensor<?xi32>{%n}, tensor<?xi32>{%n}) -> (tensor<?xi32>{%n})
  %1 = flow.all_reduce %0 max over @m["x"] : tensor<?xi32>{%n}
  %2 = flow.dispatch @g(%x, %x) : (tensor<?xi32>{%n}, tensor<?xi32>{%n}) -> (tensor<?xi32>{%n})
  %3 = flow.broadcast %2 root 1 over @m["x"] : tensor<?xi32>{%n}
  %4 = flow.dispatch @g(%x, %2) : (tensor<?xi32>{%n}, tensor<?xi32>{%n}) -> (tensor<?xi32>{%n})
  return %1, %3, %4 : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
}

// A loop with a sum in each round.
// RANK: loop call 0:
// RANK-NEXT: rank 0: y = dense<[32, 48]> : tensor<2xi32>
// RANK-NEXT: rank 1: y = dense<[32, 48]> : tensor<2xi32>
func.func @loop(%x: tensor<2xi32> {heddle.name = "x"}) -> (tensor<2xi32> {heddle.name = "y"})
    attributes {host.inputs = [[[dense<[1, 2]> : tensor<2xi32>], [dense<[3, 4]> : tensor<2xi32>]]]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %x) -> (tensor<2xi32>) {
    %0 = flow.all_reduce %a sum over @m["x"] : tensor<2xi32>
    %1 = flow.dispatch @h(%0, %0) : (tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>)
    scf.yield %1 : tensor<2xi32>
  }
  return %r : tensor<2xi32>
}

// The same with a size that only the call knows: what a round gives the next one is a copy, in order with its free.
// RANK: carried call 0:
// RANK-NEXT: rank 0: y = dense<[8, 12]> : tensor<2xi32>
// RANK-NEXT: rank 1: y = dense<[8, 12]> : tensor<2xi32>
func.func @carried(%x: tensor<?xi32> {heddle.name = "x", heddle.dims = ["n"]}) -> (tensor<?xi32> {heddle.name = "y"})
    attributes {host.inputs = [[[dense<[1, 2]> : tensor<2xi32>], [dense<[3, 4]> : tensor<2xi32>]]]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = flow.dimension "n"
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %x) -> (tensor<?xi32>) {
    %0 = flow.all_reduce %a sum over @m["x"] : tensor<?xi32>{%n}
    scf.yield %0 : tensor<?xi32>
  }
  return %r : tensor<?xi32>
}

// Pieces: n members make all of n.
// CHECK-LABEL: host.func @pieces
// CHECK: host.collective %{{.*}} all_gather i32 over @m["x"] (%{{.*}}) -> (%{{.*}}) count %c2
// CHECK: host.collective %{{.*}} reduce_scatter max ui32 over @m["x"] (%{{.*}}) -> (%{{.*}}) count %c2
// CHECK: host.collective %{{.*}} all_to_all i32 over @m["x"] (%{{.*}}) -> (%{{.*}}) count %c2
// CHECK: host.collective %{{.*}} permute i32 shift 1 over @m["x"] (%{{.*}}) -> (%{{.*}}) count %c4
// RANK: pieces call 0:
// RANK-NEXT: rank 0: y = dense<[1, 2]> : tensor<2xi32>, z = dense<[3, -4, 3, -4]> : tensor<4xi32>
// RANK-NEXT: rank 1: y = dense<[3, -4]> : tensor<2xi32>, z = dense<[1, 2, 1, 2]> : tensor<4xi32>
func.func @pieces(%x: tensor<2xi32> {heddle.name = "x"}) -> (tensor<2xi32> {heddle.name = "y"}, tensor<4xi32> {heddle.name = "z"})
    attributes {host.inputs = [[[dense<[1, 2]> : tensor<2xi32>], [dense<[3, -4]> : tensor<2xi32>]]]} {
  %0 = flow.all_gather %x dim 0 over @m["x"] : tensor<2xi32> -> tensor<4xi32>
  %1 = flow.reduce_scatter %0 umax dim 0 over @m["x"] : tensor<4xi32> -> tensor<2xi32>
  %2 = flow.all_to_all %0 split 0 concat 0 over @m["x"] : tensor<4xi32> -> tensor<4xi32>
  %3 = flow.permute %2 shift 1 over @m["x"] : tensor<4xi32>
  return %1, %3 : tensor<2xi32>, tensor<4xi32>
}

// A loop that only exchanges buffers is pure; what it gives and nobody takes is freed behind it, not before.
// CHECK-LABEL: host.func @exchange
// CHECK: scf.for
// CHECK: %[[L:.*]]:4 = scf.for
// CHECK: host.free %{{.*}}, %[[L]]#2
// RANK: exchange call 0:
// RANK-NEXT: rank 0: y = dense<[1, 2, 3, -4]> : tensor<4xi32>
// RANK-NEXT: rank 1: y = dense<[1, 2, 3, -4]> : tensor<4xi32>
func.func @exchange(%x: tensor<?xi32> {heddle.name = "x", heddle.dims = ["n"]}) -> (tensor<?xi32> {heddle.name = "y"})
    attributes {host.inputs = [[[dense<[1, 2]> : tensor<2xi32>], [dense<[3, -4]> : tensor<2xi32>]]]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %n = flow.dimension "n"
  %n2 = arith.muli %n, %c2 : index
  %0 = flow.all_gather %x dim 0 over @m["x"] : tensor<?xi32>{%n} -> tensor<?xi32>{%n2}
  %1 = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %x) -> (tensor<?xi32>) {
    %2:2 = scf.for %j = %c0 to %c3 step %c1 iter_args(%p = %x, %q = %0) -> (tensor<?xi32>, tensor<?xi32>) {
      scf.yield %q, %p : tensor<?xi32>, tensor<?xi32>
    }
    scf.yield %2#0 : tensor<?xi32>
  }
  return %1 : tensor<?xi32>
}

// A part of a stated whole whose size is known after all: how much is moved is equal on all ranks, as the operand's type
// says, though an argument's own size may differ between them.
// CHECK-LABEL: host.func @known_part
// CHECK: %[[TWO:.*]] = arith.constant 2 : index
// CHECK: host.collective %{{.*}} all_gather i32 over @m["x"] ({{.*}}) -> ({{.*}}) count %[[TWO]]
// RANK: known_part call 0:
// RANK-NEXT: rank 0: y = dense<[1, 2, 3, 4]> : tensor<4xi32>
// RANK-NEXT: rank 1: y = dense<[1, 2, 3, 4]> : tensor<4xi32>
func.func @known_part(%x: tensor<?xi32> {heddle.name = "x", heddle.dims = ["n"], heddle.sharding = #flow.sharding<@m, [["x"] of 4]>})
    -> (tensor<4xi32> {heddle.name = "y"})
    attributes {host.inputs = [[[dense<[1, 2]> : tensor<2xi32>], [dense<[3, 4]> : tensor<2xi32>]]]} {
  %0 = tensor.cast %x : tensor<?xi32> to tensor<2xi32>
  %1 = flow.all_gather %0 dim 0 over @m["x"] : tensor<2xi32> -> tensor<4xi32>
  return %1 : tensor<4xi32>
}
