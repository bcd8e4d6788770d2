// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_ENCODE_PASSES
#define HEDDLE_ENCODE_PASSES

include "mlir/Pass/PassBase.td"

def ChannelsLast : Pass<"encode-channels-last", "::mlir::ModuleOp"> {
  let summary = "Turns convolutions so that channels are the last dimension of operands and result";
  let description = [{
    A convolution is any structured op of an operand and weights that sums over a window or over channels. Whatever its
    layout was, afterwards it reads x[n, s…, (g,) c] and w[(g,) k…, c, f] and writes [n, o…, (g,) f]; depthwise it reads
    w[k…, c]. Its loops are n, o…, (g,) f and then the reduced k…, c. What does not have that layout is transposed just
    before and after; transposes of weights are left for constant evaluation, the others for `propagate-transposes`.
    A depthwise convolution of up to 64 taps and strides of up to 4 stays as it is: like a pool it is fast either way, and
    `propagate-transposes` gives it the layout of its neighbours.

    A product without a window is a convolution only where its weights are constant: the others are attention and the
    like, which have no channels.

    ```mlir
    func.func @named(%x: tensor<1x2x9x8xf32>, %w: tensor<5x2x3x3xf32>, %init: tensor<1x5x7x6xf32>) ->
        tensor<1x5x7x6xf32> {
      %0 = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x2x9x8xf32>, tensor<5x2x3x3xf32>)
          outs(%init : tensor<1x5x7x6xf32>) -> tensor<1x5x7x6xf32>
      return %0 : tensor<1x5x7x6xf32>
    }
    // becomes
    #map = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 + d4, d2 + d5, d6)>
    #map1 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d5, d6, d3)>
    #map2 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>
    func.func @named(%arg0: tensor<1x2x9x8xf32>, %arg1: tensor<5x2x3x3xf32>, %arg2: tensor<1x5x7x6xf32>) ->
        tensor<1x5x7x6xf32> {
      %0 = tensor.empty() : tensor<1x9x8x2xf32>
      %transposed = linalg.transpose ins(%arg0 : tensor<1x2x9x8xf32>) outs(%0 : tensor<1x9x8x2xf32>)
          permutation = [0, 2, 3, 1]
      %1 = tensor.empty() : tensor<3x3x2x5xf32>
      %transposed_0 = linalg.transpose ins(%arg1 : tensor<5x2x3x3xf32>) outs(%1 : tensor<3x3x2x5xf32>)
          permutation = [2, 3, 1, 0]
      %2 = tensor.empty() : tensor<1x7x6x5xf32>
      %transposed_1 = linalg.transpose ins(%arg2 : tensor<1x5x7x6xf32>) outs(%2 : tensor<1x7x6x5xf32>)
          permutation = [0, 2, 3, 1]
      %3 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel",
          "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%transposed,
          %transposed_0 : tensor<1x9x8x2xf32>, tensor<3x3x2x5xf32>) outs(%transposed_1 : tensor<1x7x6x5xf32>) {
      ^bb0(%in: f32, %in_3: f32, %out: f32):
        %5 = arith.mulf %in, %in_3 : f32
        %6 = arith.addf %out, %5 : f32
        linalg.yield %6 : f32
      } -> tensor<1x7x6x5xf32>
      %4 = tensor.empty() : tensor<1x5x7x6xf32>
      %transposed_2 = linalg.transpose ins(%3 : tensor<1x7x6x5xf32>) outs(%4 : tensor<1x5x7x6xf32>)
          permutation = [0, 3, 1, 2]
      return %transposed_2 : tensor<1x5x7x6xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def PropagateTransposes : Pass<"encode-propagate-transposes", "::mlir::ModuleOp"> {
  let summary = "Moves transposes through the ops between them until they cancel or reach the edges";
  let description = [{
    From each transpose grows a region of ops that could compute in the other layout (elementwise ops, reductions, pools,
    pad, concat, slices, reshapes that keep groups of dimensions together, reads at computed indices, transfers, which stay). The region is
    turned where that makes the bytes that transposes move fewer: what cancels at its edges against what its edges then
    need. Bytes only ever fall, so the pass ends, and a program never gets more expensive. A dynamic size counts as 64; a
    transpose of a constant, or one that moves only dimensions of size 1, counts nothing.

    ```mlir
    #id = affine_map<(i, j) -> (i, j)>
    func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %e = tensor.empty() : tensor<8x4xf32>
      %t = linalg.transpose ins(%x : tensor<4x8xf32>) outs(%e : tensor<8x4xf32>) permutation = [1, 0]
      %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
          ins(%t : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) {
      ^bb0(%v: f32, %o: f32):
        %n = arith.negf %v : f32
        linalg.yield %n : f32
      } -> tensor<8x4xf32>
      %f = tensor.empty() : tensor<4x8xf32>
      %u = linalg.transpose ins(%r : tensor<8x4xf32>) outs(%f : tensor<4x8xf32>) permutation = [1, 0]
      return %u : tensor<4x8xf32>
    }
    // becomes
    #map = affine_map<(d0, d1) -> (d0, d1)>
    func.func @main(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %0 = tensor.empty() : tensor<4x8xf32>
      %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel",
          "parallel"]} ins(%arg0 : tensor<4x8xf32>) outs(%0 : tensor<4x8xf32>) {
      ^bb0(%in: f32, %out: f32):
        %2 = arith.negf %in : f32
        linalg.yield %2 : f32
      } -> tensor<4x8xf32>
      return %1 : tensor<4x8xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def PointwiseToMatmul : Pass<"encode-pointwise-to-matmul", "::mlir::ModuleOp"> {
  let summary = "Turns a convolution without window, stride or groups into a matmul of all positions";
  let description = [{
    x[n, s…, c] · w[c, f] → [n, s…, f] is [n·s…, c] · [c, f] between views. Between transposes from and to channels first it
    is [f, c] · [n, c, s…] → [n, f, s…], and they go: for 128 positions or more, so that vectors along them are full.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def PadChannels : Pass<"encode-pad-channels", "::mlir::ModuleOp"> {
  let summary = "Gives convolutions of bytes channels in whole groups of four, where their operand is padded anyway";
  let description = [{
    Dot products take four bytes of the innermost reduction at once; of three channels each row of a window would be
    copied to have a fourth one. The added weights are zeros, so it does not matter what the added channels are.

    ```mlir
    %p = tensor.pad %x low[3, 3, 0] high[3, 3, 0] : tensor<224x224x3xi8> to tensor<230x230x3xi8>   // high[3, 3, 1]
    %y = linalg.generic … ins(%p, %w : tensor<230x230x3xi8>, tensor<7x7x3x64xi8>)                  // 230x230x4, 7x7x4x64
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def ExpandEpilogues : Pass<"encode-expand-epilogues", "::mlir::ModuleOp"> {
  let summary = "Computes the epilogue of a grouped convolution on its groups, so that no view stands between the two";
  let description = [{
    An elementwise op that alone reads a reduction's result through a `collapse_shape` reads it uncollapsed; its other
    operands are expanded, which is a view.

    ```mlir
    %y = tensor.collapse_shape %conv [[0], [1, 2]] : tensor<9x4x28xf32> into tensor<9x112xf32>
    %r = linalg.generic (add) %y, %bias          // becomes: add on tensor<9x4x28xf32>, then the collapse_shape
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def Winograd : Pass<"encode-winograd", "::mlir::ModuleOp"> {
  let summary = "Computes convolutions of 3x3 windows by fewer products where that is faster";
  let description = [{
    Winograd's F(2x2, 3x3) and F(4x4, 3x3): 16 or 36 products of transformed tiles instead of 9 for each of 4 or 16 results. A
    convolution of f32 with constant weights, channels last, stride and dilation 1 and no groups becomes three ops with
    `heddle.winograd` ("input", "product", "output": of F(4x4, 3x3) and the example tensors of 6x6x1x14x14x64, twice, and
    1x56x56x64), and a transform of its weights for constant evaluation. Results at a lower or right edge that is no
    whole tile are not computed; the operand is padded for them. Only where all executable targets have such kernels, and their
    costs say that it pays. Sums are rounded otherwise than in the convolution: off with `--strict-float`.

    ```mlir
    func.func @main(%x: tensor<1x58x58x64xf32>) -> tensor<1x56x56x64xf32> {
      %w = arith.constant dense<5.0e-01> : tensor<3x3x64x64xf32>
      %e = tensor.empty() : tensor<1x56x56x64xf32>
      %c0 = arith.constant 0.0 : f32
      %zero = linalg.fill ins(%c0 : f32) outs(%e : tensor<1x56x56x64xf32>) -> tensor<1x56x56x64xf32>
      %y = linalg.generic {
          indexing_maps = [affine_map<(n, h, w, f, i, j, c) -> (n, h + i, w + j, c)>,
                           affine_map<(n, h, w, f, i, j, c) -> (i, j, c, f)>,
                           affine_map<(n, h, w, f, i, j, c) -> (n, h, w, f)>],
          iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
          ins(%x, %w : tensor<1x58x58x64xf32>, tensor<3x3x64x64xf32>) outs(%zero : tensor<1x56x56x64xf32>) {
      ^bb0(%a: f32, %b: f32, %sum: f32):
        %m = arith.mulf %a, %b : f32
        %s = arith.addf %sum, %m : f32
        linalg.yield %s : f32
      } -> tensor<1x56x56x64xf32>
      return %y : tensor<1x56x56x64xf32>
    }
    ```
  }];
  let options = [Option<"tile", "tile", "std::string", "\"default\"",
                        "default: by cost; 2 or 4: tiles of that size wherever the pass can; off">];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def SetEncodings : Pass<"encode-set-encodings", "::mlir::ModuleOp"> {
  let summary = "Says of each operand and result of contractions and convolutions what it is used for";
  let description = [{
    Operands get an `encoding.set`, results an `encoding.unset`; the op itself, named or generic, works on encoded types. Its
    sums start in a fill of the encoded type. Operands stored with the program are marked `constant`. Left alone are scalars, operands
    whose elements are all alike, and ops with the attribute `heddle.keeps_layout`. What is stored of quantised weights (ops
    with `intent.code`) gets `#encoding.quantized`, all operands of an op or none. After: layouts are the devices' choice.

    ```mlir
    func.func @main(%x: tensor<?x64xf32>, %w: tensor<64x128xf32>, %zero: tensor<?x128xf32>) -> tensor<?x128xf32> {
      %c = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x128xf32>) outs(%zero : tensor<?x128xf32>)
          -> tensor<?x128xf32>
      return %c : tensor<?x128xf32>
    }
    // becomes
    #map = affine_map<(d0, d1, d2) -> (d0, d2)>
    #map1 = affine_map<(d0, d1, d2) -> (d2, d1)>
    #map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
    #lhs = #encoding.contraction<role = lhs, types = [f32, f32, f32], maps = [#map, #map1, #map2], sizes = [?, 128,
        64]>
    #rhs = #encoding.contraction<role = rhs, types = [f32, f32, f32], maps = [#map, #map1, #map2], sizes = [?, 128,
        64]>
    #acc = #encoding.contraction<role = acc, types = [f32, f32, f32], maps = [#map, #map1, #map2], sizes = [?, 128,
        64]>
    func.func @main(%arg0: tensor<?x64xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<?x128xf32>) ->
        tensor<?x128xf32> {
      %0 = encoding.set %arg0 : tensor<?x64xf32> -> tensor<?x64xf32, #lhs>
      %1 = encoding.set %arg1 : tensor<64x128xf32> -> tensor<64x128xf32, #rhs>
      %2 = encoding.set %arg2 : tensor<?x128xf32> -> tensor<?x128xf32, #acc>
      %3 = linalg.matmul ins(%0, %1 : tensor<?x64xf32, #lhs>, tensor<64x128xf32, #rhs>) outs(%2 : tensor<?x128xf32,
          #acc>) -> tensor<?x128xf32, #acc>
      %4 = encoding.unset %3 : tensor<?x128xf32, #acc> -> tensor<?x128xf32>
      return %4 : tensor<?x128xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::heddle::encoding::EncodingDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def PropagateEncodings : Pass<"encode-propagate-encodings", "::mlir::ModuleOp"> {
  let summary = "Brings a set and the unset or constant that its value comes from together";
  let description = [{
    Through elementwise ops, casts and transposes that nothing else reads: they then compute on encoded values, at the place where they were. Never
    through a reduction, a broadcast or a reshape (upstream's reshapes cannot carry an encoding). Where types differ in width, set and
    unset meet at the narrowest value, so least data change their layout. Other operands of the ops between stay as they are. A set
    that would meet nothing stays, and each moves at most once, so the pass ends. A `flow.transfer` moves the encoded value: it is
    unset on the device it goes to.

    ```mlir
    #acc = #encoding.contraction<role = acc, types = [f32, f32, f32],
      maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
          sizes = [?, 8, 4]>
    #lhs = #encoding.contraction<role = lhs, types = [f32, f32, f32],
      maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
          sizes = [?, 2, 8]>
    func.func @crossings(%p: tensor<?x8xf32, #acc>, %m: index) -> tensor<?x8xf32, #lhs> {
      %c = encoding.unset %p : tensor<?x8xf32, #acc> -> tensor<?x8xf32>
      %t = flow.transfer %c{%m} : tensor<?x8xf32> to #device.affinity<@b>
      %u = flow.transfer %t{%m} : tensor<?x8xf32> to #device.affinity<@c>
      %a = encoding.set %u : tensor<?x8xf32> -> tensor<?x8xf32, #lhs>
      return %a : tensor<?x8xf32, #lhs>
    }
    // becomes
    #map = affine_map<(d0, d1, d2) -> (d0, d2)>
    #map1 = affine_map<(d0, d1, d2) -> (d2, d1)>
    #map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
    #acc = #encoding.contraction<role = acc, types = [f32, f32, f32], maps = [#map, #map1, #map2], sizes = [?, 8,
        4]>
    #lhs = #encoding.contraction<role = lhs, types = [f32, f32, f32], maps = [#map, #map1, #map2], sizes = [?, 2,
        8]>
    func.func @crossings(%arg0: tensor<?x8xf32, #acc>, %arg1: index) -> tensor<?x8xf32, #lhs> {
      %0 = flow.transfer %arg0{%arg1} : tensor<?x8xf32, #acc> to #device.affinity<@b>
      %1 = flow.transfer %0{%arg1} : tensor<?x8xf32, #acc> to #device.affinity<@c>
      %2 = encoding.unset %1 : tensor<?x8xf32, #acc> -> tensor<?x8xf32>
      %3 = encoding.set %2 : tensor<?x8xf32> -> tensor<?x8xf32, #lhs>
      return %3 : tensor<?x8xf32, #lhs>
    }
    ```
  }];
  let dependentDialects = ["::mlir::heddle::encoding::EncodingDialect", "::mlir::tensor::TensorDialect"];
}

def CancelEncodings : Pass<"encode-cancel-encodings", "::mlir::ModuleOp"> {
  let summary = "Folds what changes the encoding forth and back";
  let description = [{
    `unset` of `set` is the value. `set` of `unset` is the value where both encodings are equal; else the two stay, next to each other:
    one relayout. Nothing that is left undoes what another did.

    ```mlir
    #a = #encoding.contraction<role = rhs, types = [f32, f32, f32], maps = [affine_map<(m, n, k) -> (m, k)>,
        affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [?, 128, 64]>
    func.func @main(%e: tensor<64x128xf32, #a>) -> tensor<64x128xf32, #a> {
      %x = encoding.unset %e : tensor<64x128xf32, #a> -> tensor<64x128xf32>
      %s = encoding.set %x : tensor<64x128xf32> -> tensor<64x128xf32, #a>
      return %s : tensor<64x128xf32, #a>
    }
    // becomes
    #map = affine_map<(d0, d1, d2) -> (d0, d2)>
    #map1 = affine_map<(d0, d1, d2) -> (d2, d1)>
    #map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
    #rhs = #encoding.contraction<role = rhs, types = [f32, f32, f32], maps = [#map, #map1, #map2], sizes = [?, 128,
        64]>
    func.func @main(%arg0: tensor<64x128xf32, #rhs>) -> tensor<64x128xf32, #rhs> {
      return %arg0 : tensor<64x128xf32, #rhs>
    }
    ```
  }];
  let dependentDialects = ["::mlir::heddle::encoding::EncodingDialect"];
}

def BlockConstants : Pass<"encode-block-constants", "::mlir::ModuleOp"> {
  let summary = "Orders constants of which each rank has one of so many equal parts by these parts";
  let description = [{
    Then a part is one piece of memory, of which a device gets no more, and is laid out as a constant of its size is. Where parts
    have different sizes, the constant is turned so that they are rows, which are one piece of memory, too, and stay in rows. What is
    computed of blocks and constants only is computed of all blocks, which constant evaluation does.

    ```mlir
    device.mesh @m = [x = 4]
    flow.parameter private @w : tensor<64x128xf32> = dense_resource<w>
    func.func @computed() -> tensor<128x16xf32> {
      %c16 = arith.constant 16 : index
      %x = flow.coordinate @m "x"
      %begin = arith.muli %x, %c16 : index
      %w = flow.parameter.load @w : tensor<64x128xf32>
      %own = tensor.extract_slice %w[%begin, 0] [16, 128] [1, 1] : tensor<64x128xf32> to tensor<16x128xf32>
      %e = tensor.empty() : tensor<128x16xf32>
      %turned = linalg.transpose ins(%own : tensor<16x128xf32>) outs(%e : tensor<128x16xf32>) permutation = [1, 0]
      return %turned : tensor<128x16xf32>
    }
    // becomes
    #map = affine_map<(d0, d1, d2) -> (d2, d1, d0)>
    #map1 = affine_map<(d0, d1, d2) -> (d2, d0, d1)>
    device.mesh @m = [x = 4]
    flow.parameter private @w : tensor<64x128xf32> = dense_resource<w>
    func.func @computed() -> tensor<128x16xf32> {
      %c16 = arith.constant 16 : index
      %0 = flow.coordinate @m "x"
      %1 = arith.muli %0, %c16 : index
      %2 = flow.parameter.load @w : tensor<64x128xf32>
      %expanded = tensor.expand_shape %2 [[0, 1], [2]] output_shape [4, 16, 128] : tensor<64x128xf32>
          into tensor<4x16x128xf32>
      %c1 = arith.constant 1 : index
      %3 = flow.block %expanded[%0] : tensor<4x16x128xf32> -> tensor<16x128xf32>
      %4 = tensor.empty() : tensor<128x16xf32>
      %5 = tensor.empty() : tensor<4x128x16xf32>
      %6 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel",
          "parallel"]} ins(%expanded : tensor<4x16x128xf32>) outs(%5 : tensor<4x128x16xf32>) {
      ^bb0(%in: f32, %out: f32):
        linalg.yield %in : f32
      } -> tensor<4x128x16xf32>
      %7 = flow.block %6[%0] : tensor<4x128x16xf32> -> tensor<128x16xf32>
      return %7 : tensor<128x16xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::heddle::flow::FlowDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def SetSliced : Pass<"encode-set-sliced", "::mlir::ModuleOp"> {
  let summary = "Says of constants that loops over parts cut into slices what these are used for";
  let description = [{
    The operand of a product in an `scf.forall`, if it is a slice of what is stored with the program, and whatever the layout
    begins with whole tiles: it is cut along its first dimensions, one element each, or along what is reduced. All of the
    constant gets the encoding of the products of all parts; the loop reads an `unset` of it, whose slices code generation
    finds in the tiles. Behind `encode-cancel-encodings`, which would take the two apart.

    ```mlir
    flow.parameter private @w : tensor<8x64x32xf32> = dense<1.0>
    func.func @main(%x: tensor<4x64xf32>, %zero: tensor<4x32xf32>, %to: tensor<8x4x32xf32>) -> tensor<8x4x32xf32> {
      %w = flow.parameter.load @w : tensor<8x64x32xf32>
      %y = scf.forall (%g) in (8) shared_outs(%out = %to) -> (tensor<8x4x32xf32>) {
        %s = tensor.extract_slice %w[%g, 0, 0] [1, 64, 32] [1, 1, 1] : tensor<8x64x32xf32> to tensor<64x32xf32>
        %p = linalg.matmul ins(%x, %s : tensor<4x64xf32>, tensor<64x32xf32>) outs(%zero : tensor<4x32xf32>)
            -> tensor<4x32xf32>
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %p into %out[%g, 0, 0] [1, 4, 32] [1, 1, 1]
              : tensor<4x32xf32> into tensor<8x4x32xf32>
        }
      }
      return %y : tensor<8x4x32xf32>
    }
    // becomes
    #x = affine_map<(m, n, k, g) -> (m, k)>
    #w = affine_map<(m, n, k, g) -> (g, k, n)>
    #y = affine_map<(m, n, k, g) -> (g, m, n)>
    #all = #encoding.contraction<role = rhs, types = [f32, f32, f32], maps = [#x, #w, #y], sizes = [4, 32, 64, 8], constant>
    flow.parameter private @w : tensor<8x64x32xf32> = dense<1.0>
    func.func @main(%x: tensor<4x64xf32>, %zero: tensor<4x32xf32>, %to: tensor<8x4x32xf32>) -> tensor<8x4x32xf32> {
      %w = flow.parameter.load @w : tensor<8x64x32xf32>
      %set = encoding.set %w : tensor<8x64x32xf32> -> tensor<8x64x32xf32, #all>
      %unset = encoding.unset %set : tensor<8x64x32xf32, #all> -> tensor<8x64x32xf32>
      %y = scf.forall (%g) in (8) shared_outs(%out = %to) -> (tensor<8x4x32xf32>) {
        %s = tensor.extract_slice %unset[%g, 0, 0] [1, 64, 32] [1, 1, 1] : tensor<8x64x32xf32> to tensor<64x32xf32>
        %p = linalg.matmul ins(%x, %s : tensor<4x64xf32>, tensor<64x32xf32>) outs(%zero : tensor<4x32xf32>)
            -> tensor<4x32xf32>
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %p into %out[%g, 0, 0] [1, 4, 32] [1, 1, 1]
              : tensor<4x32xf32> into tensor<8x4x32xf32>
        }
      }
      return %y : tensor<8x4x32xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::heddle::encoding::EncodingDialect"];
}

def HoistEncodings : Pass<"encode-hoist-encodings", "::mlir::ModuleOp"> {
  let summary = "Gives parameters the encodings that their values are set to, so that no call lays them out";
  let description = [{
    A parameter that is loaded to be set becomes one of the encoded type; its value stays plain until `resolve` writes it as
    the device wants it. One parameter for each encoding: weights that several ops use alike are stored once. Constants in the
    graph become parameters.

    ```mlir
    #a = #encoding.contraction<role = rhs, types = [f32, f32, f32], maps = [affine_map<(m, n, k) -> (m, k)>,
        affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [?, 128, 64]>
    flow.parameter private @w : tensor<64x128xf32> = dense<1.0>
    func.func @main() -> tensor<64x128xf32, #a> {
      %w = flow.parameter.load @w : tensor<64x128xf32>
      %b = encoding.set %w : tensor<64x128xf32> -> tensor<64x128xf32, #a>
      return %b : tensor<64x128xf32, #a>
    }
    // becomes
    #map = affine_map<(d0, d1, d2) -> (d0, d2)>
    #map1 = affine_map<(d0, d1, d2) -> (d2, d1)>
    #map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
    #rhs = #encoding.contraction<role = rhs, types = [f32, f32, f32], maps = [#map, #map1, #map2], sizes = [?, 128,
        64]>
    flow.parameter private @w : tensor<64x128xf32, #rhs> = dense<1.000000e+00> : tensor<64x128xf32>
    func.func @main() -> tensor<64x128xf32, #rhs> {
      %0 = flow.parameter.load @w : tensor<64x128xf32, #rhs>
      return %0 : tensor<64x128xf32, #rhs>
    }
    ```
  }];
  let dependentDialects = ["::mlir::heddle::encoding::EncodingDialect", "::mlir::heddle::flow::FlowDialect"];
}

def VerifyEarly : Pass<"encode-verify-early", "::mlir::ModuleOp"> {
  let summary = "Checks that the devices have one executable target, as early data tiling needs it";
  let description = [{
    Before dispatch formation there is one program for all devices: it cannot have the layouts of several targets.
  }];
}

def VerifyEncode : Pass<"encode-verify", "::mlir::ModuleOp"> {
  let summary = "Checks that convolutions have their channels last and that no transpose follows another";
  let description = [{
    Of encodings: public functions are plain, and no change of encoding undoes the one before it.
  }];
  let options = [Option<"layouts", "layouts", "bool", "true",
                        "also look at convolutions and transposes; not once transposes were folded into the maps of contractions">];
}

def NarrowProducts : Pass<"encode-narrow-products", "::mlir::ModuleOp"> {
  let summary = "Rounds the operands of f32 products with weights to a narrower type; sums stay in f32";
  let description = [{
    What `--precision` asks for: matrix products and convolutions of f32, one operand of which is constant, read operands that
    are rounded to bf16 and widen elements in their bodies, so that `codegen` may add up pairs of products by one
    instruction. Constants are rounded at compile time. Other values are rounded behind the op that computes them, before
    views and pads, and once for all products; what else reads them has f32. With f16 only constants are rounded: no
    processor adds products of f16 to f32. With f32 nothing is rounded: only products whose operands are both bf16 that was
    widened read it as it is. Left alone are depthwise convolutions, and windows over an odd number of channels; and, with a
    remark, products whose weights the type cannot hold: one would be infinite, or all of a column have fewer digits.

    ```mlir
    func.func @product(%x: tensor<?x64xf32>, %o: tensor<?x32xf32>) -> tensor<?x32xf32> {
      %w = arith.constant dense<5.0e-01> : tensor<64x32xf32>
      %y = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x32xf32>) outs(%o : tensor<?x32xf32>) -> tensor<?x32xf32>
      return %y : tensor<?x32xf32>
    }
    // becomes
    #map = affine_map<(d0, d1) -> (d0, d1)>
    #map1 = affine_map<(d0, d1, d2) -> (d0, d2)>
    #map2 = affine_map<(d0, d1, d2) -> (d2, d1)>
    #map3 = affine_map<(d0, d1, d2) -> (d0, d1)>
    func.func @product(%arg0: tensor<?x64xf32>, %arg1: tensor<?x32xf32>) -> tensor<?x32xf32> {
      %c0 = arith.constant 0 : index
      %dim = tensor.dim %arg0, %c0 : tensor<?x64xf32>
      %0 = tensor.empty(%dim) : tensor<?x64xbf16>
      %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
          ins(%arg0 : tensor<?x64xf32>) outs(%0 : tensor<?x64xbf16>) {
      ^bb0(%in: f32, %out: bf16):
        %5 = arith.truncf %in : f32 to bf16
        linalg.yield %5 : bf16
      } -> tensor<?x64xbf16>
      %cst = arith.constant dense<5.000000e-01> : tensor<64x32xf32>
      %2 = tensor.empty() : tensor<64x32xbf16>
      %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
          ins(%cst : tensor<64x32xf32>) outs(%2 : tensor<64x32xbf16>) {
      ^bb0(%in: f32, %out: bf16):
        %5 = arith.truncf %in : f32 to bf16
        linalg.yield %5 : bf16
      } -> tensor<64x32xbf16>
      %4 = linalg.generic {indexing_maps = [#map1, #map2, #map3],
          iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%1, %3 : tensor<?x64xbf16>, tensor<64x32xbf16>) outs(%arg1 : tensor<?x32xf32>) {
      ^bb0(%in: bf16, %in_0: bf16, %out: f32):
        %5 = arith.extf %in_0 : bf16 to f32
        %6 = arith.extf %in : bf16 to f32
        %7 = arith.mulf %6, %5 : f32
        %8 = arith.addf %out, %7 : f32
        linalg.yield %8 : f32
      } -> tensor<?x32xf32>
      return %4 : tensor<?x32xf32>
    }
    ```
  }];
  let options = [Option<"precision", "precision", "std::string", "\"bf16\"", "f32, bf16 or f16">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def KeepNarrow : Pass<"encode-keep-narrow", "::mlir::ModuleOp"> {
  let summary = "Keeps constant columns of f16 and bf16 as they are: contractions widen them as they read them";
  let description = [{
    Arithmetic on 16-bit floats is in f32, so weights would be widened at compile time and take twice the memory. Where a
    constant operand of a sum of products is a widened f16 or bf16, and the result's last dimension runs along it alone,
    the op reads the narrow one and widens elements in its body. How that is done is the processor's part, in `codegen`.

    ```mlir
    #id = affine_map<(i, j) -> (i, j)>
    func.func @matmul(%x: tensor<?x8xf32>, %o: tensor<?x32xf32>) -> tensor<?x32xf32> {
      %w = arith.constant dense<5.0e-01> : tensor<32x8xf16>
      %e = tensor.empty() : tensor<32x8xf32>
      %wide = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
          ins(%w : tensor<32x8xf16>) outs(%e : tensor<32x8xf32>) {
      ^bb0(%in: f16, %out: f32):
        %f = arith.extf %in : f16 to f32
        linalg.yield %f : f32 } -> tensor<32x8xf32>
      %te = tensor.empty() : tensor<8x32xf32>
      %t = linalg.transpose ins(%wide : tensor<32x8xf32>) outs(%te : tensor<8x32xf32>) permutation = [1, 0]
      %y = linalg.matmul ins(%x, %t : tensor<?x8xf32>, tensor<8x32xf32>) outs(%o : tensor<?x32xf32>) ->
          tensor<?x32xf32>
      return %y : tensor<?x32xf32>
    }
    // becomes
    #map = affine_map<(d0, d1) -> (d0, d1)>
    #map1 = affine_map<(d0, d1, d2) -> (d0, d2)>
    #map2 = affine_map<(d0, d1, d2) -> (d2, d1)>
    #map3 = affine_map<(d0, d1, d2) -> (d0, d1)>
    func.func @matmul(%arg0: tensor<?x8xf32>, %arg1: tensor<?x32xf32>) -> tensor<?x32xf32> {
      %cst = arith.constant dense<5.000000e-01> : tensor<32x8xf16>
      %0 = tensor.empty() : tensor<32x8xf32>
      %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel",
          "parallel"]} ins(%cst : tensor<32x8xf16>) outs(%0 : tensor<32x8xf32>) {
      ^bb0(%in: f16, %out: f32):
        %5 = arith.extf %in : f16 to f32
        linalg.yield %5 : f32
      } -> tensor<32x8xf32>
      %2 = tensor.empty() : tensor<8x32xf32>
      %transposed = linalg.transpose ins(%1 : tensor<32x8xf32>) outs(%2 : tensor<8x32xf32>) permutation = [1, 0]
      %3 = tensor.empty() : tensor<8x32xf16>
      %transposed_0 = linalg.transpose ins(%cst : tensor<32x8xf16>) outs(%3 : tensor<8x32xf16>) permutation = [1, 0]
      %4 = linalg.generic {indexing_maps = [#map1, #map2, #map3], iterator_types = ["parallel", "parallel",
          "reduction"]} ins(%arg0, %transposed_0 : tensor<?x8xf32>, tensor<8x32xf16>) outs(%arg1 : tensor<?x32xf32>)
          {
      ^bb0(%in: f32, %in_1: f16, %out: f32):
        %5 = arith.extf %in_1 : f16 to f32
        %6 = arith.mulf %in, %5 : f32
        %7 = arith.addf %out, %6 : f32
        linalg.yield %7 : f32
      } -> tensor<?x32xf32>
      return %4 : tensor<?x32xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def ExpandBatches : Pass<"encode-expand-batches", "::mlir::ModuleOp"> {
  let summary = "Computes batched contractions, and rows between them, in the dimensions their operands had before a reshape";
  let description = [{
    A matrix product of heads comes with its batch and heads collapsed to one dimension, its mask and its transposes do not.
    The reshapes between would keep scores, softmax and the product with the values in dispatches of their own.

    ```mlir
    func.func @heads(%a: tensor<2x12x7x8xf32>, %b: tensor<2x12x8x9xf32>) -> tensor<2x12x7x9xf32> {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<24x7x9xf32>
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<24x7x9xf32>) -> tensor<24x7x9xf32>
      %ca = tensor.collapse_shape %a [[0, 1], [2], [3]] : tensor<2x12x7x8xf32> into tensor<24x7x8xf32>
      %cb = tensor.collapse_shape %b [[0, 1], [2], [3]] : tensor<2x12x8x9xf32> into tensor<24x8x9xf32>
      %s = linalg.batch_matmul ins(%ca, %cb : tensor<24x7x8xf32>, tensor<24x8x9xf32>) outs(%f : tensor<24x7x9xf32>)
          -> tensor<24x7x9xf32>
      %r = tensor.expand_shape %s [[0, 1], [2], [3]] output_shape [2, 12, 7, 9] : tensor<24x7x9xf32>
          into tensor<2x12x7x9xf32>
      return %r : tensor<2x12x7x9xf32>
    }
    // becomes
    #map = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>
    #map1 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>
    #map2 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
    func.func @heads(%arg0: tensor<2x12x7x8xf32>, %arg1: tensor<2x12x8x9xf32>) -> tensor<2x12x7x9xf32> {
      %cst = arith.constant 0.000000e+00 : f32
      %0 = tensor.empty() : tensor<2x12x7x9xf32>
      %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<2x12x7x9xf32>) -> tensor<2x12x7x9xf32>
      %2 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel",
          "parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<2x12x7x8xf32>, tensor<2x12x8x9xf32>)
          outs(%1 : tensor<2x12x7x9xf32>) {
      ^bb0(%in: f32, %in_0: f32, %out: f32):
        %3 = arith.mulf %in, %in_0 : f32
        %4 = arith.addf %out, %3 : f32
        linalg.yield %4 : f32
      } -> tensor<2x12x7x9xf32>
      return %2 : tensor<2x12x7x9xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def FoldTransposes : Pass<"encode-fold-transposes", "::mlir::ModuleOp"> {
  let summary = "Contractions read operands where they are, not their transposes, where rows stay rows";
  let description = [{
    A transpose that keeps the last dimension (heads of queries and values) becomes part of the contraction's indexing map
    and needs no dispatch. Others stay, as vectors along the columns want neighbours in memory, but those of a rank's rows of a
    parameter, which no compile time could turn.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def FewRows : Pass<"encode-few-rows", "::mlir::ModuleOp"> {
  let summary = "Products of few rows of what is computed lose loops of one step, and read transposed columns as they lie";
  let description = [{
    One query against a cache of keys, of one head or of one batch: loops of one step go, also those of the rows that are
    computed from the product or make its operands, so that no view stands between them. A transpose of the columns becomes
    part of the product's indexing map where what is summed lies in neighbours before it: a cache is read once, not turned in
    a dispatch of its own. With more than `rows` rows, or as many as only the call knows, transposes stay.

    ```mlir
    func.func @main(%q: tensor<2x4x64xf32>, %keys: tensor<2x32768x64xf32>) -> tensor<2x4x32768xf32> {
      %e = tensor.empty() : tensor<2x64x32768xf32>
      %t = linalg.transpose ins(%keys : tensor<2x32768x64xf32>) outs(%e : tensor<2x64x32768xf32>) permutation = [0, 2, 1]
      %o = tensor.empty() : tensor<2x4x32768xf32>
      %c0 = arith.constant 0.0 : f32
      %zero = linalg.fill ins(%c0 : f32) outs(%o : tensor<2x4x32768xf32>) -> tensor<2x4x32768xf32>
      %s = linalg.batch_matmul ins(%q, %t : tensor<2x4x64xf32>, tensor<2x64x32768xf32>)
          outs(%zero : tensor<2x4x32768xf32>) -> tensor<2x4x32768xf32>
      return %s : tensor<2x4x32768xf32>
    }
    ```
  }];
  let options = [Option<"rows", "rows", "int64_t", "32", "the most rows of a product whose columns are read as they lie">];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

#endif // HEDDLE_ENCODE_PASSES
