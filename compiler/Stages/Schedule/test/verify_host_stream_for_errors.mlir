// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --schedule-verify-host --split-input-file --verify-diagnostics

// Parts that reach a byte into the next one.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
host.func @overlap(%s: !host.stream, %x: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?xi8>, ["n"]>]) results([#host.value<"y", tensor<?xi8>, ["n"]>]) symbols(["n"]) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %y = host.result 0 on @d size %n
  %trips = arith.divsi %n, %c5 : index
  host.stream_for %i to %trips slot %k stream %mine on @d 0 streams %c2 issue %s {
    %at = arith.muli %i, %c4 : index
    // expected-error @+2 {{'host.fill' op writes what 'host.fill' may still be writing on another stream; wait for an event recorded after it}}
    // expected-note @+1 {{the other op}}
    host.fill %mine, %y[%at] size %c5 pattern %c0 : 1
  }
  host.return %y shape(%n)
}

// -----

// A slot for each of two streams, and three streams.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
host.func @slots(%s: !host.stream, %x: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?xi8>, ["n"]>]) results([]) symbols(["n"]) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %t = host.slab on @d size %c8
  host.stream_for %i to %n slot %k stream %mine on @d 0 streams %c3 issue %s {
    %slot = arith.remsi %i, %c2 : index
    %at = arith.muli %slot, %c4 : index
    // expected-error @+2 {{'host.fill' op writes what 'host.fill' may still be writing on another stream; wait for an event recorded after it}}
    // expected-note @+1 {{the other op}}
    host.fill %mine, %t[%at] size %c4 pattern %c0 : 1
  }
  host.return shape()
}

// -----

// Each iteration reads what the one before wrote, and the loop is not ordered.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
host.func @carried(%s: !host.stream, %x: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?xi8>, ["n"]>]) results([]) symbols(["n"]) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %more = arith.addi %n, %c1 : index
  %bytes = arith.muli %more, %c4 : index
  %t = host.slab on @d size %bytes
  host.fill %s, %t[%c0] size %bytes pattern %c0 : 4
  host.stream_for %i to %n slot %k stream %mine on @d 0 streams %c2 issue %s {
    %next = arith.addi %i, %c1 : index
    %from = arith.muli %i, %c4 : index
    %to = arith.muli %next, %c4 : index
    // expected-error @+2 {{'host.copy' op reads what 'host.copy' may still be writing on another stream; wait for an event recorded after it}}
    // expected-note @+1 {{the other op}}
    host.copy %mine, %t[%to] from %t[%from] size %c4
  }
  host.return shape()
}

// -----

