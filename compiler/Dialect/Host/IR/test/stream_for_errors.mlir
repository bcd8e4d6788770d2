// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --verify-diagnostics

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
host.func @main(%s: !host.stream, %x: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?xi8>, ["n"]>]) results([]) symbols(["n"]) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{'host.stream_for' op takes turns on one stream or more, got 0}}
  host.stream_for %i to %n slot %k stream %mine on @d 0 streams %c0 issue %s {
  }
  host.return shape()
}

// -----

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
host.func @main(%s: !host.stream, %x: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?xi8>, ["n"]>]) results([]) symbols(["n"]) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %t = host.slab on @d size %n
  host.stream_for %i to %n slot %k stream %mine on @d 0 streams %c2 issue %s {
    // expected-error @+1 {{'host.fill' op issues on a stream that is not the one of its iteration}}
    host.fill %s, %t[%c0] size %n pattern %c0 : 1
  }
  host.return shape()
}

// -----

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
host.func @main(%s: !host.stream, %x: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?xi8>, ["n"]>]) results([]) symbols(["n"]) {
  %c2 = arith.constant 2 : index
  host.stream_for %i to %n slot %k stream %mine on @d 0 streams %c2 issue %s {
    // expected-error @+1 {{'host.stream' op names a stream in a loop over streams, whose iterations have one each}}
    %other = host.stream on @d 1
  }
  host.return shape()
}

// -----

host.func @main(%s: !host.stream, %x: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?xi8>, ["n"]>]) results([]) symbols(["n"]) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  // expected-error @+1 {{'host.view' op has several runs, which only a dispatch takes, got 'host.view'}}
  %v = host.view %x[%c0] size %c2 times %c2 stride %n
  %w = host.view %v[%c0] size %c2
  host.return shape()
}

// -----

host.func @main(%s: !host.stream, %x: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?xi8>, ["n"]>]) results([]) symbols(["n"]) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{'host.view' op has one run, or a count and a stride, got 1 values}}
  %v = "host.view"(%x, %c0, %n, %n) : (!host.buffer, index, index, index) -> !host.buffer
  host.return shape()
}

// -----

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
host.func @main(%s: !host.stream) arguments([]) results([]) symbols([]) {
  // expected-error @+1 {{'host.query' op knows the keys "cores", "streams" and "workgroups", got "colour"}}
  %q = host.query @d "colour"
  host.return shape()
}

// -----

host.func @main(%s: !host.stream, %n: index) arguments([]) results([]) symbols(["n"]) {
  %c2 = arith.constant 2 : index
  %c = host.comm_stream
  // expected-error @+1 {{'host.stream_for' op is issued on the stream of collectives, which has no device}}
  host.stream_for %i to %n slot %k stream %mine on @d 0 streams %c2 issue %c {
  }
  host.return shape()
}

// -----

host.func @main(%s: !host.stream, %n: index) arguments([]) results([]) symbols(["n"]) {
  %c2 = arith.constant 2 : index
  host.stream_for %i to %n slot %k stream %mine on @d 0 streams %c2 issue %s {
    // expected-error @+1 {{'host.comm_stream' op names a stream in a loop over streams, whose iterations have one each}}
    %c = host.comm_stream
  }
  host.return shape()
}
