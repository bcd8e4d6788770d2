# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The two wheels in a fresh environment: installed by pip, they run the README's example without anything of this build."""
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import tempfile
import unittest
import venv
import zipfile

import heddle
import numpy
import onnx
import onnxruntime

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "test" / "models"))
from make_models import model  # noqa: E402

# What the machine has to have: the C library and GCC's. Everything else must come from the wheels.
SYSTEM = re.compile(r"(linux-vdso|ld-linux|libc|libm|libdl|libpthread|librt|libgcc_s)[-.]")


def run(*command, **options):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def environment():
    return {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}


class Wheels(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        build = pathlib.Path(heddle.__file__).parents[2]
        run("ninja", "-C", build, "heddle_packaged", "heddle_extensions")
        run(sys.executable, ROOT / "scripts" / "make_wheel.py", "--build", build, "--output", cls.folder)
        tag = f"cp3{sys.version_info.minor}-cp3{sys.version_info.minor}-manylinux_2_"
        cls.runtime, = cls.folder.glob(f"heddle_runtime-{heddle.__version__}-{tag}*.whl")
        cls.compiler, = cls.folder.glob(f"heddle-{heddle.__version__}-py3-none-manylinux_2_*.whl")
        venv.create(cls.folder / "venv", with_pip=False)
        cls.python = cls.folder / "venv" / "bin" / "python"
        cls.packages = pathlib.Path(run(cls.python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
        # NumPy is lent, so that nothing is downloaded.
        lent = cls.packages / "numpy"
        lent.symlink_to(pathlib.Path(sysconfig.get_path("purelib")) / "numpy")
        lent.with_name("numpy.libs").symlink_to(pathlib.Path(sysconfig.get_path("purelib")) / "numpy.libs")
        cls.install(cls.runtime)
        cls.alone = cls.without_compiler()
        cls.install(cls.compiler)

    @classmethod
    def install(cls, wheel):
        """By pip of this environment, there."""
        run(sys.executable, "-m", "pip", "--python", cls.python, "install", "--no-index", "--no-deps", wheel)

    @classmethod
    def without_compiler(cls):
        """What a program sees that has the runtime alone."""
        program = """
import heddle, numpy, os
module = heddle.load(os.environ["HEDDLE_ARTIFACT"])
print(module(numpy.arange(1, 5, dtype=numpy.float32)))
try:
    heddle.compile("model.onnx")
except heddle.UnsupportedError as error:
    print(error)
try:
    heddle.from_torch
except heddle.UnsupportedError as error:
    print(error)
"""
        artifact = ROOT / "test" / "artifacts" / "format-2.heddle"
        return run(cls.python, "-c", program, env={**environment(), "HEDDLE_ARTIFACT": str(artifact)})

    def test_runtime_alone(self):
        result, *messages = self.alone.splitlines()
        self.assertEqual("[ 4.  8. 12. 16.]", result)
        why = ("is not installed: this is the runtime alone, which loads and runs artifacts; install the wheel 'heddle' of the same "
               "version, too (docs/install.md)")
        self.assertEqual([f"'heddle compile' {why}", f"'heddle.from_torch' {why}"], messages)

    def test_sizes(self):
        self.assertLess(self.runtime.stat().st_size, 1.5e6)
        self.assertLess(self.compiler.stat().st_size, 45 * 2**20)
        self.assertLess(sum(path.stat().st_size for path in (self.packages / "heddle").rglob("*") if path.is_file()), 150e6)

    def test_notices(self):
        """THIRD_PARTY_NOTICES.md names what each wheel carries, no more and no less, and each licence comes along."""
        page = (ROOT / "THIRD_PARTY_NOTICES.md").read_text()
        table = re.findall(r"^\| .*? \| (.*?) \| (yes|) \| (yes|) \|$", page, re.M)
        for column, wheel in ((1, self.runtime), (2, self.compiler)):
            named = {name.strip("`") for row in table if row[column] for name in row[0].split(", ")}
            carried = {pathlib.Path(name).stem for name in zipfile.ZipFile(wheel).namelist()
                       if "/licenses/" in name and name.endswith(".txt")}
            self.assertEqual(named, carried)

    def test_readme(self):
        section = (ROOT / "README.md").read_text().split("\n## From Python\n")[1].split("\n## ")[0]
        example, = re.findall(r"^```python\n(.*?)^```", section, re.S | re.M)
        work = self.folder / "work"
        work.mkdir()
        source = model("magika")
        (work / "model.onnx").write_bytes(source.read_bytes())
        taken = onnx.load(source).graph.input[0]
        width = taken.type.tensor_type.shape.dim[1].dim_value
        x = numpy.random.default_rng(7).integers(0, 256, (3, width)).astype(
            onnx.helper.tensor_dtype_to_np_dtype(taken.type.tensor_type.elem_type))
        numpy.save(work / "x.npy", x)
        text = run(self.python, "-c", example + "\nnumpy.save('y.npy', y)\nprint(heddle.__file__)", cwd=work,
                   env=environment())
        self.assertIn(str(self.packages / "heddle" / "__init__.py"), text)
        self.assertIn("main(", text)
        session = onnxruntime.InferenceSession(str(source), providers=["CPUExecutionProvider"])
        want, = session.run(None, {taken.name: x})
        numpy.testing.assert_allclose(numpy.load(work / "y.npy"), want, rtol=1e-3, atol=1e-5)

    def test_nothing_of_the_machine_is_needed(self):
        package = self.packages / "heddle"
        files = [*(package / "bin").iterdir(), *package.glob("_runtime*.so")]
        self.assertGreater(len(files), 8)
        for file in files:
            for line in run("ldd", file, env=environment()).splitlines():
                name, _, path = line.strip().partition(" => ")
                if not SYSTEM.match(pathlib.Path(name).name.split(" ")[0]):
                    self.assertTrue(path.startswith(str(package)), f"{file}: {line}")

    def test_metadata(self):
        text = run(self.python, "-c", "import importlib.metadata as m; d = m.distribution('heddle'); r = m.distribution('heddle-runtime');"
                   "print(d.version, d.metadata['Requires-Python'], d.requires[0], r.requires[0], len(d.metadata.get_payload()) > 2000);"
                   "print([(e.group, e.name, e.value) for e in d.entry_points])", env=environment())
        self.assertTrue(text.startswith(f"{heddle.__version__} >=3.9 heddle-runtime=={heddle.__version__} numpy>=1.23 True\n"), text)
        self.assertIn("('torch_dynamo_backends', 'heddle', 'heddle._torch.backend:backend')", text)
        command = self.folder / "venv" / "bin" / "heddle"
        self.assertTrue(run(command, "--version", env=environment()).startswith(f"heddle {heddle.__version__}"))

    def test_verbs(self):
        command = self.folder / "venv" / "bin" / "heddle"
        self.assertNotIn("not in this build", run(command, "--help", env=environment()))
        for verb in ("check", "reduce", "compile"):
            self.assertIn(f"heddle {verb}", run(command, verb, "--help", env=environment()))


if __name__ == "__main__":
    unittest.main()
