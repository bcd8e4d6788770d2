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
    %y = linalg.generic … ins(%x, %w : tensor<?x2x9xf32>, tensor<5x2x3xf32>)             // x[n, c, s], w[f, c, k]
    // becomes
    %a = linalg.transpose ins(%x) permutation = [0, 2, 1]
    %b = linalg.transpose ins(%w) permutation = [2, 1, 0]
    %c = linalg.generic … ins(%a, %b : tensor<?x9x2xf32>, tensor<3x2x5xf32>)             // x[n, s, c], w[k, c, f]
    %y = linalg.transpose ins(%c) permutation = [0, 2, 1]
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
    %t = linalg.transpose ins(%conv) permutation = [0, 2, 1]
    %r = linalg.generic (relu) %t
    %u = linalg.transpose ins(%r) permutation = [0, 2, 1]     // becomes: %u = linalg.generic (relu) %conv
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

def SetEncodings : Pass<"encode-set-encodings", "::mlir::ModuleOp"> {
  let summary = "Says of each operand and result of contractions and convolutions what it is used for";
  let description = [{
    Operands get an `encoding.set`, results an `encoding.unset`; the op itself, named or generic, works on encoded types. Its
    sums start in a fill of the encoded type. Operands stored with the program are marked `constant`. Left alone are scalars, operands
    whose elements are all alike, and ops with the attribute `heddle.keeps_layout`. What is stored of quantised weights (ops
    with `intent.code`) gets `#encoding.quantized`, all operands of an op or none. After: layouts are the devices' choice.

    ```mlir
    %c = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x128xf32>) outs(%zero : tensor<?x128xf32>) -> tensor<?x128xf32>
    // becomes
    %a = encoding.set %x : tensor<?x64xf32> -> tensor<?x64xf32, #lhs>
    %b = encoding.set %w : tensor<64x128xf32> -> tensor<64x128xf32, #rhs>
    %p = linalg.matmul ins(%a, %b : …) outs(%zero_encoded : tensor<?x128xf32, #acc>) -> tensor<?x128xf32, #acc>
    %c = encoding.unset %p : tensor<?x128xf32, #acc> -> tensor<?x128xf32>
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
    %c = encoding.unset %p : tensor<?x128xf32, #acc> -> tensor<?x128xf32>
    %r = linalg.generic (relu) ins(%c : tensor<?x128xf32>) …
    %a = encoding.set %r : tensor<?x128xf32> -> tensor<?x128xf32, #lhs>
    // becomes
    %c = encoding.unset %p : tensor<?x128xf32, #acc> -> tensor<?x128xf32>
    %s = encoding.set %c : tensor<?x128xf32> -> tensor<?x128xf32, #lhs>
    %a = linalg.generic (relu) ins(%s : tensor<?x128xf32, #lhs>) … -> tensor<?x128xf32, #lhs>
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
    %x = encoding.unset %e : tensor<4x4xf32, #a> -> tensor<4x4xf32>
    %s = encoding.set %x : tensor<4x4xf32> -> tensor<4x4xf32, #a>     // is %e
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
    %begin = arith.muli %coordinate, %c64 : index
    %own = tensor.extract_slice %w[0, %begin] [64, 64] [1, 1] : tensor<64x256xf32> to tensor<64x64xf32>
    // becomes, with the first two evaluated next
    %split = tensor.expand_shape %w [[0], [1, 2]] output_shape [64, 4, 64] : tensor<64x256xf32> into tensor<64x4x64xf32>
    %blocks = linalg.transpose ins(%split) … permutation = [1, 0, 2]
    %own = flow.block %blocks[%coordinate] : tensor<4x64x64xf32> -> tensor<64x64xf32>
    ```
  }];
  let dependentDialects = ["::mlir::heddle::flow::FlowDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def HoistEncodings : Pass<"encode-hoist-encodings", "::mlir::ModuleOp"> {
  let summary = "Gives parameters the encodings that their values are set to, so that no call lays them out";
  let description = [{
    A parameter that is loaded to be set becomes one of the encoded type; its value stays plain until `resolve` writes it as
    the device wants it. One parameter for each encoding: weights that several ops use alike are stored once. Constants in the
    graph become parameters.

    ```mlir
    flow.parameter private @w : tensor<64x128xf32> = dense_resource<w>
    %w = flow.parameter.load @w : tensor<64x128xf32>
    %b = encoding.set %w : tensor<64x128xf32> -> tensor<64x128xf32, #rhs>
    // becomes
    flow.parameter private @w : tensor<64x128xf32, #rhs> = dense_resource<w> : tensor<64x128xf32>
    %b = flow.parameter.load @w : tensor<64x128xf32, #rhs>
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
    widened read it as it is. Left alone are depthwise convolutions, and windows over an odd number of channels.

    ```mlir
    %y = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x32xf32>)
    // becomes
    %a = linalg.generic (truncf) %x : tensor<?x64xf32> to tensor<?x64xbf16>
    %b = linalg.generic (truncf) %w : tensor<64x32xf32> to tensor<64x32xbf16>
    %y = linalg.generic (o + extf(a) * extf(b)) ins(%a, %b : tensor<?x64xbf16>, tensor<64x32xbf16>)
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
    %w = linalg.generic (extf) %narrow : tensor<64x32xf16> to tensor<64x32xf32>
    %y = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x32xf32>)
    // becomes
    %y = linalg.generic (o + x * extf(w)) ins(%x, %narrow : tensor<?x64xf32>, tensor<64x32xf16>)
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
    %c = tensor.collapse_shape %q [[0, 1], [2], [3]]    // b x 12 x s x 32 to (b * 12) x s x 32
    %s = linalg.batch_matmul ins(%c, %k) …              // becomes a generic on b x 12 x s x 32
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

#endif // HEDDLE_ENCODE_PASSES
