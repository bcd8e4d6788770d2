# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A hundred programs that write in place and give views, each a line: what PyTorch's tests of AOTAutograd and of Dynamo's backends ask of
mutation and aliasing, written anew. bindings/python/test/test_torch_mutations.py runs them, forward and, those of TRAINED, with gradients.

A program is the body of a function of `a`, `b` (f32) and `n` (i64); statements are parted by `;`, the last is what it returns.
"""
import torch
import untranslated  # noqa: F401

# Arguments by name; a program uses ARGUMENTS["plain"] unless it says another one.
ARGUMENTS = {
    "plain": lambda: (torch.arange(12.0).sin().reshape(3, 4), torch.arange(12.0).cos().reshape(3, 4), torch.tensor([0, 2, 1])),
    "transposed": lambda: (torch.arange(12.0).sin().reshape(4, 3).t(), torch.arange(12.0).cos().reshape(3, 4), torch.tensor([0, 2, 1])),
    "same": lambda: (x := torch.arange(12.0).sin().reshape(3, 4), x, torch.tensor([0, 2, 1])),
    "parts": lambda: (x := torch.arange(24.0).sin().reshape(6, 4), (x[:3], x[3:], torch.tensor([0, 2, 1])))[1],
    "overlapping": lambda: (x := torch.arange(20.0).sin().reshape(5, 4), (x[:3], x[1:4], torch.tensor([0, 2, 1])))[1],
    "view_of_other": lambda: (x := torch.arange(12.0).sin().reshape(3, 4), x.view(4, 3).view(3, 4), torch.tensor([0, 2, 1])),
    "expanded": lambda: (torch.arange(4.0).sin().expand(3, 4), torch.arange(12.0).cos().reshape(3, 4), torch.tensor([0, 2, 1])),
    "strided": lambda: (torch.arange(24.0).sin().reshape(3, 8)[:, ::2], torch.arange(24.0).cos().reshape(6, 4)[::2], torch.tensor([0, 2, 1])),
}

PROGRAMS = {
    # Writes to arguments.
    "add": "a.add_(1); a * 2",
    "two_writes": "a.add_(1); a.mul_(b); a.sum()",
    "write_and_return": "a.add_(1); a",
    "write_returned_by_operator": "a.mul_(2)",
    "write_both": "a.add_(b); b.add_(a); a + b",
    "write_then_read_other": "a.copy_(b); b * 2",
    "write_of_itself": "a.copy_(a * 2 + b); a.sum(0)",
    "write_and_nothing": "a.add_(1); None",
    "write_twice_last_counts": "a.fill_(1); a.zero_(); b + 0",
    "write_of_no_effect": "a.mul_(1); b - 1",
    "read_before_write": "c = a * 2; a.zero_(); c",
    "read_view_before_write": "c = a[0] * 1; a.zero_(); c",
    "old_value_kept": "c = a.clone(); a.add_(5); c, a",
    "scalar_write": "a[1, 2] = 7; a.sum()",
    "row_write": "a[1] = b[2]; a * 1",
    "column_write": "a[:, 1] = b[:, 0]; a * 1",
    "slice_write": "a[1:, ::2] = 0; a + b",
    "negative_step_write": "a[-1] += 1; a.amax()",
    "index_write": "a[n] = b; a.sum(1)",
    "index_accumulate": "a.index_put_((n[:2], n[1:]), torch.ones(2), accumulate=True); a * 1",
    "mask_write": "a[a > 0] = 0; a + 1",
    "masked_fill": "a.masked_fill_(b > 0, -1); a * b",
    "index_copy": "a.index_copy_(0, n, b); a * 1",
    "index_add": "a.index_add_(0, n, b, alpha=2); a * 1",
    "index_fill": "a.index_fill_(1, n, 3); a * 1",
    "scatter": "a.scatter_(0, n.unsqueeze(0), b[:1, :3]); a * 1",
    "scatter_add": "a.scatter_add_(1, n.unsqueeze(1), b); a * 1",
    "scatter_reduce": "a.scatter_reduce_(1, n.unsqueeze(1), b, 'amax'); a * 1",
    "out_argument": "torch.mul(a, 2, out=b); b + 1",
    "out_two": "torch.max(a, 1, out=(torch.empty(3), torch.empty(3, dtype=torch.int64)))[0] * 2",
    "relu": "torch.relu_(a); a - b",
    "clamp": "a.clamp_(-0.5, 0.5); a",
    "lerp": "a.lerp_(b, 0.3); a * 2",
    "addcmul": "a.addcmul_(b, b, value=0.5); a",
    "addmm": "a[:, :3].addmm_(b, b.t()); a.sum()",
    "cumsum": "a.cumsum_(0); a",
    "sort_out_of_place": "a.copy_(a.sort(1).values); a[0]",
    "fill_by_tensor": "a.fill_(b[0, 0]); a",
    "set_diagonal": "a.fill_diagonal_(9); a * 1",
    "triangle": "a.tril_(); a * 1",
    "integers": "n.add_(1); n * 2",
    "integers_by_floor": "n.floor_divide_(2); n + 0",
    "logical": "n.bitwise_xor_(3); n * a[0, :3].long()",
    "conversion": "a.copy_(n.repeat(4).reshape(3, 4)); a.sum()",
    "copy_broadcast": "a.copy_(b[0]); a * 2",
    # Writes through views of arguments.
    "view_write": "a.view(-1).add_(1); a * 2",
    "view_of_view": "a.view(4, 3)[1:].t().mul_(2); a * 1",
    "transposed_write": "a.t().add_(n[0] + 1.0); a * 1",
    "select_write": "a.select(1, 2).zero_(); a * 1",
    "diagonal_write": "a.diagonal().fill_(5); a * 1",
    "unbound_write": "x, y, z = a.unbind(0); x.add_(y); a * 1",
    "chunk_write": "x, y = a.chunk(2, 1); x.copy_(y); a * 1",
    "split_write": "p = a.split([1, 2]); p[1].neg_(); a * 1",
    "unsqueezed_write": "a.unsqueeze(0)[:, 0].add_(1); a * 1",
    "narrow_write": "a.narrow(0, 1, 2).mul_(3); a * 1",
    "view_before_base_write": "v = a.view(-1); a.add_(1); v * 2",
    "base_before_view_write": "v = a[1]; v.add_(1); a.mul_(2); v",
    "write_between_views": "v = a[0]; a[1].add_(v); w = a[1]; w.mul_(2); a.sum(1)",
    "detached_write": "a.detach().add_(1); a * 1",
    "data_of_two_views": "x = a[:2]; y = a[1:]; x.add_(1); y.mul_(2); a * 1",
    "flatten_write": "a.flatten()[::3].zero_(); a * 1",
    "as_strided_write": "a.as_strided((2, 2), (4, 1)).add_(1); a * 1",
    "real_view_write": "torch.view_as_complex(a.view(3, 2, 2)).mul_(2); a * 1",
    "unfold_read_after_write": "a.add_(1); a.unfold(1, 2, 1).sum(-1)",
    "movedim_write": "a.movedim(0, 1)[0].fill_(2); a * 1",
    # What is given shares memory with arguments.
    "argument": "a",
    "argument_twice": "a, a",
    "view": "a.view(-1), a + 1",
    "two_views": "a[0], a[1], a.sum()",
    "transposed": "a.t(), b + 1",
    "expanded": "a[0].expand(3, 4), a * 2",
    "written_view": "a.add_(1); a[1:], a.t()",
    "view_of_written_view": "v = a[1]; v.add_(1); v[1:], a.view(-1)",
    "detached": "a.detach(), a * 1",
    "parts_of_argument": "[*a.split(1)], a.mean()",
    "contiguous_is_itself": "a.contiguous(), b.sum()",
    "reshape_is_a_view": "a.reshape(-1), b + a",
    "to_is_itself": "a.to(torch.float32), a * 1",
    "dictionary": "{'view': a[0], 'value': b * 2, 'written': a.add_(1)}",
    # What is given shares memory with other results.
    "value_and_view": "c = a * 2; c, c[0]",
    "two_views_of_value": "c = a + b; c[0], c.t()",
    "parts_of_value": "(a * 2).chunk(3)",
    "unbound_value": "(a * 2).unbind(1)",
    "value_twice": "c = a * 2; c, c",
    "view_of_value_alone": "(a * 2)[1]",
    "written_value": "c = a * 2; c[0] = 1; c, c.view(-1)",
    "written_after_view": "c = a * 2; v = c.view(-1); c.add_(1); v, c",
    "transposed_value": "c = a @ b.t(); c.t(), c.t().t()",
    "expanded_value": "(a.sum(0) * 1).expand(3, 4)",
    "parts_of_a_sort": "v, i = a.sort(1); v[0], i, v",
    "squeezed_value": "c = (a * 2).unsqueeze(0); c.squeeze(0), c",
    "value_stacked_and_view": "s = torch.stack([a, b]); s[0], s[1] + 1, s",
    # Values that the program makes and writes to.
    "zeros_filled": "c = torch.zeros(3, 4); c[1] = a[0]; c[:, 0] += 1; c",
    "empty_copied": "c = torch.empty_like(a); c.copy_(b); c * a",
    "list_of_rows": "c = torch.zeros(3, 4); [c[i].copy_(a[i] * i) for i in range(3)]; c",
    "loop_of_writes": "c = a.clone(); [c[i].add_(c[i - 1]) for i in range(1, 3)]; c",
    "accumulator": "c = torch.zeros(4); [c.add_(row) for row in a]; c",
    "clone_keeps_argument": "c = a.clone(); c.zero_(); a + c",
    "clone_of_transposed": "c = a.t().clone(); c[0] = 0; c, a.sum()",
    "set_then_gather": "c = torch.zeros(5); c[n] = a[:, 0]; c.gather(0, n)",
    "moved_by_resize": "c = a.new_zeros(2, 4); c.copy_(a[1:]); c.t_(); c * 1",
    "untranslated_between": "a.add_(1); c = torch.ops.heddle_test.untranslated(a); c.mul_(2); c + a",
    "untranslated_writes_view": "c = torch.ops.heddle_test.untranslated(a); c[0].add_(b[0]); a.copy_(c); c[1:]",
    "draw_into_argument": "a.normal_(); a * 2",
    "draw_between": "c = torch.rand_like(a); a.add_(c); d = torch.rand_like(b); d + c",
    "dropout_in_place": "torch.nn.functional.dropout(a * 1, 0.5, True, inplace=True) + b",
    "bernoulli_in_place": "b.bernoulli_(0.3); a * b",
}

# Programs with other arguments than the plain ones.
OTHERS = [(name, kind) for kind, names in {
    "transposed": ("add", "select_write", "transposed", "transposed_value", "clone_of_transposed", "index_fill", "copy_broadcast", "as_strided_write"),
    "same": ("write_both", "add", "value_and_view", "row_write", "out_argument"),
    "parts": ("write_both", "add", "slice_write", "written_view", "lerp"),
    "overlapping": ("add", "row_write", "read_before_write", "view_write", "written_view", "mask_write"),
    "view_of_other": ("write_both", "add", "view_write", "written_view", "read_before_write"),
    "expanded": ("two_views", "expanded", "value_and_view", "clone_keeps_argument"),
    "strided": ("add", "two_writes", "transposed", "slice_write", "select_write", "contiguous_is_itself", "detached"),
}.items() for name in names if name in PROGRAMS]

# Programs whose values want gradients: arguments are products of leaves, so that they may be written.
TRAINED = ("add", "two_writes", "write_and_return", "write_of_itself", "read_view_before_write", "old_value_kept", "row_write", "column_write", "slice_write",
           "index_write", "mask_write", "masked_fill", "index_copy", "index_add", "relu", "clamp", "lerp", "addcmul", "view_write",
           "view_of_view", "transposed_write", "narrow_write", "view_before_base_write", "base_before_view_write", "view", "two_views", "expanded",
           "written_view", "value_and_view", "two_views_of_value", "view_of_value_alone", "written_value", "written_after_view", "transposed_value",
           "expanded_value", "parts_of_a_sort", "zeros_filled", "empty_copied", "loop_of_writes", "clone_of_transposed", "set_then_gather", "untranslated_between",
           "dropout_in_place", "contiguous_is_itself", "cumsum")


def source(name):
    """The text of a program as a function."""
    *statements, result = PROGRAMS[name].split("; ")
    lines = "".join(f"    {line}\n" for line in statements)
    return f"def program(a, b, n):\n{lines}    return {result}\n"


def make(name):
    """The program as a function."""
    names = {"torch": torch}
    exec(source(name), names)  # noqa: S102
    return names["program"]
