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

// -----

// Pieces may differ in size, what cuts them may not.
device.mesh @m = [x = 2, y = 2]
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
host.func @cut(%s: !host.stream, %x: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?xf32>, ["n"] sharding(#flow.sharding<@m, [["x"] of 7]>)>])
    results([#host.value<"y", tensor<7xf32>, [""]>]) symbols(["n"]) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c7 = arith.constant 7 : index
  %c28 = arith.constant 28 : index
  %y = host.result 0 on @d size %c28
  %c = host.comm_stream
  %start = host.record %s
  host.wait %c, %start
  host.collective %c all_gather f32 over @m["x"] (%x) -> (%y) count %c1 cut(%c7, %c1, %c0, %c2)
  // expected-error @+1 {{'host.collective' op is cut by a number that may differ along 'x' of @m, so that not all ranks it joins would meet it alike}}
  host.collective %c all_gather f32 over @m["x"] (%x) -> (%y) count %c1 cut(%n, %c1, %c0, %c2)
  %end = host.record %c
  host.wait %s, %end
  host.return %y shape(%c7)
}

// -----

// The size of a part of a known whole is the rank's own.
device.mesh @m = [x = 2, y = 2]
host.func @own(%s: !host.stream, %x: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?xf32>, ["n"] donated(0 : i64) sharding(#flow.sharding<@m, [["x"] of 7]>)>])
    results([#host.value<"y", tensor<?xf32>, ["n"]>]) symbols(["n"]) {
  %c = host.comm_stream
  %start = host.record %s
  host.wait %c, %start
  host.collective %c all_reduce sum f32 over @m["y"] (%x) -> (%x) count %n
  // expected-error @+1 {{'host.collective' op moves a number of elements that may differ along 'x' of @m}}
  host.collective %c all_reduce sum f32 over @m["x"] (%x) -> (%x) count %n
  %end = host.record %c
  host.wait %s, %end
  host.return %x shape(%n)
}

// -----

// What is written alike, at a place that differs.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
device.mesh @m = [x = 2]
host.func @place(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<2xi32>, [""] sharding(#flow.sharding<@m, [[]]>)>])
    results([#host.value<"y", tensor<2xi32>, [""]>]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %y = host.result 0 on @d size %c8
  host.copy %s, %y[%c0] from %x[%c0] size %c8
  %i = host.coordinate @m "x"
  %at = arith.muli %i, %c4 : index
  %v = host.view %y[%at] size %c4
  host.fill %s, %v[%c0] size %c4 pattern %c1 : 4
  %n = host.read %s, %y[%c0] : i32
  %go = arith.cmpi eq, %n, %c1 : index
  // expected-note @+1 {{it depends on this}}
  scf.if %go {
    %c = host.comm_stream
    %start = host.record %s
    host.wait %c, %start
    // expected-error @+1 {{'host.collective' op is under a condition that may differ along 'x' of @m}}
    host.collective %c all_reduce sum i32 over @m["x"] (%y) -> (%y) count %c2
    %end = host.record %c
    host.wait %s, %end
  }
  host.return %y shape(%c2)
}

// -----

// Just these bytes were written alike, wherever they lie.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
device.mesh @m = [x = 2]
host.func @anywhere(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<2xi32>, [""] sharding(#flow.sharding<@m, [[]]>)>])
    results([#host.value<"y", tensor<2xi32>, [""]>]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %y = host.result 0 on @d size %c8
  %i = host.coordinate @m "x"
  %at = arith.muli %i, %c4 : index
  %v = host.view %y[%at] size %c4
  host.copy %s, %v[%c0] from %x[%c0] size %c4
  %n = host.read %s, %v[%c0] : i32
  %go = arith.cmpi eq, %n, %c1 : index
  scf.if %go {
    %c = host.comm_stream
    %start = host.record %s
    host.wait %c, %start
    host.collective %c all_reduce sum i32 over @m["x"] (%y) -> (%y) count %c2
    %end = host.record %c
    host.wait %s, %end
  }
  host.return %y shape(%c2)
}