// Columns of two bytes, one apart.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f { func.func private @f() }
host.func @columns(%s: !host.stream, %x: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?xi8>, ["n"]>]) results([#host.value<"y", tensor<2x?xi8>, ["", "n"]>]) symbols(["n"]) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %bytes = arith.muli %n, %c2 : index
  %y = host.result 0 on @d size %bytes
  host.stream_for %i to %n slot %k stream %mine on @d 0 streams %c2 issue %s {
    %to = host.view %y[%i] size %c2 times %c2 stride %n
    // expected-error @+2 {{'host.dispatch' op writes what 'host.dispatch' of @f may still be writing on another stream; wait for an event recorded after it}}
    // expected-note @+1 {{the other op}}
    host.dispatch %mine, @f(%to) access(["w"])
  }
  %c2d = arith.constant 2 : index
  host.return %y shape(%c2d, %n)
}

// -----

// A stream of its own reads what the loop writes: the call's stream waits for the loop, it does not.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
host.func @behind(%s: !host.stream, %x: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?xi8>, ["n"]>]) results([#host.value<"y", tensor<?xi8>, ["n"]>]) symbols(["n"]) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %other = host.stream on @d 7
  %start = host.record %s
  host.wait %other, %start
  %y = host.result 0 on @d size %n
  %t = host.slab on @d size %n
  host.stream_for %i to %n slot %k stream %mine on @d 0 streams %c2 issue %s {
    // expected-note @+1 {{the other op}}
    host.fill %mine, %t[%i] size %c1 pattern %c0 : 1
  }
  // expected-error @+1 {{'host.copy' op reads what 'host.fill' may still be writing on another stream; wait for an event recorded after it}}
  host.copy %other, %y[%c0] from %t[%c0] size %n
  %end = host.record %other
  host.wait %s, %end
  host.return %y shape(%n)
}

// -----

// Comes round: the last iteration has the part of the first.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
host.func @comes_round(%s: !host.stream, %x: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?xi8>, ["n"]>]) results([#host.value<"y", tensor<?xi8>, ["n"]>]) symbols(["n"]) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %y = host.result 0 on @d size %n
  %trips = arith.addi %n, %c1 : index
  host.stream_for %i to %trips slot %k stream %mine on @d 0 streams %c2 issue %s {
    %place = arith.remsi %i, %n : index
    // expected-error @+2 {{'host.fill' op writes what 'host.fill' may still be writing on another stream; wait for an event recorded after it}}
    // expected-note @+1 {{the other op}}
    host.fill %mine, %y[%place] size %c1 pattern %c0 : 1
  }
  host.return %y shape(%n)
}

// -----

// A part that turns, and reaches into the next one.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
device.mesh @m = [x = ?]
host.func @reaches(%s: !host.stream, %x: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?xi8>, ["n"]>]) results([#host.value<"y", tensor<?xi8>, ["n"]>]) symbols(["n"]) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %y = host.result 0 on @d size %n
  %r = host.coordinate @m "x"
  host.stream_for %i to %n slot %k stream %mine on @d 0 streams %c2 issue %s {
    %sum = arith.addi %i, %r : index
    %place = arith.remsi %sum, %n : index
    // expected-error @+2 {{'host.fill' op writes what 'host.fill' may still be writing on another stream; wait for an event recorded after it}}
    // expected-note @+1 {{the other op}}
    host.fill %mine, %y[%place] size %c2 pattern %c0 : 1
  }
  host.return %y shape(%n)
}

// -----

// The iteration does not wait for its collective, whose slot the one after next writes again.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
device.mesh @m = [x = 2]
host.func @slot(%s: !host.stream, %x: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?xi8>, ["n"]>]) results([]) symbols(["n"]) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c = host.comm_stream
  %t = host.slab on @d size %c8
  host.stream_for %i to %n slot %k stream %mine on @d 0 streams %c2 issue %s {
    %at = arith.muli %k, %c4 : index
    %own = host.view %t[%at] size %c4
    // expected-error @+1 {{'host.fill' op writes what 'host.collective' may still be writing on another stream; wait for an event recorded after it}}
    host.fill %mine, %own[%c0] size %c4 pattern %c0 : 1
    %ready = host.record %mine
    host.wait %c, %ready
    // expected-note @+1 {{the other op}}
    host.collective %c all_reduce max i8 over @m["x"] (%own) -> (%own) count %c4
  }
  %end = host.record %c
  host.wait %s, %end
  host.return shape()
}

// -----

// The loop is over before its collectives are.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
device.mesh @m = [x = 2]
host.func @behind(%s: !host.stream, %x: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?xi8>, ["n"]>]) results([#host.value<"y", tensor<?xi8>, ["n"]>]) symbols(["n"]) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c = host.comm_stream
  %y = host.result 0 on @d size %n
  host.stream_for %i to %n slot %k stream %mine on @d 0 streams %c2 issue %s {
    %from = host.view %x[%i] size %c1
    %to = host.view %y[%i] size %c1
    %ready = host.record %mine
    host.wait %c, %ready
    // expected-note @+1 {{the other op}}
    host.collective %c all_reduce max i8 over @m["x"] (%from) -> (%to) count %c1
  }
  // expected-error @+1 {{'host.return' op does not wait for 'host.collective' on another stream, which may run on when the call is done}}
  host.return %y shape(%n)
}
