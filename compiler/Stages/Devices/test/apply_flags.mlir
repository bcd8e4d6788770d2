// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --devices-apply-flags | FileCheck %s --check-prefix=NONE
// RUN: heddle-opt %s --devices-apply-flags="cpu=x86-64-v3,x86-64-v4" | FileCheck %s --check-prefix=CPUS
// RUN: heddle-opt %s --devices-apply-flags="targets=local,null[1]" | FileCheck %s --check-prefix=TWO
// RUN: heddle-opt %s --devices-apply-flags="targets={{gpu=null,local,fallback(@cpu)},{cpu=local{cpu=[x86-64-v3,host]}}} default=cpu" | FileCheck %s --check-prefix=NAMED
// RUN: heddle-opt %s --devices-apply-flags="targets={{a=null{memory=2GiB,x=1,y=0.5},#device.ordinal<1>}} default=0" | FileCheck %s --check-prefix=FULL
// RUN: heddle-opt %s --devices-apply-flags="targets={{null,local{cpu=host}}} cpu=x86-64-v3" | FileCheck %s --check-prefix=SHORT
// RUN: heddle-opt %s --devices-apply-flags="targets={{gpu=null[1],local*2}}" | FileCheck %s --check-prefix=MEMBERS
// RUN: heddle-opt %s --devices-apply-flags="targets=#device.ordinal<4>*2,local*1" | FileCheck %s --check-prefix=POSITIONS

// MEMBERS: module attributes {device.targets = [#device.named<"gpu_0", #device.select<[#device.alias<"null"[1]>, #device.alias<"local">]>>, #device.named<"gpu_1", #device.select<[#device.alias<"null"[2]>, #device.alias<"local">]>>]}
// POSITIONS: module attributes {device.targets = [#device.ordinal<4>, #device.ordinal<5>, #device.alias<"local">]}
// NONE: module attributes {device.targets = [#device.alias<"local">]}
// CPUS: module attributes {device.targets = [#device.alias<"local", {cpu = ["x86-64-v3", "x86-64-v4"]}>]}
// TWO: module attributes {device.targets = [#device.alias<"local">, #device.alias<"null"[1]>]}
// NAMED: module attributes {device.default = "cpu", device.targets = [#device.named<"gpu", #device.select<[#device.alias<"null">, #device.alias<"local">, #device.fallback<@cpu>]>>, #device.named<"cpu", #device.alias<"local", {cpu = ["x86-64-v3", "host"]}>>]}
// FULL: module attributes {device.default = 0 : i64, device.targets = [#device.named<"a", #device.select<[#device.alias<"null", {memory = "2GiB", x = 1 : i64, y = 5.000000e-01 : f64}>, #device.ordinal<1>]>>]}
// What the device itself says stands; the flag is for the others.
// SHORT: module attributes {device.targets = [#device.select<[#device.alias<"null", {cpu = ["x86-64-v3"]}>, #device.alias<"local", {cpu = "host"}>]>]}
func.func @main() { return }
