// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A perceptron of two layers on two ranks, tensor parallel: each rank has half of the columns of the first layer and the
// same half of the rows of the second, and one all_reduce adds what the halves give. The input and the result are equal
// on both ranks, so they are whole arrays on the command line.
//
//   heddle compile mlp.mlir -o mlp.heddle
//   heddle run mlp.heddle --input=2x4xf32=1,2,3,4,5,6,7,8                   both ranks as threads
//   heddle launch -n 2 run mlp.heddle --input=2x4xf32=1,2,3,4,5,6,7,8       as processes, by MPI
device.mesh @m = [tp = 2]

func.func @main(%x: tensor<?x4xf32> {heddle.name = "x", heddle.dims = ["batch", ""],
                                     heddle.sharding = #flow.sharding<@m, [[], []]>})
    -> (tensor<?x4xf32> {heddle.name = "y", heddle.sharding = #flow.sharding<@m, [[], []]>}) {
  %up = arith.constant dense<[[1.0, -1.0, 0.5, 0.0, 1.0, -0.5, 0.0, 1.0],
                              [0.5, 0.0, -1.0, 1.0, 0.0, 1.0, -1.0, 0.5],
                              [0.0, 1.0, 0.5, -0.5, -1.0, 0.0, 1.0, 0.0],
                              [-1.0, 0.5, 0.0, 1.0, 0.5, -1.0, 0.5, 1.0]]> : tensor<4x8xf32>
  %down = arith.constant dense<[[1.0, 0.0, 0.0, 0.5], [0.0, 1.0, 0.0, 0.5], [0.0, 0.0, 1.0, 0.5], [0.5, 0.0, 0.0, 1.0],
                                [0.0, 0.5, 0.0, 1.0], [0.0, 0.0, 0.5, 1.0], [1.0, 1.0, 0.0, 0.0], [0.0, 1.0, 1.0, 0.0]]>
      : tensor<8x4xf32>
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %batch = tensor.dim %x, %c0 : tensor<?x4xf32>
  %i = flow.coordinate @m "tp"
  %first = arith.muli %i, %c4 : index
  %myUp = tensor.extract_slice %up[0, %first] [4, 4] [1, 1] : tensor<4x8xf32> to tensor<4x4xf32>
  %myDown = tensor.extract_slice %down[%first, 0] [4, 4] [1, 1] : tensor<8x4xf32> to tensor<4x4xf32>

  %empty = tensor.empty(%batch) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x4xf32>) -> tensor<?x4xf32>
  %hidden = linalg.matmul ins(%x, %myUp : tensor<?x4xf32>, tensor<4x4xf32>) outs(%init : tensor<?x4xf32>)
      -> tensor<?x4xf32> loc("up")
  %relu = linalg.max ins(%hidden, %init : tensor<?x4xf32>, tensor<?x4xf32>) outs(%empty : tensor<?x4xf32>)
      -> tensor<?x4xf32>
  %part = linalg.matmul ins(%relu, %myDown : tensor<?x4xf32>, tensor<4x4xf32>) outs(%init : tensor<?x4xf32>)
      -> tensor<?x4xf32> loc("down")
  %y = flow.all_reduce %part sum over @m["tp"] : tensor<?x4xf32>{%batch} loc("sum")
  return %y : tensor<?x4xf32>
}
