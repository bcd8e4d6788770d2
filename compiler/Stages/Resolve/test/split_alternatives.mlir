// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An alternative whose executable targets want different layouts becomes one for each, that with most features first.
// RUN: heddle-opt %s "--resolve-split-alternatives=resolver=x86-64-v2=identity" | FileCheck %s
// RUN: heddle-opt %s --resolve-split-alternatives | FileCheck %s --check-prefix=SAME

#v2 = #device.executable<"elf-x86_64", {cpu = "x86-64-v2", features = "+sse2,+sse3"}>
#v3 = #device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = "+sse2,+sse3,+avx2"}>
#rhs = #encoding.contraction<role = rhs, types = [f32, f32, f32], maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [4, 40, 24], constant>
// CHECK: device.global @both = #device.select<[#device.target<"local", {ordinal = 1 : i64}, [<"elf-x86_64", {cpu = "x86-64-v3", {{.*}}}>]>, #device.target<"local", {ordinal = 1 : i64}, [<"elf-x86_64", {cpu = "x86-64-v2", {{.*}}}>]>, #device.fallback<@one>]>
// SAME: device.global @both = #device.select<[#device.target<"local", {ordinal = 1 : i64}, [<{{.*}}"x86-64-v2"{{.*}}>, <{{.*}}"x86-64-v3"{{.*}}>]>, #device.fallback<@one>]>
device.global @both = #device.select<[#device.target<"local", {ordinal = 1}, [#v2, #v3]>, #device.fallback<@one>]>
// CHECK: device.global @one = #device.target<
device.global @one = #device.target<"local", [#v3]>
flow.parameter private @w : tensor<24x40xf32, #rhs> = dense<1.0> : tensor<24x40xf32>
