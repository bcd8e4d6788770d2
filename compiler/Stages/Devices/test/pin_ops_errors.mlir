// RUN: not heddle-opt %s --devices-pin-ops=place-file=%S/Inputs/no_node.txt 2>&1 | FileCheck %s --check-prefix=NODE
// RUN: not heddle-opt %s --devices-pin-ops=place-file=%S/Inputs/no_device.txt 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: not heddle-opt %s --devices-pin-ops=place-file=%S/Inputs/no_rule.txt 2>&1 | FileCheck %s --check-prefix=RULE
// RUN: not heddle-opt %s --devices-pin-ops=place-file=%S/Inputs/no_file.txt 2>&1 | FileCheck %s --check-prefix=FILE

// NODE: error: {{.*}}no_node.txt:2: the pattern 'encdoer/add' fits no node of the model; did you mean 'encoder/add'?
// DEVICE: error: {{.*}}no_device.txt:2: unknown device 'gpuu'; declared: @cpu, @gpu; did you mean '@gpu'?
// RULE: error: {{.*}}no_rule.txt:1: expected 'pattern = device', such as 'encoder/* = gpu', got 'encoder/*'
// FILE: error: cannot read the placement file '{{.*}}no_file.txt': No such file or directory
device.global @cpu = #device.target<"local", [#device.executable<"elf-x86_64">]>
device.global @gpu = #device.target<"null", [#device.executable<"elf-x86_64">]>
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = arith.addf %x, %x : tensor<2xf32> loc("encoder/add")
  return %0 : tensor<2xf32>
}
