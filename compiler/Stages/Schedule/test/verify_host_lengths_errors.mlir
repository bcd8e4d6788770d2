// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --schedule-verify-host --split-input-file --verify-diagnostics

// More elements than the buffer has, whatever n is.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
device.mesh @m = [x = 2]
host.func @sum(%s: !host.stream, %x: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?xf32>, ["n"] donated(0 : i64)>]) results([#host.value<"y", tensor<?xf32>, ["n"]>]) symbols(["n"]) {
  %c2 = arith.constant 2 : index
  %more = arith.muli %n, %c2 : index
  %c = host.comm_stream
  %start = host.record %s
  host.wait %c, %start
  host.collective %c all_reduce sum f32 over @m["x"] (%x) -> (%x) count %n
  // expected-error @+1 {{'host.collective' op has a source that need not hold the elements that it moves: its size is another formula than count, pieces and 4 bytes an element}}
  host.collective %c all_reduce sum f32 over @m["x"] (%x) -> (%x) count %more
  %end = host.record %c
  host.wait %s, %end
  host.return %x shape(%n)
}

// -----

// A piece of each of three members, and memory of two.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
device.mesh @m = [x = 3]
host.func @gather(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([#host.value<"y", tensor<8xf32>, [""]>]) symbols([]) {
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c = host.comm_stream
  %y = host.result 0 on @d size %c32
  %start = host.record %s
  host.wait %c, %start
  // expected-error @+1 {{has a target that need not hold the elements that it moves}}
  host.collective %c all_gather f32 over @m["x"] (%x) -> (%y) count %c4
  %end = host.record %c
  host.wait %s, %end
  host.return %y shape(%c8)
}

// -----

// Members by a size that is told at load; the second buffer has one piece too few.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
device.mesh @m = [x = ?]
host.func @free(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([#host.value<"y", tensor<4xf32>, [""]>]) symbols([]) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %d = host.mesh_size @m "x"
  %fewer = arith.subi %d, %c1 : index
  %all = arith.muli %d, %c16 : index
  %less = arith.muli %fewer, %c16 : index
  %c = host.comm_stream
  %y = host.result 0 on @d size %c16
  %a = host.alloc on @d size %all
  %b = host.alloc on @d size %less
  %start = host.record %s
  host.wait %c, %start
  host.collective %c all_gather f32 over @m["x"] (%x) -> (%a) count %c4
  host.collective %c reduce_scatter sum f32 over @m["x"] (%a) -> (%y) count %c4
  // expected-error @+1 {{has a target that need not hold the elements that it moves}}
  host.collective %c all_gather f32 over @m["x"] (%x) -> (%b) count %c4
  %end = host.record %c
  host.wait %s, %end
  host.free %s, %a
  host.free %s, %b
  host.return %y shape(%c4)
}

// -----

// Seven rows over two ranks, in memory of six.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
device.mesh @m = [x = 2]
host.func @cut(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([#host.value<"y", tensor<6xf32>, [""]>]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %c24 = arith.constant 24 : index
  %c = host.comm_stream
  %y = host.result 0 on @d size %c24
  %start = host.record %s
  host.wait %c, %start
  host.collective %c all_gather f32 over @m["x"] (%x) -> (%y) count %c1 cut(%c6, %c1, %c0, %c2)
  // expected-error @+1 {{has a target that need not hold the elements that it moves}}
  host.collective %c all_gather f32 over @m["x"] (%x) -> (%y) count %c1 cut(%c7, %c1, %c0, %c2)
  %end = host.record %c
  host.wait %s, %end
  host.return %y shape(%c6)
}
