// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --codegen-share-code=least=2 | FileCheck %s
// RUN: heddle-opt %s --pass-pipeline='builtin.module(codegen-share-code{least=2},kernel.program(codegen-emit-object))' \
// RUN:   --mlir-elide-resource-strings-if-larger=16 | FileCheck %s --check-prefix=OBJECTS

#v4 = #device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = "+avx512f"}>
#v3 = #device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = "+avx2"}>

// Equal but for 0.5 and 0.25, as a float and as one in each lane: the first has the table, 1.0 stays where it is.
// CHECK: kernel.program @a of @ea {{.*}} attributes {kernel.numbers = [array<i32: 1056964608, 7>, array<i32: 1048576000, 9>]} {
// CHECK: llvm.mlir.global weak hidden constant @numbers(dense<[1056964608, 7]> : tensor<2xi32>) {{.*}}dso_local
// CHECK: %[[TABLE:.*]] = llvm.mlir.addressof @numbers
// CHECK: llvm.load {{.*}} invariant {{.*}} -> i32
// CHECK: llvm.load {{.*}} invariant {{.*}} -> f32
// CHECK: %[[HALF:.*]] = llvm.shufflevector
// CHECK: %[[ONE:.*]] = llvm.mlir.constant(dense<1.000000e+00> : vector<4xf32>)
// CHECK: %[[PRODUCT:.*]] = llvm.fmul %{{.*}}, %[[HALF]]
// CHECK: llvm.fadd %[[PRODUCT]], %[[ONE]]
kernel.program @a of @ea for #v4 {
  llvm.func @kernel(%x: !llvm.ptr) -> i32 {
    %half = llvm.mlir.constant(dense<0.5> : vector<4xf32>) : vector<4xf32>
    %one = llvm.mlir.constant(dense<1.0> : vector<4xf32>) : vector<4xf32>
    %n = llvm.mlir.constant(7 : i32) : i32
    %v = llvm.load %x : !llvm.ptr -> vector<4xf32>
    %p = llvm.fmul %v, %half : vector<4xf32>
    %s = llvm.fadd %p, %one : vector<4xf32>
    llvm.store %s, %x : vector<4xf32>, !llvm.ptr
    %m = llvm.add %n, %n : i32
    llvm.return %m : i32
  }
}
// CHECK: kernel.program @b of @eb {{.*}} attributes {kernel.code_of = @a} {
// CHECK-NOT: llvm.func
// CHECK: func.func @workgroups
kernel.program @b of @eb for #v4 {
  llvm.func @kernel(%x: !llvm.ptr) -> i32 {
    %half = llvm.mlir.constant(dense<0.25> : vector<4xf32>) : vector<4xf32>
    %one = llvm.mlir.constant(dense<1.0> : vector<4xf32>) : vector<4xf32>
    %n = llvm.mlir.constant(9 : i32) : i32
    %v = llvm.load %x : !llvm.ptr -> vector<4xf32>
    %p = llvm.fmul %v, %half : vector<4xf32>
    %s = llvm.fadd %p, %one : vector<4xf32>
    llvm.store %s, %x : vector<4xf32>, !llvm.ptr
    %m = llvm.add %n, %n : i32
    llvm.return %m : i32
  }
  func.func @workgroups() -> index {
    %c = arith.constant 1 : index
    return %c : index
  }
}

