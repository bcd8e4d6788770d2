# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""heddle.Session, and programs for ONNX Runtime that run with one import changed: each is run by both, and both find the same."""
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import threading
import unittest
import warnings

import heddle
import heddle.onnxruntime
import numpy
import onnx
import onnx.parser
import onnxruntime

MODEL = """
<ir_version: 10, opset_import: ["" : 20], producer_name: "maker", producer_version: "1.2", domain: "example.org", model_version: 7,
 doc_string: "finds cats", metadata_props: ["names": "{0: 'cat', 1: 'dog'}", "stride": "32", "empty": ""]>
detector (float[batch, 4] x, int64[4] ids, bool[2] mask, float[?, 2] loose, uint8[1] small, double[1] wide, float16[1] half)
  => (float[batch, 4] sum, int64[4] double_ids, bool[2] inverse, float[?, 2] loosened, uint8[1] smaller, double[1] wider, float16[1] halved)
{
  sum = Add(x, x)
  double_ids = Add(ids, ids)
  inverse = Not(mask)
  loosened = Neg(loose)
  smaller = Identity(small)
  wider = Neg(wide)
  halved = Neg(half)
}
"""
GATHER = """<ir_version: 10, opset_import: ["" : 20]>
gather (float[3, 2] table, int64[n] index) => (float[n, 2] rows) { rows = Gather(table, index) }"""

# What programs begin with; then each finds things, in `found`.
PRELUDE = """
feed = {"x": np.arange(8, dtype=np.float32).reshape(2, 4), "ids": np.arange(4), "mask": np.array([True, False]),
        "loose": np.ones((3, 2), np.float32), "small": np.array([200], np.uint8), "wide": np.array([1.5]), "half": np.array([2], np.float16)}
def describe(values):
    return [(value.name, value.shape, value.type) for value in values]
def kind_of(call, *kinds):
    try:
        call()
    except kinds as error:
        return True
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "no exception"
E = ort.capi.onnxruntime_pybind11_state
"""

