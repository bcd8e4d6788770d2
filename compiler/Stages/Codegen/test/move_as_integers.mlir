// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(codegen-move-as-integers))' --split-input-file | FileCheck %s

kernel.program @p of @e for #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}> {
  // CHECK-LABEL: @masked
  // CHECK-SAME: (%[[P:.*]]: !llvm.ptr, %[[MASK:.*]]: vector<16xi1>, %[[X:.*]]: vector<16xbf16>)
  // CHECK: %[[Y:.*]] = llvm.load %[[P]] : !llvm.ptr -> vector<16xi16>
  // CHECK: %[[BX:.*]] = llvm.bitcast %[[X]] : vector<16xbf16> to vector<16xi16>
  // CHECK: %[[CHOSEN:.*]] = llvm.select %[[MASK]], %[[BX]], %{{.*}} : vector<16xi1>, vector<16xi16>
  // CHECK: llvm.intr.masked.store %{{.*}}, %[[P]], %[[MASK]] {{.*}}: vector<16xi16>
  llvm.func @masked(%p: !llvm.ptr, %mask: vector<16xi1>, %x: vector<16xbf16>) {
    %y = llvm.load %p : !llvm.ptr -> vector<16xbf16>
    %z = llvm.select %mask, %x, %y : vector<16xi1>, vector<16xbf16>
    llvm.intr.masked.store %z, %p, %mask {alignment = 2 : i32} : vector<16xbf16>, vector<16xi1> into !llvm.ptr
    llvm.return
  }
  // Arithmetic and other types stay.
  // CHECK-LABEL: @others
  // CHECK: llvm.load %{{.*}} : !llvm.ptr -> f16
  // CHECK: llvm.fpext %{{.*}} : bf16 to f32
  llvm.func @others(%p: !llvm.ptr, %x: bf16) -> f32 {
    %y = llvm.load %p : !llvm.ptr -> f16
    llvm.store %y, %p : f16, !llvm.ptr
    %w = llvm.fpext %y : f16 to f32
    %z = llvm.fpext %x : bf16 to f32
    llvm.return %z : f32
  }
  // From block to block as bits, in arguments and by use.
  // CHECK-LABEL: @blocks
  // CHECK: %[[SUM:.*]] = llvm.fptrunc
  // CHECK: %[[BITS:.*]] = llvm.bitcast %[[SUM]] : bf16 to i16
  // CHECK: %[[PASSED:.*]] = llvm.bitcast %[[SUM]] : bf16 to i16
  // CHECK: llvm.cond_br %{{.*}}, ^bb1, ^bb2(%[[PASSED]] : i16)
  // CHECK: ^bb1:
  // CHECK: %[[USED:.*]] = llvm.bitcast %[[BITS]] : i16 to bf16
  // CHECK: llvm.fpext %[[USED]]
  // CHECK: ^bb2(%[[ARGUMENT:.*]]: i16):
  // CHECK: llvm.bitcast %[[ARGUMENT]] : i16 to bf16
  llvm.func @blocks(%x: f32, %c: i1) -> f32 {
    %y = llvm.fptrunc %x : f32 to bf16
    llvm.cond_br %c, ^bb1, ^bb2(%y : bf16)
  ^bb1:
    %a = llvm.fpext %y : bf16 to f32
    llvm.return %a : f32
  ^bb2(%z: bf16):
    %b = llvm.fpext %z : bf16 to f32
    llvm.return %b : f32
  }
}

// -----

// Nothing computes with f16 here: it is gone, also from constants and blocks.
kernel.program @p of @e for #device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}> {
  // CHECK-LABEL: @carried
  // CHECK-NOT: f16
  // CHECK: %[[C:.*]] = llvm.mlir.constant(15360 : i16) : i16
  // CHECK: %[[V:.*]] = llvm.mlir.constant(dense<[15360, 16384]> : vector<2xi16>) : vector<2xi16>
  // CHECK: %[[X:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i16
  // CHECK: llvm.cond_br %{{.*}}, ^bb1(%[[X]] : i16), ^bb1(%[[C]] : i16)
  // CHECK: ^bb1(%[[Z:.*]]: i16):
  // CHECK-NEXT: llvm.zext %[[Z]] : i16 to i32
  // CHECK: llvm.store %[[V]]
  llvm.func @carried(%p: !llvm.ptr, %c: i1) -> i32 {
    %one = llvm.mlir.constant(1.0 : f16) : f16
    %v = llvm.mlir.constant(dense<[1.0, 2.0]> : vector<2xf16>) : vector<2xf16>
    %x = llvm.load %p : !llvm.ptr -> f16
    llvm.cond_br %c, ^bb1(%x : f16), ^bb1(%one : f16)
  ^bb1(%z: f16):
    %bits = llvm.bitcast %z : f16 to i16
    %wide = llvm.zext %bits : i16 to i32
    llvm.store %v, %p : vector<2xf16>, !llvm.ptr
    llvm.return %wide : i32
  }
}
