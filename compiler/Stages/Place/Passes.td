// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_PLACE_PASSES
#define HEDDLE_PLACE_PASSES

include "mlir/Pass/PassBase.td"

def AssignAffinities : Pass<"place-assign-affinities", "::mlir::ModuleOp"> {
  let summary = "Gives every dispatch the device it runs on and makes every crossing a transfer";
  let description = [{
    The rules are those of affinity analysis (`compiler/Dialect/Flow/Analysis/Affinities.h`): an affinity of its own, that of
    what the op reads, that of what reads it, the module's default device. Then a value crosses to each device at most
    once, right after it was made; parameters, literals and fills are copied instead; transfers over a unified link go, and
    those over a transparent one whose value is only read. Each op keeps by which rule it was placed (`heddle.placed_by`).

    What competition decided is a remark, a loop that moves a value back and forth a warning. With one device there is
    nothing to decide: dispatches get it, the rest stays.

    ```mlir
    device.global @a = #device.ordinal<0>
    func.func @one(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = flow.dispatch @e(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
      return %0 : tensor<4xf32>
    }
    flow.executable private @e {
      func.func @e(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
    }
    // becomes
    device.global @a = #device.ordinal<0>
    func.func @one(%arg0: tensor<4xf32>) -> tensor<4xf32> {
      %0 = flow.dispatch @e(%arg0) {heddle.affinity = #device.affinity<@a>} : (tensor<4xf32>) -> (tensor<4xf32>)
      return %0 : tensor<4xf32>
    }
    flow.executable private @e {
      func.func @e(%arg0: tensor<4xf32>) -> tensor<4xf32> {
        return %arg0 : tensor<4xf32>
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::heddle::flow::FlowDialect", "::mlir::tensor::TensorDialect"];
}

def AssignQueues : Pass<"place-assign-queues", "::mlir::ModuleOp"> {
  let summary = "Chooses one queue for each op whose affinity, or whose operands', names some";
  let description = [{
    Of the queues that an op may be issued on (`compiler/Dialect/Flow/Analysis/QueueSets.h`) the one where most of what it
    reads is made, then the one that least was issued on, then the lowest. With one device, transfers go: they were pins.
    Without effect where no affinity names queues.

    ```mlir
    device.global @a = #device.ordinal<0>
    device.global @b = #device.ordinal<1>
    flow.executable private @e {
      func.func @e(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
    }
    func.func @cross(%x: tensor<4xf32> {heddle.affinity = #device.affinity<@a, [3]>}) -> tensor<4xf32> {
      %t = flow.transfer %x : tensor<4xf32> to #device.affinity<@b, [1, 2]>
      %0 = flow.dispatch @e(%t) : (tensor<4xf32>) -> (tensor<4xf32>)
      return %0 : tensor<4xf32>
    }
    // becomes
    device.global @a = #device.ordinal<0>
    device.global @b = #device.ordinal<1>
    flow.executable private @e {
      func.func @e(%arg0: tensor<4xf32>) -> tensor<4xf32> {
        return %arg0 : tensor<4xf32>
      }
    }
    func.func @cross(%arg0: tensor<4xf32> {heddle.affinity = #device.affinity<@a, [3]>}) -> tensor<4xf32> {
      %0 = flow.transfer %arg0 : tensor<4xf32> to #device.affinity<@b, [1]>
      %1 = flow.dispatch @e(%0) {heddle.affinity = #device.affinity<@b, [1]>} : (tensor<4xf32>) -> (tensor<4xf32>)
      return %1 : tensor<4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::heddle::flow::FlowDialect"];
}

def OverlapBranches : Pass<"place-overlap-branches", "::mlir::ModuleOp"> {
  let summary = "Puts branches that do not depend on one another on several queues of their device, where that gains";
  let description = [{
    Between two dispatches that all others come before or after, what does not depend on one another may run side by
    side: the towers of an Inception block, experts, heads. The model and the choice are in `BranchPlan.h`: a branch stays
    whole on one queue; it must gain more than handing it over costs, and not hold much more memory. Queues that a device
    states (`{queues = 4}`) work side by side at the rates it states; those of a processor share its cores, two where
    nobody states more (`units`).

    Dispatches whose queue the user names stay there, as do free sizes without `--expect` and work on several devices.
    What was decided and why is a list on the module, `heddle.branches`, which `heddle explain` prints. Off with
    `--strategy=streams:off`.

    ```mlir
    device.global @a = #device.target<"local", {queues = 2, gflops = 1.0e-3, launch_us = 1.0e-3},
                                      [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
    flow.executable private @e {
      func.func @e(%x: tensor<8xf32>) -> tensor<8xf32> {
        %0 = linalg.exp ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) -> tensor<8xf32>
        return %0 : tensor<8xf32>
      }
    }
    func.func @copy(%x: tensor<8xf32>, %y: tensor<16xf32>) -> (tensor<8xf32>, tensor<16xf32>) {
      %0 = flow.dispatch @e(%x) {heddle.affinity = #device.affinity<@a>} : (tensor<8xf32>) -> (tensor<8xf32>)
      %1 = flow.dispatch @e(%x) {heddle.affinity = #device.affinity<@a>} : (tensor<8xf32>) -> (tensor<8xf32>)
      %2 = tensor.insert_slice %1 into %y[4] [8] [1] : tensor<8xf32> into tensor<16xf32>
      return %0, %2 : tensor<8xf32>, tensor<16xf32>
    }
    // becomes
    module attributes {heddle.branches = ["2 branches, at @e, @e: on 2 queues, 8.0 us expected instead of 16.0 us"]}
        {
      device.global @a = #device.target<"local", {gflops = 1.000000e-03 : f64, launch_us = 1.000000e-03 : f64,
          queues = 2 : i64}, [<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
      flow.executable private @e {
        func.func @e(%arg0: tensor<8xf32>) -> tensor<8xf32> {
          %0 = linalg.exp ins(%arg0 : tensor<8xf32>) outs(%arg0 : tensor<8xf32>) -> tensor<8xf32>
          return %0 : tensor<8xf32>
        }
      }
      func.func @copy(%arg0: tensor<8xf32>, %arg1: tensor<16xf32>) -> (tensor<8xf32>, tensor<16xf32>) {
        %0 = flow.dispatch @e(%arg0) {heddle.affinity = #device.affinity<@a, [1]>} : (tensor<8xf32>) ->
            (tensor<8xf32>)
        %1 = flow.dispatch @e(%arg0) {heddle.affinity = #device.affinity<@a>} : (tensor<8xf32>) -> (tensor<8xf32>)
        %inserted_slice = tensor.insert_slice %1 into %arg1[4] [8] [1] : tensor<8xf32> into tensor<16xf32>
        return %0, %inserted_slice : tensor<8xf32>, tensor<16xf32>
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::heddle::flow::FlowDialect"];
}

def PlaceByCost : Pass<"place-by-cost", "::mlir::ModuleOp"> {
  let summary = "Gives dispatches that no pin places the device where the program takes the least time";
  let description = [{
    `--place=auto`. Pins hold: an affinity, and a transfer that the dispatch reads. The model and the search are in
    `CostModel.h`: in-order streams, work by rate and memory bandwidth, transfers by the topology, memory by what a
    device declares. The estimate is a remark, beside that of the best single device, and the module's attribute
    `heddle.placement`. Fails where the declared memory does not suffice. Leaves a module of one device alone.

    ```mlir
    device.global @gpu = #device.target<"cuda", {gflops = 9000, memory_gbps = 600, launch_us = 5, memory = "8GiB"}, […]>
    ```
  }];
  let dependentDialects = ["::mlir::heddle::flow::FlowDialect"];
}

def NoteWork : Pass<"place-note-work", "::mlir::ModuleOp"> {
  let summary = "Notes on each executable how much a dispatch computes with the expected sizes";
  let description = [{
    With `heddle.expect` on the module (`--expect`): operations and bytes, in the mean of its dispatches, which the artifact
    carries for simulated devices. Without it nothing is noted, and free sizes count as 64.

    ```mlir
    module attributes {heddle.expect = {rows = 4}} {
    flow.executable private @e {
      func.func @e(%x: tensor<?x16xf32>, %n: index) -> tensor<?x16xf32> {
        %i = tensor.empty(%n) : tensor<?x16xf32>
        %0 = linalg.exp ins(%x : tensor<?x16xf32>) outs(%i : tensor<?x16xf32>) -> tensor<?x16xf32>
        return %0 : tensor<?x16xf32>
      }
    }
    func.func @main(%x: tensor<?x16xf32> {heddle.dims = ["rows", ""]}, %y: tensor<?x16xf32> {heddle.dims = ["twice",
        ""]}) {
      %n = flow.dimension "rows"
      %c2 = arith.constant 2 : index
      %m = arith.muli %n, %c2 : index
      %0 = flow.dispatch @e(%x)[%n] : (tensor<?x16xf32>{%n}) -> (tensor<?x16xf32>{%n})
      %1 = flow.dispatch @e(%y)[%m] : (tensor<?x16xf32>{%m}) -> (tensor<?x16xf32>{%m})
      return
    }
    }
    // becomes
    module attributes {heddle.expect = {rows = 4 : i64}} {
      flow.executable private @e attributes {heddle.work = array<i64: 96, 768>} {
        func.func @e(%arg0: tensor<?x16xf32>, %arg1: index) -> tensor<?x16xf32> {
          %0 = tensor.empty(%arg1) : tensor<?x16xf32>
          %1 = linalg.exp ins(%arg0 : tensor<?x16xf32>) outs(%0 : tensor<?x16xf32>) -> tensor<?x16xf32>
          return %1 : tensor<?x16xf32>
        }
      }
      func.func @main(%arg0: tensor<?x16xf32> {heddle.dims = ["rows", ""]}, %arg1: tensor<?x16xf32>
          {heddle.dims = ["twice", ""]}) {
        %0 = flow.dimension "rows"
        %c2 = arith.constant 2 : index
        %1 = arith.muli %0, %c2 : index
        %2 = flow.dispatch @e(%arg0) [%0] : (tensor<?x16xf32>{%0}) -> (tensor<?x16xf32>{%0})
        %3 = flow.dispatch @e(%arg1) [%1] : (tensor<?x16xf32>{%1}) -> (tensor<?x16xf32>{%1})
        return
      }
    }
    ```
  }];
}

def VerifyPlace : Pass<"place-verify", "::mlir::ModuleOp"> {
  let summary = "Checks that every dispatch has one device and every crossing is a transfer";
  let description = [{
    A use reads its value on its own device, or in place over a link that allows it; a constant is on the device of each of
    its uses.
  }];
}

#endif // HEDDLE_PLACE_PASSES
