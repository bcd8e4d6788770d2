// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s | heddle-opt | FileCheck %s

device.mesh @m = [x = 2]
// CHECK-LABEL: @pieces
func.func @pieces() -> (index, index) {
  // CHECK: flow.pieces 0 {account = {axes = ["x"], counts = array<i64: 1, 4, 0>
  %n = flow.pieces 0 {account = {axes = ["x"], counts = array<i64: 1, 4, 0>, extent = 8 : i64, feeds = true, joins = array<i64>, kind = "all_gather", mesh = @m, moved_bytes = 64 : i64, name = "g", rates = array<f64: 1.0, 1.0, 0.0, 1.0, 0.0>, slices = array<i64>, works = array<i64: 9, 8, 7>}}
  // CHECK: flow.pieces 1 positions {account
  %p = flow.pieces 1 positions {account = {axes = ["x"], counts = array<i64>, extent = 8 : i64, feeds = false, joins = array<i64>, kind = "all_reduce", mesh = @m, moved_bytes = 64 : i64, name = "r", rates = array<f64: 1.0, 1.0, 0.0, 1.0, 0.0>, slices = array<i64>, works = array<i64: 9, 8, 7>}}
  return %n, %p : index, index
}
