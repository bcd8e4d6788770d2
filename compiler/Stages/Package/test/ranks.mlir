// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --package-print-instructions | FileCheck %s

// CHECK: function main: 5 scalars, 2 buffers, 2 streams, 0 events
// CHECK-DAG: coordinate s{{[0-9]+}} g0 1
// CHECK-DAG: mesh_size s{{[0-9]+}} g0 0
// CHECK-DAG: member s{{[0-9]+}} g1
// CHECK-DAG: comm_stream t1
// CHECK: collective t1 j0 b0 b1 s[[N:[0-9]+]]
// CHECK-NEXT: collective t1 j1 b1 b1 s[[N]]
// CHECK-NEXT: collective t1 j0 b0 b1 s[[N]]
// CHECK-NEXT: collective_cut t1 j2 b0 b1 s{{[0-9]+}} [s[[N]] s{{[0-9]+}} s{{[0-9]+}} s{{[0-9]+}}]
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
device.mesh @m = [x = 2, y = ?]
device.mesh @tail = [z = 2] at 2
host.func @main(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xf32>, [""] sharding(#flow.sharding<@m, [["x"]]>)>]) results([]) symbols([]) {
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c = host.comm_stream
  %i = host.coordinate @m "y"
  %n = host.mesh_size @m "x"
  %b = host.member @tail
  %t = host.slab on @d size %c16
  host.collective %c all_reduce sum f32 over @m["x"] (%x) -> (%t) count %c4 loc("a")
  host.collective %c permute f32 pairs [[0, 1]] over @tail["z"] (%t) -> (%t) count %c4 loc("b")
  host.collective %c all_reduce sum f32 over @m["x"] (%x) -> (%t) count %c4 loc("a")
  host.collective %c scatter f32 root 1 over @m["x"] (%x) -> (%t) count %i cut(%c4, %n, %c16, %n)
  host.return shape()
}
