# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a StableHLO program of functions that each call the next one twice.

  nested_calls.py DEPTH [--in-region]    the outermost one is called from @main, or from a region of a select_and_scatter there
"""
import argparse


def call(n, *operands):
    return f'"func.call"({", ".join("%" + operand for operand in operands)}) <{{callee = @f{n}}}> : (tensor<f32>, tensor<f32>) -> tensor<f32>'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("depth", type=int)
    parser.add_argument("--in-region", action="store_true")
    options = parser.parse_args()
    for n in range(options.depth):
        print(f"func.func private @f{n}(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {{\n"
              f"  %c = {call(n + 1, 'a', 'b')}\n  %d = {call(n + 1, 'c', 'a')}\n  return %d : tensor<f32>\n}}")
    print(f"func.func private @f{options.depth}(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {{\n"
          '  %c = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>\n  return %c : tensor<f32>\n}')
    if not options.in_region:
        print(f"func.func @main(%a: tensor<f32>) -> tensor<f32> {{\n  %c = {call(0, 'a', 'a')}\n  return %c : tensor<f32>\n}}")
        return
    print('func.func @main(%x: tensor<8xf32>, %y: tensor<4xf32>, %i: tensor<f32>) -> tensor<8xf32> {\n'
          '  %r = "stablehlo.select_and_scatter"(%x, %y, %i) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({\n'
          '  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n'
          '    %c = "stablehlo.compare"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction GE>}> '
          ': (tensor<f32>, tensor<f32>) -> tensor<i1>\n    "stablehlo.return"(%c) : (tensor<i1>) -> ()\n'
          '  }, {\n  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n'
          f"    %c = {call(0, 'a', 'b')}\n" '    "stablehlo.return"(%c) : (tensor<f32>) -> ()\n'
          '  }) : (tensor<8xf32>, tensor<4xf32>, tensor<f32>) -> tensor<8xf32>\n  return %r : tensor<8xf32>\n}')


if __name__ == "__main__":
    main()
