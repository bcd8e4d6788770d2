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
    host.dispatch %s, @matmul_0(%a, %w, %r) [%m] access(["r", "r", "w"])
    // becomes, with @workgroups(%m) = ceildiv %m, 16 and @scratch(%m) = 0
    %0 = arith.ceildivsi %m, %c16 : index
    host.dispatch %s, @matmul_0(%a, %w, %r) [%m] launch(%0, %c0) access(["r", "r", "w"])
    ```
  }];
  let dependentDialects = ["::mlir::heddle::host::HostDialect", "::mlir::arith::ArithDialect"];
}

def FlattenStreamLoops : Pass<"package-flatten-stream-loops", "::mlir::heddle::host::FuncOp"> {
  let summary = "Makes plain loops of loops over streams, which name the streams by number";
  let description = [{
    The streams wait before the loop and are waited for behind it; an ordered loop carries the event of its last iteration.

    ```mlir
    host.stream_for %i to %trips slot %k stream %mine on @d 0 streams %n issue %s { … }
    // becomes
    %start = host.record %s
    scf.for %q = %c0 to %used step %c1 { %t = host.stream_at on @d %q  host.wait %t, %start }
    scf.for %i = %c0 to %trips step %c1 {
      %k = arith.remsi %i, %n : index
      %mine = host.stream_at on @d %k
      …
    }
    scf.for %q = %c0 to %used step %c1 { %t = host.stream_at on @d %q  %e = host.record %t  host.wait %s, %e }
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
