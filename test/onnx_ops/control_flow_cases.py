"""Cases (see cases.py) of control flow and recurrent networks."""
from cases import b, f, graph, i


def branches(condition, then, otherwise, results="y"):
    """An If; each branch is `outputs | nodes`, outputs with their types."""
    def branch(name, text):
        outputs, nodes = text.split("|")
        return f"{name} () => ({outputs}) {{ {nodes} }}"
    return f"{results} = If ({condition}) <then_branch = {branch('t', then)}, else_branch = {branch('e', otherwise)}>"


RELU, EXP = "float[k,l] u | u = Relu (a)", "float[k,l] v | n = Neg (a) v = Exp (n)"
ONE = "<int64 one = {1}, int64[1] axis = {1}, int64[1] zero = {0}, int64[1] two = {2}, int64[1] four = {4}, int64[1] all = {-1}>"
LAST_IS_ONE = "s = Shape (a) d = Gather (s, one) c = Equal (d, one) "
ROWS_GIVEN = "z = ReduceSum <keepdims = 0> (b) h = Greater (z, zero) c = Squeeze (h) "
NESTED = "float[k,l] u | s = ReduceMin <keepdims = 0> (a) k = Cast <to = 9> (s) p = Relu (a) " + branches(
    "k", "float[k,l] m | m = Add (p, a)", "float[k,l] q | q = Mul (p, p)", "u")

CASES = {
    "If_true": graph(branches("c", RELU, EXP), "float", [f(3, 5)], constants="<bool c = {1}>"),
    "If_false": graph(branches("c", RELU, EXP), "float", [f(3, 5)], constants="<bool c = {0}>"),
    "If_data": graph(ROWS_GIVEN + branches("c", RELU, EXP), "float", [f(3, 5), i(1, low=1)], constants=ONE),
    "If_data_else": graph(ROWS_GIVEN + branches("c", RELU, EXP), "float", [f(3, 5), i(1, high=1)], constants=ONE),
    "If_input": graph(branches("b", RELU, EXP), "float", [f(3, 5), b()], free=False),
    "If_nested": graph(ROWS_GIVEN + branches("c", NESTED, EXP), "float", [f(3, 5), i(1, low=1)], constants=ONE),
    "If_passes_operands": graph("p = Exp (a) " + ROWS_GIVEN + branches("c", "float[k,l] u | u = Identity (a)", "float[k,l] v | v = Identity (p)"),
                                "float", [f(3, 5), i(1, low=1)], constants=ONE),
    "If_other_sizes": graph(ROWS_GIVEN + branches("c", "float[k,l] u | u = Slice (a, zero, two, zero)",
                                                  "float[k,l] v | v = Slice (a, zero, four, zero)", "t") + " y = Add (t, t)",
                            "float", [f(5, 3), i(1, low=1)], constants=ONE),
    "If_free_sizes": graph(ROWS_GIVEN + branches("c", "float[k,l] u | u = Concat <axis = 0> (a, a)", "float[k,l] v | v = Exp (a)", "t")
                           + " w = Transpose (a) y = MatMul (t, w)", "float", [f(5, 3), i(1, low=1)], constants=ONE),
    "If_gives_a_shape": graph(ROWS_GIVEN + branches("c", "int64[k] u | k = Shape (a) u = Concat <axis = 0> (k, axis)",
                                                    "int64[k] v | k = Shape (a) v = Concat <axis = 0> (axis, k)", "t")
                              + " y = Reshape (a, t)", "float", [f(5, 3), i(1, low=1)], constants=ONE),
    "If_two_results": graph(ROWS_GIVEN + branches("c", "float[k,l] u, float[k,l] v | u = Exp (a) v = Identity (a)",
                                                  "float[k,l] u, float[k,l] v | v = Exp (a) u = Neg (a)", "p, q") + " y = Sub (p, q)",
                            "float", [f(3, 5), i(1, low=1)], constants=ONE),
    "If_sizes_decide": graph(LAST_IS_ONE + branches("c", RELU, EXP), "float", [f(5, 3)], constants=ONE),
}
# One side has another rank: what follows is imported twice. Both dimensions are free.
for name, columns in {"true": 1, "false": 3}.items():
    text, inputs = graph(LAST_IS_ONE + branches("c", "float[k] u | u = Squeeze (a, axis)", EXP, "t")
                         + " r = Relu (t) y = Reshape (r, all)", "float", [f(5, columns)], constants=ONE)
    CASES[f"If_rank_{name}"] = (text.replace(f"a0,{columns}", "a0,a1"), inputs)
