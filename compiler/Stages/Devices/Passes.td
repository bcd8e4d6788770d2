// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_DEVICES_PASSES
#define HEDDLE_DEVICES_PASSES

include "mlir/Pass/PassBase.td"

def ApplyFlags : Pass<"devices-apply-flags", "::mlir::ModuleOp"> {
  let summary = "Turns the device flags into the module's attribute device.targets";
  let description = [{
    `--target-device=gpu=vulkan,local` becomes

    ```mlir
    module attributes {device.targets = [#device.named<"gpu", #device.select<[#device.alias<"vulkan">, #device.alias<"local">]>>]}
    ```

    and `--default-device=` becomes `device.default`. Without flags, a module that says nothing gets the host CPU. A module
    that carries `device.targets` or `device.global`s is taken as it is; flags beside that are an error.
  }];
  let options = [
    ListOption<"targets", "targets", "std::string", "device flags in order, as in docs/cli.md; on a command line one with "
                                                    "commas stands in braces: targets={{vulkan,local}}">,
    ListOption<"cpus", "cpu", "std::string", "processors of the one device, each [ARCHITECTURE:]CPU[+FEATURE]…; code is "
                                             "made for each. Without any: host">,
    Option<"defaultDevice", "default", "std::string", "\"\"", "name or position of the default device">];
  let dependentDialects = ["::mlir::heddle::device::DeviceDialect"];
}

def DeclareGlobals : Pass<"devices-declare-globals", "::mlir::ModuleOp"> {
  let summary = "Makes a device.global of each entry of device.targets, and the module's default affinity";
  let description = [{
    Unnamed devices are `@device_0`, `@device_1`, …. The default is `device.default`, a name or a position, else the first
    given; a dictionary has no order, so it needs an explicit default.

    ```mlir
    module attributes {device.default = #device.affinity<@gpu>} { device.global @gpu = #device.alias<"vulkan"> }
    ```
  }];
  let options = [Option<"isFlag", "default-is-flag", "bool", "false", "errors of the default are those of --default-device">];
  let dependentDialects = ["::mlir::heddle::device::DeviceDialect"];
}

def ResolvePromises : Pass<"devices-resolve-promises", "::mlir::ModuleOp"> {
  let summary = "Replaces each #device.promise by the affinity to the declared device";
  let description = [{
    Wherever it stands: on the module, functions, arguments, results and ops, also inside arrays and other attributes.
  }];
}

def PlaceGlobals : Pass<"devices-place-globals", "::mlir::ModuleOp"> {
  let summary = "Gives the state of entry points the affinity of its flow.global";
  let description = [{
    A global lies on one device for all entry points: where its `heddle.affinity` says, the default device if there are
    several and it says nothing.

    ```mlir
    device.global @a = #device.alias<"local">
    device.global @b = #device.alias<"local">
    flow.global private @n : tensor<4xf32> {heddle.affinity = #device.affinity<@b>}
    flow.global private @m : tensor<4xf32>
    func.func @main(%x: tensor<4xf32>, %n: tensor<4xf32> {heddle.state = @n}, %m: tensor<4xf32> {heddle.state = @m})
        -> (tensor<4xf32> {heddle.state = @n}) {
      return %n : tensor<4xf32>
    }
    // becomes
    device.global @a = #device.alias<"local">
    device.global @b = #device.alias<"local">
    flow.global private @n : tensor<4xf32> {heddle.affinity = #device.affinity<@b>}
    flow.global private @m : tensor<4xf32>
    func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32> {heddle.affinity = #device.affinity<@b>,
        heddle.state = @n}, %arg2: tensor<4xf32> {heddle.affinity = #device.affinity<@a>, heddle.state = @m}) ->
        (tensor<4xf32> {heddle.affinity = #device.affinity<@b>, heddle.state = @n}) {
      return %arg1 : tensor<4xf32>
    }
    ```
  }];
}

