// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: echo "as it was" > %t.heddle
// RUN: not heddle-opt %s --package-write-artifact=path=%t.heddle -o /dev/null 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=KEPT --input-file=%t.heddle
// RUN: not heddle-opt %s --package-write-artifact -o /dev/null 2>&1 | FileCheck %s --check-prefix=PATH
// RUN: not heddle-opt %S/write_artifact.mlir --package-write-artifact=path=%t.none/x.heddle -o /dev/null 2>&1 | FileCheck %s --check-prefix=FOLDER

// KEPT: as it was
// PATH: error: package-write-artifact needs the option path
// FOLDER: error: cannot write {{.*}}x.heddle: No such file or directory
// CHECK: error: 'flow.parameter' op has its value in resource w, whose bytes are not here
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.parameter private @w : tensor<4xi32> = dense_resource<w>
host.func @main(%s: !host.stream) arguments([]) results([]) symbols([]) {
  %w = host.parameter @w on @d
  host.return shape()
}
