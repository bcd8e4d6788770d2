// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A row of scalar code writes one element: all ones where the row begins with a positive number, else 5.
func.func @main(%x: tensor<?x8xf32> {heddle.name = "x", heddle.dims = ["m", ""]})
    -> (tensor<?xi32> {heddle.name = "y", heddle.dims = ["m"]}) {
  %m = flow.dimension "m"
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %ones = arith.constant -1 : i32
  %five = arith.constant 5 : i32
  %y = flow.rows %m -> (tensor<?xi32>{%m}) {
  ^bb0(%row: index, %out: tensor<?xi32>):
    %first = tensor.extract %x[%row, %c0] : tensor<?x8xf32>
    %positive = arith.cmpf ogt, %first, %zero : f32
    %chosen = arith.select %positive, %ones, %five : i32
    %written = tensor.insert %chosen into %out[%row] : tensor<?xi32>
    flow.yield %written : tensor<?xi32>
  } loc("Rows_0")
  return %y : tensor<?xi32>
}
