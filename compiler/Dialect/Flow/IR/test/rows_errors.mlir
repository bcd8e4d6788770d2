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

func.func @other_use(%n: index) -> tensor<4xf32> {
  %r = flow.rows %n -> (tensor<4xf32>) {
  ^bb0(%row: index, %t: tensor<4xf32>):
    // expected-error @+1 {{may not use a result of flow.rows}}
    %u = tensor.cast %t : tensor<4xf32> to tensor<?xf32>
    flow.yield %t : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
