# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fibonacci.py N: a function in which each of N sums reads the two before it."""
import sys

TYPE = "tensor<8xf32>"
print(f"#id = affine_map<(i) -> (i)>\nfunc.func @f(%f0: {TYPE}, %f1: {TYPE}) -> {TYPE} {{\n  %o = tensor.empty() : {TYPE}")
last = int(sys.argv[1]) + 1
for i in range(2, last + 1):
    print(f"""  %f{i} = linalg.generic {{indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}}
      ins(%f{i - 1}, %f{i - 2} : {TYPE}, {TYPE}) outs(%o : {TYPE}) {{
    ^bb0(%v: f32, %w: f32, %out: f32):
      %s = arith.addf %v, %w : f32
      linalg.yield %s : f32 }} -> {TYPE}""")
print(f"  return %f{last} : {TYPE}\n}}")
