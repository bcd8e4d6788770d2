// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A small network with the usual parts, every op named as a model's nodes are: two matmuls with bias, scaling, a relu, layer
// normalisation, a residual, a gather. The residual keeps the normalised rows: so the second and third product are dispatches of
// their own (form.md).
#rows = affine_map<(m, n) -> (m, n)>
#column = affine_map<(m, n) -> (n)>
#row = affine_map<(m, n) -> (m)>
flow.parameter private @w1 : tensor<8x8xf32> = dense<[
  [0.5, -0.25, 0.125, 1.0, -0.5, 0.75, 0.25, -1.0], [1.5, 0.25, -0.125, 0.5, 0.5, -0.75, 1.25, 0.5],
  [-0.5, 0.5, 0.25, -1.0, 0.75, 0.5, -0.25, 1.0], [0.25, -0.5, 1.0, 0.125, -0.25, 0.5, 0.75, -0.5],
  [1.0, 0.75, -0.5, 0.25, 0.5, -1.0, 0.5, 0.25], [-0.75, 0.5, 0.5, -0.25, 1.0, 0.25, -0.5, 0.75],
  [0.5, 1.0, -0.25, 0.5, -0.125, 0.75, 0.5, -0.25], [0.25, -1.0, 0.75, 0.5, 0.25, -0.5, 1.0, 0.5]]>
flow.parameter private @w2 : tensor<8x8xf32> = dense<[
  [-0.25, 0.5, 1.0, 0.125, 0.75, -0.5, -1.0, 0.25], [0.25, 1.5, 0.5, -0.125, -0.75, 0.5, 0.5, 1.25],
  [0.5, -0.5, -1.0, 0.25, 0.5, 0.75, 1.0, -0.25], [-0.5, 0.25, 0.125, 1.0, 0.5, -0.25, -0.5, 0.75],
  [0.75, 1.0, 0.25, -0.5, -1.0, 0.5, 0.25, 0.5], [0.5, -0.75, -0.25, 0.5, 0.25, 1.0, 0.75, -0.5],
  [1.0, 0.5, 0.5, -0.25, 0.75, -0.125, -0.25, 0.5], [-1.0, 0.25, 0.5, 0.75, -0.5, 0.25, 0.5, 1.0]]>
flow.parameter private @b1 : tensor<8xf32> = dense<[0.1, -0.2, 0.3, -0.4, 0.5, -0.6, 0.7, -0.8]>
flow.parameter private @b2 : tensor<8xf32> = dense<[-0.3, 0.2, 0.1, 0.6, -0.5, 0.4, -0.7, 0.9]>

func.func @main(%x: tensor<?x8xf32> {heddle.name = "x", heddle.dims = ["m", ""]})
    -> (tensor<?x8xf32> {heddle.name = "y", heddle.dims = ["m", ""]}) {
  %m = flow.dimension "m"
  %w1 = flow.parameter.load @w1 : tensor<8x8xf32>
  %w2 = flow.parameter.load @w2 : tensor<8x8xf32>
  %b1 = flow.parameter.load @b1 : tensor<8xf32>
  %b2 = flow.parameter.load @b2 : tensor<8xf32>
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %eighth = arith.constant 0.125 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %e = tensor.empty(%m) : tensor<?x8xf32>
  %e1 = tensor.empty(%m) : tensor<?xf32>

  %f0 = linalg.fill ins(%zero : f32) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32> loc("MatMul_0")
  %0 = linalg.matmul ins(%x, %w1 : tensor<?x8xf32>, tensor<8x8xf32>) outs(%f0 : tensor<?x8xf32>) -> tensor<?x8xf32> loc("MatMul_0")
  %1 = linalg.generic {indexing_maps = [#rows, #column, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%0, %b1 : tensor<?x8xf32>, tensor<8xf32>) outs(%e : tensor<?x8xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
  } -> tensor<?x8xf32> loc("Add_1")
  %2 = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%1 : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.maximumf %a, %zero : f32
      linalg.yield %s : f32
  } -> tensor<?x8xf32> loc("Relu_2")

  %f3 = linalg.fill ins(%zero : f32) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32> loc("MatMul_3")
  %3 = linalg.matmul ins(%2, %w2 : tensor<?x8xf32>, tensor<8x8xf32>) outs(%f3 : tensor<?x8xf32>) -> tensor<?x8xf32> loc("MatMul_3")
  %4 = linalg.generic {indexing_maps = [#rows, #rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%3, %2 : tensor<?x8xf32>, tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %h = arith.mulf %a, %half : f32
      %s = arith.subf %h, %b : f32
      linalg.yield %s : f32
  } -> tensor<?x8xf32> loc("Sub_4")

  %f5 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32> loc("Mean_5")
  %5 = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]}
      ins(%4 : tensor<?x8xf32>) outs(%f5 : tensor<?xf32>) {
    ^bb0(%a: f32, %o: f32):
      %h = arith.mulf %a, %eighth : f32
      %s = arith.addf %o, %h : f32
      linalg.yield %s : f32
  } -> tensor<?xf32> loc("Mean_5")
  %f6 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32> loc("Variance_6")
  %6 = linalg.generic {indexing_maps = [#rows, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%4, %5 : tensor<?x8xf32>, tensor<?xf32>) outs(%f6 : tensor<?xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %d = arith.subf %a, %b : f32
      %q = arith.mulf %d, %d : f32
      %h = arith.mulf %q, %eighth : f32
      %s = arith.addf %o, %h : f32
      linalg.yield %s : f32
  } -> tensor<?xf32> loc("Variance_6")
  %7 = linalg.generic {indexing_maps = [#rows, #row, #row, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%4, %5, %6 : tensor<?x8xf32>, tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?x8xf32>) {
    ^bb0(%a: f32, %b: f32, %v: f32, %o: f32):
      %d = arith.subf %a, %b : f32
      %t = arith.addf %v, %epsilon : f32
      %r = math.rsqrt %t : f32
      %s = arith.mulf %d, %r : f32
      linalg.yield %s : f32
  } -> tensor<?x8xf32> loc("Normalize_7")

  %f8 = linalg.fill ins(%zero : f32) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32> loc("MatMul_8")
  %8 = linalg.matmul ins(%7, %w1 : tensor<?x8xf32>, tensor<8x8xf32>) outs(%f8 : tensor<?x8xf32>) -> tensor<?x8xf32> loc("MatMul_8")
  %9 = linalg.generic {indexing_maps = [#rows, #column, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%8, %b2 : tensor<?x8xf32>, tensor<8xf32>) outs(%e : tensor<?x8xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
  } -> tensor<?x8xf32> loc("Add_9")
  %10 = linalg.generic {indexing_maps = [#rows, #rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%9, %7 : tensor<?x8xf32>, tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
  } -> tensor<?x8xf32> loc("Residual_10")
  return %10 : tensor<?x8xf32>
}