PROGRAMS = {
    "the five calls": """
session = ort.InferenceSession("model.onnx", providers=["CPUExecutionProvider"])
input_name = session.get_inputs()[0].name
label_name = session.get_outputs()[0].name
found.append((input_name, label_name, session.run([label_name], feed)[0], session.run(None, feed)))
""",
    "signatures": """
session = ort.InferenceSession("model.onnx")
found += [describe(session.get_inputs()), describe(session.get_outputs()), describe(session.get_overridable_initializers())]
found.append(str(session.get_inputs()[0]))
""",
    "metadata": """
meta = ort.InferenceSession("model.onnx").get_modelmeta()
found.append({name: getattr(meta, name) for name in ("producer_name", "graph_name", "domain", "description", "version", "custom_metadata_map")})
""",
    "bytes and options": """
options = ort.SessionOptions()
options.intra_op_num_threads = 2
options.inter_op_num_threads = 1
options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
options.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL
options.log_severity_level = 3
options.enable_mem_pattern = False
options.add_session_config_entry("session.intra_op.allow_spinning", "0")
with open("model.onnx", "rb") as file:
    session = ort.InferenceSession(file.read(), sess_options=options, providers=["CPUExecutionProvider"])
found += [session.run(["double_ids", "sum"], feed), session.get_providers(), options.get_session_config_entry("session.intra_op.allow_spinning")]
found.append(session.get_session_options().intra_op_num_threads)
""",
    "lists for arrays": """
session = ort.InferenceSession("model.onnx", None, ["CPUExecutionProvider"])
found.append(session.run(["sum", "halved"], {**feed, "x": feed["x"].tolist(), "half": [2]}, ort.RunOptions()))
""",
    "names of outputs": """
session = ort.InferenceSession("model.onnx")
found += [session.run([], feed), session.run(("wider", "inverse"), feed)]
""",
    "io binding": """
session = ort.InferenceSession("model.onnx")
binding = session.io_binding()
for name, value in feed.items():
    binding.bind_cpu_input(name, value)
binding.bind_output("sum")
binding.bind_output("inverse", "cpu")
session.run_with_iobinding(binding)
found += [binding.copy_outputs_to_cpu(), [value.numpy() for value in binding.get_outputs()]]
y = np.zeros((2, 4), np.float32)
binding.clear_binding_outputs()
x = ort.OrtValue.ortvalue_from_numpy(feed["x"] + 1)
binding.bind_ortvalue_input("x", x)
binding.bind_input(name="ids", device_type="cpu", device_id=0, element_type=np.int64, shape=(4,), buffer_ptr=feed["ids"].ctypes.data)
binding.bind_output(name="sum", device_type="cpu", device_id=0, element_type=np.float32, shape=y.shape, buffer_ptr=y.ctypes.data)
session.run_with_iobinding(binding)
found += [y, binding.copy_outputs_to_cpu()]
result = ort.OrtValue.ortvalue_from_shape_and_type([2, 4], np.float32)
binding.bind_ortvalue_output("sum", result)
session.run_with_iobinding(binding)
found.append(result.numpy())
""",
    "values": """
value = ort.OrtValue.ortvalue_from_numpy(feed["x"])
found += [value.shape(), value.data_type(), value.element_type(), value.device_name(), value.is_tensor(), value.has_value(), value.numpy(),
          value.tensor_size_in_bytes(), np.asarray(value)]
value.update_inplace(feed["x"] * 3)
found.append(value.numpy())
session = ort.InferenceSession("model.onnx")
values = session.run_with_ort_values(["sum"], {name: ort.OrtValue.ortvalue_from_numpy(array) for name, array in feed.items()})
found += [values[0].numpy(), values[0].data_type()]
""",
    "asynchronous": """
import threading
session, done = ort.InferenceSession("model.onnx"), threading.Event()
def callback(results, user_data, error):
    found.extend([results[0], user_data["tag"], error])
    done.set()
session.run_async(["sum"], feed, callback, {"tag": 5})
assert done.wait(30)
""",
    "a free size is given": """
options = ort.SessionOptions()
options.add_free_dimension_override_by_name("batch", 2)
session = ort.InferenceSession("model.onnx", options)
found += [describe(session.get_inputs())[0], session.run(["sum"], feed)]
""",
    "exceptions of run": """
session = ort.InferenceSession("model.onnx")
for change in ({"x": np.ones((2, 4))}, {"x": np.ones((2, 5), np.float32)}, {"x": np.ones(4, np.float32)}, {"nope": feed["x"]}):
    found.append(kind_of(lambda: session.run(None, {**feed, **change}), E.InvalidArgument))
found.append(kind_of(lambda: session.run(["nope"], feed), E.InvalidArgument))
found.append(kind_of(lambda: session.run(None, {"x": feed["x"]}), ValueError))
found.append(kind_of(lambda: session.run(None), TypeError))
table = ort.InferenceSession("gather.onnx")
found.append(kind_of(lambda: table.run(None, {"table": np.arange(6, dtype=np.float32).reshape(3, 2), "index": np.array([1, 9])}), E.InvalidArgument))
""",
    "exceptions of loading": """
found.append(kind_of(lambda: ort.InferenceSession("none.onnx"), E.NoSuchFile))
found.append(kind_of(lambda: ort.InferenceSession("text.onnx"), E.InvalidProtobuf))
found.append(kind_of(lambda: ort.InferenceSession(b"hello"), E.InvalidProtobuf))
found.append(kind_of(lambda: ort.InferenceSession(b""), E.InvalidArgument))
found.append(kind_of(lambda: ort.InferenceSession("unknown.onnx"), E.InvalidGraph))
found.append(kind_of(lambda: ort.InferenceSession("types.onnx"), E.Fail))
found.append(kind_of(lambda: ort.InferenceSession(3), TypeError))
""",
}


