// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_RANKS_PASSES
#define HEDDLE_RANKS_PASSES

include "mlir/Pass/PassBase.td"

def ResolveMeshes : Pass<"ranks-resolve-meshes", "::mlir::ModuleOp"> {
  let summary = "Gives meshes their devices and the sizes that a flag says, and collectives the device of their mesh";
  let description = [{
    `sizes` are `AXIS=SIZE`, or `MESH.AXIS=SIZE` where several meshes have an axis of that name. A size that a mesh states
    otherwise, an axis that no mesh has, a device that is not declared, a sharding over no mesh or axis, and a collective that is
    pinned to another device are errors. Known sizes, and coordinates along axes of one rank, become constants.

    ```mlir
    device.global @gpu = #device.ordinal<0>
    device.mesh @m = [x = 2]
    func.func @main(%x: tensor<4xf32>) -> (index, tensor<4xf32>) {
      %n = flow.mesh_size @m "x"
      %r = flow.all_reduce %x sum over @m["x"] : tensor<4xf32>
      return %n, %r : index, tensor<4xf32>
    }
    // becomes
    device.global @gpu = #device.ordinal<0>
    device.mesh @m = [x = 2] of @gpu
    func.func @main(%arg0: tensor<4xf32>) -> (index, tensor<4xf32>) {
      %c2 = arith.constant 2 : index
      %0 = flow.all_reduce %arg0 sum over @m["x"] {heddle.affinity = #device.affinity<@gpu>} : tensor<4xf32>
      return %c2, %0 : index, tensor<4xf32>
    }
    ```
  }];
  let options = [ListOption<"sizes", "sizes", "std::string", "AXIS=SIZE: of a mesh's free axis">,
                 Option<"declare", "declare", "bool", "false",
                        "where the module has no mesh: @ranks, with the axes of `sizes`">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::heddle::device::DeviceDialect"];
}

def Propagate : Pass<"ranks-propagate", "::mlir::ModuleOp"> {
  let summary = "Decides how ranks share the values of whole programs, from the requests of their users";
  let description = [{
    What a request (flow.shard) cuts goes through the loops of ops to all other values, forwards and backwards
    (Propagation/Solver.h); requests themselves stay as they are. Where two meet, the way that moves fewer bytes is taken.
    Decisions stand at the ops: `heddle.shard_loops`, a sharding whose dimensions are the op's factors;
    `heddle.shard_carried` at loops and branches; `heddle.shard_value` at arguments and results. What was decided, and
    why, is `heddle.shardings` of the module. A request that is not applied is a warning.

    ```mlir
    device.mesh @m = [x = ?]
    func.func @heads(%x: tensor<8x576xf32>) -> tensor<8x9x64xf32> {
      %e = tensor.expand_shape %x [[0], [1, 2]] output_shape [8, 9, 64] : tensor<8x576xf32> into tensor<8x9x64xf32>
      %s = flow.shard %e as <@m, [?, ["x"], ?]> : tensor<8x9x64xf32>
      return %s : tensor<8x9x64xf32>
    }
    // becomes
    #sharding = #flow.sharding<@m, [[], ["x"], []]>
    module attributes {heddle.shardings = ["@heads: argument 0 is cut by [], [x by 64]",
        "@heads: result 0 is cut by [], [x], []", "@heads: 0 moves between ranks, 0 B of the busiest one"]} {
      device.mesh @m = [x = ?]
      func.func @heads(%arg0: tensor<8x576xf32> {heddle.shard_value = #flow.sharding<@m, [[], ["x"] by 64]>}) ->
          (tensor<8x9x64xf32> {heddle.shard_value = #sharding}) {
        %expanded = tensor.expand_shape %arg0 [[0], [1, 2]] output_shape [8, 9,
            64] {heddle.shard_loops = #sharding} : tensor<8x576xf32> into tensor<8x9x64xf32>
        %0 = flow.shard %expanded as <@m, [?, ["x"], ?]> {heddle.shard_loops = #sharding} : tensor<8x9x64xf32>
        return %0 : tensor<8x9x64xf32>
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::heddle::flow::FlowDialect"];
}

def ChooseShardings : Pass<"ranks-choose-shardings", "::mlir::ModuleOp"> {
  let summary = "Asks for shardings by a cost model: what `--shard=auto` adds to the requests of the program";
  let description = [{
    Dimensions of arguments and parameters (those of all layers of a model together) are asked to be cut by the mesh's
    axes; what makes the estimate of a call shorter stays. The search begins with nothing, with the best single requests and
    with pairs of them, and tries each group otherwise and without until nothing gets better. The estimate is that of the whole program as
    ranks-propagate would decide it: work of the rank's part by the device's rates, moves by bytes and latency. Where nothing is
    gained nothing is asked.

    ```mlir
    %w = flow.parameter.load @layer.0.weight : tensor<4096x4096xf32>
    // becomes
    %0 = flow.parameter.load @layer.0.weight : tensor<4096x4096xf32>
    %w = flow.shard %0 as <@ranks, [?, ["x"]]> : tensor<4096x4096xf32>
    ```
  }];
  let dependentDialects = ["::mlir::heddle::flow::FlowDialect"];
}

def Partition : Pass<"ranks-partition", "::mlir::ModuleOp"> {
  let summary = "Makes of a program about whole values the program of one rank";
  let description = [{
    Functions with flow.shard, flow.part or flow.whole only. An op computes on the rank's parts of the loops that
    `heddle.shard_loops` cuts, what it reads is resharded where its producer gave it otherwise, and arguments, results and states
    are parts where a sharding is asked for. All arguments and results have `heddle.sharding` afterwards.

    ```mlir
    device.mesh @m = [x = 2]
    func.func @main(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
      %e = tensor.empty() : tensor<4x16xf32>
      %y = linalg.exp {heddle.shard_loops = #flow.sharding<@m, [["x"], []]>} ins(%x : tensor<4x16xf32>)
          outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
      %r = flow.shard %y as <@m, [["x"], []]> : tensor<4x16xf32>
      return %r : tensor<4x16xf32>
    }
    // becomes
    device.mesh @m = [x = 2]
    func.func @main(%arg0: tensor<4x16xf32> {heddle.sharding = #flow.sharding<@m, [[], []]>}) -> (tensor<2x16xf32>
        {heddle.sharding = #flow.sharding<@m, [["x"], []]>}) {
      %0 = tensor.empty() : tensor<4x16xf32>
      %1 = flow.coordinate @m "x"
      %c2 = arith.constant 2 : index
      %2 = arith.muli %1, %c2 : index
      %3 = flow.coordinate @m "x"
      %c2_0 = arith.constant 2 : index
      %4 = arith.muli %3, %c2_0 : index
      %extracted_slice = tensor.extract_slice %arg0[%4, 0] [2, 16] [1, 1] : tensor<4x16xf32> to tensor<2x16xf32>
      %5 = flow.coordinate @m "x"
      %c2_1 = arith.constant 2 : index
      %6 = arith.muli %5, %c2_1 : index
      %7 = tensor.empty() : tensor<2x16xf32>
      %8 = linalg.exp ins(%extracted_slice : tensor<2x16xf32>) outs(%7 : tensor<2x16xf32>) -> tensor<2x16xf32>
      return %8 : tensor<2x16xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def DecideRandomly : Pass<"ranks-decide-randomly", "::mlir::ModuleOp"> {
  let summary = "Gives the ops of whole programs random decisions (heddle.shard_loops, heddle.shard_carried): for tests";
  let description = [{
    Instead of ranks-propagate: whatever is decided, the program of one rank computes the same whole values. The same seed gives the
    same decisions.
  }];
  let options = [Option<"seed", "seed", "uint64_t", "1", "what is drawn depends on it">];
  let dependentDialects = ["::mlir::heddle::flow::FlowDialect"];
}

def VerifyUniform : Pass<"ranks-verify-uniform", "::mlir::ModuleOp"> {
  let summary = "Proves that the members of a group meet each collective together, with equal sizes";
  let description = [{
    Conditions and trip counts around a collective, and the sizes of its operand, must not differ along the axes that its
    groups join (Uniformity.h). The error names the condition and what makes it differ.

    ```mlir
    %i = flow.coordinate @m "x"
    %first = arith.cmpi eq, %i, %c0 : index
    %r = scf.if %first -> tensor<4xf32> {
      %s = flow.all_reduce %x sum over @m["x"] : tensor<4xf32>   // error: only rank 0 would be there
      …
    ```
  }];
}

def Overlap : Pass<"ranks-overlap", "::mlir::ModuleOp"> {
  let summary = "Cuts collectives and the products beside them into pieces, of which one is moved while another is computed";
  let description = [{
    A product that reads what `all_gather` gives, with what follows element by element; or what makes the operand of
    `all_reduce` or `reduce_scatter`. `pieces` is how many; 0: as many as take the least time by the model of the device and
    its link (contract/OverlapTime.h), which may be one. -2: several ways stand in branches, of which the load chooses by
    flow.pieces. Design: docs/design/overlap.md.

    ```mlir
    %p = linalg.matmul ins(%x, %w : tensor<64x32xf32>, tensor<32x8xf32>) …
    %y = flow.all_reduce %p sum over @m["x"] : tensor<64x8xf32>
    // becomes, in two pieces
    %x0 = tensor.extract_slice %x[0, 0] [32, 32] [1, 1] : …
    %p0 = linalg.matmul ins(%x0, %w : tensor<32x32xf32>, tensor<32x8xf32>) …
    %y0 = flow.all_reduce %p0 sum over @m["x"] : tensor<32x8xf32>
    …
    %y = tensor.concat dim(0) %y0, %y1 : …
    ```
  }];
  let options = [Option<"pieces", "pieces", "int64_t", "0", "how many; 0: as the account says, 1: none are cut, -1: from each rank as it is, -2: as the load decides">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def LowerCollectives : Pass<"ranks-lower-collectives", "::mlir::ModuleOp"> {
  let summary = "Brings collectives into leading form: they gather, scatter, split and concatenate dimension 0 only";
  let description = [{
    So the parts of the members lie behind one another in memory. Reshapes and transposes around do the rest, and fuse as any
    others. That parts whose sizes are not known make the whole is checked by flow.check.

    ```mlir
    device.mesh @m = [x = 2]
    func.func @main(%x: tensor<4x8xf32>) -> tensor<4x16xf32> {
      %r = flow.all_gather %x dim 1 over @m["x"] : tensor<4x8xf32> -> tensor<4x16xf32>
      return %r : tensor<4x16xf32>
    }
    // becomes
    device.mesh @m = [x = 2]
    func.func @main(%arg0: tensor<4x8xf32>) -> tensor<4x16xf32> {
      %0 = flow.all_gather %arg0 dim 0 over @m["x"] : tensor<4x8xf32> -> tensor<8x8xf32>
      %expanded = tensor.expand_shape %0 [[0, 1], [2]] output_shape [2, 4, 8] : tensor<8x8xf32>
          into tensor<2x4x8xf32>
      %1 = tensor.empty() : tensor<4x2x8xf32>
      %transposed = linalg.transpose ins(%expanded : tensor<2x4x8xf32>) outs(%1 : tensor<4x2x8xf32>)
          permutation = [1, 0, 2]
      %collapsed = tensor.collapse_shape %transposed [[0], [1, 2]] : tensor<4x2x8xf32> into tensor<4x16xf32>
      return %collapsed : tensor<4x16xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def SkipOthers : Pass<"ranks-skip-others", "::mlir::ModuleOp"> {
  let summary = "Work that only the ranks of one mesh need is skipped by the others";
  let description = [{
    Of programs with several meshes (pipelines). Who needs a value is followed back from collectives and branches under
    flow.member (results are needed by all); ops that the ranks of one mesh need alone go under flow.member together. The others have zeros. Tensors of
    known sizes, in the function's own block.

    ```mlir
    %y = linalg.matmul ins(%x, %w : …) …                          // only a permute from ranks of @front reads it
    // becomes
    %b = flow.member @front
    %y = scf.if %b -> (tensor<8x8xf32>) { %0 = linalg.matmul … scf.yield %0 : … } else { zeros }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def KeepShapes : Pass<"ranks-keep-shapes", "::mlir::ModuleOp"> {
  let summary = "Marks loops with collectives whose carried tensors provably keep their sizes (heddle.keeps_shapes)";
  let description = [{
    Each carried tensor is one memory of all iterations then. Sizes are followed through structured ops, named dimensions, branches
    and other loops; carried tensors of one size may change places.

    ```mlir
    device.mesh @m = [x = 2]
    func.func @main(%x: tensor<?x4xf32> {heddle.dims = ["d", ""]}, %n: index) -> tensor<?x4xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %d = tensor.dim %x, %c0 : tensor<?x4xf32>
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> tensor<?x4xf32> {
        %0 = flow.all_reduce %acc sum over @m["x"] : tensor<?x4xf32>{%d}
        scf.yield %0 : tensor<?x4xf32>
      }
      return %r : tensor<?x4xf32>
    }
    // becomes
    device.mesh @m = [x = 2]
    func.func @main(%arg0: tensor<?x4xf32> {heddle.dims = ["d", ""]}, %arg1: index) -> tensor<?x4xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %dim = tensor.dim %arg0, %c0 : tensor<?x4xf32>
      %0 = scf.for %arg2 = %c0 to %arg1 step %c1 iter_args(%arg3 = %arg0) -> (tensor<?x4xf32>) {
        %1 = flow.all_reduce %arg3 sum over @m["x"] : tensor<?x4xf32>{%dim}
        scf.yield %1 : tensor<?x4xf32>
      } {heddle.keeps_shapes}
      return %0 : tensor<?x4xf32>
    }
    ```
  }];
}

def VerifyRanks : Pass<"ranks-verify", "::mlir::ModuleOp"> {
  let summary = "Checks that collectives are in leading form and name a device, and that nothing of whole programs is left";
}

#endif // HEDDLE_RANKS_PASSES
