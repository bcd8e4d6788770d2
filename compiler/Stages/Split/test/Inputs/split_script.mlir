// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module attributes {transform.with_named_sequence} {
  transform.named_sequence @is_long(%op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %least = transform.param.constant 5000 : i64 -> !transform.param<i64>
    transform.match.structured %op : !transform.any_op {
    ^bb0(%reduction: !transform.any_op):
      %length = transform.match.structured.dim %reduction[-1] {reduction} : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi ge %length, %least : !transform.param<i64>
    }
    transform.heddle.match_target %op is "cpu" : !transform.any_op
    transform.yield %op : !transform.any_op
  }

  transform.named_sequence @__transform_main(%program: !transform.any_op {transform.readonly}) {
    %long = transform.collect_matching @is_long in %program : (!transform.any_op) -> !transform.any_op
    %steps = transform.heddle.target_fact "second_level_bytes" of %long over 256 : (!transform.any_op) -> !transform.param<i64>
    transform.heddle.split_reduction %long by %steps : !transform.any_op, !transform.param<i64>
    %named = transform.heddle.match_reductions "encoder/*/MatMul" in %program : (!transform.any_op) -> !transform.any_op
    transform.heddle.split_reduction %named into 13 : !transform.any_op
    %sums = transform.structured.match ops{["linalg.reduce"]} in %program : (!transform.any_op) -> !transform.any_op
    transform.heddle.split_reduction %sums into 2 per_unit along 0 : !transform.any_op
    %other = transform.heddle.match_reductions "whole?" in %program : (!transform.any_op) -> !transform.any_op
    transform.heddle.split_reduction %other into 1 : !transform.any_op
    transform.yield
  }
}
