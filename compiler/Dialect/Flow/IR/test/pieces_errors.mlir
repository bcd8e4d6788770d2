// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --verify-diagnostics

device.mesh @m = [x = 2]
func.func @nothing() -> index {
  // expected-error @+1 {{has an account in which something is missing: {kind = "all_gather"}}}
  %n = flow.pieces 0 {account = {kind = "all_gather"}}
  return %n : index
}

// -----

device.mesh @m = [x = 2]
func.func @no_whole() -> index {
  // expected-error @+1 {{has no whole first among its numbers of pieces}}
  %n = flow.pieces 0 {account = {axes = ["x"], counts = array<i64: 4>, extent = 8 : i64, feeds = true, joins = array<i64>, kind = "all_gather", mesh = @m, moved_bytes = 64 : i64, name = "g", rates = array<f64: 1.0, 1.0, 0.0, 1.0, 0.0>, slices = array<i64>, works = array<i64: 9, 8, 7>}}
  return %n : index
}

// -----

device.mesh @m = [x = 2]
func.func @both() -> index {
  // expected-error @+1 {{has numbers of pieces, so there is no number of positions for each}}
  %n = flow.pieces 0 positions {account = {axes = ["x"], counts = array<i64: 1, 4>, extent = 8 : i64, feeds = true, joins = array<i64>, kind = "all_gather", mesh = @m, moved_bytes = 64 : i64, name = "g", rates = array<f64: 1.0, 1.0, 0.0, 1.0, 0.0>, slices = array<i64>, works = array<i64: 9, 8, 7>}}
  return %n : index
}

// -----

device.mesh @m = [x = 2]
func.func @kind() -> index {
  // expected-error @+1 {{has an account in which something is missing}}
  %n = flow.pieces 0 {account = {axes = ["x"], counts = array<i64: 1, 4>, extent = 8 : i64, feeds = true, joins = array<i64>, kind = "all_over", mesh = @m, moved_bytes = 64 : i64, name = "g", rates = array<f64: 1.0, 1.0, 0.0, 1.0, 0.0>, slices = array<i64>, works = array<i64: 9, 8, 7>}}
  return %n : index
}
