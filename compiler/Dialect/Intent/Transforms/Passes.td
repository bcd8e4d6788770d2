// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_INTENT_PASSES
#define HEDDLE_INTENT_PASSES

include "mlir/Pass/PassBase.td"

def DecomposeAttention : Pass<"intent-decompose-attention", "::mlir::ModuleOp"> {
  let summary = "Attention becomes two contractions and the rows between them";
  let description = [{
    The chain that dispatch formation puts in one kernel: scores, what queries do not see, softmax, the product with the
    values. Keys of more rows than the target's kernels compute together are transposed once (`Target/Forms/FormModel.h`).

    ```mlir
    func.func @attend(%q: tensor<1x2x1x4xf32>, %k: tensor<1x2x6x4xf32>, %v: tensor<1x2x6x4xf32>) -> tensor<1x2x1x4xf32> {
      %y = intent.attention %q, %k, %v scale 0.5 : (tensor<1x2x1x4xf32>, tensor<1x2x6x4xf32>, tensor<1x2x6x4xf32>) -> tensor<1x2x1x4xf32>
      return %y : tensor<1x2x1x4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::heddle::flow::FlowDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"];
}

def DecomposeLists : Pass<"intent-decompose-lists", "::mlir::ModuleOp"> {
  let summary = "Sorts, scans and scatters become scalar code and blocks of sums";
  let description = [{
    Which form is the target's choice (`Target/Forms/FormModel.h`): one row of scalar code sorts a list, or many short ones
    merge sorted runs (`short-rows`, for GPUs). The compiler runs it at the beginning of stage `devices` with the numbers
    of the program's devices.

    ```mlir
    func.func @sums(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
      %y = intent.scan %x dim 1 associative from [0.000000e+00 : f32] in {
      ^bb0(%i: index, %sum: f32, %element: f32):
        %next = arith.addf %sum, %element : f32
        intent.yield %next : f32
      } : (tensor<2x3xf32>) -> tensor<2x3xf32>
      return %y : tensor<2x3xf32>
    }
    // becomes
    #map = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>
    #map1 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
    func.func @sums(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
      %lists = tensor.expand_shape %x [[0], [1, 2]] output_shape [2, 3, 1] : tensor<2x3xf32> into tensor<2x3x1xf32>
      %blocks = tensor.expand_shape %x [[0], [1, 2, 3]] output_shape [2, 1, 3, 1]
          : tensor<2x3xf32> into tensor<2x1x3x1xf32>
      %c0_f32 = arith.constant 0.000000e+00 : f32
      %e = tensor.empty() : tensor<2x1x3x1xf32>
      %zeros = linalg.fill ins(%c0_f32 : f32) outs(%e : tensor<2x1x3x1xf32>) -> tensor<2x1x3x1xf32>
      %sums = linalg.generic {indexing_maps = [#map, #map1],
                              iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
          ins(%blocks : tensor<2x1x3x1xf32>) outs(%zeros : tensor<2x1x3x1xf32>) {
      ^bb0(%in: f32, %out: f32):
        %i = linalg.index 2 : index
        %j = linalg.index 4 : index
        %counts = arith.cmpi sle, %j, %i : index
        %zero = arith.constant 0.000000e+00 : f32
        %term = arith.select %counts, %in, %zero : f32
        %c0 = arith.constant 0 : index
        %sum = arith.addf %out, %term : f32
        linalg.yield %sum : f32
      } -> tensor<2x1x3x1xf32>
      %ends = tensor.collapse_shape %sums [[0], [1, 2], [3]] : tensor<2x1x3x1xf32> into tensor<2x3x1xf32>
      %y = tensor.collapse_shape %sums [[0], [1, 2, 3]] : tensor<2x1x3x1xf32> into tensor<2x3xf32>
      return %y : tensor<2x3xf32>
    }
    ```
  }];
  let options = [Option<"shortRows", "short-rows", "bool", "false", "many short rows of scalar code, as GPUs want them">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::heddle::flow::FlowDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def DecomposeProducts : Pass<"intent-decompose-products", "::mlir::ModuleOp"> {
  let summary = "Products with quantised weights become sums that decode what they read";
  let description = [{
    One `linalg.generic` with loops for rows, columns, blocks and bytes; scales that a column has as a whole follow the sum.
    Rows that are to be rounded become codes of 8 bits first, with a scale for each block (kRoundedAttr in IntentOps.h).

    ```mlir
    func.func @product(%x: tensor<4x64xf32>, %codes: tensor<64x48xi8>) -> tensor<4x48xf32> {
      %s = arith.constant dense<5.0e-01> : tensor<48xf32>
      %y = intent.quantized_product %x, %codes as i8 scales %s : (tensor<4x64xf32>, tensor<64x48xi8>, tensor<48xf32>) -> tensor<4x48xf32>
      return %y : tensor<4x48xf32>
    }
    // becomes
    #map = affine_map<(d0, d1, d2) -> (d0, d2)>
    #map1 = affine_map<(d0, d1, d2) -> (d2, d1)>
    #map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
    #map3 = affine_map<(d0, d1) -> (d0, d1)>
    #map4 = affine_map<(d0, d1) -> (d1)>
    func.func @product(%arg0: tensor<4x64xf32>, %arg1: tensor<64x48xi8>) -> tensor<4x48xf32> {
      %cst = arith.constant dense<5.000000e-01> : tensor<48xf32>
      %cst_0 = arith.constant 0.000000e+00 : f32
      %0 = tensor.empty() : tensor<4x48xf32>
      %1 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<4x48xf32>) -> tensor<4x48xf32>
      %2 = linalg.generic {indexing_maps = [#map, #map1, #map2],
          iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%arg0, %arg1 : tensor<4x64xf32>, tensor<64x48xi8>) outs(%1 : tensor<4x48xf32>)
          attrs =  {intent.code = i8} {
      ^bb0(%in: f32, %in_1: i8, %out: f32):
        %5 = arith.sitofp %in_1 : i8 to f32
        %6 = arith.mulf %in, %5 : f32
        %7 = arith.addf %out, %6 : f32
        linalg.yield %7 : f32
      } -> tensor<4x48xf32>
      %3 = tensor.empty() : tensor<4x48xf32>
      %4 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel"]}
          ins(%2, %cst : tensor<4x48xf32>, tensor<48xf32>) outs(%3 : tensor<4x48xf32>) {
      ^bb0(%in: f32, %in_1: f32, %out: f32):
        %5 = arith.mulf %in, %in_1 : f32
        linalg.yield %5 : f32
      } -> tensor<4x48xf32>
      return %4 : tensor<4x48xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"];
}

#endif // HEDDLE_INTENT_PASSES
