# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Devices by flags, placement files and annotations in the model: what is compiled, where it runs, what is refused."""
import json
import re
import unittest

import numpy
import support

TEXT = """<ir_version: 11, opset_import: ["" : 21]>
g (float[n,20] a) => (float[n,20] y) { e = Exp (a) m = Neg (e) s = Softmax (m) y = Sqrt (s) }"""
TWO = ["--target-device=a=local[0]", "--target-device=b=local[1]"]
CORES = ["--device=local://0", "--device=local://1"]


class DeviceFlagsTest(support.EndToEnd):
    def setUp(self):
        super().setUp()
        import onnx.parser

        self.proto = onnx.parser.parse_model(TEXT)
        for node, name in zip(self.proto.graph.node, ["front/exp", "front/neg", "back/softmax", "back/sqrt"]):
            node.name = name
        self.value = numpy.random.default_rng(1).uniform(-1, 1, (3, 20)).astype(numpy.float32)
        negated = -numpy.exp(self.value)
        powers = numpy.exp(negated - negated.max(axis=1, keepdims=True))
        self.expected = numpy.sqrt(powers / powers.sum(axis=1, keepdims=True))

    def compile(self, *flags, status=0):
        import onnx

        model, self.artifact, stats = self.folder / "m.onnx", self.folder / "m.heddle", self.folder / "stats.json"
        onnx.save(self.proto, model)
        result = support.heddle("compile", model, "-o", self.artifact, f"--stats={stats}", *flags)
        self.assertEqual(status, result.returncode, result.stderr)
        return json.loads(stats.read_text()) if status == 0 else result.stderr

    def find_devices(self, *flags):
        """Those of the dispatches of the model that compile() wrote, in program order."""
        target = self.folder / "place.mlir"
        result = support.heddle("compile", self.folder / "m.onnx", "-o", target, "--compile-to=place", *flags)
        self.assertEqual(0, result.returncode, result.stderr)
        return re.findall(r"flow.dispatch .*heddle.affinity = #device.affinity<@(\w+)>", target.read_text())

    def check(self, *devices, status=0):
        result = support.heddle("run", self.artifact, *devices, f"--input={self.save('a', self.value)}",
                                f"--expected-output={self.save('y', self.expected)}", "--rtol=1e-5", "--atol=1e-6")
        self.assertEqual(status, result.returncode, result.stderr + result.stdout)
        return result.stderr

    def annotate(self, devices, stages):
        configuration = self.proto.configuration.add()
        configuration.name, configuration.num_devices = "two", 2
        configuration.device.extend(devices)
        for node, stage in zip(self.proto.graph.node, stages):
            entry = node.device_configurations.add()
            entry.configuration_id, entry.pipeline_stage = "two", stage

    def test_kinds_of_devices(self):
        """An artifact for a GPU, or else the processor, runs where either is called by its kind."""
        self.compile("--target-device=gpu,cpu")
        self.check("--device=cpu")
        self.check("--device=cpu://0?threads=2")
        gpu = support.heddle("run", self.artifact, "--device=gpu", "--dry-run")
        if gpu.returncode == 0:  # Vulkan or CUDA
            self.assertRegex(gpu.stdout, r"= (cuda|vulkan)")
            self.check("--device=gpu")
        else:
            self.assertIn("'gpu' is the first GPU of cuda or vulkan", gpu.stderr)
        self.compile("--target-device=gpu")
        self.assertIn("vulkan", self.check("--device=cpu", status=1))

    def test_one_device(self):
        for flags in [[], ["--target-device=local"], ["--target-device=#device.alias<\"local\">"], ["--target-device=gpu=null[7],local"],
                      ["--target-cpu=x86-64,x86-64-v2"], ["--target-device=local{cpu=[x86-64,x86-64-v2]}"]]:
            with self.subTest(flags=flags):
                self.assertEqual(0, self.compile(*flags)["transfers"])
                self.check("--device=local://0")

    def test_the_default_device(self):
        """Behaviours 2 and the default: everything on the one that is said."""
        for flags, name in [([], "a"), (["--default-device=b"], "b"), (["--default-device=1"], "b")]:
            with self.subTest(flags=flags):
                target = self.folder / "place.mlir"
                self.compile(*TWO, *flags)
                result = support.heddle("compile", self.folder / "m.onnx", "-o", target, "--compile-to=place", *TWO, *flags)
                self.assertEqual(0, result.returncode, result.stderr)
                found = set(re.findall(r"heddle.affinity = #device.affinity<@(\w+)>", target.read_text()))
                self.assertEqual({name}, found)

    def test_two_symbols(self):
        """Behaviour 2: right on two devices and with their order swapped; on one, the error of the ordinal."""
        (self.folder / "place").write_text("front/* = a\nback/* = b\n")
        self.assertEqual(1, self.compile(*TWO, f"--place-file={self.folder / 'place'}")["transfers"])
        self.check(*CORES)
        self.check(*reversed(CORES))
        self.assertIn("'b' needs local[1]", self.check("--device=local://0", status=1))

    def test_eight_of_a_kind(self):
        """Declared devices cost no kernels."""
        alone = self.compile("--target-device=local")
        eight = self.compile(*[f"--target-device=local[{i}]" for i in range(8)])
        self.assertEqual([alone[key] for key in ("kernels", "executables", "dispatches")],
                         [eight[key] for key in ("kernels", "executables", "dispatches")])

    def test_a_choice(self):
        """#device.optimal: the compiler picks and says so."""
        anywhere = "#device.optimal<[#device.promise<@a>, #device.promise<@b>]>"
        model, artifact = self.folder / "m.mlir", self.folder / "m.heddle"
        model.write_text(f"""func.func @main(%x: tensor<4xi32> {{heddle.affinity = {anywhere}}})
                -> (tensor<4xi32> {{heddle.affinity = #device.promise<@b>}}) {{
              %0 = arith.addi %x, %x {{heddle.affinity = {anywhere}}} : tensor<4xi32>
              return %0 : tensor<4xi32>
            }}""")
        result = support.heddle("compile", model, "-o", artifact, *TWO)
        self.assertEqual(0, result.returncode, result.stderr)
        self.assertIn("takes @b", result.stderr)
        self.assertIn("b 1 (0 transfers", result.stderr)
        result = support.heddle("run", artifact, *CORES, "--input=4xi32=1,2,3,4", "--expected-output=4xi32=2,4,6,8")
        self.assertEqual(0, result.returncode, result.stderr)

    def test_annotations(self):
        self.annotate(["a", "b"], [0, 0, 1, 1])
        self.assertEqual(1, self.compile(*TWO)["transfers"])
        self.check(*CORES)
        # Of nodes without names in the configuration: positions are those of the flags.
        del self.proto.configuration[0].device[:]
        self.assertEqual(1, self.compile("--target-device=local[0]", "--target-device=local[1]")["transfers"])

    def test_properties(self):
        for node, device in zip(self.proto.graph.node, "abba"):
            entry = node.metadata_props.add()
            entry.key, entry.value = "heddle.device", device
        self.assertEqual(2, self.compile(*TWO)["transfers"])
        self.check(*CORES)

    def test_placed_gather(self):
        """What is read by index crosses to the pin's device, too."""
        import onnx.parser

        self.proto = onnx.parser.parse_model("""<ir_version: 11, opset_import: ["" : 21]>
            g (float[64,8] a, int64[8] i) => (float[8,8] y) { h = Neg (a) e = Gather <axis = 0> (h, i) y = Exp (e) }""")
        for node, name in zip(self.proto.graph.node, ["first", "embed", "last"]):
            node.name = name
        (self.folder / "place").write_text("first = a\nembed = b\n")
        self.compile(*TWO, f"--place-file={self.folder / 'place'}")
        values = numpy.random.default_rng(1).uniform(-1, 1, (64, 8)).astype(numpy.float32)
        rows = numpy.array([63, 0, 5, 5, 17, 2, 40, 1])
        result = support.heddle("run", self.artifact, *CORES, f"--input={self.save('a', values)}",
                                f"--input={self.save('i', rows)}",
                                f"--expected-output={self.save('y', numpy.exp(-values[rows]))}", "--rtol=1e-5", "--atol=1e-6")
        self.assertEqual(0, result.returncode, result.stderr)
        self.assertEqual(["a", "b"], self.find_devices(*TWO, f"--place-file={self.folder / 'place'}"))

    def test_annotations_in_branches(self):
        import onnx.parser

        def build(inner):
            self.proto = onnx.parser.parse_model("""<ir_version: 11, opset_import: ["" : 21]>
                g (float[4] a, bool c) => (float[4] y) {
                  h = Neg (a)
                  y = If (c) <then_branch = t () => (float[4] u) { u = Neg (h) }, else_branch = e () => (float[4] v) { v = Exp (h) }>
                }""")
            for attribute, name in zip(self.proto.graph.node[1].attribute, inner):
                attribute.g.node[0].name = name
            for node, device in [(self.proto.graph.node[0], "a"), (self.proto.graph.node[1].attribute[0].g.node[0], "b")]:
                entry = node.metadata_props.add()
                entry.key, entry.value = "heddle.device", device

        for names in [("then", "else"), ("", "")]:
            with self.subTest(names=names):
                build(names)
                self.compile(*TWO)
                values = numpy.array([1, -2, 0, 0.5], numpy.float32)
                for taken, expected in [(True, values), (False, numpy.exp(-values))]:
                    result = support.heddle("run", self.artifact, *CORES, f"--input={self.save('a', values)}",
                                            f"--input={self.save('c', numpy.array(taken))}",
                                            f"--expected-output={self.save('y', expected)}", "--rtol=1e-5", "--atol=1e-6")
                    self.assertEqual(0, result.returncode, result.stderr)
                self.assertEqual(["a", "b", "a"], self.find_devices(*TWO))
        build(("same", "same"))
        self.assertIn("several nodes are called 'same', one on device 'b', one on no device of its own", self.compile(*TWO, status=1))

    def test_annotations_in_local_functions(self):
        """A node of a function says its own device; else it is where the call is."""
        import onnx.parser

        self.proto = onnx.parser.parse_model("""<ir_version: 11, opset_import: ["" : 21, "f" : 1]>
            g (float[4] a) => (float[4] y) { [front] h = f.both (a) [back] y = f.both (h) }
            <domain: "f", opset_import: ["" : 21]>
            both (x) => (z) { [exp] m = Exp (x) [neg] z = Neg (m) }""")

        def annotate(node, device):
            entry = node.metadata_props.add()
            entry.key, entry.value = "heddle.device", device

        annotate(self.proto.graph.node[0], "a")
        annotate(self.proto.graph.node[1], "b")
        self.assertEqual(1, self.compile(*TWO)["transfers"])
        self.assertEqual(["a", "b"], self.find_devices(*TWO))
        annotate(self.proto.functions[0].node[1], "a")
        self.assertEqual(2, self.compile(*TWO)["transfers"])
        self.assertEqual(["a", "b", "a"], self.find_devices(*TWO))
        self.value = numpy.array([1, -2, 0, 0.5], numpy.float32)
        self.expected = -numpy.exp(-numpy.exp(self.value))
        self.check(*CORES)

    def test_annotations_refused(self):
        self.annotate(["a", "c"], [0, 0, 1, 1])
        self.assertIn("is promised the device @c, which is not declared; declared: @a, @b", self.compile(*TWO, status=1))
        self.proto.graph.node[3].device_configurations[0].pipeline_stage = 2
        self.assertIn("node 'back/sqrt' is placed on device 2 of the configuration 'two', which has 2", self.compile(*TWO, status=1))
        spec = self.proto.graph.node[0].device_configurations[0].sharding_spec.add()
        spec.device.extend([0, 1])
        spec.tensor_name = self.proto.graph.node[0].output[0]
        self.proto.graph.node[3].device_configurations[0].pipeline_stage = 1
        self.assertIn("is placed on device 'a' alone, and other nodes are sharded over several", self.compile(*TWO, status=1))
        self.proto.graph.node[0].device_configurations[0].configuration_id = "tow"
        self.assertIn("'tow', which the model does not list; it lists: two; did you mean 'two'?", self.compile(*TWO, status=1))

    def test_devices_are_listed_as_declared(self):
        self.compile()
        place = self.folder / "place"
        place.write_text("back/* = d10\nfront/* = d9\n")
        result = support.heddle("compile", self.folder / "m.onnx", "-o", self.artifact, f"--place-file={place}",
                                *(f"--target-device=d{i}=local" for i in range(11)))
        self.assertRegex(result.stderr, r"placed \d+ ops: d9 \d+, d10 \d+ \(1 transfer")

    def test_units(self):
        self.compile("--target-device=local{gflops=1e3,memory=2GB,memory_gbps=2.5e1}")
        self.compile("--target-device=local{memory=1.5TiB}")
        error = self.compile("--target-device=local{memory=2QB}", status=2)
        self.assertIn("a device's memory is a number of bytes, or as in 512MiB or 2GB, got \"2QB\"", error)
        self.assertIn("got 'ö'\n    local[ö]\n          ^", self.compile("--target-device=local[ö]", status=2))

    def test_check_takes_the_same_flags(self):
        """Every stage of a placed model, and its artifact on two devices, against the reference."""
        self.compile(*TWO)
        place = self.folder / "place"
        place.write_text("back/* = b\n")
        model = self.folder / "m.onnx"
        for flags in ([*TWO, f"--place-file={place}"], [*TWO, "--place=auto"], [*TWO, "--default-device=b"],
                      ["--target-device=gpu=vulkan,fallback(@cpu)", "--target-device=cpu=local", "--default-device=gpu"]):
            with self.subTest(flags=flags):
                devices = CORES if flags[0] in TWO else ["--device=local://0"]
                result = support.heddle("check", model, "--dim=n=3", *flags, *devices)
                self.assertEqual(0, result.returncode, result.stdout + result.stderr)
                self.assertRegex(result.stdout, r"place ok .*resolve ok .*schedule ok .*codegen ok .*package ok")
        for flags, text in (["--place=best"], "--place: unknown value 'best'"), (["--target-device=loacl"], "did you mean 'local'?"):
            self.assert_fails(2, text, "check", model, *flags)
        self.assert_fails(2, "an artifact is placed already", "check", self.artifact, f"--model={model}", "--place=auto")

    def test_only_star_and_question_mark_are_special(self):
        for names in (["l[0]/exp", "l[0]/neg", "l[1]/softmax", "l[1]/sqrt"], ["{a}\\x", "{a}\\y", "^b]z", "^b]w"]):
            with self.subTest(names=names):
                for node, name in zip(self.proto.graph.node, names):
                    node.name = name
                place = self.folder / "place"
                place.write_text(f"{names[0][:4]}* = a\n{names[2][:4]}* = b\n")
                stats = self.compile(*TWO, f"--place-file={place}")
                self.assertEqual(1, stats["transfers"])
                self.assertEqual("ab", "".join(sorted(set(self.find_devices(*TWO, f"--place-file={place}")))))
                self.check(*CORES)

    def test_refused(self):
        (self.folder / "place").write_text("fornt/exp = a\n")
        place = f"--place-file={self.folder / 'place'}"
        for flags, status, text in [
                (["--target-device=a=local", "--target-device=local"], 2, "name all devices, or none"),
                (["--target-device=local[x]"], 2, "    local[x]\n          ^"),
                (["--target-device=loacl"], 2, "did you mean 'local'?"),
                ([*TWO, "--target-cpu=host"], 2, "--target-cpu belongs to one device, got 2"),
                (["--target-device=local{cpus=host}"], 2, "--target-device: unknown option 'cpus' of device 'local'"),
                ([*TWO, "--default-device=c"], 2, "--default-device: unknown default device 'c'; declared: @a, @b"),
                (["--target-device=a=local,fallback(@b)"], 2, "--target-device: falls back to @b, which is not declared"),
                (["--target-device=local{memory=abc}"], 2, "--target-device: a device's memory is a number of bytes"),
                (["--target-device=local{cpu=bogus}"], 2, "bogus"),
                ([*TWO, place], 1, "the pattern 'fornt/exp' fits no op: the model has no such node, or import computed it away; did you mean 'front/exp'?")]:
            with self.subTest(flags=flags):
                self.assertIn(text, self.compile(*flags, status=status))


