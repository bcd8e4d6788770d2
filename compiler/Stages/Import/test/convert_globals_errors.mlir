// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --import-convert-globals --split-input-file --verify-diagnostics

// expected-error@+1 {{a global is a ranked tensor, got 'i64'}}
ml_program.global private mutable @n(3 : i64) : i64

// -----

ml_program.global private mutable @n : tensor<i64>
func.func @main(%x: tensor<i64>) {
  scf.execute_region {
    // expected-error@+1 {{a global is stored in scf.if, scf.for, scf.while or at the function's top, got scf.execute_region}}
    ml_program.global_store @n = %x : tensor<i64>
    scf.yield
  }
  return
}
