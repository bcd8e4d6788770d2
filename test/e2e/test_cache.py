# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cache in front of the compiler: what hits, what misses, and what is never cached; folders that are no use."""
import json
import os
import re
import shutil
import subprocess
import unittest
import unittest.mock

import numpy
import onnx
import onnx.helper
import onnx.numpy_helper
import support

BIN = support.BIN


def model(factor=2.0, op="Mul"):
    """y = x op factor, and a warning: the input is optional."""
    tensor = onnx.helper.make_tensor_type_proto(onnx.TensorProto.FLOAT, ["n", 4])
    x = onnx.helper.make_value_info("x", onnx.helper.make_optional_type_proto(tensor))
    w = onnx.numpy_helper.from_array(numpy.full(4, factor, numpy.float32), "w")
    y = onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, ["n", 4])
    graph = onnx.helper.make_graph([onnx.helper.make_node(op, ["x", "w"], ["y"])], "g", [x], [y], [w])
    return onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 20)], ir_version=10)


class CacheCase(support.EndToEnd):
    def setUp(self):
        super().setUp()
        self.cache = self.folder / "cache"
        self.model = self.folder / "m.onnx"
        onnx.save(model(), self.model)
        patch = unittest.mock.patch.dict(os.environ, HEDDLE_CACHE_DIR=str(self.cache))
        patch.start()
        self.addCleanup(patch.stop)

    def start(self, *flags, path=None, output="out.heddle"):
        return subprocess.run([BIN / "heddle", "compile", path or self.model, "-o", self.folder / output, "-v", *flags],
                              capture_output=True, text=True, timeout=120)

    def is_hit(self, *flags, **options):
        """Compiles; whether it came from the cache."""
        done = self.start(*flags, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.messages = re.sub(r"^heddle compile: .*\n", "", done.stderr, flags=re.M)
        self.said = "".join(re.findall(r"^heddle compile: .*\n", done.stderr, flags=re.M))
        return "heddle compile: from the cache\n" in self.said


class CacheTest(CacheCase):
    def test_hit(self):
        self.assertFalse(self.is_hit())
        first, messages = (self.folder / "out.heddle").read_bytes(), self.messages
        self.assertIn(f"{self.model}:0:0: warning: input 'x' is optional", messages)
        self.assertTrue(self.is_hit())
        self.assertEqual(((self.folder / "out.heddle").read_bytes(), self.messages), (first, messages))
        (self.folder / "sub").mkdir()
        moved = shutil.copy(self.model, self.folder / "sub" / "m.onnx")
        self.assertTrue(self.is_hit(path=moved))
        self.assertEqual(self.messages, messages.replace(str(self.model), str(moved)))
        self.assertTrue(self.is_hit("-q"))
        self.assertEqual(self.messages, "")
        listed = json.loads(subprocess.run([BIN / "heddle", "cache", "--json"], capture_output=True, text=True).stdout)
        self.assertEqual([(one["model"], one["hits"]) for one in listed["compilations"]], [("m.onnx", 3)])

    def test_what_differs_misses(self):
        self.assertFalse(self.is_hit())
        self.assertFalse(self.is_hit("--dim=n=3"))
        self.assertTrue(self.is_hit("--dim", "n=3"))  # the same flag
        self.assertFalse(self.is_hit("-O1"))
        onnx.save(model(3.0), self.model)
        self.assertFalse(self.is_hit())
        onnx.save(model(2.0), self.model)
        self.assertTrue(self.is_hit())
        place = self.folder / "place"
        place.write_text("* = cpu\n")
        flags = ("--target-device=cpu=local", f"--place-file={place}")
        self.assertFalse(self.is_hit(*flags))
        self.assertTrue(self.is_hit(*flags))
        place.write_text("?* = cpu\n")
        self.assertFalse(self.is_hit(*flags))
        other = shutil.copy(self.model, self.folder / "other.onnx")
        self.assertFalse(self.is_hit(f"--with={other}"))
        self.assertTrue(self.is_hit(f"--with={other}"))
        onnx.save(model(5.0), other)
        self.assertFalse(self.is_hit(f"--with={other}"))
        with unittest.mock.patch.dict(os.environ, LD_LIBRARY_PATH="/nowhere"):
            self.assertFalse(self.is_hit())

    def test_external_data(self):
        def save(value):
            onnx.save(model(value), self.model, save_as_external_data=True, location="w.bin", size_threshold=0)
        (self.folder / "w.bin").unlink(missing_ok=True)
        save(2.0)
        graph = self.model.read_bytes()
        self.assertFalse(self.is_hit())
        self.assertTrue(self.is_hit())
        (self.folder / "w.bin").write_bytes(numpy.full(4, 7, numpy.float32).tobytes())
        self.assertEqual(self.model.read_bytes(), graph)
        self.assertFalse(self.is_hit())
        (self.folder / "w.bin").unlink()
        self.assertEqual(self.start().returncode, 1)

    def test_never_cached(self):
        self.assertFalse(self.is_hit())
        for flags in (["--explain"], [f"--stats={self.folder / 's'}"], ["--timing"], ["--tune"], ["--cache=off"],
                      [f"--dump-dir={self.folder / 'd'}"], ["--compile-to=form"]):
            self.assertFalse(self.is_hit(*flags), flags)
        self.assertTrue(self.is_hit("--cache=on", f"--stats={self.folder / 's'}"))
        self.assertIs(json.loads((self.folder / "s").read_text())["cached"], True)
        done = self.start("--cache=on", "--tune")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--cache=on: what --tune asks for is in no cache", done.stderr)
        self.assertEqual(self.start("--cache=yes").returncode, 2)
        onnx.save(model(op="Mull"), self.model)
        self.assertEqual([self.start().returncode for _ in range(2)], [1, 1])  # errors are not kept

    def test_damaged(self):
        for pattern in ("*.heddle", "*.entry"):
            for damage in (lambda data: data[:len(data) // 2], lambda data: b"", lambda data: data[:-1] + bytes([data[-1] ^ 1])):
                self.is_hit()
                self.assertTrue(self.is_hit())
                good = (self.folder / "out.heddle").read_bytes()
                for path in (self.cache / "compile").glob(pattern):
                    path.write_bytes(damage(path.read_bytes()))
                self.assertFalse(self.is_hit())
                self.assertEqual((self.folder / "out.heddle").read_bytes(), good)

    def test_output_is_a_file_of_its_own(self):
        self.is_hit()
        self.assertTrue(self.is_hit())
        (self.folder / "out.heddle").write_bytes(b"")
        self.assertTrue(self.is_hit())

    def test_folders_of_no_use(self):
        with unittest.mock.patch.dict(os.environ, HEDDLE_CACHE_DIR=""):
            self.assertFalse(self.is_hit())
            self.assertIn("no cache: HEDDLE_CACHE_DIR is set to nothing", self.said)
        with unittest.mock.patch.dict(os.environ, HEDDLE_CACHE_SIZE="0"):
            self.assertFalse(self.is_hit())
        with unittest.mock.patch.dict(os.environ, HEDDLE_CACHE_SIZE="many"):
            self.assertEqual(self.start().returncode, 2)
        with unittest.mock.patch.dict(os.environ, HEDDLE_CACHE_SIZE="1KB"):
            self.assertFalse(self.is_hit())
            self.assertIn("not kept in the cache: it is larger than HEDDLE_CACHE_SIZE", self.said)
        environment = {key: value for key, value in os.environ.items() if key not in ("HEDDLE_CACHE_DIR", "XDG_CACHE_HOME", "HOME")}
        with unittest.mock.patch.dict(os.environ, environment, clear=True):
            self.assertFalse(self.is_hit())
        (self.folder / "file").write_text("")
        for folder in (self.folder / "file", "/proc/none"):
            with unittest.mock.patch.dict(os.environ, HEDDLE_CACHE_DIR=str(folder)):
                self.assertFalse(self.is_hit())
                self.assertIn("no cache: ", self.said)

    def test_full_disk(self):
        """In a file system of 8 KiB, where this user may mount one."""
        script = 'mount -t tmpfs -o size=8k,mode=700 none "$1" && shift && exec "$@"'
        self.cache.mkdir()
        done = subprocess.run(["unshare", "-rm", "sh", "-c", script, "sh", self.cache, BIN / "heddle", "compile", self.model,
                               "-v", "-o", self.folder / "out.heddle"], capture_output=True, text=True)
        if "unshare" in done.stderr or "mount:" in done.stderr:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("not kept in the cache: No space left on device", done.stderr)

    def test_read_only(self):
        self.assertFalse(self.is_hit())
        script = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && shift && exec "$@"'
        for path, says in ((self.model, "from the cache"), (self.folder / "n.onnx", "not kept in the cache: Read-only file system")):
            onnx.save(model(), path)
            done = subprocess.run(["unshare", "-rm", "sh", "-c", script, "sh", self.cache, BIN / "heddle", "compile", path, "-v",
                                   "-o", self.folder / "out.heddle"], capture_output=True, text=True)
            if "unshare" in done.stderr or "mount:" in done.stderr:
                self.skipTest(done.stderr)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"heddle compile: {says}", done.stderr)

    def test_two_at_once(self):
        command = [BIN / "heddle", "compile", self.model]
        both = [subprocess.Popen([*command, "-o", self.folder / f"{i}.heddle"], stderr=subprocess.PIPE) for i in range(4)]
        self.assertEqual([(process.communicate()[1] != b"", process.returncode) for process in both], [(True, 0)] * 4)
        self.assertEqual(len({(self.folder / f"{i}.heddle").read_bytes() for i in range(4)}), 1)
        self.assertTrue(self.is_hit())
        self.assertEqual(len(list((self.cache / "compile").glob("*.heddle"))), 1)

    def test_one_output_of_many(self):
        """What is kept by a key is what was compiled for it, whoever wrote to the output last."""
        command = [BIN / "heddle", "compile", self.model, "-o", self.folder / "same.heddle", "-q"]
        sizes = range(1, 7)
        alone = {}
        for size in sizes:
            self.assertFalse(self.is_hit(f"--dim=n={size}", "--cache=off"))
            alone[size] = (self.folder / "out.heddle").read_bytes()
        for _ in range(3):
            shutil.rmtree(self.cache, ignore_errors=True)
            running = [subprocess.Popen([*command, f"--dim=n={size}"], stderr=subprocess.DEVNULL) for size in sizes]
            self.assertEqual([process.wait(120) for process in running], [0 for _ in sizes])
            self.assertIn((self.folder / "same.heddle").read_bytes(), alone.values())
            for size in sizes:
                self.assertTrue(self.is_hit(f"--dim=n={size}"), self.said)
                self.assertEqual((self.folder / "out.heddle").read_bytes(), alone[size], size)
        self.assertEqual([], [path.name for path in self.folder.iterdir() if ".tmp-" in path.name])

    def test_clear_and_prune(self):
        self.is_hit()
        run = lambda *flags: subprocess.run([BIN / "heddle", "cache", *flags], capture_output=True, text=True)  # noqa: E731
        self.assertEqual(run("prune", "--size=1GiB").stdout, "removed 0 files, 0 B\n")
        self.assertTrue(self.is_hit())
        self.assertRegex(run("clear").stdout, r"^removed [1-9] files, ")
        self.assertFalse(self.is_hit())
        self.assertRegex(run("prune", "--size=1").stdout, r"^removed [1-9] files, ")
        self.assertEqual([run(*flags).returncode for flags in (["cler"], ["--size=1"], ["prune", "--size=x"], ["clear", "--json"])],
                         [2] * 4)
        self.assertIn("did you mean 'clear'", run("cler").stderr)


def chain(ops):
    """Products of 8x8, and something of each kind after each."""
    w = onnx.numpy_helper.from_array(numpy.arange(64, dtype=numpy.float32).reshape(8, 8) / 64, "w")
    nodes = [onnx.helper.make_node("MatMul", ["x", "w"], ["t0"])]
    for i, op in enumerate(ops):
        nodes += [onnx.helper.make_node(op, [f"t{i}"], [f"u{i}"]), onnx.helper.make_node("MatMul", [f"u{i}", "w"], [f"t{i + 1}"])]
    nodes += [onnx.helper.make_node("Softmax", [f"t{len(ops)}"], ["y"])]
    x, y = (onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [8, 8]) for name in "xy")
    return onnx.helper.make_model(onnx.helper.make_graph(nodes, "g", [x], [y], [w]), ir_version=10,
                                  opset_imports=[onnx.helper.make_opsetid("", 20)])


class KernelsTest(CacheCase):
    def kernels(self):
        return {path.name: path for path in (self.cache / "kernels").glob("*")}

    def compare(self):
        """The artifact is that of a compilation without caches, byte for byte."""
        subprocess.run([BIN / "heddle-compile", self.model, "-o", self.folder / "plain.heddle"], check=True, capture_output=True)
        self.assertEqual((self.folder / "out.heddle").read_bytes(), (self.folder / "plain.heddle").read_bytes())

    def test_only_what_changed(self):
        onnx.save(chain(["Relu", "Sigmoid", "Exp"]), self.model)
        self.assertFalse(self.is_hit())
        before = self.kernels()
        self.compare()
        self.assertGreater(len(before), 3)
        onnx.save(chain(["Relu", "Tanh", "Exp"]), self.model)
        self.assertFalse(self.is_hit())
        self.compare()
        self.assertIn(len(set(self.kernels()) - set(before)), (1, 2))
        self.assertFalse(self.is_hit("-O1"))
        self.assertGreater(len(self.kernels()), len(before) + 3)

    def test_damaged_kernels(self):
        onnx.save(chain(["Relu", "Sigmoid"]), self.model)
        self.assertFalse(self.is_hit())
        before = {name: path.read_bytes() for name, path in self.kernels().items()}
        for damage in (lambda data: data[:-1], lambda data: b"", lambda data: data[:40], lambda data: data[:-1] + bytes([data[-1] ^ 1])):
            for path in self.kernels().values():
                path.write_bytes(damage(path.read_bytes()))
            shutil.rmtree(self.cache / "compile")
            self.assertFalse(self.is_hit())
            self.compare()
            self.assertEqual({name: path.read_bytes() for name, path in self.kernels().items()}, before)

    def test_not_without_the_cache(self):
        self.assertFalse(self.is_hit("--cache=off"))
        self.assertEqual(self.kernels(), {})
        (self.cache / "kernels").mkdir(parents=True)
        (self.cache / "kernels").chmod(0o777)  # others may write there
        self.assertFalse(self.is_hit())
        self.assertEqual(self.kernels(), {})


class ModelsTest(CacheCase):
    """heddle run and heddle bench of a model."""

    def run_tool(self, *arguments):
        done = subprocess.run([BIN / "heddle", *arguments], capture_output=True, text=True, timeout=120)
        return done.returncode, done.stdout, done.stderr

    def test_run(self):
        for _ in range(2):  # compiled, then from the cache
            status, out, _ = self.run_tool("run", self.model, "-q", "--input=2x4xf32=1")
            self.assertEqual((status, out), (0, "result 'y': 2x4xf32=[[2 2 2 2][2 2 2 2]]\n"))
        self.assertEqual(len(list((self.cache / "compile").glob("*.heddle"))), 1)
        status, out, messages = self.run_tool("run", self.model)
        self.assertEqual(status, 2)
        self.assertIn("takes 1 input, got 0; 'x' is missing\n    x: [n]x4xf32", messages)
        status, _, messages = self.run_tool("run", self.model, "--dim=n=3", "--input=2x4xf32=1")
        self.assertEqual(status, 2)
        self.assertIn("3", messages)

    def test_refused(self):
        for status, text, flags in ((2, "no free size is called 'm'", ["--dim=m=1"]), (2, "unknown flag '--wrong'", ["--compile-flag=--wrong"]),
                                    (2, "--cache takes on or off", ["--cache=maybe"])):
            got, _, messages = self.run_tool("run", self.model, *flags)
            self.assertEqual(got, status, messages)
            self.assertIn(text, messages)
        self.assertEqual(self.run_tool("run", self.folder / "none.onnx")[0], 1)
        self.is_hit()
        for flag in ("--dim=n=1", "--target-device=local", "--cache=on", "--compile-flag=-O1"):
            self.assertEqual(self.run_tool("run", self.folder / "out.heddle", flag)[0], 2, flag)

    def test_nothing_is_left(self):
        with unittest.mock.patch.dict(os.environ, TMPDIR=str(self.folder)):
            before = set(os.listdir(self.folder))
            self.run_tool("run", self.model, "-q", "--input=2x4xf32=1")
            self.run_tool("run", self.model, "--compile-flag=--wrong")
            self.assertEqual(set(os.listdir(self.folder)) - before, {"cache"})

    def test_bench(self):
        status, out, messages = self.run_tool("bench", self.model, "-q", "--dim=n=3", "--iterations=5")
        self.assertEqual((status, messages), (0, "inputs made up with --seed=1: x 3x4xf32\n"))
        self.assertIn("calls a second", out)
        self.is_hit()
        artifact = self.folder / "out.heddle"
        for flags, line in (([], "x 1x4xf32"), (["--dim=n=7"], "x 7x4xf32"), (["--dim=x.0=2", "--seed=5"], "x 2x4xf32")):
            status, out, messages = self.run_tool("bench", artifact, "--iterations=5", *flags)
            self.assertEqual(status, 0, messages)
            self.assertIn(line, messages)
        for flags in (["--dim=m=1"], ["--dim=n"], ["--dim=x.1=3"], ["--dim=n=2", "--dim=x.0=3"], ["--dim=n=2", "--input=3x4xf32=1"]):
            self.assertEqual(self.run_tool("bench", artifact, "--iterations=5", *flags)[0], 2, flags)
        self.assertEqual(self.run_tool("bench", artifact, "--iterations=5", "--input=3x4xf32=1")[2], "")


class DimTest(support.EndToEnd):
    def compile(self, *flags):
        path = self.folder / "m.onnx"
        onnx.save(model(), path)
        done = subprocess.run([BIN / "heddle-compile", path, "-o", self.folder / "m.heddle", *flags], capture_output=True, text=True)
        return done.returncode, done.stderr.replace(f"{self.folder}/", "")

    def signature(self, *flags):
        self.assertEqual(self.compile(*flags)[0], 0)
        text = subprocess.run([BIN / "heddle-inspect", self.folder / "m.heddle"], capture_output=True, text=True).stdout
        return re.search(r"main\(.*", text).group()

    def test_fixed(self):
        self.assertEqual(self.signature(), "main(x: [n]x4xf32) -> (y: [n]x4xf32)")
        for flags in (["--dim=n=3"], ["--dim", "x.0=3"], ["--dim=n=3", "--dim=x.0=3", "--dim=x.1=4"]):
            self.assertEqual(self.signature(*flags), "main(x: 3x4xf32) -> (y: 3x4xf32)", flags)

    def test_refused(self):
        for flags, text in (
                (["--dim=m=3"], "--dim: no free size is called 'm'; there are: n (or INPUT.DIMENSION)"),
                (["--dim=n=3", "--dim=n=4"], "--dim gives 'n' two sizes, 3 and 4"),
                (["--dim=n=3", "--dim=x.0=4"], "--dim=x.0=4: 'n' is the same size, and 3 by another --dim"),
                (["--dim=x.1=5"], "--dim=x.1=5: the model says that it is 4"),
                (["--dim=x.2=5"], "--dim=x.2=5: input 'x' has 2 dimensions, the first is 0"),
                (["--dim=n"], "--dim takes NAME=SIZE, a size of at least 1, got 'n'"),
                (["--dim=n=0"], "--dim takes NAME=SIZE, a size of at least 1, got 'n=0'"),
                (["--dim=n=99999999999999999999"], "--dim takes NAME=SIZE")):
            status, messages = self.compile(*flags)
            self.assertEqual(status, 2, flags)
            self.assertIn(f"m.onnx:0:0: error: {text}", messages)


if __name__ == "__main__":
    unittest.main()
