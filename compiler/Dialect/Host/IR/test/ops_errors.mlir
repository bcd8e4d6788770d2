// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{'host.func' op takes a stream, a buffer for each argument and an index for each symbol: '(!host.stream, !host.buffer) -> ()', got '(!host.stream) -> ()'}}
host.func @main(%s: !host.stream) arguments([#host.value<"x", tensor<2xf32>, [""]>]) results([]) symbols([]) {
  host.return shape()
}

// -----

// expected-error @+1 {{'host.func' op describes arguments and results by #host.value, got "x"}}
host.func @main(%s: !host.stream, %x: !host.buffer) arguments(["x"]) results([]) symbols([]) {
  host.return shape()
}

// -----

// expected-error @+1 {{'host.func' op names 1 dimensions of "x", which has 2}}
host.func @main(%s: !host.stream, %x: !host.buffer) arguments([#host.value<"x", tensor<2x2xf32>, [""]>]) results([]) symbols([]) {
  host.return shape()
}

// -----

host.func @main(%s: !host.stream, %x: !host.buffer) arguments([#host.value<"x", tensor<2xf32>, [""]>])
    results([#host.value<"y", tensor<2xf32>, [""]>]) symbols([]) {
  // expected-error @+1 {{'host.return' op returns 1 buffers and 1 sizes in all, got 1 and 0}}
  host.return %x shape()
}

// -----

host.func @main(%s: !host.stream, %n: index) arguments([]) results([]) symbols(["n"]) {
  // expected-error @+1 {{'host.plan' op needs an interval and an offset for each of its 1 sizes, got 2 and 1}}
  %total, %o = host.plan(%n) lives([#host.interval<0, 1>, #host.interval<0, 1>]) : index
  host.return shape()
}

// -----

host.func @main(%s: !host.stream, %n: index) arguments([]) results([]) symbols(["n"]) {
  // expected-error @+1 {{'host.plan' op needs #host.interval<first, last> with first <= last, got #host.interval<2, 1>}}
  %total, %o = host.plan(%n) lives([#host.interval<2, 1>]) : index
  host.return shape()
}

// -----

flow.executable private @e { func.func @e(%a: tensor<2xf32>) { return } }
host.func @main(%s: !host.stream, %x: !host.buffer) arguments([#host.value<"x", tensor<2xf32>, [""]>]) results([]) symbols([]) {
  // expected-error @+1 {{'host.dispatch' op needs an access for each of its 1 bindings, got 2}}
  host.dispatch %s, @e(%x) access(["r", "r"])
  host.return shape()
}

// -----

flow.executable private @e { func.func @e(%a: tensor<2xf32>) { return } }
host.func @main(%s: !host.stream, %x: !host.buffer) arguments([#host.value<"x", tensor<2xf32>, [""]>]) results([]) symbols([]) {
  // expected-error @+1 {{'host.dispatch' op accesses a binding by "r", "w" or "rw", got "x"}}
  host.dispatch %s, @e(%x) access(["x"])
  host.return shape()
}

// -----

host.func @main(%s: !host.stream, %x: !host.buffer) arguments([#host.value<"x", tensor<2xf32>, [""]>]) results([]) symbols([]) {
  // expected-error @+1 {{'host.dispatch' op names no flow.executable: @e}}
  host.dispatch %s, @e(%x) access(["r"])
  host.return shape()
}

// -----

flow.executable private @e { func.func @e(%a: tensor<2xf32>) { return } }
host.func @main(%s: !host.stream, %x: !host.buffer) arguments([#host.value<"x", tensor<2xf32>, [""]>]) results([]) symbols([]) {
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{'host.dispatch' op launches with workgroups and scratch bytes, got 1 values}}
  host.dispatch %s, @e(%x) launch(%c1) access(["r"])
  host.return shape()
}

// -----

flow.executable private @e { func.func @e(%a: tensor<2xf32>) { return } }
host.func @main(%s: !host.stream, %x: !host.buffer) arguments([#host.value<"x", tensor<2xf32>, [""]>]) results([]) symbols([]) {
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{'host.dispatch' op launches with one pair for all variants or with one for each of the 0 variants of @e, got 2}}
  host.dispatch %s, @e(%x) launch(%c1, %c1, %c1, %c1) access(["r"])
  host.return shape()
}

// -----

host.func @main(%s: !host.stream, %x: !host.buffer, %n: index) arguments([#host.value<"x", tensor<2xf32>, [""]>]) results([]) symbols(["n"]) {
  // expected-error @+1 {{'host.fill' op has a pattern of 1, 2, 4 or 8 bytes, got 3}}
  host.fill %s, %x[%n] size %n pattern %n : 3
  host.return shape()
}

// -----

host.func @main(%s: !host.stream, %x: !host.buffer, %n: index) arguments([#host.value<"x", tensor<2xf32>, [""]>]) results([]) symbols(["n"]) {
  // expected-error @+1 {{'host.read' op reads an integer, got 'f32'}}
  %0 = host.read %s, %x[%n] : f32
  host.return shape()
}

// -----

host.func @main(%s: !host.stream) arguments([]) results([]) symbols([]) {
  // expected-error @+1 {{'host.query' op knows the keys "cores", "streams" and "workgroups", got "speed"}}
  %0 = host.query @d "speed"
  host.return shape()
}

// -----

host.func @main(%s: !host.stream) arguments([]) results([]) symbols([]) {
  // expected-error @+1 {{'host.barrier' op orders two streams or more, got 1}}
  host.barrier %s
  host.return shape()
}
