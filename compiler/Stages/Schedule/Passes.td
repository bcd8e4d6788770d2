// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_SCHEDULE_PASSES
#define HEDDLE_SCHEDULE_PASSES

include "mlir/Pass/PassBase.td"

def OrderIssue : Pass<"schedule-order-issue", "::mlir::ModuleOp"> {
  let summary = "Issues work of other devices and queues before the host's own, and waits as late as it can";
  let description = [{
    The call's stream may run on the calling thread, so the order of issue decides what overlaps. Among the dispatches and
    transfers whose operands are there, those of other devices than the default one go first, and those of its further
    queues; of its own, those that fewer transfers stand before. Collectives count as transfers and keep their order. Checks, branches, loops and functions on one device stay as they are.

    ```mlir
    %1 = flow.transfer %0 … to #device.affinity<@b>
    %2 = flow.dispatch @f(%1) … on @b
    %3 = flow.transfer %2 … to #device.affinity<@a>
    %4 = flow.dispatch @g(%3) … on @a          // waits for @b
    %5 = flow.dispatch @h(%0) … on @a          // does not: it goes before %3
    ```
  }];
}

def BuildHostProgram : Pass<"schedule-build-host-program", "::mlir::ModuleOp"> {
  let summary = "Turns every public func.func into a host.func: tensors become buffers";
  let description = [{
    One walk in program order. A dispatch gets destinations: the result's buffer when its value is returned, a
    `host.alloc` otherwise. Reshapes and contiguous slices become views. Buffers that leave a branch or a loop
    with a size known only there are owned by the value that carries them on. Work of another device than the default one
    is issued on `host.stream on @d 0`; a transfer is a copy there, under `host.same` if both symbols may turn out
    to be one device. Collectives are issued on `host.comm_stream`. Nothing is freed yet, and nothing is ordered between streams.

    ```mlir
    device.global @device_0 = #device.alias<"local">
    flow.executable private @add {
      func.func @add(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
        %0 = arith.addf %x, %y : tensor<4xf32>
        return %0 : tensor<4xf32>
      }
    }
    func.func @main(%x: tensor<4xf32> {heddle.name = "x"}) -> (tensor<4xf32> {heddle.name = "y"}) {
      %0 = flow.dispatch @add(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
      return %0 : tensor<4xf32>
    }
    // becomes
    device.global @device_0 = #device.alias<"local">
    flow.executable private @add {
      func.func @add(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> tensor<4xf32> {
        %0 = arith.addf %arg0, %arg1 : tensor<4xf32>
        return %0 : tensor<4xf32>
      }
    }
    host.func @main(%arg0: !host.stream, %arg1: !host.buffer) arguments([#host.value<"x", tensor<4xf32>, [""]>])
        results([#host.value<"y", tensor<4xf32>, [""]>]) symbols([]) {
      %c4 = arith.constant 4 : index
      %c4_0 = arith.constant 4 : index
      %c4_1 = arith.constant 4 : index
      %c16 = arith.constant 16 : index
      %0 = host.result 0 on @device_0 size %c16
      host.dispatch %arg0, @add(%arg1, %arg1, %0) access(["r", "r", "w"])
      host.return %0 shape(%c4_0)
    }
    ```
  }];
  let dependentDialects = ["::mlir::heddle::host::HostDialect", "::mlir::arith::ArithDialect"];
}

def UpdateInPlace : Pass<"schedule-update-in-place", "::mlir::ModuleOp"> {
  let summary = "Results take the memory of operands that die where their kernels read what they overwrite first";
  let description = [{
    The operand is an allocation of as many bytes on the same device that the dispatch uses last, after work of its own
    stream only; or an argument that was donated to the result. All targets of the executable must promise the pair of
    bindings (`Target::findOverwrites`); the attribute `flow.overwrites` then holds stage `codegen` to it. A collective whose
    source and target have one size takes the source's memory if nothing else reads it; what it gives to the caller is then
    computed in the caller's storage. What a collective writes in a loop is allocated before it.

    ```mlir
    host.dispatch %s, @relu(%a, %b) access(["r", "w"])            // the last use of %a
    // becomes, and %b is %a from here on
    host.dispatch %s, @relu(%a, %a) access(["r", "w"])
    flow.executable private @relu attributes {flow.overwrites = [array<i64: 0, 1>]} { … }
    ```
  }];
  // What targets need to plan their kernels.
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::heddle::encoding::EncodingDialect"];
}

