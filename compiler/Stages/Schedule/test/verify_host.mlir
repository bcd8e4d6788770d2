// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --schedule-verify-host | FileCheck %s

// Good programs are run in compiler/Dialect/Host/Interpreter/test; here is what a proof must be fine enough to accept.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f { func.func private @f() }

// Two buffers that a plan lets live at one time are apart, whatever their offsets turn out to be.
// CHECK-LABEL: host.func @plan
host.func @plan(%s: !host.stream, %x: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?xi32>, ["n"]>]) results([]) symbols(["n"]) {
  %total, %o:2 = host.plan(%n, %n) lives([#host.interval<0, 2>, #host.interval<1, 2>]) : index, index
  %slab = host.slab on @d size %total
  %a = host.view %slab[%o#0] size %n
  %b = host.view %slab[%o#1] size %n
  %t = host.stream on @d 0
  %start = host.record %s
  host.wait %t, %start
  host.dispatch %s, @f(%x, %a) access(["r", "w"])
  host.dispatch %t, @f(%x, %b) access(["r", "w"])
  %end = host.record %t
  host.wait %s, %end
  host.return shape()
}

// The first bytes of a buffer of a plan are where it is: a copy reads one buffer and writes the begin of another.
// CHECK-LABEL: host.func @begin
host.func @begin(%s: !host.stream, %x: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?xi32>, ["n"]>]) results([]) symbols(["n"]) {
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c2 = arith.constant 2 : index
  %twice = arith.muli %n, %c2 overflow<nsw> : index
  %total, %o:4 = host.plan(%c16, %n, %c32, %twice) lives([#host.interval<0, 2>, #host.interval<0, 2>, #host.interval<1, 2>, #host.interval<1, 2>]) : index, index, index, index
  %slab = host.slab on @d size %total
  %a = host.view %slab[%o#0] size %c16
  %b = host.view %slab[%o#1] size %n
  %c = host.view %slab[%o#2] size %c16
  %e = host.view %slab[%o#3] size %n
  host.dispatch %s, @f(%x, %a) access(["r", "w"])
  host.dispatch %s, @f(%x, %b) access(["r", "w"])
  host.dispatch %s, @f(%a, %c) access(["r", "w"])
  host.dispatch %s, @f(%b, %e) access(["r", "w"])
  host.return shape()
}

// Parts of a slab that plans of unknown sizes fill, one behind the other, and what comes after all of them.
// CHECK-LABEL: host.func @parts
host.func @parts(%s: !host.stream, %x: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?xi32>, ["n"]>]) results([]) symbols(["n"]) {
  %c16 = arith.constant 16 : index
  %first, %o = host.plan(%n) lives([#host.interval<0, 1>]) : index
  %second, %p = host.plan(%n) lives([#host.interval<2, 3>]) : index
  %both = arith.addi %first, %second overflow<nsw> : index
  %all = arith.addi %both, %c16 overflow<nsw> : index
  %at = arith.addi %first, %p overflow<nsw> : index
  %slab = host.slab on @d size %all
  %a = host.view %slab[%o] size %n
  %b = host.view %slab[%at] size %n
  %c = host.view %slab[%both] size %c16
  %t = host.stream on @d 0
  %u = host.stream on @d 1
  %start = host.record %s
  host.wait %t, %start
  host.wait %u, %start
  host.dispatch %s, @f(%x, %a) access(["r", "w"])
  host.dispatch %t, @f(%x, %b) access(["r", "w"])
  host.dispatch %u, @f(%x, %c) access(["r", "w"])
  %end0 = host.record %t
  host.wait %s, %end0
  %end1 = host.record %u
  host.wait %s, %end1
  host.return shape()
}

// Slices of a symbolic size, one for each index, and rows inside them.
// CHECK-LABEL: host.func @slices
host.func @slices(%s: !host.stream, %x: !host.buffer, %n: index, %chunk: index)
    arguments([#host.value<"x", tensor<?x?xi32>, ["n", "chunk"]>])
    results([#host.value<"y", tensor<?x?xi32>, ["n", "chunk"]>]) symbols(["n", "chunk"]) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bytes = arith.muli %n, %chunk : index
  %y = host.result 0 on @d size %bytes
  %t = host.stream on @d 0
  %start = host.record %s
  host.wait %t, %start
  %both:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %s, %b = %t) -> (!host.stream, !host.stream) {
    %offset = arith.muli %i, %chunk : index
    %to = host.view %y[%offset] size %chunk
    host.dispatch %a, @f(%x, %to) access(["r", "w"])
    scf.yield %b, %a : !host.stream, !host.stream
  }
  %end0 = host.record %both#0
  host.wait %s, %end0
  %end1 = host.record %both#1
  host.wait %s, %end1
  host.return %y shape(%n, %chunk)
}

// What can be the case of three devices only: where @d is @e and @e is @g, @d is @g, and the last branch never runs.
device.global @e = #device.select<[#device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>, #device.fallback<@d>]>
device.global @g = #device.select<[#device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>, #device.fallback<@e>]>
// CHECK-LABEL: host.func @groups
host.func @groups(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xi32>, [""]>]) results([]) symbols([]) {
  %c16 = arith.constant 16 : index
  %de = host.same @d, @e
  %eg = host.same @e, @g
  %dg = host.same @d, @g
  %a = host.alloc on @d size %c16
  scf.if %de {
    scf.if %eg {
      scf.if %dg {
        host.free %s, %a
      }
    } else {
      host.free %s, %a
    }
  } else {
    host.free %s, %a
  }
  host.return shape()
}

// A loop fills one view of a slab while another stream reads the view beside it: where the loop stands is not known, only that it
// stays in its view.
// CHECK-LABEL: host.func @stacked
host.func @stacked(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([#host.value<"y", tensor<4xf32>, [""]>]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %slab = host.slab on @d size %c128
  %y = host.result 0 on @d size %c16
  %t = host.stream on @d 0
  %start = host.record %s
  host.wait %t, %start
  %rows = host.view %slab[%c0] size %c64
  %beside = host.view %slab[%c64] size %c16
  host.dispatch %t, @f(%x, %beside) access(["r", "w"])
  %done = host.record %t
  host.wait %s, %done
  host.copy %s, %y[%c0] from %beside[%c0] size %c16
  scf.for %i = %c0 to %c4 step %c1 {
    %offset = arith.muli %i, %c16 : index
    host.copy %t, %rows[%offset] from %x[%c0] size %c16
  }
  %end = host.record %t
  host.wait %s, %end
  host.return %y shape(%c4)
}

// A loop replaces and frees what it carries: never what another stream reads.
// CHECK-LABEL: host.func @replaced
host.func @replaced(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([#host.value<"y", tensor<4xf32>, [""]>]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %y = host.result 0 on @d size %c16
  %t = host.stream on @d 0
  %start = host.record %s
  host.wait %t, %start
  %first = host.alloc on @d size %c16
  host.dispatch %s, @f(%x, %first) access(["r", "w"])
  %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%old = %first) -> (!host.buffer) {
    %new = host.alloc on @d size %c16
    host.dispatch %s, @f(%old, %new) access(["r", "w"])
    host.free %s, %old
    scf.yield %new : !host.buffer
  }
  host.free %s, %last
  host.dispatch %t, @f(%x, %y) access(["r", "w"])
  %end = host.record %t
  host.wait %s, %end
  host.return %y shape(%c4)
}

// A loop replaces what it carries, or keeps it: what was freed, if it lives on, is what is carried, and no argument.
// CHECK-LABEL: host.func @kept
host.func @kept(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([#host.value<"y", tensor<4xf32>, [""]>]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %y = host.result 0 on @d size %c16
  %t = host.stream on @d 0
  %start = host.record %s
  host.wait %t, %start
  %first = host.alloc on @d size %c16
  host.dispatch %s, @f(%x, %first) access(["r", "w"])
  %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%old = %first) -> (!host.buffer) {
    %isOne = arith.cmpi eq, %i, %c1 : index
    %next = scf.if %isOne -> (!host.buffer) {
      %new = host.alloc on @d size %c16
      host.dispatch %s, @f(%old, %new) access(["r", "w"])
      host.free %s, %old
      scf.yield %new : !host.buffer
    } else {
      scf.yield %old : !host.buffer
    }
    scf.yield %next : !host.buffer
  }
  host.free %s, %last
  host.dispatch %t, @f(%x, %y) access(["r", "w"])
  %end = host.record %t
  host.wait %s, %end
  host.return %y shape(%c4)
}
