// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --schedule-verify-host --split-input-file --verify-diagnostics

// A condition that differs along the axis that is summed over.
device.mesh @m = [x = 2, y = 2]
host.func @condition(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xf32>, [""] donated(0 : i64)>]) results([#host.value<"y", tensor<4xf32>, [""]>]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c = host.comm_stream
  %i = host.coordinate @m "x"
  %first = arith.cmpi eq, %i, %c0 : index
  // expected-note @+1 {{it depends on this}}
  scf.if %first {
    %start = host.record %s
    host.wait %c, %start
    // expected-error @+1 {{'host.collective' op is under a condition that may differ along 'x' of @m, so that not all ranks it joins would meet it alike; compute that from what all of them know, or broadcast it first}}
    host.collective %c all_reduce sum f32 over @m["x"] (%x) -> (%x) count %c4
    %end = host.record %c
    host.wait %s, %end
  }
  host.return %x shape(%c4)
}

// -----

// The same condition is one for all that differ in y only; lists of ranks may differ in both.
device.mesh @m = [x = 2, y = 2]
host.func @groups(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xf32>, [""] donated(0 : i64)>]) results([#host.value<"y", tensor<4xf32>, [""]>]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c = host.comm_stream
  %i = host.coordinate @m "x"
  %first = arith.cmpi eq, %i, %c0 : index
  // expected-note @+1 {{it depends on this}}
  scf.if %first {
    %start = host.record %s
    host.wait %c, %start
    host.collective %c all_reduce sum f32 over @m["y"] (%x) -> (%x) count %c4
    // expected-error @+1 {{'host.collective' op is under a condition that may differ along 'x' of @m}}
    host.collective %c all_reduce sum f32 over @m groups [[0, 1], [2, 3]] (%x) -> (%x) count %c4
    %end = host.record %c
    host.wait %s, %end
  }
  host.return %x shape(%c4)
}

// -----

// As many rounds as the rank's number.
device.mesh @m = [x = ?]
host.func @trips(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xf32>, [""] donated(0 : i64)>]) results([#host.value<"y", tensor<4xf32>, [""]>]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c = host.comm_stream
  %i = host.coordinate @m "x"
  // expected-note @+1 {{it depends on this}}
  scf.for %k = %c0 to %i step %c1 {
    %start = host.record %s
    host.wait %c, %start
    // expected-error @+1 {{'host.collective' op is in a loop whose number of trips may differ along 'x' of @m}}
    host.collective %c all_reduce sum f32 over @m["x"] (%x) -> (%x) count %c4
    %end = host.record %c
    host.wait %s, %end
  }
  host.return %x shape(%c4)
}

// -----

// Until a number of this rank's own is large.
device.mesh @m = [x = ?]
host.func @data(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xi32>, [""] donated(0 : i64)>]) results([#host.value<"y", tensor<4xi32>, [""]>]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c = host.comm_stream
  // expected-note @+1 {{it depends on this}}
  scf.while : () -> () {
    %n = host.read %s, %x[%c0] : i32
    %more = arith.cmpi slt, %n, %c4 : index
    scf.condition(%more)
  } do {
    %start = host.record %s
    host.wait %c, %start
    // expected-error @+1 {{'host.collective' op is in a loop whose number of trips may differ between ranks}}
    host.collective %c all_reduce sum i32 over @m["x"] (%x) -> (%x) count %c4
    %end = host.record %c
    host.wait %s, %end
    scf.yield
  }
  host.return %x shape(%c4)
}

// -----

// A number of elements that is the rank's own.
device.mesh @m = [x = ?]
host.func @count(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xf32>, [""] donated(0 : i64)>]) results([#host.value<"y", tensor<4xf32>, [""]>]) symbols([]) {
  %c4 = arith.constant 4 : index
  %c = host.comm_stream
  // expected-note @+1 {{it depends on this}}
  %i = host.coordinate @m "x"
  %start = host.record %s
  host.wait %c, %start
  // expected-error @+1 {{'host.collective' op moves a number of elements that may differ along 'x' of @m}}
  host.collective %c all_reduce sum f32 over @m["x"] (%x) -> (%x) count %i
  %end = host.record %c
  host.wait %s, %end
  host.return %x shape(%c4)
}

// -----

// Members of one mesh need not be those of another one.
device.mesh @m = [x = ?]
device.mesh @tail = [y = 2] at 2
host.func @meshes(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xf32>, [""] donated(0 : i64)>]) results([#host.value<"y", tensor<4xf32>, [""]>]) symbols([]) {
  %c4 = arith.constant 4 : index
  %c = host.comm_stream
  %member = host.member @tail
  // expected-note @+1 {{it depends on this}}
  scf.if %member {
    %start = host.record %s
    host.wait %c, %start
    host.collective %c all_reduce sum f32 over @tail["y"] (%x) -> (%x) count %c4
    // expected-error @+1 {{'host.collective' op is under a condition that may differ between members of @tail and others}}
    host.collective %c all_reduce sum f32 over @m["x"] (%x) -> (%x) count %c4
    %end = host.record %c
    host.wait %s, %end
  }
  host.return %x shape(%c4)
}

// -----

// What a device answers is its own.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
device.mesh @m = [x = ?]
host.func @device(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xf32>, [""] donated(0 : i64)>]) results([#host.value<"y", tensor<4xf32>, [""]>]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c = host.comm_stream
  %cores = host.query @d "cores"
  // expected-note @+1 {{it depends on this}}
  scf.for %k = %c0 to %cores step %c1 {
    %start = host.record %s
    host.wait %c, %start
    // expected-error @+1 {{'host.collective' op is in a loop whose number of trips may differ with the device}}
    host.collective %c all_reduce sum f32 over @m["x"] (%x) -> (%x) count %c4
    %end = host.record %c
    host.wait %s, %end
  }
  host.return %x shape(%c4)
}

// -----

// Work that is no collective.
device.mesh @m = [x = ?]
host.func @other(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xf32>, [""] donated(0 : i64)>]) results([#host.value<"y", tensor<4xf32>, [""]>]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c = host.comm_stream
  // expected-error @+1 {{'host.fill' op runs on the stream of collectives, which has no device}}
  host.fill %c, %x[%c0] size %c4 pattern %c0 : 4
  host.return %x shape(%c4)
}

// -----

// A collective that does not wait for what it reads.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
device.mesh @m = [x = ?]
host.func @race(%s: !host.stream) arguments([]) results([#host.value<"y", tensor<4xf32>, [""]>]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c = host.comm_stream
  %y = host.result 0 on @d size %c16
  %start = host.record %s
  host.wait %c, %start
  // expected-note @+1 {{the other op}}
  host.fill %s, %y[%c0] size %c16 pattern %c0 : 4
  // expected-error @+1 {{'host.collective' op writes what 'host.fill' may still be writing on another stream; wait for an event recorded after it}}
  host.collective %c all_reduce sum f32 over @m["x"] (%y) -> (%y) count %c4
  %end = host.record %c
  host.wait %s, %end
  host.return %y shape(%c4)
}
