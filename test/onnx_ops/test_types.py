# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops over element types: each model has one node for each type, run by the reference and compiled, against ONNX Runtime.

Where ONNX Runtime has no kernel for a type, the evaluator of the package onnx (NumPy) says what is right. Integers and
comparisons are equal bit for bit.
"""
import hashlib
import pathlib
import tempfile
import unittest
import warnings

import ml_dtypes
import numpy
import onnx
import onnx.reference
import onnxruntime

import quantized_cases
import resize_cases
import small_cases
import tools
import typed_cases

ORT_QUIET = 4
# A few units in the last place of results and of sums of tens of terms of their size.
TOLERANCE = {"float64": 1e-13, "float32": 1e-5, "float16": 1e-3, "bfloat16": 8e-3}


def carried(array):
    """NumPy's files lack some types: the tools take their bits as integers, what is narrower than a byte in a byte each."""
    if array.dtype.type in small_cases.SMALL_INTEGERS:
        return array.astype(numpy.int8 if array.dtype.name.startswith("int") else numpy.uint8)
    if array.dtype.type in small_cases.SMALL_FLOATS:
        return array.view(numpy.uint8)
    return array.view(numpy.uint16) if array.dtype == ml_dtypes.bfloat16 else array


def uncarried(array, kind):
    """What carried() was of an array of that type."""
    if kind.type in small_cases.SMALL_INTEGERS:
        return array.astype(kind)
    known = kind.type in small_cases.SMALL_FLOATS or kind == ml_dtypes.bfloat16
    return array.view(kind) if known and array.dtype.itemsize == kind.itemsize else array


def opsets(version):
    return [onnx.helper.make_opsetid("", version), onnx.helper.make_opsetid("com.microsoft", 1)]


def expected(node, values, opset):
    """What the one node gives: by ONNX Runtime, or else by onnx's evaluator."""
    kinds = [onnx.helper.np_dtype_to_tensor_dtype(value.dtype) for value in values]
    inputs = [onnx.helper.make_tensor_value_info(name, kind, value.shape)
              for name, kind, value in zip(node.input, kinds, values)]
    graph = onnx.helper.make_graph([node], "g", inputs, [onnx.helper.make_empty_tensor_value_info(name) for name in node.output])
    model = onnx.helper.make_model(graph, ir_version=10, opset_imports=opsets(opset))
    feed = dict(zip(node.input, values))
    if any(value.dtype == ml_dtypes.bfloat16 for value in values):
        if node.op_type not in ("Cast", "CastLike"):  # computed in f32, rounded once
            wide = [value.astype(numpy.float32) if value.dtype == ml_dtypes.bfloat16 else value for value in values]
            return [result.astype(ml_dtypes.bfloat16) if result.dtype == numpy.float32 else result
                    for result in expected(node, wide, opset)]
    else:
        try:
            options = onnxruntime.SessionOptions()
            options.log_severity_level = ORT_QUIET
            session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
            results = session.run(None, feed)
            if all(isinstance(result, numpy.ndarray) for result in results):
                return results
        except Exception:  # no kernel for this type, by any of several exceptions
            pass
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = onnx.reference.ReferenceEvaluator(model).run(None, feed)
    # NumPy sums integers in 64 bits: all ops here are of one type.
    return [result.astype(values[0].dtype) if node.op_type.startswith("Reduce") else result for result in results]


