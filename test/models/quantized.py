# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models in integers, made by ONNX Runtime's quantisation tools."""
import contextlib
import logging
import pathlib
import tempfile

import numpy
import onnx

CALIBRATION_RUNS = 4


@contextlib.contextmanager
def quiet():
    """Without the tools' advice on every weight."""
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)


def quantize_dynamic(model, path):
    """Products in int8: activations are quantised at run time (DynamicQuantizeLinear, MatMulInteger)."""
    from onnxruntime import quantization

    with tempfile.TemporaryDirectory() as folder, quiet():
        source = pathlib.Path(folder) / "model.onnx"
        onnx.save(model, source)
        quantization.quantize_dynamic(source, path, weight_type=quantization.QuantType.QInt8, per_channel=True)


def random_calibration(name, shape):
    """A reader of a few random inputs, as quantize_static wants one."""
    from onnxruntime.quantization import CalibrationDataReader

    class Reader(CalibrationDataReader):
        def __init__(self):
            self.left = iter(range(CALIBRATION_RUNS))

        def get_next(self):
            seed = next(self.left, None)
            if seed is None:
                return None
            return {name: numpy.random.default_rng(seed).standard_normal(shape).astype(numpy.float32)}

    return Reader()


def quantize_static(model, path):
    """QuantizeLinear and DequantizeLinear around every op: uint8 activations, int8 weights with a scale per channel."""
    from onnxruntime import quantization

    if model.opset_import[0].version < 13:  # scales per channel
        model = onnx.version_converter.convert_version(model, 17)
    argument = model.graph.input[0]
    shape = [dim.dim_value for dim in argument.type.tensor_type.shape.dim]
    with tempfile.TemporaryDirectory() as folder, quiet():
        source = pathlib.Path(folder) / "model.onnx"
        onnx.save(model, source)
        quantization.quantize_static(
            source, path, random_calibration(argument.name, shape), quant_format=quantization.QuantFormat.QDQ,
            per_channel=True, activation_type=quantization.QuantType.QUInt8, weight_type=quantization.QuantType.QInt8)
