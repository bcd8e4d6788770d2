// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --schedule-verify-host --run-host -o /dev/null | FileCheck %s
// RUN: heddle-opt %s --schedule-verify-host --run-host=all-orders -o /dev/null | FileCheck %s

// Every kind of collective on a mesh of 2 x 3 ranks; ranks arrive in any order.

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
device.mesh @m = [x = 2, y = 3]
flow.executable private @add_constant attributes {host.fake = "add_constant"} { func.func private @add_constant() }

// Each rank adds its number in the mesh to 10 before the sums along x and y, and over both.
// CHECK: sums call 0:
// CHECK-NEXT: rank 0: y = dense<[23, 33, 75]> : tensor<3xi32>
// CHECK-NEXT: rank 1: y = dense<[25, 33, 75]> : tensor<3xi32>
// CHECK-NEXT: rank 2: y = dense<[27, 33, 75]> : tensor<3xi32>
// CHECK-NEXT: rank 3: y = dense<[23, 42, 75]> : tensor<3xi32>
// CHECK-NEXT: rank 4: y = dense<[25, 42, 75]> : tensor<3xi32>
// CHECK-NEXT: rank 5: y = dense<[27, 42, 75]> : tensor<3xi32>
// CHECK-NEXT: memory: slab 0 bytes, 1 allocations
host.func @sums(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<1xi32>, [""]>]) results([#host.value<"y", tensor<3xi32>, [""]>]) symbols([])
    attributes {host.inputs = [[dense<[10]> : tensor<1xi32>]]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %c = host.comm_stream
  %ix = host.coordinate @m "x"
  %iy = host.coordinate @m "y"
  %ny = host.mesh_size @m "y"
  %row = arith.muli %ix, %ny : index
  %rank = arith.addi %row, %iy : index
  %y = host.result 0 on @d size %c12
  %own = host.alloc on @d size %c4
  host.dispatch %s, @add_constant(%x, %own) [%rank] access(["r", "w"])
  %done = host.record %s
  host.wait %c, %done
  %y0 = host.view %y[%c0] size %c4
  %y1 = host.view %y[%c4] size %c4
  %y2 = host.view %y[%c8] size %c4
  host.collective %c all_reduce sum i32 over @m["x"] (%own) -> (%y0) count %c1
  host.collective %c all_reduce sum i32 over @m["y"] (%own) -> (%y1) count %c1
  host.collective %c all_reduce sum i32 over @m["x", "y"] (%own) -> (%y2) count %c1
  %summed = host.record %c
  host.wait %s, %summed
  host.free %s, %own
  host.return %y shape(%c3)
}

// CHECK: pieces call 0:
// CHECK-NEXT: rank 0: g = dense<[1, 2, 3]> : tensor<3xi32>, p = dense<[1, 2, 0, 0, 1, 2, 3]>
// CHECK-NEXT: rank 1: g = dense<[1, 2, 3]> : tensor<3xi32>, p = dense<[2, 0, 1, 1, 0, 0, 0]>
// CHECK-NEXT: rank 2: g = dense<[1, 2, 3]> : tensor<3xi32>, p = dense<[3, 3, 0, 2, 0, 0, 0]>
// CHECK-NEXT: rank 3: g = dense<[4, 5, 6]> : tensor<3xi32>, p = dense<[4, 5, 0, 0, 4, 5, 6]>
// CHECK-NEXT: rank 4: g = dense<[4, 5, 6]> : tensor<3xi32>, p = dense<[5, 0, 4, 4, 0, 0, 0]>
// CHECK-NEXT: rank 5: g = dense<[4, 5, 6]> : tensor<3xi32>, p = dense<[6, 6, 0, 5, 0, 0, 0]>
host.func @pieces(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<1xi32>, [""]>])
    results([#host.value<"g", tensor<3xi32>, [""]>, #host.value<"p", tensor<7xi32>, [""]>]) symbols([])
    attributes {host.inputs = [[[dense<1> : tensor<1xi32>], [dense<2> : tensor<1xi32>], [dense<3> : tensor<1xi32>],
                                [dense<4> : tensor<1xi32>], [dense<5> : tensor<1xi32>], [dense<6> : tensor<1xi32>]]]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %c16 = arith.constant 16 : index
  %c28 = arith.constant 28 : index
  %c = host.comm_stream
  %g = host.result 0 on @d size %c12
  %p = host.result 1 on @d size %c28
  %p0 = host.view %p[%c0] size %c4
  %p1 = host.view %p[%c4] size %c4
  %p2 = host.view %p[%c8] size %c4
  %p3 = host.view %p[%c12] size %c4
  %p4 = host.view %p[%c16] size %c12
  %start = host.record %s
  host.wait %c, %start
  host.collective %c all_gather i32 over @m["y"] (%x) -> (%g) count %c1
  // The members' own elements back; one after the other around the ring; pairs; the other way around; to the root.
  host.collective %c scatter i32 root 0 over @m["y"] (%g) -> (%p0) count %c1
  host.collective %c permute i32 pairs [[1, 0], [2, 2]] over @m["y"] (%x) -> (%p1) count %c1
  host.collective %c permute i32 pairs [[0, 1]] over @m["y"] (%x) -> (%p2) count %c1
  host.collective %c permute i32 pairs [[0, 1], [1, 2]] over @m["y"] (%x) -> (%p3) count %c1
  host.collective %c gather i32 root 0 over @m["y"] (%x) -> (%p4) count %c1
  %end = host.record %c
  host.wait %s, %end
  host.return %g, %p shape(%c3, %c7)
}

// CHECK: exchange call 0:
// CHECK-NEXT: rank 0: y = dense<[1, 3]> : tensor<2xi32>, z = dense<[4, 3, 4]> : tensor<3xi32>
// CHECK-NEXT: rank 1: y = dense<[2, 4]> : tensor<2xi32>, z = dense<[6, 3, 4]> : tensor<3xi32>
// CHECK-NEXT: rank 2: y = dense<[5, 7]> : tensor<2xi32>, z = dense<[12, 7, 8]> : tensor<3xi32>
// CHECK-NEXT: rank 3: y = dense<[6, 8]> : tensor<2xi32>, z = dense<[14, 7, 8]> : tensor<3xi32>
// CHECK-NEXT: rank 4: y = dense<0> : tensor<2xi32>, z = dense<0> : tensor<3xi32>
host.func @exchange(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<2xi32>, [""]>])
    results([#host.value<"y", tensor<2xi32>, [""]>, #host.value<"z", tensor<3xi32>, [""]>]) symbols([])
    attributes {host.inputs = [[[dense<[1, 2]> : tensor<2xi32>], [dense<[3, 4]> : tensor<2xi32>],
                                [dense<[5, 6]> : tensor<2xi32>], [dense<[7, 8]> : tensor<2xi32>],
                                [dense<[9, 9]> : tensor<2xi32>], [dense<[9, 9]> : tensor<2xi32>]]]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %c = host.comm_stream
  %y = host.result 0 on @d size %c8
  %z = host.result 1 on @d size %c12
  %z0 = host.view %z[%c0] size %c4
  %z1 = host.view %z[%c4] size %c8
  %start = host.record %s
  host.wait %c, %start
  host.collective %c all_to_all i32 over @m groups [[0, 1], [2, 3]] (%x) -> (%y) count %c1
  host.collective %c reduce_scatter sum i32 over @m groups [[0, 1], [2, 3]] (%x) -> (%z0) count %c1
  host.collective %c broadcast i32 root 1 over @m groups [[0, 1], [2, 3]] (%x) -> (%z1) count %c2
  %end = host.record %c
  host.wait %s, %end
  host.return %y, %z shape(%c2, %c3)
}

// Pieces of several sizes over y: 4 rows in 3 parts are 1, 1 and 2; 2 columns of two elements are none, one and one.
// CHECK: cuts call 0:
// CHECK-NEXT: rank 0: g = dense<[10, 20, 30, 30]> : tensor<4xi32>, r = dense<[60, 0]> : tensor<2xi32>, e = dense<[1, 2, 3, 4, 0, 0, 0, 0]> : tensor<8xi32>
// CHECK-NEXT: rank 1: g = dense<[10, 20, 30, 30]> : tensor<4xi32>, r = dense<[60, 0]> : tensor<2xi32>, e = dense<[3, 4, 5, 6, 0, 0, 0, 0]> : tensor<8xi32>
// CHECK-NEXT: rank 2: g = dense<[10, 20, 30, 30]> : tensor<4xi32>, r = dense<60> : tensor<2xi32>, e = dense<[5, 6, 5, 6, 7, 8, 7, 8]> : tensor<8xi32>
host.func @cuts(%s: !host.stream, %x: !host.buffer, %z: !host.buffer)
    arguments([#host.value<"x", tensor<4xi32>, [""]>, #host.value<"z", tensor<8xi32>, [""]>])
    results([#host.value<"g", tensor<4xi32>, [""]>, #host.value<"r", tensor<2xi32>, [""]>, #host.value<"e", tensor<8xi32>, [""]>])
    symbols([]) attributes {host.inputs = [[
      [dense<10> : tensor<4xi32>, dense<0> : tensor<8xi32>],
      [dense<20> : tensor<4xi32>, dense<[1, 2, 3, 4, 5, 6, 7, 8]> : tensor<8xi32>],
      [dense<30> : tensor<4xi32>, dense<[3, 4, 5, 6, 5, 6, 7, 8]> : tensor<8xi32>],
      [dense<10> : tensor<4xi32>, dense<0> : tensor<8xi32>],
      [dense<20> : tensor<4xi32>, dense<[1, 2, 3, 4, 5, 6, 7, 8]> : tensor<8xi32>],
      [dense<30> : tensor<4xi32>, dense<[3, 4, 5, 6, 5, 6, 7, 8]> : tensor<8xi32>]]]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c = host.comm_stream
  %i = host.coordinate @m "y"
  %begin0 = arith.muli %i, %c4 : index
  %begin = arith.divsi %begin0, %c3 : index
  %j = arith.addi %i, %c1 : index
  %end0 = arith.muli %j, %c4 : index
  %end = arith.divsi %end0, %c3 : index
  %rows = arith.subi %end, %begin : index
  %bytes = arith.muli %rows, %c4 : index
  %from0 = arith.muli %i, %c2 : index
  %from = arith.divsi %from0, %c3 : index
  %to0 = arith.muli %j, %c2 : index
  %to = arith.divsi %to0, %c3 : index
  %columns = arith.subi %to, %from : index
  %g = host.result 0 on @d size %c16
  %r = host.result 1 on @d size %c8
  %e = host.result 2 on @d size %c32
  host.fill %s, %r[%c0] size %c8 pattern %c0 : 4
  host.fill %s, %e[%c0] size %c32 pattern %c0 : 4
  %own = host.view %x[%c0] size %bytes
  %sum = host.view %r[%c0] size %bytes
  %sentRows = arith.muli %columns, %c32 : index
  %sent = host.view %z[%c0] size %sentRows
  %gotRow = arith.muli %rows, %c16 : index
  %got = host.view %e[%c0] size %gotRow
  %start = host.record %s
  host.wait %c, %start
  host.collective %c all_gather i32 over @m["y"] (%own) -> (%g) count %c1 cut(%c4, %c1, %c0, %c3)
  host.collective %c reduce_scatter sum i32 over @m["y"] (%x) -> (%sum) count %c1 cut(%c4, %c1, %c0, %c3)
  host.collective %c all_to_all i32 over @m["y"] (%sent) -> (%got) count %c2 cut(%c4, %c1, %c0, %c3, %c2, %c1, %c0, %c3)
  %done = host.record %c
  host.wait %s, %done
  host.return %g, %r, %e shape(%c4, %c2, %c8)
}
