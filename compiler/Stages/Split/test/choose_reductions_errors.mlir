// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-choose-reductions --split-input-file --verify-diagnostics

func.func @no_reduction(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{has heddle.split, but cannot be split: it reduces nothing}}
  %0 = linalg.add {heddle.split = 3 : i64} ins(%a, %a : tensor<8xf32>, tensor<8xf32>) outs(%b : tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @several_results(%a: tensor<8xf32>, %b: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  // expected-error @+1 {{has heddle.split, but cannot be split: it has several results, which are neither combined by an associative operation each nor chosen by one comparison that keeps the first of equal ones}}
  %0:2 = linalg.reduce ins(%a, %a : tensor<8xf32>, tensor<8xf32>) outs(%b, %b : tensor<f32>, tensor<f32>) dimensions = [0] {heddle.split = 3 : i64}
    (%x: f32, %y: f32, %p: f32, %q: f32) {
      %s = arith.addf %x, %p : f32
      %t = arith.mulf %y, %p : f32
      %m = arith.maximumf %t, %q : f32
      linalg.yield %s, %m : f32, f32
    }
  return %0#0, %0#1 : tensor<f32>, tensor<f32>
}

// -----

func.func @zero(%a: tensor<8x100xf32>, %b: tensor<100x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @+1 {{heddle.split must be at least 1, got 0}}
  %0 = linalg.matmul {heddle.split = 0 : i64} ins(%a, %b : tensor<8x100xf32>, tensor<100x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

func.func @words(%a: tensor<8x100xf32>, %b: tensor<100x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @+1 {{heddle.split stands on a linalg op and is a number of parts, "default", "reproducible" or a dictionary of what is asked for, got "all"}}
  %0 = linalg.matmul {heddle.split = "all"} ins(%a, %b : tensor<8x100xf32>, tensor<100x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

func.func @in_a_loop(%a: tensor<8x100xf32>, %c: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %r = scf.forall (%i) in (8) shared_outs(%o = %e) -> (tensor<8xf32>) {
    %x = tensor.extract_slice %a[%i, 0] [1, 100] [1, 1] : tensor<8x100xf32> to tensor<1x100xf32>
    %s = tensor.extract_slice %c[%i] [1] [1] : tensor<8xf32> to tensor<1xf32>
    // expected-error @+1 {{has heddle.split, but is in the body of an scf.forall, which has parts of its own; leave the attribute out}}
    %y = linalg.reduce {arith.addf} ins(%x : tensor<1x100xf32>) outs(%s : tensor<1xf32>) dimensions = [1] {heddle.split = 3 : i64}
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %y into %o[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}

// -----

func.func @loop_of_results(%a: tensor<8x100xf32>, %b: tensor<100x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @+1 {{has heddle.split, but cannot be split: its loop 1 is none that is reduced}}
  %0 = linalg.matmul {heddle.split = {parts = 3 : i64, loop = 1 : i64}} ins(%a, %b : tensor<8x100xf32>, tensor<100x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

func.func @no_such_loop(%a: tensor<8x100xf32>, %b: tensor<100x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @+1 {{cannot be split, as a.mlir:4 asks: it has 3 loops, counted from 0, and no loop 3}}
  %0 = linalg.matmul {heddle.split = {parts = 3 : i64, loop = 3 : i64, by = "a.mlir:4"}} ins(%a, %b : tensor<8x100xf32>, tensor<100x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

func.func @parts_and_size(%a: tensor<8x100xf32>, %b: tensor<100x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @+1 {{heddle.split says either 'parts' or 'size'}}
  %0 = linalg.matmul {heddle.split = {parts = 3 : i64, size = 3 : i64}} ins(%a, %b : tensor<8x100xf32>, tensor<100x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

func.func @unknown_key(%a: tensor<8x100xf32>, %b: tensor<100x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @+1 {{heddle.split has an unknown key 'part'; known: parts, size, per_unit, loop, by}}
  %0 = linalg.matmul {heddle.split = {part = 3 : i64}} ins(%a, %b : tensor<8x100xf32>, tensor<100x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
