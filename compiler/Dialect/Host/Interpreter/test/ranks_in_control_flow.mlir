// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --schedule-verify-host --run-host=ranks=4 -o /dev/null | FileCheck %s

// A mesh whose size is told at load, a part of the world under host.member, and a loop that goes on as long as the sum
// over all ranks is small.

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
device.mesh @all = [x = ?]
device.mesh @tail = [y = 2] at 2
flow.executable private @add attributes {host.fake = "add"} { func.func private @add() }

// CHECK: until call 0:
// CHECK-NEXT: rank 0: y = dense<160> : tensor<1xi32>
// CHECK-NEXT: rank 1: y = dense<160> : tensor<1xi32>
// CHECK-NEXT: rank 2: y = dense<160> : tensor<1xi32>
// CHECK-NEXT: rank 3: y = dense<160> : tensor<1xi32>
host.func @until(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<1xi32>, [""]>]) results([#host.value<"y", tensor<1xi32>, [""]>]) symbols([])
    attributes {host.inputs = [[[dense<1> : tensor<1xi32>], [dense<2> : tensor<1xi32>], [dense<3> : tensor<1xi32>],
                                [dense<4> : tensor<1xi32>]]]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c100 = arith.constant 100 : index
  %c = host.comm_stream
  %y = host.result 0 on @d size %c4
  %start = host.record %s
  host.wait %c, %start
  host.collective %c all_reduce sum i32 over @all["x"] (%x) -> (%y) count %c1
  %first = host.record %c
  host.wait %s, %first
  scf.while : () -> () {
    %sum = host.read %s, %y[%c0] : i32
    %more = arith.cmpi slt, %sum, %c100 : index
    scf.condition(%more)
  } do {
    // The host has read the sum, so nothing of before is left to wait for.
    host.collective %c all_reduce sum i32 over @all["x"] (%y) -> (%y) count %c1
    %end = host.record %c
    host.wait %s, %end
    scf.yield
  }
  host.return %y shape(%c1)
}

// CHECK: part call 0:
// CHECK-NEXT: rank 0: y = dense<1> : tensor<1xi32>
// CHECK-NEXT: rank 1: y = dense<2> : tensor<1xi32>
// CHECK-NEXT: rank 2: y = dense<7> : tensor<1xi32>
// CHECK-NEXT: rank 3: y = dense<7> : tensor<1xi32>
host.func @part(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<1xi32>, [""]>]) results([#host.value<"y", tensor<1xi32>, [""]>]) symbols([])
    attributes {host.inputs = [[[dense<1> : tensor<1xi32>], [dense<2> : tensor<1xi32>], [dense<3> : tensor<1xi32>],
                                [dense<4> : tensor<1xi32>]]]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c = host.comm_stream
  %y = host.result 0 on @d size %c4
  host.copy %s, %y[%c0] from %x[%c0] size %c4
  %member = host.member @tail
  scf.if %member {
    %start = host.record %s
    host.wait %c, %start
    host.collective %c all_reduce sum i32 over @tail["y"] (%y) -> (%y) count %c1
    %end = host.record %c
    host.wait %s, %end
  }
  host.return %y shape(%c1)
}
