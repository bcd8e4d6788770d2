// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --schedule-verify-host --split-input-file --verify-diagnostics

// Promised: binding 2 over binding 0, the same range.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f attributes {flow.overwrites = [array<i64: 0, 2>]} { func.func private @f() }
host.func @main(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c24 = arith.constant 24 : index
  %slab = host.slab on @d size %c24
  %a = host.view %slab[%c0] size %c16
  host.copy %s, %a[%c0] from %x[%c0] size %c16
  host.dispatch %s, @f(%a, %x, %a) access(["r", "r", "w"])
  host.return shape()
}

// -----

// Not promised: binding 2 over binding 1.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f attributes {flow.overwrites = [array<i64: 0, 2>]} { func.func private @f() }
host.func @main(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c24 = arith.constant 24 : index
  %slab = host.slab on @d size %c24
  %a = host.view %slab[%c0] size %c16
  host.copy %s, %a[%c0] from %x[%c0] size %c16
  // expected-error @+1 {{writes binding 2, which may overlap binding 1; its executable does not promise to read that first}}
  host.dispatch %s, @f(%x, %a, %a) access(["r", "r", "w"])
  host.return shape()
}

// -----

// Promised, but the ranges are not the same.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f attributes {flow.overwrites = [array<i64: 0, 2>]} { func.func private @f() }
host.func @main(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c24 = arith.constant 24 : index
  %slab = host.slab on @d size %c24
  %a = host.view %slab[%c0] size %c16
  host.copy %s, %a[%c0] from %x[%c0] size %c16
  %b = host.view %slab[%c8] size %c16
  // expected-error @+1 {{writes binding 2, which may overlap binding 0}}
  host.dispatch %s, @f(%a, %x, %b) access(["r", "r", "w"])
  host.return shape()
}

// -----

// Promised, but only the beginning is the same.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f attributes {flow.overwrites = [array<i64: 0, 2>]} { func.func private @f() }
host.func @main(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c24 = arith.constant 24 : index
  %slab = host.slab on @d size %c24
  %a = host.view %slab[%c0] size %c16
  host.copy %s, %a[%c0] from %x[%c0] size %c16
  %b = host.view %slab[%c0] size %c8
  // expected-error @+1 {{writes binding 2, which may overlap binding 0}}
  host.dispatch %s, @f(%a, %x, %b) access(["r", "r", "w"])
  host.return shape()
}

// -----

// Two results never lie over each other.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f attributes {flow.overwrites = [array<i64: 0, 2>]} { func.func private @f() }
host.func @main(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c24 = arith.constant 24 : index
  %slab = host.slab on @d size %c24
  %a = host.view %slab[%c0] size %c16
  host.copy %s, %a[%c0] from %x[%c0] size %c16
  // expected-error @+1 {{writes binding 0, which may overlap binding 2}}
  host.dispatch %s, @f(%a, %x, %a) access(["w", "r", "w"])
  host.return shape()
}

// -----

// A copy onto itself.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f attributes {flow.overwrites = [array<i64: 0, 2>]} { func.func private @f() }
host.func @main(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c24 = arith.constant 24 : index
  %slab = host.slab on @d size %c24
  %a = host.view %slab[%c0] size %c16
  host.copy %s, %a[%c0] from %x[%c0] size %c16
  // expected-error @+1 {{writes its target, which may overlap its source}}
  host.copy %s, %slab[%c8] from %a[%c0] size %c16
  host.return shape()
}

// -----

// Places of two plans that begin where the slab does, not one behind the other.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f { func.func private @f() }
host.func @main(%s: !host.stream, %x: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?xi32>, ["n"]>]) results([]) symbols(["n"]) {
  %first, %o = host.plan(%n) lives([#host.interval<0, 1>]) : index
  %second, %p = host.plan(%n) lives([#host.interval<0, 1>]) : index
  %both = arith.addi %first, %second overflow<nsw> : index
  %slab = host.slab on @d size %both
  %a = host.view %slab[%o] size %n
  %b = host.view %slab[%p] size %n
  %t = host.stream on @d 0
  %start = host.record %s
  host.wait %t, %start
  // expected-note @+1 {{the other op}}
  host.dispatch %s, @f(%x, %a) access(["r", "w"])
  // expected-error @+1 {{'host.dispatch' op writes what 'host.dispatch' of @f may still be writing on another stream; wait for an event recorded after it}}
  host.dispatch %t, @f(%x, %b) access(["r", "w"])
  %end = host.record %t
  host.wait %s, %end
  host.return shape()
}

// -----

// More bytes than the plan has for the buffer.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f { func.func private @f() }
host.func @main(%s: !host.stream, %x: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?xi32>, ["n"]>]) results([]) symbols(["n"]) {
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %total, %o:3 = host.plan(%c16, %n, %c16) lives([#host.interval<0, 2>, #host.interval<0, 2>, #host.interval<1, 2>]) : index, index, index
  %slab = host.slab on @d size %total
  %a = host.view %slab[%o#0] size %c16
  %b = host.view %slab[%o#2] size %c32
  // expected-error @+1 {{'host.dispatch' op writes binding 1, which may overlap binding 0}}
  host.dispatch %s, @f(%a, %b) access(["r", "w"])
  host.return shape()
}
