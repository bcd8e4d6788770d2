# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MaxPool of tensors that hold NaN: it is greater than all, with and without the places; of several in a window the last counts."""
import pathlib
import tempfile
import unittest

import numpy
import onnx
import tools

SHAPE, KERNEL = (2, 3, 6, 8), 2


class PoolNanTest(unittest.TestCase):
    def run_model(self, values, outputs):
        kind = onnx.helper.np_dtype_to_tensor_dtype(values.dtype)
        names = ["y", "i"][:outputs]
        node = onnx.helper.make_node("MaxPool", ["x"], names, kernel_shape=[KERNEL, KERNEL], strides=[KERNEL, KERNEL])
        graph = onnx.helper.make_graph([node], "g", [onnx.helper.make_tensor_value_info("x", kind, values.shape)],
                                       [onnx.helper.make_empty_tensor_value_info(name) for name in names])
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            onnx.save(onnx.helper.make_model(graph, ir_version=10, opset_imports=[onnx.helper.make_opsetid("", 22)]), folder / "m.onnx")
            numpy.save(folder / "x.npy", values)
            tools.run(("heddle-compile", folder / "m.onnx", "-o", folder / "m.heddle"),
                      ("heddle-run", folder / "m.heddle", f"--input=x=@{folder}/x.npy", *[f"--output={n}=@{folder}/{n}.npy" for n in names]))
            return [numpy.load(folder / f"{n}.npy") for n in names]

    def test_nan(self):
        generator = numpy.random.default_rng(3)
        for kind in (numpy.float32, numpy.float64):
            values = generator.standard_normal(SHAPE).astype(kind)
            values[generator.random(SHAPE) < 0.3] = numpy.nan
            n, c, h, w = SHAPE
            windows = values.reshape(n, c, h // 2, 2, w // 2, 2).swapaxes(3, 4).reshape(n, c, h // 2, w // 2, 4)
            want = windows.max(-1)
            flat = numpy.arange(values.size).reshape(n, c, h // 2, 2, w // 2, 2).swapaxes(3, 4).reshape(windows.shape)
            nan = numpy.isnan(windows)
            last = 3 - nan[..., ::-1].argmax(-1)
            place = numpy.where(nan.any(-1), last, numpy.where(nan, -numpy.inf, windows).argmax(-1))
            for outputs in (1, 2):
                with self.subTest(kind=kind, outputs=outputs):
                    got = self.run_model(values, outputs)
                    numpy.testing.assert_array_equal(got[0], want)
                    if outputs == 2:
                        numpy.testing.assert_array_equal(got[1], numpy.take_along_axis(flat, place[..., None], -1)[..., 0])


if __name__ == "__main__":
    unittest.main()