LOOPS = {
    "trips": """v = Loop (n, yes, a) <body = b (int64 i, bool go, float[4] c) => (bool on, float[4] r) {
        on = Identity (go) t = Tanh (c) r = Add (t, c) }> w = Identity (v)""",
    "condition": """v = Loop (n, yes, a) <body = b (int64 i, bool go, float[4] c) => (bool on, float[4] r) {
        s = ReduceSum <keepdims = 0> (c) on = Less (s, three) t = Tanh (c) r = Add (t, c) }> w = Identity (v)""",
    "scan outputs": """u, v = Loop (n, yes, a) <body = b (int64 i, bool go, float[4] c) => (bool on, float[4] r, float[4] o) {
        on = Identity (go) t = Tanh (c) r = Add (t, c) o = Neg (r) }> w = ReduceSum <keepdims = 0> (v, zero)""",
    "both": """u, v = Loop (n, yes, a) <body = b (int64 i, bool go, float[4] c) => (bool on, float[4] r, float[4] o) {
        s = ReduceSum <keepdims = 0> (c) on = Less (s, three) t = Tanh (c) r = Add (t, c) o = Neg (r) }>
        w = ReduceSum <keepdims = 0> (v, zero)""",
    "scan": """u, v = Scan <num_scan_inputs = 1, body = b (float[4] c, float[4] e) => (float[4] r, float[4] o) {
        r = Add (c, e) o = Tanh (r) }> (a, rows) w = ReduceSum <keepdims = 0> (v, zero)""",
    "if": """v = If (go) <then_branch = t () => (float[4] p) { p = Tanh (a) }, else_branch = e () => (float[4] q) {
        h = Sin (a) q = Mul (h, a) }> w = Identity (v)"""}


