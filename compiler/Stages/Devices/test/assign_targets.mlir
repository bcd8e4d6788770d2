// RUN: heddle-opt %s --devices-assign-targets=cpu=x86-64-v3 | FileCheck %s
// RUN: heddle-opt %s --devices-assign-targets="targets=local,local cpu=x86-64-v4" | FileCheck %s --check-prefix=TWO
// RUN: heddle-opt %s --devices-assign-targets="cpu=x86-64-v3,aarch64:generic,x86-64-v3,riscv64:generic+v" | FileCheck %s --check-prefix=SEVERAL

// SEVERAL: device.global @device_0 = #device.target<"local", [<"elf-x86_64", {cpu = "x86-64-v3", {{[^>]*}}>, <"elf-aarch64", {cpu = "generic", features = "+neon"}>, <"elf-riscv64", {cpu = "generic-rv64", features = "+m,+a,+f,+d,+c,+v"}>]>
// CHECK: device.global @device_0 = #device.target<"local", [<"elf-x86_64", {cpu = "x86-64-v3", features = "+sse2,{{.*}}+avx2,+bmi2"}>]>
// CHECK-NOT: device.global
// TWO: device.global @device_0 = {{.*}}cpu = "x86-64-v4"
// TWO: device.global @device_1 = {{.*}}cpu = "x86-64-v4"
func.func @main() { return }
