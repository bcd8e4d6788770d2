// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --devices-pin-ops=place-file=%S/Inputs/no_node.txt 2>&1 | FileCheck %s --check-prefix=NODE
// RUN: not heddle-opt %s --devices-pin-ops=place-file=%S/Inputs/none.txt 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: heddle-opt %s --devices-pin-ops=place-file=%S/Inputs/idle.txt 2>&1 | FileCheck %s --check-prefix=IDLE
// RUN: not heddle-opt %s --devices-pin-ops=place-file=%S/Inputs/no_device.txt 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: not heddle-opt %s --devices-pin-ops=place-file=%S/Inputs/no_rule.txt 2>&1 | FileCheck %s --check-prefix=RULE
// RUN: not heddle-opt %s --devices-pin-ops=place-file=%S/Inputs/no_file.txt 2>&1 | FileCheck %s --check-prefix=FILE

// NODE: warning: {{.*}}no_node.txt:2: the pattern 'encdoer/add' fits no op: the model has no such node, or import computed it away; did you mean 'encoder/add'?
// NONE: error: {{.*}}none.txt:1: the pattern 'encdoer/*' fits no op
// IDLE-COUNT-5: warning: {{.*}}idle.txt:{{[2-6]}}: the pattern 'folded/{{[a-e]}}' fits no op
// IDLE: warning: {{.*}}idle.txt: 2 more patterns fit no op
// DEVICE: error: {{.*}}no_device.txt:2: unknown device 'gpuu'; declared: @cpu, @gpu; did you mean '@gpu'?
// RULE: error: {{.*}}no_rule.txt:1: expected 'pattern = device', such as 'encoder/* = gpu', got 'encoder/*'
// FILE: error: cannot read the placement file '{{.*}}no_file.txt': No such file or directory
device.global @cpu = #device.target<"local", [#device.executable<"elf-x86_64">]>
device.global @gpu = #device.target<"null", [#device.executable<"elf-x86_64">]>
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = arith.addf %x, %x : tensor<2xf32> loc("encoder/add")
  return %0 : tensor<2xf32>
}