class PlacedLoopsTest(support.EndToEnd):
    """A line for a node with a body takes all of it, whatever the loop becomes."""

    def check_loop(self, body):
        import onnx.parser
        import onnxruntime

        proto = onnx.parser.parse_model("""<ir_version: 10, opset_import: ["" : 21]>
            g (float[4] x, int64 n, bool go, float[3,4] rows) => (float[4] y) <int64[1] zero = {0}, bool yes = {1}, float three = {3.0}> {
            a = Exp (x) %s y = Neg (w) }""" % body)
        for node in proto.graph.node:
            node.name = {"Exp": "exp", "Neg": "neg"}.get(node.op_type, "loop" if node.op_type in ("Loop", "Scan", "If") else "")
        model, place, artifact = self.folder / "m.onnx", self.folder / "place", self.folder / "m.heddle"
        onnx.save(proto, model)
        place.write_text("exp = a\nloop = b\nneg = a\n")
        result = support.heddle("compile", model, "-o", artifact, *TWO, f"--place-file={place}")
        self.assertEqual(0, result.returncode, result.stderr)
        self.assertNotIn("fits no op", result.stderr)
        self.assertRegex(result.stderr, r"placed \d+ ops: a \d+, b \d+")
        feed = {"x": numpy.array([-1.5, -1, -0.5, 0], numpy.float32), "n": numpy.array(3), "go": numpy.array(True),
                "rows": numpy.linspace(-1, 1, 12, dtype=numpy.float32).reshape(3, 4)}
        (want,) = onnxruntime.InferenceSession(proto.SerializeToString()).run(None, feed)
        result = support.heddle("run", artifact, *CORES, *(f"--input={k}={self.save(k, v)}" for k, v in feed.items()),
                                f"--expected-output={self.save('y', want)}")
        self.assertEqual(0, result.returncode, result.stderr + result.stdout)

    def test_a_loop_of_counters(self):
        """It computes no tensor: no device runs it, which is no error."""
        import onnx.parser

        proto = onnx.parser.parse_model("""<ir_version: 10, opset_import: ["" : 21]>
            g (float[4] x, int64 n) => (float[4] y) <int64 zero = {0}, bool yes = {1}> {
            k = Loop (n, yes, zero) <body = b (int64 i, bool go, int64 c) => (bool on, int64 d) { on = Identity (go) d = Add (c, i) }>
            f = Cast <to = 1> (k) y = Mul (x, f) }""")
        proto.graph.node[0].name = "loop"
        model, place = self.folder / "m.onnx", self.folder / "place"
        onnx.save(proto, model)
        place.write_text("loop = b\n")
        result = support.heddle("compile", model, "-o", self.folder / "m.heddle", *TWO, f"--place-file={place}")
        self.assertEqual(0, result.returncode, result.stderr)
        self.assertIn(":1: the pattern 'loop' fits only what the host computes, sizes and counters: no device runs it", result.stderr)

    def test_loops(self):
        for name, body in LOOPS.items():
            with self.subTest(kind=name):
                self.check_loop(body)


if __name__ == "__main__":
    unittest.main()
