// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEDDLE_PACKAGE_PASSES
#define HEDDLE_PACKAGE_PASSES

include "mlir/Pass/PassBase.td"

def ResolveLaunches : Pass<"package-resolve-launches", "::mlir::ModuleOp"> {
  let summary = "Inlines a variant's functions at each dispatch: workgroups and scratch bytes";
  let description = [{
    Sizes that are constants at the call fold away, so most launches become constants. Where variants differ, each has its
    pair; the runtime takes that of the variant it loaded.

    ```mlir
    flow.executable private @mm {
      func.func private @mm()
      flow.variant @v target("x86-64-v3") format("elf-x86_64") features(["avx2"]) symbol("mm") object(dense<0>
          : tensor<3xi8>) {
        func.func @workgroups(%m: index) -> index {
          %c16 = arith.constant 16 : index
          %0 = arith.ceildivsi %m, %c16 : index
          return %0 : index
        }
        func.func @scratch(%m: index) -> index {
          %c0 = arith.constant 0 : index
          return %c0 : index
        }
      }
    }
    host.func @main(%s: !host.stream, %x: !host.buffer, %m: index)
        arguments([#host.value<"x", tensor<?xf32>, ["m"]>]) results([]) symbols(["m"]) {
      host.dispatch %s, @mm(%x) [%m] access(["r"])
      host.return shape()
    }
    // becomes
    flow.executable private @mm {
      func.func private @mm()
      flow.variant @v target("x86-64-v3") format("elf-x86_64") features(["avx2"]) symbol("mm") object(dense<0>
          : tensor<3xi8>) {
        func.func @workgroups(%arg0: index) -> index {
          %c16 = arith.constant 16 : index
          %0 = arith.ceildivsi %arg0, %c16 : index
          return %0 : index
        }
        func.func @scratch(%arg0: index) -> index {
          %c0 = arith.constant 0 : index
          return %c0 : index
        }
      }
    }
    host.func @main(%arg0: !host.stream, %arg1: !host.buffer, %arg2: index) arguments([#host.value<"x",
        tensor<?xf32>, ["m"]>]) results([]) symbols(["m"]) {
      %c16 = arith.constant 16 : index
      %0 = arith.ceildivsi %arg2, %c16 : index
      %c0 = arith.constant 0 : index
      host.dispatch %arg0, @mm(%arg1) [%arg2] launch(%0, %c0) access(["r"])
      host.return  shape()
    }
    ```
  }];
  let dependentDialects = ["::mlir::heddle::host::HostDialect", "::mlir::arith::ArithDialect"];
}

def FlattenStreamLoops : Pass<"package-flatten-stream-loops", "::mlir::heddle::host::FuncOp"> {
  let summary = "Makes plain loops of loops over streams, which name the streams by number";
  let description = [{
    The streams wait before the loop and are waited for behind it; an ordered loop carries the event of its last iteration.

    ```mlir
    device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
    flow.executable private @f {
      func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }
    }
    host.func @main(%s: !host.stream, %x: !host.buffer, %n: index)
        arguments([#host.value<"x", tensor<?xi8>, ["n"]>]) results([]) symbols(["n"]) {
      %c2 = arith.constant 2 : index
      host.stream_for %i to %n slot %k stream %mine on @d 0 streams %c2 issue %s {
        host.dispatch %mine, @f(%x, %x) access(["r", "w"])
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
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %0 = arith.minsi %arg2, %c2 : index
      %1 = host.record %arg0
      scf.for %arg3 = %c0 to %0 step %c1 {
        %2 = host.stream_at on @d %arg3
        host.wait %2, %1
      }
      scf.for %arg3 = %c0 to %arg2 step %c1 {
        %2 = arith.remsi %arg3, %c2 : index
        %3 = host.stream_at on @d %2
        host.dispatch %3, @f(%arg1, %arg1) access(["r", "w"])
      }
      scf.for %arg3 = %c0 to %0 step %c1 {
        %2 = host.stream_at on @d %arg3
        %3 = host.record %2
        host.wait %arg0, %3
      }
      host.return  shape()
    }
    ```
  }];
  let dependentDialects = ["::mlir::heddle::host::HostDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def PrintInstructions : Pass<"package-print-instructions", "::mlir::ModuleOp"> {
  let summary = "Prints the instructions of every host.func, as contract/Assembler.h reads them";
  let description = [{
    For tests and for looking; the module stays as it is.
  }];
}

def WriteArtifact : Pass<"package-write-artifact", "::mlir::ModuleOp"> {
  let summary = "Writes the artifact to a file";
  let description = [{
    The last step of `heddle compile`, for `heddle-opt`. The module stays as it is.
  }];
  let options = [Option<"path", "path", "std::string", "\"\"", "the file to write">];
}

#endif // HEDDLE_PACKAGE_PASSES
