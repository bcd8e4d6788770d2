// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --schedule-verify-host --split-input-file --verify-diagnostics

// A copy that no event orders after the kernel.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f { func.func private @f() }
flow.executable private @g { func.func private @g() }
host.func @main(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([#host.value<"y", tensor<4xf32>, [""]>]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %y = host.result 0 on @d size %c16
  %t = host.stream on @d 0
  %start = host.record %s
  host.wait %t, %start
  %a = host.alloc on @d size %c16
  // expected-note @+1 {{the other op}}
  host.dispatch %t, @f(%x, %a) access(["r", "w"])
  // expected-error @+1 {{'host.copy' op reads what 'host.dispatch' of @f may still be writing on another stream; wait for an event recorded after it}}
  host.copy %s, %y[%c0] from %a[%c0] size %c16
  %end = host.record %t
  host.wait %s, %end
  host.free %s, %a
  host.return %y shape(%c4)
}

// -----

// An event recorded too early says nothing of what comes after it.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f { func.func private @f() }
flow.executable private @g { func.func private @g() }
host.func @main(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([#host.value<"y", tensor<4xf32>, [""]>]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %y = host.result 0 on @d size %c16
  %t = host.stream on @d 0
  %start = host.record %s
  host.wait %t, %start
  %a = host.alloc on @d size %c16
  %early = host.record %t
  // expected-note @+1 {{the other op}}
  host.dispatch %t, @f(%x, %a) access(["r", "w"])
  host.wait %s, %early
  // expected-error @+1 {{'host.dispatch' op reads what 'host.dispatch' of @f may still be writing on another stream; wait for an event recorded after it}}
  host.dispatch %s, @g(%a, %y) access(["r", "w"])
  host.free %s, %a
  host.return %y shape(%c4)
}

// -----

// Two streams write one result.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f { func.func private @f() }
flow.executable private @g { func.func private @g() }
host.func @main(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([#host.value<"y", tensor<4xf32>, [""]>]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %y = host.result 0 on @d size %c16
  %t = host.stream on @d 0
  %start = host.record %s
  host.wait %t, %start
  // expected-note @+1 {{the other op}}
  host.dispatch %t, @f(%x, %y) access(["r", "w"])
  // expected-error @+1 {{'host.dispatch' op writes what 'host.dispatch' of @f may still be writing on another stream; wait for an event recorded after it}}
  host.dispatch %s, @g(%x, %y) access(["r", "w"])
  host.return %y shape(%c4)
}

// -----

// Halves of one buffer do not overlap, but these are more than halves.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f { func.func private @f() }
flow.executable private @g { func.func private @g() }
host.func @main(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([#host.value<"y", tensor<4xf32>, [""]>]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %y = host.result 0 on @d size %c16
  %t = host.stream on @d 0
  %start = host.record %s
  host.wait %t, %start
  %c8 = arith.constant 8 : index
  %c9 = arith.constant 9 : index
  %low = host.view %y[%c0] size %c9
  %high = host.view %y[%c8] size %c8
  // expected-note @+1 {{the other op}}
  host.dispatch %t, @f(%x, %low) access(["r", "w"])
  // expected-error @+1 {{'host.dispatch' op writes what 'host.dispatch' of @f may still be writing on another stream; wait for an event recorded after it}}
  host.dispatch %s, @f(%x, %high) access(["r", "w"])
  host.return %y shape(%c4)
}

// -----

// Slices that a loop spreads over two streams overlap: the stride is less than the size.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f { func.func private @f() }
flow.executable private @g { func.func private @g() }
host.func @main(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([#host.value<"y", tensor<4xf32>, [""]>]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %y = host.result 0 on @d size %c16
  %t = host.stream on @d 0
  %start = host.record %s
  host.wait %t, %start
  %u = host.stream on @d 1
  host.wait %u, %start
  %c1 = arith.constant 1 : index
  %e:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %t, %b = %u) -> (!host.stream, !host.stream) {
    %part = host.view %y[%i] size %c4
    // expected-error @+2 {{'host.dispatch' op writes what 'host.dispatch' of @f may still be writing on another stream; wait for an event recorded after it}}
    // expected-note @+1 {{the other op}}
    host.dispatch %a, @f(%x, %part) access(["r", "w"])
    scf.yield %b, %a : !host.stream, !host.stream
  }
  %end0 = host.record %e#0
  host.wait %s, %end0
  %end1 = host.record %e#1
  host.wait %s, %end1
  host.return %y shape(%c4)
}

// -----

// A branch waits, the other does not.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f { func.func private @f() }
flow.executable private @g { func.func private @g() }
host.func @main(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([#host.value<"y", tensor<4xf32>, [""]>]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %y = host.result 0 on @d size %c16
  %t = host.stream on @d 0
  %start = host.record %s
  host.wait %t, %start
  %k = host.read %s, %x[%c0] : i32
  %is = arith.cmpi eq, %k, %c4 : index
  // expected-note @+1 {{the other op}}
  host.dispatch %t, @f(%x, %y) access(["r", "w"])
  %end = host.record %t
  scf.if %is {
    host.wait %s, %end
  }
  // expected-error @below {{'host.return' op does not wait for 'host.dispatch' of @f on another stream, which may run on when the call is done}}
  host.return %y shape(%c4)
}

// -----

// The caller may still write its argument.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f { func.func private @f() }
flow.executable private @g { func.func private @g() }
host.func @main(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([#host.value<"y", tensor<4xf32>, [""]>]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %y = host.result 0 on @d size %c16
  %t = host.stream on @d 0
  // expected-error @+1 {{'host.dispatch' op runs on a stream that does not wait for the call's, on which the caller may still use its buffer; wait for an event recorded there}}
  host.dispatch %t, @f(%x, %y) access(["r", "w"])
  host.return %y shape(%c4)
}

// -----

// Memory is freed while a kernel may still read it.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f { func.func private @f() }
flow.executable private @g { func.func private @g() }
host.func @main(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([#host.value<"y", tensor<4xf32>, [""]>]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %y = host.result 0 on @d size %c16
  %t = host.stream on @d 0
  %start = host.record %s
  host.wait %t, %start
  %a = host.alloc on @d size %c16
  host.dispatch %s, @f(%x, %a) access(["r", "w"])
  %mid = host.record %s
  host.wait %t, %mid
  // expected-note @+1 {{the other op}}
  host.dispatch %t, @g(%a, %y) access(["r", "w"])
  // expected-error @+1 {{'host.free' op writes what 'host.dispatch' of @g may still be reading on another stream; wait for an event recorded after it}}
  host.free %s, %a
  host.return %y shape(%c4)
}

// -----

// Nothing has written what the kernel reads.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f { func.func private @f() }
flow.executable private @g { func.func private @g() }
host.func @main(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([#host.value<"y", tensor<4xf32>, [""]>]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %y = host.result 0 on @d size %c16
  // expected-note @+1 {{the other op}}
  %a = host.slab on @d size %c16
  // expected-error @+1 {{'host.dispatch' op reads a buffer that nothing has written: that of 'host.slab'}}
  host.dispatch %s, @f(%a, %y) access(["r", "w"])
  host.return %y shape(%c4)
}

// -----

// Nothing has written a result.
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
  // expected-error @below {{'host.return' op returns a buffer that nothing has written: that of 'host.result'}}
  host.return %y shape(%c4)
}

// -----

// Arguments belong to the caller.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f { func.func private @f() }
flow.executable private @g { func.func private @g() }
host.func @main(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([#host.value<"y", tensor<4xf32>, [""]>]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %y = host.result 0 on @d size %c16
  // expected-error @+1 {{'host.dispatch' op writes an argument of the caller}}
  host.dispatch %s, @f(%y, %x) access(["w", "rw"])
  host.return %y shape(%c4)
}

// -----

// State that is only loaded keeps its value.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.global private @n : tensor<4xf32>
flow.executable private @f { func.func private @f() }
host.func @main(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"n", tensor<4xf32>, [""] state(@n)>]) results([#host.value<"y", tensor<4xf32>, [""]>]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %y = host.result 0 on @d size %c16
  // expected-error @+1 {{'host.dispatch' op writes state that no result replaces}}
  host.dispatch %s, @f(%y, %x) access(["w", "rw"])
  host.return %y shape(%c4)
}

// -----

// When the devices are one, the kernel updates the source of the "copy" in place while another stream reads it.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
device.global @e = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f { func.func private @f() }
flow.executable private @g { func.func private @g() }
host.func @main(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([#host.value<"y", tensor<4xf32>, [""]>]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %y = host.result 0 on @d size %c16
  %slab = host.slab on @d size %c16
  host.copy %s, %slab[%c0] from %x[%c0] size %c16
  %same = host.same @d, @e
  %t = host.stream on @e 0
  %ready = host.record %s
  host.wait %t, %ready
  %there = scf.if %same -> (!host.buffer) {
    scf.yield %slab : !host.buffer
  } else {
    %copy = host.alloc on @e size %c16
    host.copy %t, %copy[%c0] from %slab[%c0] size %c16
    scf.yield %copy : !host.buffer
  }
  // expected-note @+1 {{the other op}}
  host.dispatch %t, @f(%there) access(["rw"])
  // expected-error @+1 {{'host.dispatch' op reads what 'host.dispatch' of @f may still be writing on another stream; wait for an event recorded after it (with @d and @e one device)}}
  host.dispatch %s, @g(%slab, %y) access(["r", "w"])
  %end = host.record %t
  host.wait %s, %end
  scf.if %same {
  } else {
    host.free %s, %there
  }
  host.return %y shape(%c4)
}

// -----

// A loop that fills a view, of which another stream reads the last bytes.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f { func.func private @f() }
host.func @main(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([#host.value<"y", tensor<4xf32>, [""]>]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c48 = arith.constant 48 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %slab = host.slab on @d size %c128
  %y = host.result 0 on @d size %c16
  %t = host.stream on @d 0
  %start = host.record %s
  host.wait %t, %start
  %rows = host.view %slab[%c0] size %c64
  %beside = host.view %slab[%c48] size %c16
  host.dispatch %t, @f(%x, %beside) access(["r", "w"])
  %done = host.record %t
  host.wait %s, %done
  // expected-note @+1 {{the other op}}
  host.copy %s, %y[%c0] from %beside[%c0] size %c16
  scf.for %i = %c0 to %c4 step %c1 {
    %offset = arith.muli %i, %c16 : index
    // expected-error @+1 {{'host.copy' op writes what 'host.copy' may still be reading on another stream; wait for an event recorded after it}}
    host.copy %t, %rows[%offset] from %x[%c0] size %c16
  }
  %end = host.record %t
  host.wait %s, %end
  host.return %y shape(%c4)
}

// -----

// A loop reads what it carries first, which another stream writes behind it.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f { func.func private @f() }
host.func @main(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([#host.value<"y", tensor<4xf32>, [""]>]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %slab = host.slab on @d size %c64
  %y = host.result 0 on @d size %c16
  %t = host.stream on @d 0
  %first = host.view %slab[%c0] size %c16
  %other = host.view %slab[%c16] size %c16
  host.dispatch %s, @f(%x, %first) access(["r", "w"])
  host.dispatch %s, @f(%x, %other) access(["r", "w"])
  %start = host.record %s
  host.wait %t, %start
  %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%old = %first) -> (!host.buffer) {
    // expected-note @+1 {{the other op}}
    host.copy %t, %y[%c0] from %old[%c0] size %c16
    scf.yield %other : !host.buffer
  }
  // expected-error @+1 {{'host.dispatch' op writes what 'host.copy' may still be reading on another stream; wait for an event recorded after it}}
  host.dispatch %s, @f(%x, %first) access(["r", "w"])
  %end = host.record %t
  host.wait %s, %end
  host.return %y shape(%c4)
}

// -----

// Columns that have a byte in common.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f { func.func private @f() }
host.func @main(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<24xf32>, [""]>]) results([#host.value<"y", tensor<24xf32>, [""]>]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %c24 = arith.constant 24 : index
  %c32 = arith.constant 32 : index
  %c96 = arith.constant 96 : index
  %y = host.result 0 on @d size %c96
  %t = host.stream on @d 0
  %start = host.record %s
  host.wait %t, %start
  %left = host.view %y[%c0] size %c8 times %c3 stride %c32
  %right = host.view %y[%c7] size %c8 times %c3 stride %c32
  // expected-note @+1 {{the other op}}
  host.dispatch %t, @f(%x, %left) access(["r", "w"])
  // expected-error @+1 {{'host.dispatch' op writes what 'host.dispatch' of @f may still be writing on another stream; wait for an event recorded after it}}
  host.dispatch %s, @f(%x, %right) access(["r", "w"])
  %end = host.record %t
  host.wait %s, %end
  host.return %y shape(%c24)
}
