# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What may differ or be refused, each with its reason; everything else is a defect."""
import dataclasses
import re

from onnx import TensorProto, helper


@dataclasses.dataclass(frozen=True)
class Rule:
    name: str
    reason: str
    operators: tuple
    types: tuple = ()     # of the operator's first operand; (): any
    attributes: tuple = () # (name, value) pairs it has
    text: str = ""        # of a refusal


# Results of ONNX Runtime that the specification does not bear out, by the operator on the way to them. Such results are
# compared with the first way's instead.
DEVIATIONS = [
    Rule("Gelu of f64 with constants of f32", "ONNX Runtime computes tanh's argument with 0.044715f and sqrt(2/pi) as f32; NumPy "
         "in f64 agrees with Heddle to the last place", ("Gelu",), ("float64",), (("approximate", b"tanh"),)),
    Rule("Bernoulli of the other outcome", "ONNX Runtime draws 1 with probability 1 - p: the operator's function body compares the wrong way "
         "round; its text, and Heddle, say p", ("Bernoulli",)),
    Rule("GroupNormalization of f64 in f32", "ONNX Runtime normalises in the type that stash_type names, f32; Heddle never in a narrower one "
         "than the operand's", ("GroupNormalization",), ("float64",)),
    Rule("inverse DFT of f64 with a factor of f32", "ONNX Runtime multiplies by 1 / n as f32; NumPy in f64 agrees with Heddle to the last place",
         ("DFT",), ("float64",), (("inverse", 1),)),
    Rule("causal attention behind a past", "ONNX Runtime lets a query see all keys or those up to its own place; the operator's reference "
         "evaluator, as Heddle, those up to its place behind the past", ("Attention",), (), (("is_causal", 1),)),
    Rule("windows of f64 in f32", "ONNX Runtime computes in f32 and widens", ("HannWindow", "HammingWindow", "BlackmanWindow"), (),
         (("output_datatype", TensorProto.DOUBLE),)),
]

# What Heddle refuses with a message that says so.
REFUSALS = [
    Rule("Squeeze without axes of sizes that the call knows", "which of them are one, and so the result's rank, is not known",
         ("Squeeze",), text="without axes every size must be fixed"),
    Rule("Loop that stacks what an iteration gives a size", "a dynamic size and a fixed one that broadcast are known to agree only where "
         "they meet, inside of the iteration", ("Loop", "Scan"), text="has a size that only an iteration knows"),
    Rule("layers of ONNX Runtime's own with sizes that the call knows", "they are lowered for what models have: batch and length may be the call's "
         "if all operands name it alike", ("Attention", "MultiHeadAttention", "GroupQueryAttention", "SkipLayerNormalization", "SkipSimplifiedLayerNormalization",
         "EmbedLayerNormalization", "DynamicQuantizeLSTM", "MatMulNBits", "FusedMatMul"),
         text="must be of fixed size|does not broadcast to the first|as long as the query|an element for each column|must be \\[batch, heads"),
]


def operand_type(builder, node):
    return builder.types.get(node.input[0]) if node.input else None


def fits(rule, builder, node):
    attributes = {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
    return (node.op_type in rule.operators and (not rule.types or operand_type(builder, node) in rule.types)
            and all(attributes.get(name) == value for name, value in rule.attributes))


def inner(node):
    """The node and those of its bodies."""
    yield node
    for attribute in node.attribute:
        for each in attribute.g.node:
            yield from inner(each)


def ancestors(builder, result):
    """Nodes that a result depends on."""
    needed, nodes = {result}, []
    for node in reversed(builder.nodes):
        if needed & set(node.output):
            for each in inner(node):
                needed |= set(each.input)
                nodes.append(each)
    return nodes


def explain_result(builder, result):
    """The rule that explains why ONNX Runtime's result is another one; None: a defect."""
    for node in ancestors(builder, result):
        for rule in DEVIATIONS:
            if fits(rule, builder, node):
                return rule
    return None


def explain_refusal(builder, text):
    """The rule that explains why a graph is refused; None: a defect."""
    for rule in REFUSALS:
        if any(fits(rule, builder, node) for node in builder.nodes) and re.search(rule.text, text):
            return rule
    return None
