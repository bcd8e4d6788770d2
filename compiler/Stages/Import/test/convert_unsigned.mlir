// RUN: heddle-opt %s --import-convert-unsigned | FileCheck %s

// CHECK-LABEL: func.func @main(%arg0: tensor<?xi8> {heddle.unsigned}, %arg1: tensor<2xi16>)
// CHECK-SAME: -> (tensor<?xi8>, tensor<2xi32> {heddle.unsigned})
// CHECK-NEXT: %[[C:.*]] = arith.constant dense<[1, -1]> : tensor<2xi32>
// CHECK-NEXT: %[[X:.*]] = call @g(%arg0) : (tensor<?xi8>) -> tensor<?xi8>
// CHECK-NEXT: return %[[X]], %[[C]]
func.func @main(%x: tensor<?xui8>, %y: tensor<2xsi16>) -> (tensor<?xi8>, tensor<2xui32>) {
  %c = arith.constant dense<[1, 4294967295]> : tensor<2xui32>
  %g = call @g(%x) : (tensor<?xui8>) -> tensor<?xui8>
  %z = tensor.bitcast %g : tensor<?xui8> to tensor<?xi8>
  return %z, %c : tensor<?xi8>, tensor<2xui32>
}

// What nobody calls from outside has no attribute.
// CHECK-LABEL: func.func private @g(%arg0: tensor<?xi8>) -> tensor<?xi8>
func.func private @g(%x: tensor<?xui8>) -> tensor<?xui8> {
  return %x : tensor<?xui8>
}