class TypesTest(unittest.TestCase):
    def compare(self, want, path, label, tolerance):
        got = numpy.load(path)
        want = numpy.asarray(want)
        got = uncarried(got, want.dtype)
        self.assertEqual((want.shape, want.dtype), (got.shape, got.dtype), label)
        if want.dtype.type in small_cases.SMALL:
            kind = numpy.int64 if want.dtype.type in small_cases.SMALL_INTEGERS else numpy.float64
            numpy.testing.assert_array_equal(got.astype(kind), want.astype(kind), label)
            return
        limit = tolerance.get(str(want.dtype), TOLERANCE.get(str(want.dtype)))
        if limit is None:
            numpy.testing.assert_array_equal(got, want, label)
        else:
            rtol = 0 if want.dtype.kind in "iu" else limit
            numpy.testing.assert_allclose(got.astype(numpy.float64), want.astype(numpy.float64), rtol=rtol, atol=limit,
                                          err_msg=label)

    def check(self, group):
        nodes, infos, results, feed, wanted = [], [], [], {}, []
        for number, case in enumerate(group.cases):
            names = [f"x{number}_{i}" for i in range(len(case.inputs))]
            domain, _, op = case.op.rpartition(".")
            node = onnx.helper.make_node(op, names, [f"y{number}"], domain=domain, **case.attributes)
            wanted.append(case.want if case.want is not None else expected(node, case.inputs, group.opset)[0])
            nodes.append(node)
            feed.update(zip(names, case.inputs))
            constants = [names[i] for i in case.constants]
            infos += [(name, value, name in constants) for name, value in zip(names, case.inputs)]
            kind = onnx.helper.np_dtype_to_tensor_dtype(numpy.asarray(wanted[-1]).dtype)
            results.append(onnx.helper.make_tensor_value_info(f"y{number}", kind, None))
        kind = onnx.helper.np_dtype_to_tensor_dtype
        graph = onnx.helper.make_graph(
            nodes, "g",
            [onnx.helper.make_tensor_value_info(name, kind(value.dtype), value.shape) for name, value, c in infos if not c],
            results,
            [onnx.numpy_helper.from_array(value, name) for name, value, c in infos if c])
        model = onnx.helper.make_model(graph, ir_version=13 if group.opset > 23 else 10, opset_imports=opsets(group.opset))
        self.compare_model(model, group, [(name, value) for name, value, c in infos if not c], wanted)

    REFERENCED = set()

    def first_time(self, model, inputs):
        """The reference does not depend on the processor: it runs once for each model and its inputs."""
        digest = hashlib.sha256(model.SerializeToString(deterministic=True))
        for _, value in inputs:
            digest.update(value.tobytes())
        new = digest.digest() not in self.REFERENCED
        self.REFERENCED.add(digest.digest())
        return new

    def compare_model(self, model, group, inputs, wanted):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            onnx.save(model, folder / "m.onnx")
            flags = []
            for key, value in inputs:
                numpy.save(folder / f"{key}.npy", carried(value))
                flags.append(f"--input={key}=@{folder}/{key}.npy")
            def command(tool, *arguments):
                return tool, *arguments, *flags, *(f"--output=y{i}=@{folder}/{tool}-{i}.npy" for i in range(len(wanted)))

            compile_and_run = (("heddle-compile", folder / "m.onnx", "-o", folder / "m.heddle", f"--target-cpu={group.cpu}",
                                f"-O{group.level}"),
                               command("heddle-run", folder / "m.heddle"))
            new = self.first_time(model, inputs)
            try:
                if new:
                    tools.run_beside(command("heddle-reference", "--small", folder / "m.onnx"), *compile_and_run)
                else:
                    tools.run(*compile_and_run)
            except tools.ToolError as error:
                if tools.is_other_processor(error):
                    self.skipTest(f"this processor is not {group.cpu}")
                raise
            for tool in ("heddle-reference", "heddle-run") if new else ("heddle-run",):
                for i, (case, want) in enumerate(zip(group.cases, wanted)):
                    self.compare(want, folder / f"{tool}-{i}.npy", f"{tool}, {case.label}", group.tolerance)


def add_test(name, group):
    setattr(TypesTest, f"test_{name}", lambda self: self.check(group))


for group_name, group_value in {**typed_cases.GROUPS, **quantized_cases.GROUPS, **resize_cases.GROUPS, **small_cases.GROUPS}.items():
    add_test(group_name, group_value)

if __name__ == "__main__":
    unittest.main()