// Nothing else is shared: another processor; a stride, a shift's and a power of two's numbers, of which instructions are chosen.
// CHECK-NOT: kernel.
// CHECK: kernel.program @other_processor of @ec {{.*}} {
// CHECK-NOT: attributes
// CHECK: llvm.mlir.constant(9 : i32)
kernel.program @other_processor of @ec for #v3 {
  llvm.func @kernel(%x: !llvm.ptr) -> i32 {
    %n = llvm.mlir.constant(9 : i32) : i32
    %m = llvm.add %n, %n : i32
    llvm.return %m : i32
  }
}
// CHECK: kernel.program @stride8
kernel.program @stride8 of @ed for #v4 {
  llvm.func @kernel(%x: !llvm.ptr) -> i32 {
    %n = llvm.mlir.constant(8 : i64) : i64
    %p = llvm.getelementptr %x[%n] : (!llvm.ptr, i64) -> !llvm.ptr, i8
    %m = llvm.load %p : !llvm.ptr -> i32
    llvm.return %m : i32
  }
}
// CHECK: llvm.mlir.constant(16 : i64)
kernel.program @stride16 of @ee for #v4 {
  llvm.func @kernel(%x: !llvm.ptr) -> i32 {
    %n = llvm.mlir.constant(16 : i64) : i64
    %p = llvm.getelementptr %x[%n] : (!llvm.ptr, i64) -> !llvm.ptr, i8
    %m = llvm.load %p : !llvm.ptr -> i32
    llvm.return %m : i32
  }
}
kernel.program @divides_by_4 of @ef for #v4 {
  llvm.func @kernel(%x: !llvm.ptr) -> i32 {
    %n = llvm.mlir.constant(4.0 : f32) : f32
    %v = llvm.load %x : !llvm.ptr -> f32
    %q = llvm.fdiv %v, %n : f32
    llvm.store %q, %x : f32, !llvm.ptr
    %z = llvm.mlir.constant(0 : i32) : i32
    llvm.return %z : i32
  }
}
// CHECK: llvm.mlir.constant(8.000000e+00 : f32)
kernel.program @divides_by_8 of @eg for #v4 {
  llvm.func @kernel(%x: !llvm.ptr) -> i32 {
    %n = llvm.mlir.constant(8.0 : f32) : f32
    %v = llvm.load %x : !llvm.ptr -> f32
    %q = llvm.fdiv %v, %n : f32
    llvm.store %q, %x : f32, !llvm.ptr
    %z = llvm.mlir.constant(0 : i32) : i32
    llvm.return %z : i32
  }
}

// Cold ones differ in strides, too: a number for each use, as two that are equal here are not there. A division of lanes and
// what lies beyond 32 bits stay what they are.
// CHECK: kernel.program @cold64 of @eh {{.*}} attributes {kernel.cold, kernel.numbers = [array<i32: 64>, array<i32: 128>]} {
// CHECK: llvm.load {{.*}} invariant {{.*}} -> i32
// CHECK-NEXT: llvm.sext
// CHECK: llvm.mlir.constant(64 : i64)
// CHECK: kernel.program @cold128 of @ei {{.*}} attributes {kernel.code_of = @cold64, kernel.cold}
kernel.program @cold64 of @eh for #v4 attributes {kernel.cold} {
  llvm.func @kernel(%x: !llvm.ptr, %i: i64) -> i32 {
    %n = llvm.mlir.constant(64 : i64) : i64
    %j = llvm.mul %i, %n : i64
    %k = llvm.add %j, %n : i64
    %p = llvm.getelementptr %x[%k] : (!llvm.ptr, i64) -> !llvm.ptr, i8
    %m = llvm.load %p : !llvm.ptr -> i32
    llvm.return %m : i32
  }
}
kernel.program @cold128 of @ei for #v4 attributes {kernel.cold} {
  llvm.func @kernel(%x: !llvm.ptr, %i: i64) -> i32 {
    %n = llvm.mlir.constant(128 : i64) : i64
    %c = llvm.mlir.constant(64 : i64) : i64
    %j = llvm.mul %i, %n : i64
    %k = llvm.add %j, %c : i64
    %p = llvm.getelementptr %x[%k] : (!llvm.ptr, i64) -> !llvm.ptr, i8
    %m = llvm.load %p : !llvm.ptr -> i32
    llvm.return %m : i32
  }
}
// CHECK: kernel.program @cold_beyond of @ej {{.*}} attributes {kernel.cold} {
kernel.program @cold_beyond of @ej for #v4 attributes {kernel.cold} {
  llvm.func @kernel(%x: !llvm.ptr, %i: i64) -> i32 {
    %n = llvm.mlir.constant(4294967296 : i64) : i64
    %c = llvm.mlir.constant(64 : i64) : i64
    %j = llvm.mul %i, %n : i64
    %k = llvm.add %j, %c : i64
    %p = llvm.getelementptr %x[%k] : (!llvm.ptr, i64) -> !llvm.ptr, i8
    %m = llvm.load %p : !llvm.ptr -> i32
    llvm.return %m : i32
  }
}
// CHECK: kernel.program @cold_lanes8 of @ek {{.*}} attributes {kernel.cold} {
kernel.program @cold_lanes8 of @ek for #v4 attributes {kernel.cold} {
  llvm.func @kernel(%x: !llvm.ptr) {
    %n = llvm.mlir.constant(dense<8> : vector<4xi32>) : vector<4xi32>
    %v = llvm.load %x : !llvm.ptr -> vector<4xi32>
    %q = llvm.udiv %v, %n : vector<4xi32>
    llvm.store %q, %x : vector<4xi32>, !llvm.ptr
    llvm.return
  }
}
// CHECK: kernel.program @cold_lanes7 of @el {{.*}} attributes {kernel.cold} {
kernel.program @cold_lanes7 of @el for #v4 attributes {kernel.cold} {
  llvm.func @kernel(%x: !llvm.ptr) {
    %n = llvm.mlir.constant(dense<7> : vector<4xi32>) : vector<4xi32>
    %v = llvm.load %x : !llvm.ptr -> vector<4xi32>
    %q = llvm.udiv %v, %n : vector<4xi32>
    llvm.store %q, %x : vector<4xi32>, !llvm.ptr
    llvm.return
  }
}

