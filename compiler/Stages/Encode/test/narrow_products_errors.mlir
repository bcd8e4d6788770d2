// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --encode-narrow-products=precision=f8 --verify-diagnostics

// expected-error @+1 {{precision is f32, bf16 or f16, got 'f8'}}
module {
}