def same(case, ours, theirs, where):
    if isinstance(theirs, numpy.ndarray):
        case.assertIsInstance(ours, numpy.ndarray, where)
        case.assertEqual((theirs.dtype, theirs.shape), (ours.dtype, ours.shape), where)
        numpy.testing.assert_allclose(ours, theirs, rtol=1e-6, err_msg=where)
    elif isinstance(theirs, (list, tuple)):
        case.assertEqual((type(theirs), len(theirs)), (type(ours), len(ours)), where)
        for i, (one, other) in enumerate(zip(ours, theirs)):
            same(case, one, other, f"{where}[{i}]")
    else:
        case.assertEqual(theirs, ours, where)


class Porting(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.addClassCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        header = '<ir_version: 10, opset_import: ["" : 20]> '
        for name, text in (("model", MODEL), ("gather", GATHER), ("unknown", header + "g (float[n] x) => (float[n] y) { y = NoSuchOp(x) }"),
                           ("nibbles", '<ir_version: 10, opset_import: ["" : 21]> g (int4[8] x) => (int4[8] y) { y = Identity(x) }'),
                           ("long", header + """g (float[4] x, int64 n) => (float[4] y) <bool go = {1}> {
                               y = Loop(n, go, x) <body = body (int64 i, bool c, float[4] v) => (bool d, float[4] w) { d = Identity(c)  w = Sin(v) }>
                            }"""),
                           ("types", header + "g (float[2] x, int64[2] z) => (float[2] y) { y = Add(x, z) }")):
            onnx.save(onnx.parser.parse_model(text), f"{name}.onnx")
        pathlib.Path("text.onnx").write_text("hello world")

    def find(self, program, ort):
        found = []
        scope = {"ort": ort, "np": numpy, "found": found}
        self.addCleanup(scope.clear)  # ONNX Runtime's numpy() looks into values that must live on
        exec(compile(PRELUDE + program, "program", "exec"), scope)  # noqa: S102
        return found

    def test_imports(self):
        """As a whole program, with names of the deepest module."""
        program = textwrap.dedent("""
            import numpy as np
            import heddle.onnxruntime as ort
            from heddle.onnxruntime.capi.onnxruntime_pybind11_state import InvalidArgument
            from heddle.onnxruntime import InferenceSession, SessionOptions
            session = InferenceSession("gather.onnx", SessionOptions())
            try:
                session.run(None, {"table": np.zeros((3, 3), np.float32), "index": np.zeros(1, np.int64)})
            except InvalidArgument as error:
                print(error)
        """)
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        self.assertEqual(("argument 0 'table': dimension 1 is 2, got 3; give that size\n", ""), (done.stdout, done.stderr))

    def test_errors_are_heddles_too(self):
        session = heddle.onnxruntime.InferenceSession("gather.onnx")
        table = numpy.arange(6, dtype=numpy.float32).reshape(3, 2)
        with self.assertRaises(heddle.KernelFailedError):
            session.run(None, {"table": table, "index": numpy.array([9])})
        with self.assertRaises(heddle.CompileError) as caught:
            heddle.onnxruntime.InferenceSession("unknown.onnx")
        self.assertIn("NoSuchOp", str(caught.exception))

    def test_settings(self):
        ort = heddle.onnxruntime
        with self.assertRaisesRegex(AttributeError, "no setting 'intra_op_num_thread'; did you mean 'intra_op_num_threads'"):
            ort.SessionOptions().intra_op_num_thread = 1
        with self.assertRaises(ort.capi.onnxruntime_pybind11_state.NotImplemented):
            ort.SessionOptions().register_custom_ops_library("x.so")
        with self.assertRaises(heddle.UnsupportedError):
            ort.SessionOptions().add_initializer("w", None)
        options = ort.SessionOptions()
        options.optimized_model_filepath = "out.onnx"
        with self.assertWarnsRegex(UserWarning, "optimized_model_filepath is not written"):
            ort.InferenceSession("gather.onnx", options)

    def test_profiling(self):
        import json
        options = heddle.onnxruntime.SessionOptions()
        options.enable_profiling = True
        session = heddle.onnxruntime.InferenceSession("gather.onnx", options)
        session.run(None, {"table": numpy.zeros((3, 2), numpy.float32), "index": numpy.zeros(1, numpy.int64)})
        events = json.loads(pathlib.Path(session.end_profiling()).read_text())
        self.assertEqual(["Gather_0_kernel_time"], [event["name"] for event in events])

    def test_kinds_of_errors_of_calls_that_do_not_wait(self):
        session = heddle.onnxruntime.InferenceSession("gather.onnx")
        with self.assertRaisesRegex(heddle.onnxruntime.InvalidArgument, "dimension 1 is 2, got 5"):
            session.run_async(None, {"table": numpy.zeros((3, 5), numpy.float32), "index": numpy.zeros(1, numpy.int64)}, print, None)

    def test_an_entry_that_would_change_results(self):
        options = heddle.onnxruntime.SessionOptions()
        options.add_session_config_entry("session.set_denormal_as_zero", "0")
        with self.assertRaisesRegex(heddle.onnxruntime.NotImplemented, "denormal numbers are computed with"):
            options.add_session_config_entry("session.set_denormal_as_zero", "1")

    def test_as_many_options_as_providers(self):
        """ONNX Runtime raises it, too, then prints it and takes neither."""
        for providers, options in ((["CPUExecutionProvider"], [{}, {}]), (["CUDAExecutionProvider", "CPUExecutionProvider"], [{}])):
            with self.assertRaisesRegex(ValueError, f"are of one length, got {len(providers)} and {len(options)}"):
                heddle.onnxruntime.InferenceSession("gather.onnx", providers=providers, provider_options=options)

    def test_a_run_is_ended_by_its_options(self):
        options = heddle.onnxruntime.RunOptions()
        feed = {"table": numpy.zeros((3, 2), numpy.float32), "index": numpy.zeros(1, numpy.int64)}
        for profiled in (False, True):
            settings = heddle.onnxruntime.SessionOptions()
            settings.enable_profiling = profiled
            session = heddle.onnxruntime.InferenceSession("gather.onnx", settings)
            options.terminate = True
            with self.assertRaisesRegex(heddle.onnxruntime.Fail, "terminate was set before the call"):
                session.run(None, feed, options)
            options.terminate = False
            self.assertEqual((1, 2), session.run(None, feed, options)[0].shape)

    def test_a_long_run_is_ended_by_its_options(self):
        """A loop that would take minutes, alone and with a profile."""
        for profiled in (False, True):
            settings = heddle.onnxruntime.SessionOptions()
            settings.enable_profiling = profiled
            session = heddle.onnxruntime.InferenceSession("long.onnx", settings)
            options = heddle.onnxruntime.RunOptions()
            threading.Timer(0.3, lambda: setattr(options, "terminate", True)).start()
            with self.subTest(profiled=profiled), self.assertRaises(heddle.onnxruntime.Fail) as caught:
                session.run(None, {"x": numpy.ones(4, numpy.float32), "n": numpy.array(1 << 40)}, options)
            self.assertIsInstance(caught.exception, heddle.CancelledError)

    def test_kinds_of_errors_of_bindings(self):
        ort = heddle.onnxruntime
        session = ort.InferenceSession("gather.onnx")
        binding = session.io_binding()
        address = numpy.zeros(8, numpy.uint8).ctypes.data
        for kind, call in (
                (ort.InvalidArgument, lambda: binding.bind_cpu_input("nope", numpy.zeros(1))),
                (ort.InvalidArgument, lambda: session.run_with_iobinding(binding)),
                (ort.InvalidArgument, lambda: binding.bind_output("rows", "tpu")),
                (ort.InvalidArgument, lambda: binding.bind_input("table", "cpu", 0, numpy.float32, None, address)),
                (ort.NotImplemented, lambda: binding.bind_input("table", "cuda", 0, numpy.float32, (3, 2), address)),
                (ort.NotImplemented, lambda: ort.OrtValue.ortvalue_from_shape_and_type([1], 99)),
                (ort.InvalidArgument, lambda: ort.OrtValue.ortvalue_from_numpy(numpy.zeros(1), "tpu")),
                (ort.InvalidArgument, lambda: ort.OrtValue.ortvalue_from_numpy(numpy.zeros(1)).update_inplace(numpy.zeros(2)))):
            with self.assertRaises(kind):
                call()
        self.assertIs(type(session.run_with_ort_values(None, {
            "table": ort.OrtValue.ortvalue_from_numpy(numpy.zeros((3, 2), numpy.float32)),
            "index": ort.OrtValue.ortvalue_from_numpy(numpy.zeros(1, numpy.int64))})[0]), ort.OrtValue)

    def test_memory_of_elements_of_four_bits(self):
        """Two in a byte there, one here: an address of the one is none of the other."""
        import ml_dtypes
        ort = heddle.onnxruntime
        binding = ort.InferenceSession("nibbles.onnx").io_binding()
        packed = numpy.zeros(4, numpy.uint8)
        for element in (ml_dtypes.int4, onnx.TensorProto.INT4):
            for bind in (binding.bind_input, binding.bind_output):
                with self.assertRaisesRegex(ort.NotImplemented, "elements of int4 lie two in a byte in memory of ONNX Runtime"):
                    bind("x" if bind == binding.bind_input else "y", "cpu", 0, element, (8,), packed.ctypes.data)
        value = ort.OrtValue.ortvalue_from_numpy(numpy.arange(8).astype(ml_dtypes.int4))
        self.assertEqual(("tensor(int4)", 22), (value.data_type(), value.element_type()))
        with self.assertRaisesRegex(ort.NotImplemented, "numpy\\(\\) gives them"):
            value.data_ptr()
        binding.bind_ortvalue_input("x", value)
        binding.bind_output("y")
        binding._run(None)
        self.assertEqual(list(range(8)), binding.copy_outputs_to_cpu()[0].astype(int).tolist())
        self.assertEqual(23, ort.OrtValue.ortvalue_from_numpy(numpy.zeros(2, ml_dtypes.float4_e2m1fn)).element_type())


def _program_test(name):
    def test(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = self.find(PROGRAMS[name], onnxruntime)
        ours = self.find(PROGRAMS[name], heddle.onnxruntime)
        self.assertEqual(len(theirs), len(ours))
        self.assertGreater(len(theirs), 0)
        for i, (one, other) in enumerate(zip(ours, theirs)):
            same(self, one, other, f"{name}: found[{i}]")
    return test


for _name in PROGRAMS:
    setattr(Porting, "test_" + _name.replace(" ", "_"), _program_test(_name))


class Session(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = onnx.parser.parse_model(MODEL)
        cls.artifact = heddle.compile(cls.model)
        cls.gather = heddle.compile(onnx.parser.parse_model(GATHER))

    def feed(self):
        return {"table": numpy.arange(6, dtype=numpy.float32).reshape(3, 2), "index": numpy.array([2, 0])}

    def test_of_everything(self):
        data = self.gather.path.read_bytes()
        with open(self.gather.path, "rb") as file:
            for source in (self.gather, self.gather.path, data, file, heddle.load(self.gather), onnx.parser.parse_model(GATHER),
                           onnx.parser.parse_model(GATHER).SerializeToString()):
                rows, = heddle.Session(source).run(["rows"], self.feed())
                self.assertEqual([[4, 5], [0, 1]], rows.tolist())

    def test_devices_and_threads(self):
        session = heddle.Session(self.gather, devices=["cpu"], threads=3)
        self.assertEqual(["local?threads=3"], [device.uri for device in session.module.devices])
        self.assertEqual(3, session.module.devices[0].cores)
        self.assertEqual(["CPUExecutionProvider"], session.get_providers())
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "give one of them"):
            heddle.Session(self.gather, devices=["cpu"], providers=["CPUExecutionProvider"])
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "an artifact is compiled already; reproducible"):
            heddle.Session(self.gather, reproducible=True)
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "a Module has its devices"):
            heddle.Session(heddle.load(self.gather), threads=2)
        with self.assertRaisesRegex(heddle.NotFoundError, "there is no file 'none.onnx'"):
            heddle.Session("none.onnx")
        with self.assertRaisesRegex(heddle.NotFoundError, r"the drivers are .* got 'cppu'"):
            heddle.Session(self.gather, devices=["cppu", "cpu"])

    def test_providers(self):
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "no provider is called 'CpuExecutionProvider'; did you mean 'CPUExecutionProvider'"):
            heddle.Session(self.gather, providers=["CpuExecutionProvider"])
        with self.assertWarnsRegex(UserWarning, "OpenVINOExecutionProvider: Heddle's own code"):
            session = heddle.Session(self.gather, providers=["OpenVINOExecutionProvider", ("CPUExecutionProvider", {"x": 1})])
        self.assertEqual(["CPUExecutionProvider"], heddle.Session(self.gather, providers=[("CPUExecutionProvider", None)]).get_providers())
        for wrong in (3, ("CPUExecutionProvider", 1), ("CPUExecutionProvider", {}, 1), ({}, "CPUExecutionProvider"), None):
            with self.assertRaisesRegex(heddle.InvalidArgumentError, "a provider is a name, or a pair of a name and a dictionary of options, got "):
                heddle.Session(self.gather, providers=[wrong])
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "CUDAExecutionProvider: 'device_id' is a number from 0, got 'first'"):
            heddle.Session(self.gather, providers=[("CUDAExecutionProvider", {"device_id": "first"})])
        self.assertEqual(["CPUExecutionProvider"], session.get_providers())
        with self.assertWarnsRegex(UserWarning, "VulkanExecutionProvider is left out: "):  # it has not so many
            heddle.Session(self.gather, providers=[("VulkanExecutionProvider", {"device_id": 900})])
        if not any(device.driver == "cuda" and device.available for device in heddle.devices()):
            with self.assertWarnsRegex(UserWarning, "CUDAExecutionProvider is left out: "):
                session = heddle.Session(self.gather, providers=["CUDAExecutionProvider", "CPUExecutionProvider"])
            self.assertEqual(["CPUExecutionProvider"], session.get_providers())

    def test_errors(self):
        session = heddle.Session(self.gather)
        for kind, text, arguments in (
                (heddle.InvalidArgumentError, "the model has no output 'row'; did you mean 'rows'?; it has rows", (["row"], self.feed())),
                (heddle.InvalidArgumentError, "output_names is a list of names, or None for all; got the text 'rows'", ("rows", self.feed())),
                (heddle.InvalidArgumentError, "the model has no input 'tables'; did you mean 'table'?; it has table, index", (None, {"tables": 1})),
                (heddle.InvalidArgumentError, "inputs are missing: index; the model takes table, index", (None, {"table": self.feed()["table"]})),
                (heddle.InvalidArgumentError, "input_feed is a dictionary of arrays by the names of inputs, got list", (None, [1])),
                (heddle.InvalidArgumentError, "input 'index' takes an array of i64: got text", (None, {**self.feed(), "index": ["1"]})),
                (heddle.InvalidArgumentError, "input 'index' takes an array of i64: got float64, of which nothing is to be lost",
                 (None, {**self.feed(), "index": [1.7]}))):
            with self.assertRaises(kind) as caught:
                session.run(*arguments)
            self.assertEqual(text, str(caught.exception))

    def test_names_of_options_are_names_of_inputs(self):
        model = onnx.parser.parse_model('<ir_version: 10, opset_import: ["" : 20]> g (float[2] out, float[2] on) => (float[2] timeout) { timeout = Sub(out, on) }')
        feed = {"on": numpy.array([1, 2], numpy.float32), "out": numpy.array([5, 5], numpy.float32)}
        self.assertEqual([4, 3], heddle.Session(model).run(None, feed)[0].tolist())

    def test_names_of_options_where_an_input_is_left_out(self):
        """Calls by name, of a session that profiles, too."""
        model = onnx.parser.parse_model("""<ir_version: 10, opset_import: ["" : 20]>
            g (float[2] out, float[2] warmup, float[2] w) => (float[2] y) <float[2] w = {3, 4}> { sum = Add(out, w)  y = Sub(sum, warmup) }""")
        out, warmup, found = numpy.array([5, 5], numpy.float32), numpy.array([1, 2], numpy.float32), []
        options = heddle.onnxruntime.SessionOptions()
        options.enable_profiling = True
        profiled = heddle.onnxruntime.InferenceSession(model.SerializeToString(), options)
        for session in (heddle.Session(model), profiled):
            self.assertEqual([7, 7], session.run(None, {"out": out, "warmup": warmup})[0].tolist())
            binding, storage = session.io_binding(), numpy.zeros(2, numpy.float32)
            binding.bind_cpu_input("out", out)
            binding.bind_cpu_input("warmup", warmup)
            binding.bind_output("y", "cpu", 0, numpy.float32, (2,), storage.ctypes.data)
            session.run_with_iobinding(binding)
            self.assertEqual([7, 7], storage.tolist())
            done = threading.Event()
            session.run_async(None, {"out": out, "warmup": warmup}, lambda *said: (found.append(said), done.set()), "mine")
            self.assertTrue(done.wait(60))
            self.assertEqual(([7, 7], "mine", ""), (found[-1][0][0].tolist(), *found[-1][1:]))

    def test_binding_on_a_device(self):
        """Outputs stay on the device and are the next call's inputs."""
        model = onnx.parser.parse_model('<ir_version: 10, opset_import: ["" : 20]> g (float[n] x) => (float[n] y) { y = Add(x, x) }')
        session = heddle.Session(model, devices=["local?discrete=yes"])
        binding = session.io_binding()
        binding.bind_ortvalue_input("x", heddle.onnxruntime.OrtValue.ortvalue_from_numpy(numpy.ones(3, numpy.float32), "gpu"))
        binding.bind_output("y", "gpu")
        session.run_with_iobinding(binding)
        value = binding.get_outputs()[0]
        self.assertIsInstance(value._value, heddle.Tensor)
        binding.bind_ortvalue_input("x", value)
        session.run_with_iobinding(binding)
        self.assertEqual(0, session.module.main.boundary_bytes)
        self.assertEqual([4, 4, 4], binding.copy_outputs_to_cpu()[0].tolist())
        with self.assertRaisesRegex(heddle.UnsupportedError, "a bare pointer into memory of a device"):
            binding.bind_input("x", "cuda", 0, numpy.float32, (3,), 4096)
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "no input 'z'"):
            binding.bind_cpu_input("z", numpy.ones(3, numpy.float32))
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "no output is bound"):
            session.run_with_iobinding(session.io_binding())

    def test_inputs_with_values(self):
        model = onnx.parser.parse_model('<ir_version: 10, opset_import: ["" : 20]> g (float[2] x, float[2] w) => (float[2] y) <float[2] w = {3, 4}> { y = Mul(x, w) }')
        session = heddle.Session(model)
        self.assertEqual((["x"], ["w"]), ([v.name for v in session.get_inputs()], [v.name for v in session.get_overridable_initializers()]))
        x = numpy.array([1, 2], numpy.float32)
        self.assertEqual([3, 8], session.run(None, {"x": x})[0].tolist())
        self.assertEqual([2, 2], session.run(None, {"x": x, "w": numpy.array([2, 1], numpy.float32)})[0].tolist())


if __name__ == "__main__":
    unittest.main()
