// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --schedule-update-in-place --split-input-file | FileCheck %s

// A chain stays in one buffer: @b takes the place of @a, which dies there. What comes from the caller is not written,
// and the caller's storage for the result is not used before its dispatch.
// CHECK: flow.executable private @add attributes {flow.overwrites = [array<i64: 0, 2>]}
// CHECK: flow.executable private @reverse {
// CHECK-LABEL: host.func @chain
// CHECK: %[[A:.*]] = host.alloc
// CHECK: host.dispatch %{{.*}}, @add(%{{.*}}, %{{.*}}, %[[A]])
// CHECK-NOT: host.alloc
// CHECK: host.dispatch %{{.*}}, @add(%[[A]], %{{.*}}, %[[A]]) access(["r", "r", "w"])
// CHECK: host.result
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}>]>
flow.executable private @add {
  func.func @add(%a: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<64xf32> {
    %e = tensor.empty() : tensor<64xf32>
    %r = linalg.add ins(%a, %b : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
    return %r : tensor<64xf32>
  }
}
flow.executable private @reverse {
  func.func @reverse(%a: tensor<64xf32>) -> tensor<64xf32> {
    %e = tensor.empty() : tensor<64xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> (63 - i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) {
    ^bb0(%x: f32, %o: f32):
      linalg.yield %x : f32
    } -> tensor<64xf32>
    return %r : tensor<64xf32>
  }
}
host.func @chain(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<64xf32>, [""]>]) results([#host.value<"y", tensor<64xf32>, [""]>]) symbols([]) {
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %a = host.alloc on @d size %c256
  host.dispatch %s, @add(%x, %x, %a) access(["r", "r", "w"])
  %b = host.alloc on @d size %c256
  host.dispatch %s, @add(%a, %x, %b) access(["r", "r", "w"])
  %y = host.result 0 on @d size %c256
  host.dispatch %s, @add(%b, %x, %y) access(["r", "r", "w"])
  host.return %y shape(%c64)
}

// -----

// Not where the kernel reads elsewhere (@reverse), the operand is bound twice or used later, sizes differ, another
// stream has used it, or it is a part of another buffer.
// CHECK-NOT: flow.overwrites
// CHECK-LABEL: host.func @kept
// CHECK-COUNT-12: host.alloc
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}>]>
flow.executable private @add {
  func.func @add(%a: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<64xf32> {
    %e = tensor.empty() : tensor<64xf32>
    %r = linalg.add ins(%a, %b : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
    return %r : tensor<64xf32>
  }
}
flow.executable private @reverse {
  func.func @reverse(%a: tensor<64xf32>) -> tensor<64xf32> {
    %e = tensor.empty() : tensor<64xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> (63 - i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) {
    ^bb0(%x: f32, %o: f32):
      linalg.yield %x : f32
    } -> tensor<64xf32>
    return %r : tensor<64xf32>
  }
}
host.func @kept(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<64xf32>, [""]>]) results([#host.value<"y", tensor<64xf32>, [""]>]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %c512 = arith.constant 512 : index
  %t = host.stream on @d 0
  %a0 = host.alloc on @d size %c256
  host.dispatch %s, @add(%x, %x, %a0) access(["r", "r", "w"])
  %a1 = host.alloc on @d size %c256
  host.dispatch %s, @reverse(%a0, %a1) access(["r", "w"])
  %b0 = host.alloc on @d size %c256
  host.dispatch %s, @add(%x, %x, %b0) access(["r", "r", "w"])
  %b1 = host.alloc on @d size %c256
  host.dispatch %s, @add(%b0, %b0, %b1) access(["r", "r", "w"])
  %c = host.alloc on @d size %c256
  host.dispatch %s, @add(%a1, %b1, %c) access(["r", "r", "w"])
  %later = host.alloc on @d size %c256
  host.dispatch %s, @add(%a1, %b1, %later) access(["r", "r", "w"])
  %long = host.alloc on @d size %c512
  host.fill %s, %long[%c0] size %c512 pattern %c0 : 1
  %d = host.alloc on @d size %c256
  host.dispatch %s, @add(%x, %long, %d) access(["r", "r", "w"])
  %e = host.alloc on @d size %c256
  host.dispatch %t, @add(%x, %x, %e) access(["r", "r", "w"])
  %f = host.alloc on @d size %c256
  host.dispatch %s, @add(%x, %e, %f) access(["r", "r", "w"])
  %part = host.view %long[%c256] size %c256
  %g = host.alloc on @d size %c256
  host.dispatch %s, @add(%x, %part, %g) access(["r", "r", "w"])
  %h = host.alloc on @d size %c256
  host.copy %s, %h[%c0] from %a1[%c0] size %c256
  %y = host.result 0 on @d size %c256
  host.copy %s, %y[%c0] from %b1[%c0] size %c256
  host.return %y shape(%c64)
}

// -----

// In a loop, what the body allocates. What lives across iterations does not die in one.
// CHECK: flow.overwrites = [array<i64: 0, 2>]
// CHECK-LABEL: host.func @loop
// CHECK: %[[KEPT:.*]] = host.alloc
// CHECK: scf.for
// CHECK: %[[A:.*]] = host.alloc
// CHECK: @add(%[[KEPT]], %{{.*}}, %[[A]])
// CHECK-NOT: host.alloc
// CHECK: @add(%[[A]], %{{.*}}, %[[A]])
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}>]>
flow.executable private @add {
  func.func @add(%a: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<64xf32> {
    %e = tensor.empty() : tensor<64xf32>
    %r = linalg.add ins(%a, %b : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
    return %r : tensor<64xf32>
  }
}
flow.executable private @reverse {
  func.func @reverse(%a: tensor<64xf32>) -> tensor<64xf32> {
    %e = tensor.empty() : tensor<64xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> (63 - i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) {
    ^bb0(%x: f32, %o: f32):
      linalg.yield %x : f32
    } -> tensor<64xf32>
    return %r : tensor<64xf32>
  }
}
host.func @loop(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<64xf32>, [""]>]) results([#host.value<"y", tensor<64xf32>, [""]>]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %y = host.result 0 on @d size %c256
  %kept = host.alloc on @d size %c256
  host.dispatch %s, @add(%x, %x, %kept) access(["r", "r", "w"])
  scf.for %i = %c0 to %c64 step %c1 {
    %a = host.alloc on @d size %c256
    host.dispatch %s, @add(%kept, %x, %a) access(["r", "r", "w"])
    %b = host.alloc on @d size %c256
    host.dispatch %s, @add(%a, %x, %b) access(["r", "r", "w"])
    host.copy %s, %y[%c0] from %b[%c0] size %c256
  }
  host.return %y shape(%c64)
}

// -----

// A donated argument is where its result is computed. State is not: a call that fails keeps it.
// CHECK-LABEL: host.func @donated(
// CHECK-SAME: %[[S:.*]]: !host.stream, %[[W:.*]]: !host.buffer, %[[G:.*]]: !host.buffer, %[[N:.*]]: !host.buffer)
// CHECK-NOT: host.result 0
// CHECK: host.dispatch %[[S]], @add(%[[W]], %[[G]], %[[W]])
// CHECK: %[[M:.*]] = host.result 1
// CHECK: host.dispatch %[[S]], @add(%[[N]], %[[G]], %[[M]])
// CHECK: host.return %[[W]], %[[M]]
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}>]>
flow.executable private @add {
  func.func @add(%a: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<64xf32> {
    %e = tensor.empty() : tensor<64xf32>
    %r = linalg.add ins(%a, %b : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
    return %r : tensor<64xf32>
  }
}
flow.executable private @reverse {
  func.func @reverse(%a: tensor<64xf32>) -> tensor<64xf32> {
    %e = tensor.empty() : tensor<64xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> (63 - i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) {
    ^bb0(%x: f32, %o: f32):
      linalg.yield %x : f32
    } -> tensor<64xf32>
    return %r : tensor<64xf32>
  }
}
flow.global private @n : tensor<64xf32>
host.func @donated(%s: !host.stream, %w: !host.buffer, %g: !host.buffer, %n: !host.buffer)
    arguments([#host.value<"w", tensor<64xf32>, [""] donated(0 : i64)>, #host.value<"g", tensor<64xf32>, [""]>,
               #host.value<"n", tensor<64xf32>, [""] state(@n)>])
    results([#host.value<"w", tensor<64xf32>, [""]>, #host.value<"n", tensor<64xf32>, [""] state(@n)>]) symbols([]) {
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %y = host.result 0 on @d size %c256
  host.dispatch %s, @add(%w, %g, %y) access(["r", "r", "w"])
  %m = host.result 1 on @d size %c256
  host.dispatch %s, @add(%n, %g, %m) access(["r", "r", "w"])
  host.return %y, %m shape(%c64, %c64)
}

// -----

// All targets of the executable must promise it: GPUs promise nothing.
// CHECK-NOT: flow.overwrites
// CHECK-LABEL: host.func @gpu
// CHECK-COUNT-2: host.alloc
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}>]>
device.global @g = #device.target<"vulkan", [#device.executable<"spirv", {}>]>
flow.executable private @add {
  func.func @add(%a: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<64xf32> {
    %e = tensor.empty() : tensor<64xf32>
    %r = linalg.add ins(%a, %b : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
    return %r : tensor<64xf32>
  }
}
flow.executable private @reverse {
  func.func @reverse(%a: tensor<64xf32>) -> tensor<64xf32> {
    %e = tensor.empty() : tensor<64xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> (63 - i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) {
    ^bb0(%x: f32, %o: f32):
      linalg.yield %x : f32
    } -> tensor<64xf32>
    return %r : tensor<64xf32>
  }
}
host.func @gpu(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<64xf32>, [""]>]) results([#host.value<"y", tensor<64xf32>, [""]>]) symbols([]) {
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %a = host.alloc on @d size %c256
  host.dispatch %s, @add(%x, %x, %a) access(["r", "r", "w"])
  %b = host.alloc on @d size %c256
  host.dispatch %s, @add(%a, %x, %b) access(["r", "r", "w"])
  %y = host.result 0 on @d size %c256
  host.dispatch %s, @add(%b, %x, %y) access(["r", "r", "w"])
  host.return %y shape(%c64)
}
