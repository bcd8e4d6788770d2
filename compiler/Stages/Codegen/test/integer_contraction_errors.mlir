// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --verify-diagnostics

func.func @dot(%acc: vector<16xi32>, %x: vector<32xi8>) -> vector<16xi32> {
  // expected-error @+1 {{'kernel.dot' op needs 4 elements for each lane of the accumulator, got 'vector<32xi8>' for 'vector<16xi32>'}}
  %r = kernel.dot %acc, %x, %x : vector<32xi8> into vector<16xi32>
  return %r : vector<16xi32>
}
