// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --schedule-verify-host --split-input-file --verify-diagnostics

// An allocation is freed once.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f { func.func private @f() }
flow.executable private @g { func.func private @g() }
host.func @main(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([#host.value<"y", tensor<4xf32>, [""]>]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %y = host.result 0 on @d size %c16
  %a = host.alloc on @d size %c16
  host.dispatch %s, @f(%x, %a) access(["r", "w"])
  host.dispatch %s, @g(%a, %y) access(["r", "w"])
  // expected-note @+1 {{the other op}}
  host.free %s, %a
  // expected-error @+1 {{'host.free' op frees a buffer whose life 'host.free' ended; a host.alloc is freed once}}
  host.free %s, %a
  host.return %y shape(%c4)
}

// -----

// An allocation that nobody frees.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f { func.func private @f() }
flow.executable private @g { func.func private @g() }
host.func @main(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([#host.value<"y", tensor<4xf32>, [""]>]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %y = host.result 0 on @d size %c16
  // expected-error @+1 {{'host.alloc' op is not freed on the path to 'host.return'}}
  %a = host.alloc on @d size %c16
  host.dispatch %s, @f(%x, %a) access(["r", "w"])
  host.dispatch %s, @g(%a, %y) access(["r", "w"])
  // expected-note @below {{the other op}}
  host.return %y shape(%c4)
}

// -----

// Freed in one branch only.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f { func.func private @f() }
flow.executable private @g { func.func private @g() }
host.func @main(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([#host.value<"y", tensor<4xf32>, [""]>]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %y = host.result 0 on @d size %c16
  %a = host.alloc on @d size %c16
  host.dispatch %s, @f(%x, %a) access(["r", "w"])
  host.dispatch %s, @g(%a, %y) access(["r", "w"])
  %k = host.read %s, %x[%c0] : i32
  %is = arith.cmpi eq, %k, %c4 : index
  // expected-error @+1 {{'scf.if' op ends the life of a buffer on one path only: that of 'host.alloc', by 'host.free'}}
  scf.if %is {
    // expected-note @+1 {{the other op}}
    host.free %s, %a
  }
  host.return %y shape(%c4)
}

// -----

// Freed by every iteration.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f { func.func private @f() }
flow.executable private @g { func.func private @g() }
host.func @main(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([#host.value<"y", tensor<4xf32>, [""]>]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %y = host.result 0 on @d size %c16
  %a = host.alloc on @d size %c16
  host.dispatch %s, @f(%x, %a) access(["r", "w"])
  host.dispatch %s, @g(%a, %y) access(["r", "w"])
  // expected-error @+1 {{'scf.for' op ends the life of a buffer on one path only: that of 'host.alloc', by 'host.free'}}
  scf.for %i = %c0 to %c4 step %c4 {
    // expected-note @+1 {{the other op}}
    host.free %s, %a
  }
  host.return %y shape(%c4)
}

// -----

// Used after it was freed.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f { func.func private @f() }
flow.executable private @g { func.func private @g() }
host.func @main(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([#host.value<"y", tensor<4xf32>, [""]>]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %y = host.result 0 on @d size %c16
  %a = host.alloc on @d size %c16
  host.dispatch %s, @f(%x, %a) access(["r", "w"])
  // expected-note @+1 {{the other op}}
  host.free %s, %a
  // expected-error @+1 {{'host.dispatch' op uses a buffer after 'host.free' ended its life}}
  host.dispatch %s, @g(%a, %y) access(["r", "w"])
  host.return %y shape(%c4)
}

// -----

// The caller frees its arguments.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f { func.func private @f() }
flow.executable private @g { func.func private @g() }
host.func @main(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([#host.value<"y", tensor<4xf32>, [""]>]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %y = host.result 0 on @d size %c16
  host.dispatch %s, @f(%x, %y) access(["r", "w"])
  // expected-error @+1 {{'host.free' op frees an argument of the caller; only a host.alloc is freed}}
  host.free %s, %x
  host.return %y shape(%c4)
}

// -----

// Results, slabs and parameters are not the program's to free.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f { func.func private @f() }
flow.executable private @g { func.func private @g() }
host.func @main(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([#host.value<"y", tensor<4xf32>, [""]>]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  // expected-note @+1 {{the other op}}
  %y = host.result 0 on @d size %c16
  host.dispatch %s, @f(%x, %y) access(["r", "w"])
  // expected-error @+1 {{'host.free' op frees what is no host.alloc on this path, but from 'host.result'}}
  host.free %s, %y
  host.return %y shape(%c4)
}

// -----

// A view is not the allocation.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f { func.func private @f() }
flow.executable private @g { func.func private @g() }
host.func @main(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([#host.value<"y", tensor<4xf32>, [""]>]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %y = host.result 0 on @d size %c16
  %a = host.alloc on @d size %c16
  %v = host.view %a[%c0] size %c16
  host.dispatch %s, @f(%x, %y) access(["r", "w"])
  // expected-error @+1 {{'host.free' op frees a view; free the host.alloc that it cuts}}
  host.free %s, %v
  host.return %y shape(%c4)
}
