// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --package-resolve-launches --split-input-file --verify-diagnostics

flow.executable private @mm { func.func private @mm() }
host.func @main(%s: !host.stream) arguments([]) results([]) symbols([]) {
  // expected-error @+1 {{'host.dispatch' op needs a variant of @mm, got none; run codegen first}}
  host.dispatch %s, @mm() access([])
  host.return shape()
}

// -----

flow.executable private @mm {
  func.func private @mm()
  flow.variant @v target("x86-64-v3") format("elf-x86_64") features([]) symbol("mm") object(dense<0> : tensor<3xi8>) {
    // expected-error @+1 {{'func.func' op must be one block of 0 arguments, as its dispatch passes, got '(index) -> index'}}
    func.func @workgroups(%m: index) -> index { return %m : index }
    func.func @scratch(%m: index) -> index { return %m : index }
  }
}
host.func @main(%s: !host.stream) arguments([]) results([]) symbols([]) {
  host.dispatch %s, @mm() access([])
  host.return shape()
}
