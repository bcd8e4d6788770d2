# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which arguments of a call go to a program that was exported with examples; PyTorch is not needed."""
import unittest

import heddle
import numpy
from heddle._signature import Signature


def flatten(tree):
    if isinstance(tree, tuple):
        parts = [flatten(item) for item in tree]
        return [leaf for leaves, _ in parts for leaf in leaves], tuple(structure for _, structure in parts)
    return [tree], "leaf"


def is_tensor(leaf):
    return isinstance(leaf, numpy.ndarray)


def forward(x, scale=2, mask=None):
    return x, scale, mask


A, B = numpy.zeros(2), numpy.ones(2)


class Signatures(unittest.TestCase):
    def test_names_stand_for_places(self):
        signature = Signature(forward, (A, B), flatten, is_tensor)
        for arguments, named in (((A, B), {}), ((), {"scale": B, "x": A}), ((A,), {"scale": B}), ((A, B, None), {})):
            got = signature.tensors(arguments, named)
            self.assertEqual([id(A), id(B)], [id(tensor) for tensor in got])

    def test_what_is_no_tensor_is_part_of_the_program(self):
        signature = Signature(forward, (A, 3), flatten, is_tensor)
        self.assertEqual(1, len(signature.tensors((B, 3), {})))
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "exported with 3, got 5"):
            signature.tensors((A, 5), {})
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "exported with 3, got a tensor"):
            signature.tensors((A, B), {})
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "exported with 3, got 2"):
            signature.tensors((A,), {})  # the default

    def test_structure_and_names(self):
        signature = Signature(forward, ((A, A), B), flatten, is_tensor)
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "was exported with arguments"):
            signature.tensors((A, B), {})
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "unexpected keyword argument 'y'"):
            signature.tensors(((A, A), B), {"y": B})


if __name__ == "__main__":
    unittest.main()
