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
    %0 = flow.dispatch @add(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
    return %0 : tensor<4xf32>
    // becomes
    %r = host.result 0 on @device_0 size %c16
    host.dispatch %s, @add(%x, %x, %r) access(["r", "r", "w"])
    host.return %r shape(%c4)
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
    %b = host.alloc on @d size %c16
    host.dispatch %s, @f(%x, %b) access(["r", "w"])
    host.dispatch %s, @g(%b, %r) access(["r", "w"])
    // host.free %s, %b is inserted here
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
    host.stream_for %i to %trips slot %k stream %mine on @d 0 streams %n issue %s {
      %b = host.alloc on @d size %c64
      …
      host.free %mine, %b
    }
    // becomes
    %all = host.alloc on @d size %bytes                    // min(%trips, %n) * 64
    host.stream_for %i to %trips slot %k stream %mine on @d 0 streams %n issue %s {
      %offset = arith.muli %k, %c64 : index
      %b = host.view %all[%offset] size %c64
      …
    }
    host.free %s, %all
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
    host.dispatch %s, @f(%x, %a) access(["r", "w"])
    host.copy %g, %b[%c0] from %a[%c0] size %c16
    // becomes
    host.dispatch %s, @f(%x, %a) access(["r", "w"])
    %e = host.record %s
    host.wait %g, %e
    host.copy %g, %b[%c0] from %a[%c0] size %c16
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
    %total, %o:2 = host.plan(%c64, %n) lives([#host.interval<0, 2>, #host.interval<1, 3>]) : index, index
    %slab = host.slab on @d size %total
    %a = host.view %slab[%o#0] size %c64
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
    %0 = arith.muli %n, %c4 {host.binding = "call"} : index
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
