// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not heddle-opt %s --devices-apply-flags="targets=cuda[x]" 2>&1 | FileCheck %s --check-prefix=SYNTAX
// RUN: not heddle-opt %s --devices-apply-flags="targets=a=local,local" 2>&1 | FileCheck %s --check-prefix=NAMES
// RUN: not heddle-opt %s --devices-apply-flags="targets=local,local cpu=host" 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: not heddle-opt %s --devices-apply-flags="targets=fallback(@a) cpu=host" 2>&1 | FileCheck %s --check-prefix=NOCPU
// RUN: not heddle-opt %s --devices-apply-flags="targets={{local,#device.targte<3>}}" 2>&1 | FileCheck %s --check-prefix=ATTRIBUTE
// RUN: not heddle-opt %s --devices-apply-flags="targets=#device.affinity<@a>" 2>&1 | FileCheck %s --check-prefix=KIND
// RUN: heddle-opt %s --devices-apply-flags="targets=local" | not heddle-opt --devices-apply-flags="targets=null" 2>&1 | FileCheck %s --check-prefix=TARGETS
// RUN: heddle-opt %s --devices-apply-flags="targets=local" --devices-declare-globals | not heddle-opt --devices-apply-flags="cpu=x86-64-v3" 2>&1 | FileCheck %s --check-prefix=GLOBALS
// RUN: not heddle-opt %s --devices-apply-flags="targets=null*4096,local" 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not heddle-opt %s --devices-apply-flags="targets={{a=local,null[2147483646]*3}}" 2>&1 | FileCheck %s --check-prefix=LAST

// MANY: error: --target-device: an artifact has at most 4096 devices, got 4097
// LAST: error: --target-device: the last of these devices has an ordinal above 2147483647
// LAST-NEXT: {{^}}  a=local,null[2147483646]*3
// LAST-NEXT: {{^}}          ^
// SYNTAX: error: --target-device: expected an ordinal, a number from 0 on, got 'x'
// SYNTAX-NEXT: {{^}}  cuda[x]
// SYNTAX-NEXT: {{^}}       ^
// NAMES: error: --target-device: 'a=local' has a name and 'local' has none: name all devices, or none
// CPU: error: --target-cpu belongs to one device, got 2: say it with the device, as in --target-device=local{cpu=x86-64-v3}
// NOCPU: error: --target-cpu names processors, and 'fallback(@a)' names no device that has them
// ATTRIBUTE: error: --target-device: unknown attribute `targte` in dialect `device`
// ATTRIBUTE-NEXT: {{^}}  local,#device.targte<3>
// KIND: error: --target-device: expected an attribute that says what a device can be, such as #device.target<…>
// KIND-NEXT: {{^}}  #device.affinity<@a>
// KIND-NEXT: {{^}}  ^
// TARGETS: 1:1: error: the module declares its devices here, and the flags --target-device=null declare them too: give them in one place
// GLOBALS: 2:3: error: the module declares its devices here, and the flags --target-cpu=x86-64-v3 declare them too: give them in one place
func.func @main() { return }