def LowerBoundary : Pass<"devices-lower-boundary", "::mlir::ModuleOp"> {
  let summary = "Turns flow.import, flow.export and flow.alias into attributes of arguments and results";
  let description = [{
    An import stands on an argument of an entry point, an export on what one returns, each on one device. An alias donates an argument to a result.

    ```mlir
    func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32> {heddle.affinity = #device.affinity<@b>}) {
      %0 = flow.import %x : tensor<4xf32> to #device.affinity<@a>
      %1 = arith.addf %0, %0 : tensor<4xf32>
      %2 = flow.export %1 : tensor<4xf32> to #device.affinity<@b>
      return %2, %2 : tensor<4xf32>, tensor<4xf32>
    }
    // becomes
    func.func @main(%arg0: tensor<4xf32> {heddle.affinity = #device.affinity<@a>}) -> (tensor<4xf32>
        {heddle.affinity = #device.affinity<@b>}, tensor<4xf32> {heddle.affinity = #device.affinity<@b>}) {
      %0 = arith.addf %arg0, %arg0 : tensor<4xf32>
      return %0, %0 : tensor<4xf32>, tensor<4xf32>
    }
    ```
  }];
}

def ExpandOrdinals : Pass<"devices-expand-ordinals", "::mlir::ModuleOp"> {
  let summary = "Says what the N-th device given at run time may be: any target that the module names";
  let description = [{
    `#device.ordinal<1>` becomes one alternative for each driver that a #device.target of the module names, with all
    executable targets the module has for it: `#device.target<"local", {given = 1}, […]>`. A module that names no target
    gets that of the alias "local". Rates and memory of the targets are not taken over: the device may be another one.
    Runs after the aliases are expanded.
  }];
  let dependentDialects = ["::mlir::heddle::device::DeviceDialect"];
}

def ExpandAliases : Pass<"devices-expand-aliases", "::mlir::ModuleOp"> {
  let summary = "Expands device aliases by the registered targets; flattens select and fallback into alternatives";
  let description = [{
    After it a `device.global` is a #device.target, #device.ordinal, #device.fallback, or a #device.select of those in the
    order of preference, each once. Selections of other kinds (DeviceInitAttr) are asked for their alternatives after the
    aliases in them were expanded.

    Options of an alias are the target's own, and for any device `memory` (bytes, or as 512MiB, 2GiB), what of its memory a
    program may use, the rates `gflops`, `memory_gbps`, `launch_us`, `from_host_gbps`, `from_host_us`, `to_host_gbps`,
    `to_host_us` for placement by cost, and how many `queues` work side by side or `units` share the work.
  }];
  let dependentDialects = ["::mlir::heddle::device::DeviceDialect"];
}

def VerifyDevices : Pass<"devices-verify", "::mlir::ModuleOp"> {
  let summary = "Checks that every device has its alternatives, with known drivers and executable formats, and that every "
                "device named is declared";
}

def PinOps : Pass<"devices-pin-ops", "::mlir::ModuleOp"> {
  let summary = "Turns what is pinned to a device into transfers of its computed operands";
  let description = [{
    Rewrites lose attributes of ops, transfers they keep. An op without a pin follows its operands, so a pin holds until the
    next transfer. Pins are `heddle.affinity` on ops that compute tensors, of the model or of the placement file, which is
    stronger; of a #device.optimal the affinity analysis picks one, and says so. Constants lose theirs: they are put where they are read. Kept as they are: branches and loops (what is in them
    follows them), and whole functions, arguments and results.

    ```mlir
    device.global @a = #device.ordinal<0>
    device.global @b = #device.ordinal<1>
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = arith.addf %x, %x {heddle.affinity = #device.affinity<@b>} : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    // becomes
    device.global @a = #device.ordinal<0>
    device.global @b = #device.ordinal<1>
    func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
      %0 = flow.transfer %arg0 : tensor<4xf32> to #device.affinity<@b>
          {heddle.placed_by = "pinned by heddle.affinity"}
      %1 = arith.addf %0, %0 : tensor<4xf32>
      return %1 : tensor<4xf32>
    }
    ```
  }];
  let options = [Option<"placeFile", "place-file", "std::string", "\"\"",
                        "lines `pattern = device` or `pattern = stream(AXIS, STREAMS)`; the first of a kind whose pattern fits the "
                        "node's name (* any characters, ? one) decides where the node runs, and over which streams">];
  let dependentDialects = ["::mlir::heddle::flow::FlowDialect", "::mlir::tensor::TensorDialect"];
}

#endif // HEDDLE_DEVICES_PASSES