// A mask of the first lanes is their number, where programs may differ in sizes: cold ones, and from three on those whose
// tiles microkernels compute (3).
// CHECK: kernel.program @cold_mask5 {{.*}} attributes {kernel.cold, kernel.numbers = [array<i32: 5>, array<i32: 3>]} {
// CHECK: %[[COUNT:.*]] = llvm.load {{.*}} invariant {{.*}} -> i32
// CHECK: %[[STEPS:.*]] = llvm.mlir.constant(dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xi32>)
// CHECK: %[[ALL:.*]] = llvm.shufflevector
// CHECK: %[[MASK:.*]] = llvm.icmp "ult" %[[STEPS]], %[[ALL]]
// CHECK: llvm.intr.masked.load %{{.*}}, %[[MASK]]
// CHECK: llvm.intr.masked.store %{{.*}}, %{{.*}}, %[[MASK]]
// CHECK: kernel.program @cold_mask3 {{.*}} attributes {kernel.code_of = @cold_mask5, kernel.cold}
kernel.program @cold_mask5 of @em for #v4 attributes {kernel.cold} {
  llvm.func @kernel(%x: !llvm.ptr, %y: !llvm.ptr) {
    %m = llvm.mlir.constant(dense<[true, true, true, true, true, false, false, false]> : vector<8xi1>) : vector<8xi1>
    %z = llvm.mlir.constant(dense<0.0> : vector<8xf32>) : vector<8xf32>
    %v = llvm.intr.masked.load %x, %m, %z {alignment = 4 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
    llvm.intr.masked.store %v, %y, %m {alignment = 4 : i32} : vector<8xf32>, vector<8xi1> into !llvm.ptr
    llvm.return
  }
}
kernel.program @cold_mask3 of @en for #v4 attributes {kernel.cold} {
  llvm.func @kernel(%x: !llvm.ptr, %y: !llvm.ptr) {
    %m = llvm.mlir.constant(dense<[true, true, true, false, false, false, false, false]> : vector<8xi1>) : vector<8xi1>
    %z = llvm.mlir.constant(dense<0.0> : vector<8xf32>) : vector<8xf32>
    %v = llvm.intr.masked.load %x, %m, %z {alignment = 4 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
    llvm.intr.masked.store %v, %y, %m {alignment = 4 : i32} : vector<8xf32>, vector<8xi1> into !llvm.ptr
    llvm.return
  }
}
// CHECK: kernel.program @calls7 {{.*}} attributes {kernel.numbers = [array<i32: 7>, array<i32: 6>, array<i32: 2>], kernel.unrolled = 3 : i32} {
// CHECK: kernel.program @calls6 {{.*}} attributes {kernel.code_of = @calls7, kernel.unrolled = 3 : i32}
// CHECK: kernel.program @calls2 {{.*}} attributes {kernel.code_of = @calls7, kernel.unrolled = 3 : i32}
kernel.program @calls7 of @eo for #v4 attributes {kernel.unrolled = 3 : i32} {
  llvm.func @kernel(%x: !llvm.ptr, %y: !llvm.ptr) {
    %m = llvm.mlir.constant(dense<[true, true, true, true, true, true, true, false]> : vector<8xi1>) : vector<8xi1>
    %z = llvm.mlir.constant(dense<0.0> : vector<8xf32>) : vector<8xf32>
    %v = llvm.intr.masked.load %x, %m, %z {alignment = 4 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
    llvm.intr.masked.store %v, %y, %m {alignment = 4 : i32} : vector<8xf32>, vector<8xi1> into !llvm.ptr
    llvm.return
  }
}
kernel.program @calls6 of @ep for #v4 attributes {kernel.unrolled = 3 : i32} {
  llvm.func @kernel(%x: !llvm.ptr, %y: !llvm.ptr) {
    %m = llvm.mlir.constant(dense<[true, true, true, true, true, true, false, false]> : vector<8xi1>) : vector<8xi1>
    %z = llvm.mlir.constant(dense<0.0> : vector<8xf32>) : vector<8xf32>
    %v = llvm.intr.masked.load %x, %m, %z {alignment = 4 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
    llvm.intr.masked.store %v, %y, %m {alignment = 4 : i32} : vector<8xf32>, vector<8xi1> into !llvm.ptr
    llvm.return
  }
}
kernel.program @calls2 of @eq for #v4 attributes {kernel.unrolled = 3 : i32} {
  llvm.func @kernel(%x: !llvm.ptr, %y: !llvm.ptr) {
    %m = llvm.mlir.constant(dense<[true, true, false, false, false, false, false, false]> : vector<8xi1>) : vector<8xi1>
    %z = llvm.mlir.constant(dense<0.0> : vector<8xf32>) : vector<8xf32>
    %v = llvm.intr.masked.load %x, %m, %z {alignment = 4 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
    llvm.intr.masked.store %v, %y, %m {alignment = 4 : i32} : vector<8xf32>, vector<8xi1> into !llvm.ptr
    llvm.return
  }
}
// Not with others; nor other lanes than the first.
// CHECK: kernel.program @mask4 of @er {{.*}} {
// CHECK-NOT: attributes
// CHECK: kernel.program @mask6 of @es {{.*}} {
// CHECK-NOT: attributes
kernel.program @mask4 of @er for #v4 {
  llvm.func @kernel(%x: !llvm.ptr, %y: !llvm.ptr) {
    %m = llvm.mlir.constant(dense<[true, true, true, true, false, false, false, false]> : vector<8xi1>) : vector<8xi1>
    %z = llvm.mlir.constant(dense<0.0> : vector<8xf32>) : vector<8xf32>
    %v = llvm.intr.masked.load %x, %m, %z {alignment = 4 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
    llvm.intr.masked.store %v, %y, %m {alignment = 4 : i32} : vector<8xf32>, vector<8xi1> into !llvm.ptr
    llvm.return
  }
}
kernel.program @mask6 of @es for #v4 {
  llvm.func @kernel(%x: !llvm.ptr, %y: !llvm.ptr) {
    %m = llvm.mlir.constant(dense<[true, true, true, true, true, true, false, false]> : vector<8xi1>) : vector<8xi1>
    %z = llvm.mlir.constant(dense<0.0> : vector<8xf32>) : vector<8xf32>
    %v = llvm.intr.masked.load %x, %m, %z {alignment = 4 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
    llvm.intr.masked.store %v, %y, %m {alignment = 4 : i32} : vector<8xf32>, vector<8xi1> into !llvm.ptr
    llvm.return
  }
}
// CHECK: kernel.program @cold_lane1 {{.*}} attributes {kernel.cold} {
// CHECK: kernel.program @cold_lane2 {{.*}} attributes {kernel.cold} {
kernel.program @cold_lane1 of @et for #v4 attributes {kernel.cold} {
  llvm.func @kernel(%x: !llvm.ptr, %y: !llvm.ptr) {
    %m = llvm.mlir.constant(dense<[false, true, true, true, true, false, true, true]> : vector<8xi1>) : vector<8xi1>
    %z = llvm.mlir.constant(dense<0.0> : vector<8xf32>) : vector<8xf32>
    %v = llvm.intr.masked.load %x, %m, %z {alignment = 4 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
    llvm.intr.masked.store %v, %y, %m {alignment = 4 : i32} : vector<8xf32>, vector<8xi1> into !llvm.ptr
    llvm.return
  }
}
kernel.program @cold_lane2 of @eu for #v4 attributes {kernel.cold} {
  llvm.func @kernel(%x: !llvm.ptr, %y: !llvm.ptr) {
    %m = llvm.mlir.constant(dense<[false, false, true, true, true, true, true, true]> : vector<8xi1>) : vector<8xi1>
    %z = llvm.mlir.constant(dense<0.0> : vector<8xf32>) : vector<8xf32>
    %v = llvm.intr.masked.load %x, %m, %z {alignment = 4 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
    llvm.intr.masked.store %v, %y, %m {alignment = 4 : i32} : vector<8xf32>, vector<8xi1> into !llvm.ptr
    llvm.return
  }
}

// An object each, from one compilation.
// OBJECTS: kernel.program @a of @ea {{.*}} object(dense_resource<a> : tensor<[[SIZE:[0-9]+]]xi8>) attributes {
// OBJECTS-SAME: kernel.objects = [dense_resource<a> : tensor<[[SIZE]]xi8>, dense_resource<[[OTHER:[a-z_0-9]+]]> : tensor<[[SIZE]]xi8>]
// OBJECTS: kernel.program @b of @eb for <"elf-x86_64", {cpu = "x86-64-v4", features = "+avx512f"}> attributes {kernel.code_of = @a}
