// RUN: heddle-opt %s --split-reductions --split-input-file --verify-diagnostics

func.func @two_reductions(%a: tensor<4x5000xf32>, %f: tensor<4xf32>) -> tensor<4xf32> {
  %0 = flow.region -> (tensor<4xf32>) {
    // expected-error @+1 {{has heddle.split, but cannot be split: it shares its dispatch with another reduction}}
    %m = linalg.reduce {arith.addf} ins(%a : tensor<4x5000xf32>) outs(%f : tensor<4xf32>) dimensions = [1] {heddle.split = 3 : i64}
    %n = linalg.reduce {arith.addf} ins(%a : tensor<4x5000xf32>) outs(%m : tensor<4xf32>) dimensions = [1]
    flow.return %n : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
