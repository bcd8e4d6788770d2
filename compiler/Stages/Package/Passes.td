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