def FreeBuffers : Pass<"schedule-free-buffers", "::mlir::heddle::host::FuncOp"> {
  let summary = "Frees every owned buffer after its last use";
  let description = [{
    Owners are the results of `host.alloc`, buffer results of `scf` ops and buffer arguments of their bodies. An owner
    that is handed on (by `scf.yield`, `scf.condition`, or as a loop's initial value) is not freed here.

    ```mlir
    device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
    flow.executable private @f {
      func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }
    }
    host.func @main(%s: !host.stream, %x: !host.buffer)
        arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([]) symbols([]) {
      %c16 = arith.constant 16 : index
      %a = host.alloc on @d size %c16
      %b = host.alloc on @d size %c16
      host.dispatch %s, @f(%x, %a) access(["r", "w"])
      host.dispatch %s, @f(%a, %b) access(["r", "w"])
      host.return shape()
    }
    // becomes
    device.global @d = #device.target<"local", [<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
    flow.executable private @f {
      func.func @f(%arg0: tensor<4xf32>) -> tensor<4xf32> {
        return %arg0 : tensor<4xf32>
      }
    }
    host.func @main(%arg0: !host.stream, %arg1: !host.buffer) arguments([#host.value<"x", tensor<4xf32>, [""]>])
        results([]) symbols([]) {
      %c16 = arith.constant 16 : index
      %0 = host.alloc on @d size %c16
      %1 = host.alloc on @d size %c16
      host.dispatch %arg0, @f(%arg1, %0) access(["r", "w"])
      host.dispatch %arg0, @f(%0, %1) access(["r", "w"])
      host.free %arg0, %1
      host.free %arg0, %0
      host.return  shape()
    }
    ```
  }];
  let dependentDialects = ["::mlir::heddle::host::HostDialect"];
}

def SlotBuffers : Pass<"schedule-slot-buffers", "::mlir::heddle::host::FuncOp"> {
  let summary = "Buffers that a loop over streams allocates become slots of one allocation, which turn with the streams";
  let description = [{
    Iterations of one stream come one after the other, so min(trips, streams) slots are enough. A slot holds the largest
    of all iterations: by a bound that the formula of the size has, else by a loop of scalars. A buffer whose size a device
    computes, or that control flow hands on, stays as it is.

    ```mlir
    device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
    flow.executable private @f {
      func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }
    }
    host.func @main(%s: !host.stream, %x: !host.buffer, %n: index)
        arguments([#host.value<"x", tensor<?xi8>, ["n"]>]) results([]) symbols(["n"]) {
      %c2 = arith.constant 2 : index
      %c100 = arith.constant 100 : index
      host.stream_for %i to %n slot %k stream %mine on @d 0 streams %c2 issue %s {
        %b = host.alloc on @d size %c100
        host.dispatch %mine, @f(%x, %b) access(["r", "w"])
        host.free %mine, %b
      }
      host.return shape()
    }
    // becomes
    device.global @d = #device.target<"local", [<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
    flow.executable private @f {
      func.func @f(%arg0: tensor<4xf32>) -> tensor<4xf32> {
        return %arg0 : tensor<4xf32>
      }
    }
    host.func @main(%arg0: !host.stream, %arg1: !host.buffer, %arg2: index) arguments([#host.value<"x",
        tensor<?xi8>, ["n"]>]) results([]) symbols(["n"]) {
      %c2 = arith.constant 2 : index
      %c100 = arith.constant 100 : index
      %c64 = arith.constant 64 : index
      %c2_0 = arith.constant 2 : index
      %c128 = arith.constant 128 : index
      %0 = arith.minsi %arg2, %c2 : index
      %1 = arith.muli %0, %c128 overflow<nsw> : index
      %2 = host.alloc on @d size %1
      host.stream_for %arg3 to %arg2 slot %arg4 stream %arg5 on @d 0 streams %c2 issue %arg0 {
        %3 = arith.muli %arg4, %c128 : index
        %4 = host.view %2[%3] size %c100
        host.dispatch %arg5, @f(%arg1, %4) access(["r", "w"])
      }
      host.free %arg0, %2
      host.return  shape()
    }
    ```
  }];
  let dependentDialects = ["::mlir::heddle::host::HostDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def SynchronizeStreams : Pass<"schedule-synchronize-streams", "::mlir::heddle::host::FuncOp"> {
  let summary = "Orders work of different streams by events, with the fewest waits";
  let description = [{
    A stream waits before an access for those accesses of other streams that it conflicts with and is not yet known to
    come after; what an earlier wait, or another one here, implies is not waited for. Other streams wait for the
    call's at the start, the call's for all at the end. In a loop an event recorded at the start of the body stands for
    what the iteration before did.

    No stream waits to free a buffer: the free moves to where the buffer's stream comes after all uses anyway, at last to
    the end of the block. A program of one stream stays as it is, and so does one that has events of its own.

    ```mlir
    device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
    device.global @g = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
    flow.executable private @f {
      func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }
    }
    host.func @main(%s: !host.stream, %x: !host.buffer)
        arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([]) symbols([]) {
      %c0 = arith.constant 0 : index
      %c16 = arith.constant 16 : index
      %g = host.stream on @g 0
      %a = host.alloc on @d size %c16
      %b = host.alloc on @g size %c16
      host.dispatch %s, @f(%x, %a) access(["r", "w"])
      host.copy %g, %b[%c0] from %a[%c0] size %c16
      host.free %s, %a
      host.free %s, %b
      host.return shape()
    }
    // becomes
    device.global @d = #device.target<"local", [<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
    device.global @g = #device.target<"local", [<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
    flow.executable private @f {
      func.func @f(%arg0: tensor<4xf32>) -> tensor<4xf32> {
        return %arg0 : tensor<4xf32>
      }
    }
    host.func @main(%arg0: !host.stream, %arg1: !host.buffer) arguments([#host.value<"x", tensor<4xf32>, [""]>])
        results([]) symbols([]) {
      %c0 = arith.constant 0 : index
      %c16 = arith.constant 16 : index
      %0 = host.stream on @g 0
      %1 = host.alloc on @d size %c16
      %2 = host.alloc on @g size %c16
      host.dispatch %arg0, @f(%arg1, %1) access(["r", "w"])
      %3 = host.record %arg0
      host.wait %0, %3
      host.copy %0, %2[%c0] from %1[%c0] size %c16
      %4 = host.record %0
      host.wait %arg0, %4
      host.free %arg0, %1
      host.free %arg0, %2
      host.return  shape()
    }
    ```
  }];
  let dependentDialects = ["::mlir::heddle::host::HostDialect"];
}

def PlanMemory : Pass<"schedule-plan-memory", "::mlir::heddle::host::FuncOp"> {
  let summary = "Places allocations whose size is known at entry in one slab";
  let description = [{
    Lives are indices in program order, from the allocation to its free; a body of a loop counts once, what lives
    across it covers it. Where there are several streams, a buffer's life goes on as long as something is written later
    that is not known to come after its uses. All buffers of a device are in one plan, or those that each stream writes in
    one of their own, in parts of the device's one slab: whichever takes less. Sizes that depend on data read from a
    device stay allocations of their own.

    ```mlir
    device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
    flow.executable private @f {
      func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }
    }
    host.func @main(%s: !host.stream, %x: !host.buffer)
        arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([]) symbols([]) {
      %c16 = arith.constant 16 : index
      %a = host.alloc on @d size %c16
      host.dispatch %s, @f(%x, %a) access(["r", "w"])
      %b = host.alloc on @d size %c16
      host.dispatch %s, @f(%a, %b) access(["r", "w"])
      host.free %s, %a
      host.free %s, %b
      host.return shape()
    }
    // becomes
    device.global @d = #device.target<"local", [<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
    flow.executable private @f {
      func.func @f(%arg0: tensor<4xf32>) -> tensor<4xf32> {
        return %arg0 : tensor<4xf32>
      }
    }
    host.func @main(%arg0: !host.stream, %arg1: !host.buffer) arguments([#host.value<"x", tensor<4xf32>, [""]>])
        results([]) symbols([]) {
      %c16 = arith.constant 16 : index
      %total, %offsets:2 = host.plan(%c16, %c16) lives([#host.interval<3, 6>, #host.interval<5, 7>]) : index, index
      %0 = host.slab on @d size %total
      %1 = host.view %0[%offsets#0] size %c16
      host.dispatch %arg0, @f(%arg1, %1) access(["r", "w"])
      %2 = host.view %0[%offsets#1] size %c16
      host.dispatch %arg0, @f(%1, %2) access(["r", "w"])
      host.return  shape()
    }
    ```
  }];
  let dependentDialects = ["::mlir::heddle::host::HostDialect"];
}

def BindParameters : Pass<"schedule-bind-parameters", "::mlir::ModuleOp"> {
  let summary = "Packs parameters whose layout depends on what a device turns out to be, once, in @__bind";
  let description = [{
    Their type has an `#encoding.by_device`, their value is in rows. Alternatives that read rows get the parameter as it is.

    ```mlir
    %a = host.alternative @gpu                                  // in @__bind
    scf.index_switch %a
    case 0 { %p = host.parameter @w on @gpu  host.bind "w" = %p : !host.buffer }
    default { %p = host.pack @w layout(#encoding.layout<…>) on @gpu  host.bind "w" = %p : !host.buffer }

    %w = host.bound "w" : !host.buffer                          // in place of host.parameter @w on @gpu
    ```

    Also a rank's part of a parameter, a view at an offset computed from its coordinates, so that no rank moves the
    whole of it to a device with memory of its own:

    ```mlir
    %p = host.parameter_slice @w[%offset] size %bytes on @gpu   // in @__bind
    host.bind "w.0" = %p : !host.buffer
    ```
  }];
  let dependentDialects = ["::mlir::heddle::host::HostDialect", "::mlir::scf::SCFDialect"];
}

def AnnotateBindingTimes : Pass<"schedule-annotate-binding-times", "::mlir::heddle::host::FuncOp"> {
  let summary = "Writes on each op when its values are known: compile, bind, call or data";
  let description = [{
    For looking and for tests; the artifact's report has the same list (`heddle inspect`).

    ```mlir
    device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
    host.func @main(%s: !host.stream, %x: !host.buffer, %n: index)
        arguments([#host.value<"x", tensor<?xi32>, ["n"]>]) results([]) symbols(["n"]) {
      %c4 = arith.constant 4 : index
      %cores = host.query @d "cores"
      %bytes = arith.muli %n, %c4 : index
      %first = host.read %s, %x[%c4] : i32
      host.return shape()
    }
    // becomes
    device.global @d = #device.target<"local", [<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
    host.func @main(%arg0: !host.stream, %arg1: !host.buffer, %arg2: index) arguments([#host.value<"x",
        tensor<?xi32>, ["n"]>]) results([]) symbols(["n"]) {
      %c4 = arith.constant {host.binding = "compile"} 4 : index
      %0 = host.query @d "cores" {host.binding = "bind"}
      %1 = arith.muli %arg2, %c4 {host.binding = "call"} : index
      %2 = host.read %arg0, %arg1[%c4] : i32 {host.binding = "data"}
      host.return  shape()
    }
    ```
  }];
}

def VerifyHost : Pass<"schedule-verify-host", "::mlir::ModuleOp"> {
  let summary = "Proves that host programs are free of races, leaks and double frees";
  let description = [{
    The verifier at the end of the stage; see `compiler/Dialect/Host/Analysis/Verifier.h` for what it proves. Notes on the
    module that it did (`host.proved`), which stage `package` makes a certificate of (docs/design/certificate.md).
  }];
}

#endif // HEDDLE_SCHEDULE_PASSES
