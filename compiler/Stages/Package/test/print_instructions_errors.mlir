// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --package-print-instructions --split-input-file --verify-diagnostics

host.func @main(%s: !host.stream, %n: index) arguments([]) results([]) symbols(["n"]) {
  // expected-error @+1 {{'arith.shli' op on 'index' has no instruction in an artifact}}
  %0 = arith.shli %n, %n : index
  host.return shape()
}

// -----

host.func @main(%s: !host.stream, %n: index) arguments([]) results([]) symbols(["n"]) {
  %0 = arith.index_cast %n : index to i32
  // expected-error @+1 {{'arith.addi' op on 'i32' has no instruction in an artifact}}
  %1 = arith.addi %0, %0 : i32
  host.return shape()
}

// -----

flow.executable private @f { func.func private @f() }
host.func @main(%s: !host.stream) arguments([]) results([]) symbols([]) {
  // expected-error @+1 {{'host.dispatch' op has no workgroups yet; run package-resolve-launches first}}
  host.dispatch %s, @f() access([])
  host.return shape()
}

// -----

device.global @a = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
device.global @b = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f { func.func private @f() }
host.func @main(%s: !host.stream, %n: index) arguments([]) results([]) symbols(["n"]) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %other = host.stream on @b 0
  %t:2 = scf.for %i = %c0 to %n step %c1 iter_args(%mine = %s, %next = %other) -> (!host.stream, !host.stream) {
    // expected-error @+1 {{'host.dispatch' op may run on a stream of @a or of @b; choose among streams of one device}}
    host.dispatch %mine, @f() launch(%c1, %c1) access([])
    scf.yield %next, %mine : !host.stream, !host.stream
  }
  host.return shape()
}
