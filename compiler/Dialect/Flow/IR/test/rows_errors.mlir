// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --split-input-file --verify-diagnostics

func.func @sizes(%n: index) -> tensor<?xf32> {
  // expected-error @+1 {{needs one size for each dynamic dimension of its results: 1, got 0}}
  %r = "flow.rows"(%n) ({
  ^bb0(%row: index, %t: tensor<?xf32>):
    flow.yield %t : tensor<?xf32>
  }) : (index) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

func.func @arguments(%n: index) -> tensor<4xf32> {
  // expected-error @+1 {{needs a body that takes the row and the results, got ('index')}}
  %r = flow.rows %n -> (tensor<4xf32>) {
  ^bb0(%row: index):
    %t = tensor.empty() : tensor<4xf32>
    flow.yield %t : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @read_after(%n: index, %f: f32) -> tensor<4xf32> {
  %r = flow.rows %n -> (tensor<4xf32>) {
  ^bb0(%row: index, %t: tensor<4xf32>):
    %u = tensor.insert %f into %t[%row] : tensor<4xf32>
    // expected-error @+1 {{uses a result of flow.rows that was replaced before}}
    %old = tensor.extract %t[%row] : tensor<4xf32>
    %v = tensor.insert %old into %u[%row] : tensor<4xf32>
    flow.yield %v : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @not_carried(%n: index, %f: f32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = flow.rows %n -> (tensor<4xf32>) {
  ^bb0(%row: index, %t: tensor<4xf32>):
    scf.for %i = %c0 to %n step %c1 {
      // expected-error @+1 {{replaces a result of flow.rows that is replaced elsewhere; carry it}}
      %u = tensor.insert %f into %t[%row] : tensor<4xf32>
    }
    flow.yield %t : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @write_captured(%n: index, %f: f32, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = flow.rows %n -> (tensor<4xf32>) {
  ^bb0(%row: index, %t: tensor<4xf32>):
    // expected-error @+1 {{writes to a tensor that is not a result of the flow.rows around it}}
    %u = tensor.insert %f into %x[%row] : tensor<4xf32>
    flow.yield %u : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @yield_captured(%n: index, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = flow.rows %n -> (tensor<4xf32>) {
  ^bb0(%row: index, %t: tensor<4xf32>):
    // expected-error @+1 {{hands on a tensor that is not a result of the flow.rows around it}}
    flow.yield %x : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @carry_captured(%n: index, %f: f32, %x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = flow.rows %n -> (tensor<4xf32>) {
  ^bb0(%row: index, %t: tensor<4xf32>):
    // expected-error @+1 {{hands on a tensor that is not a result of the flow.rows around it}}
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%u = %x) -> (tensor<4xf32>) {
      %v = tensor.insert %f into %u[%i] : tensor<4xf32>
      scf.yield %v : tensor<4xf32>
    }
    flow.yield %l : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @swapped(%n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %r:2 = flow.rows %n -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%row: index, %t: tensor<4xf32>, %u: tensor<4xf32>):
    // expected-error @+1 {{swaps results of flow.rows}}
    flow.yield %u, %t : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func @branches(%n: index, %c: i1) -> (tensor<4xf32>, tensor<4xf32>) {
  %r:2 = flow.rows %n -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%row: index, %t: tensor<4xf32>, %u: tensor<4xf32>):
    %s:2 = scf.if %c -> (tensor<4xf32>, tensor<4xf32>) {
      scf.yield %t, %u : tensor<4xf32>, tensor<4xf32>
    } else {
      // expected-error @+1 {{swaps results of flow.rows}}
      scf.yield %u, %t : tensor<4xf32>, tensor<4xf32>
    }
    flow.yield %s#0, %s#1 : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func @size_of_version(%n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %r = flow.rows %n -> (tensor<?xf32>{%n}) {
  ^bb0(%row: index, %t: tensor<?xf32>):
    // expected-error @+1 {{may not use a result of flow.rows}}
    %d = tensor.dim %t, %c0 : tensor<?xf32>
    flow.yield %t : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

func.func @no_end(%n: index) -> tensor<4xf32> {
  // expected-error @+1 {{must end in a flow.yield of its result types}}
  %r = "flow.rows"(%n) ({
  ^bb0(%row: index, %t: tensor<4xf32>):
    %c = arith.constant 1 : index
  }) : (index) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @other_use(%n: index) -> tensor<4xf32> {
  %r = flow.rows %n -> (tensor<4xf32>) {
  ^bb0(%row: index, %t: tensor<4xf32>):
    // expected-error @+1 {{may not use a result of flow.rows}}
    %u = tensor.cast %t : tensor<4xf32> to tensor<?xf32>
    flow.yield %t : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
