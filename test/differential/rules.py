"""What may differ or be refused, each with its reason; everything else is a defect."""
import dataclasses
import re

from onnx import helper


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
]

# What Heddle refuses with a message that says so.
REFUSALS = [
    Rule("Squeeze without axes of sizes that the call knows", "which of them are one, and so the result's rank, is not known",
         ("Squeeze",), text="without axes every size must be fixed"),
]


def operand_type(builder, node):
    return builder.types.get(node.input[0]) if node.input else None


def fits(rule, builder, node):
    attributes = {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
    return (node.op_type in rule.operators and (not rule.types or operand_type(builder, node) in rule.types)
            and all(attributes.get(name) == value for name, value in rule.attributes))


def ancestors(builder, result):
    """Nodes that a result depends on."""
    needed, nodes = {result}, []
    for node in reversed(builder.nodes):
        if needed & set(node.output):
            needed |= set(node.input)
            nodes.append(node)
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
