// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_RESOLVE_PASSES
#define HEDDLE_RESOLVE_PASSES

include "mlir/Pass/PassBase.td"

def ResolveEncodings : Pass<"resolve-encodings", "::mlir::ModuleOp"> {
  let summary = "Replaces abstract encodings by the layouts their devices choose";
  let description = [{
    Everywhere: functions, executables, dispatches, control flow. Where the device's resolver says identity the encoding is gone. An
    executable has the layouts of all devices that run it, by executable target where these differ; one whose dispatches need two
    tuples of layouts on the same target is copied. A `flow.encode` between equal types is its operand, any other becomes a
    dispatch of its own. A `flow.transfer` moves the producer's bytes, which are laid out anew on the device they go to, or rows
    where these are fewer. A parameter is there once for each layout that devices load it in. What is resolved already stays.

    ```mlir
    #e = #encoding.contraction<role = acc, types = [f32, f32, f32], maps = [affine_map<(m, n, k) -> (m, k)>,
        affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [4, 4, 4]>
    device.global @one = #device.target<"local", {ordinal = 0}, [#device.executable<"elf-x86_64",
        {cpu = "x86-64-v4", features = ""}>]>
    device.global @two = #device.target<"local", {ordinal = 1}, [#device.executable<"elf-x86_64",
        {cpu = "x86-64-v3", features = ""}>]>
    flow.executable private @make {
      func.func @make(%x: tensor<4x4xf32>) -> tensor<4x4xf32, #e> {
        %r = encoding.set %x : tensor<4x4xf32> -> tensor<4x4xf32, #e>
        return %r : tensor<4x4xf32, #e>
      }
    }
    func.func @plain(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
      %a = flow.dispatch @make(%x) {heddle.affinity = #device.affinity<@one>} : (tensor<4x4xf32>) ->
          (tensor<4x4xf32, #e>)
      %t = flow.transfer %a : tensor<4x4xf32, #e> to #device.affinity<@two>
      %r = flow.encode %t : tensor<4x4xf32, #e> -> tensor<4x4xf32>
      return %r : tensor<4x4xf32>
    }
    // becomes
    device.global @one = #device.target<"local", {ordinal = 0 : i64}, [<"elf-x86_64", {cpu = "x86-64-v4",
        features = ""}>]>
    device.global @two = #device.target<"local", {ordinal = 1 : i64}, [<"elf-x86_64", {cpu = "x86-64-v3",
        features = ""}>]>
    flow.executable private @make {
      func.func @make(%arg0: tensor<4x4xf32>) -> tensor<4x4xf32> {
        return %arg0 : tensor<4x4xf32>
      }
    }
    func.func @plain(%arg0: tensor<4x4xf32>) -> tensor<4x4xf32> {
      %0 = flow.dispatch @make(%arg0) {heddle.affinity = #device.affinity<@one>} : (tensor<4x4xf32>) ->
          (tensor<4x4xf32>)
      %1 = flow.transfer %0 : tensor<4x4xf32> to #device.affinity<@two>
      return %1 : tensor<4x4xf32>
    }
    ```
  }];
  let options = [Option<"resolver", "resolver", "std::string", "\"\"",
                        "In place of the targets' own resolvers, for tests: identity, unsupported, blocked, blocked:RxC; or "
                        "KEY=NAME,… where KEY is a device or an executable target such as x86-64-v3">];
  let dependentDialects = ["::mlir::heddle::encoding::EncodingDialect", "::mlir::func::FuncDialect"];
}

def SplitAlternatives : Pass<"resolve-split-alternatives", "::mlir::ModuleOp"> {
  let summary = "Makes one alternative of a device for each executable target where these want different layouts";
  let description = [{
    All kernels of a device speak one layout: with several processors in one alternative it would be rows wherever they disagree.
    As alternatives of their own, that with most features first, each has its own and the loader takes the first that fits.

    ```mlir
    device.global @d = #device.target<"local", [#v2, #v3]>
    device.global @d = #device.select<[#device.target<"local", [#v3]>, #device.target<"local", [#v2]>]>
    ```
  }];
  let options = [Option<"resolver", "resolver", "std::string", "\"\"", "As for resolve-encodings">];
  let dependentDialects = ["::mlir::heddle::device::DeviceDialect"];
}

def AssignExecutableTargets : Pass<"resolve-assign-executable-targets", "::mlir::ModuleOp"> {
  let summary = "Says of each executable which executable targets the devices have that run it";
  let description = [{
    `codegen` compiles it for these alone. Nothing is said where it is all of the module's, so a module with one device stays as it
    is. Devices that run the same targets are one class: the cost does not grow with their number.

    ```mlir
    flow.executable private @f attributes {targets = [#device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}>]} { … }
    ```
  }];
  let dependentDialects = ["::mlir::heddle::device::DeviceDialect"];
}

def PackParameters : Pass<"resolve-pack-parameters", "::mlir::ModuleOp"> {
  let summary = "Writes the values of parameters with a layout in that layout";
  let description = [{
    All at the same time, by `packBytes` of the contract. The plain values are freed where nothing else needs them. Parameters of equal
    value and layout become one; private parameters that nobody loads go.

    ```mlir
    #panels = #encoding.layout<perm = [1, 0], inner_dims = [1], inner_tiles = [2], swizzle = []>
    flow.parameter private @w : tensor<2x3xi8, #panels> = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8>
    func.func @main() -> tensor<2x3xi8, #panels> {
      %0 = flow.parameter.load @w : tensor<2x3xi8, #panels>
      return %0 : tensor<2x3xi8, #panels>
    }
    // becomes
    #layout = #encoding.layout<perm = [1, 0], inner_dims = [1], inner_tiles = [2], swizzle = []>
    module {
      flow.parameter private @w : tensor<2x3xi8, #layout> = dense_resource<w.packed> : tensor<2x2x2xi8>
      func.func @main() -> tensor<2x3xi8, #layout> {
        %0 = flow.parameter.load @w : tensor<2x3xi8, #layout>
        return %0 : tensor<2x3xi8, #layout>
      }
    }

    {-#
      dialect_resources: {
        builtin: {
          w.packed: "0x400000000102040503000600"
        }
      }
    #-}
    ```
  }];
  let options = [
    Option<"sizesOnly", "sizes-only", "bool", "false", "zeros in place of packed values, and the plain ones are kept: for a trial">
  ];
  let dependentDialects = ["::mlir::heddle::encoding::EncodingDialect"];
}

def MaterializeFunctions : Pass<"resolve-materialize-functions", "::mlir::ModuleOp"> {
  let summary = "Makes everything with a layout a plain tensor in the order of memory, before dispatch formation";
  let description = [{
    For early data tiling and for the reference: parameters become plain tensors of their physical shape, which linalg ops read with floordiv
    and mod in their maps. Inside a function values are in rows.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def VerifyResolve : Pass<"resolve-verify", "::mlir::ModuleOp"> {
  let summary = "Checks that no abstract encoding is left and every parameter's value is in its layout";
}

#endif // HEDDLE_RESOLVE_PASSES
