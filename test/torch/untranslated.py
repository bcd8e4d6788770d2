# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.ops.heddle_test.untranslated: an operator of one element that no translation will ever know."""
import torch


@torch.library.custom_op("heddle_test::untranslated", mutates_args=())
def untranslated(x: torch.Tensor) -> torch.Tensor:
    return torch.special.bessel_j0(x)


@untranslated.register_fake
def _(x):
    return torch.special.bessel_j0(x)


def _keep(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


untranslated.register_autograd(lambda ctx, gradient: -gradient * torch.special.bessel_j1(ctx.saved_tensors[0]), setup_context=_keep)
