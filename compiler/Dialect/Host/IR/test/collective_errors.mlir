// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --verify-diagnostics

device.mesh @m = [x = 2, y = ?]
host.func @f(%s: !host.stream, %x: !host.buffer) arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([]) symbols([]) {
  %c4 = arith.constant 4 : index
  // expected-error @+1 {{'host.collective' op runs on the stream of host.comm_stream, so that all ranks meet in one order}}
  host.collective %s all_reduce sum f32 over @m["x"] (%x) -> (%x) count %c4
  host.return shape()
}

// -----

device.mesh @m = [x = 2, y = ?]
host.func @f(%s: !host.stream, %x: !host.buffer) arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([]) symbols([]) {
  %c4 = arith.constant 4 : index
  %c = host.comm_stream
  // expected-error @+1 {{'host.collective' op is one of all_gather, all_reduce, reduce_scatter, all_to_all, broadcast, permute, gather, scatter, exchange, got 'allreduce'; did you mean 'all_reduce'?}}
  host.collective %c allreduce sum f32 over @m["x"] (%x) -> (%x) count %c4
  host.return shape()
}

// -----

device.mesh @m = [x = 2, y = ?]
host.func @f(%s: !host.stream, %x: !host.buffer) arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([]) symbols([]) {
  %c4 = arith.constant 4 : index
  %c = host.comm_stream
  // expected-error @+1 {{'host.collective' op needs a reduction}}
  host.collective %c all_reduce f32 over @m["x"] (%x) -> (%x) count %c4
  host.return shape()
}

// -----

device.mesh @m = [x = 2, y = ?]
host.func @f(%s: !host.stream, %x: !host.buffer) arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([]) symbols([]) {
  %c4 = arith.constant 4 : index
  %c = host.comm_stream
  // expected-error @+1 {{'host.collective' op names axis 'z', which mesh @m does not have: [x = 2, y = ?]}}
  host.collective %c all_reduce sum f32 over @m["z"] (%x) -> (%x) count %c4
  host.return shape()
}

// -----

device.mesh @m = [x = 2, y = ?]
host.func @f(%s: !host.stream, %x: !host.buffer) arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([]) symbols([]) {
  %c4 = arith.constant 4 : index
  %c = host.comm_stream
  // expected-error @+1 {{'host.collective' op over mesh @m, [x = 2, y = ?]: root 2 is not in a group of 2 members}}
  host.collective %c broadcast f32 root 2 over @m["x"] (%x) -> (%x) count %c4
  host.return shape()
}

// -----

device.mesh @m = [x = 2, y = ?]
host.func @f(%s: !host.stream, %x: !host.buffer) arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([]) symbols([]) {
  %c4 = arith.constant 4 : index
  %c = host.comm_stream
  // expected-error @+1 {{'host.collective' op over mesh @m, [x = 2, y = ?]: position 1 receives twice}}
  host.collective %c permute f32 pairs [[0, 1], [1, 1]] over @m["x"] (%x) -> (%x) count %c4
  host.return shape()
}

// -----

device.mesh @m = [x = 2, y = ?]
host.func @f(%s: !host.stream, %x: !host.buffer) arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([]) symbols([]) {
  %c4 = arith.constant 4 : index
  %c = host.comm_stream
  // expected-error @+1 {{'host.collective' op has a source and a target of different sizes, which cannot be one buffer}}
  host.collective %c all_gather f32 over @m["x"] (%x) -> (%x) count %c4
  host.return shape()
}

// -----

host.func @f(%s: !host.stream) arguments([]) results([]) symbols([]) {
  // expected-error @+1 {{'host.coordinate' op names no device.mesh: @m}}
  %i = host.coordinate @m "x"
  host.return shape()
}

// -----

device.mesh @m = [x = 2, y = ?]
host.func @f(%s: !host.stream, %x: !host.buffer, %y: !host.buffer)
    arguments([#host.value<"x", tensor<4xf32>, [""]>, #host.value<"y", tensor<4xf32>, [""]>]) results([]) symbols([]) {
  %c4 = arith.constant 4 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c = host.comm_stream
  // expected-error @+1 {{'host.collective' op is cut by 4 values, got 3}}
  host.collective %c all_gather f32 over @m["x"] (%x) -> (%y) count %c1 cut(%c4, %c1, %c0)
  host.return shape()
}

// -----

device.mesh @m = [x = 2, y = ?]
host.func @f(%s: !host.stream, %x: !host.buffer, %y: !host.buffer)
    arguments([#host.value<"x", tensor<4xf32>, [""]>, #host.value<"y", tensor<4xf32>, [""]>]) results([]) symbols([]) {
  %c4 = arith.constant 4 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c = host.comm_stream
  // expected-error @+1 {{'host.collective' op is cut by 8 values, got 4}}
  host.collective %c all_to_all f32 over @m["x"] (%x) -> (%y) count %c1 cut(%c4, %c1, %c0, %c4)
  host.return shape()
}

// -----

device.mesh @m = [x = 2, y = ?]
host.func @f(%s: !host.stream, %x: !host.buffer, %y: !host.buffer)
    arguments([#host.value<"x", tensor<4xf32>, [""]>, #host.value<"y", tensor<4xf32>, [""]>]) results([]) symbols([]) {
  %c4 = arith.constant 4 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c = host.comm_stream
  // expected-error @+1 {{'host.collective' op has no pieces to cut, got 4}}
  host.collective %c all_reduce sum f32 over @m["x"] (%x) -> (%y) count %c1 cut(%c4, %c1, %c0, %c4)
  host.return shape()
}

// -----

device.mesh @m = [x = 2, y = ?]
host.func @f(%s: !host.stream, %x: !host.buffer, %y: !host.buffer)
    arguments([#host.value<"x", tensor<4xf32>, [""]>, #host.value<"y", tensor<4xf32>, [""]>]) results([]) symbols([]) {
  %c4 = arith.constant 4 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c = host.comm_stream
  // expected-error @+1 {{'host.collective' op cuts pieces that need not be of one size over lists of ranks}}
  host.collective %c gather f32 root 0 over @m groups [[0, 1]] (%x) -> (%y) count %c1 cut(%c4, %c1, %c0, %c4)
  host.return shape()
}

// -----

device.mesh @m = [x = 2, y = ?]
host.func @f(%s: !host.stream, %x: !host.buffer, %y: !host.buffer)
    arguments([#host.value<"x", tensor<4xf32>, [""]>, #host.value<"y", tensor<4xf32>, [""]>]) results([]) symbols([]) {
  %c4 = arith.constant 4 : index
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %c = host.comm_stream
  // expected-error @+1 {{'host.collective' op has a source and a target of different sizes, which cannot be one buffer}}
  host.collective %c all_to_all f32 over @m["x"] (%x) -> (%x) count %c1 cut(%c4, %c1, %c0, %c4, %c4, %c1, %c0, %c4)
  host.return shape()
}
