# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The wheel in a fresh environment: installed by pip, it runs the README's example without anything of this build."""
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import tempfile
import unittest
import venv

import heddle
import numpy
import onnx
import onnxruntime

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "test" / "models"))
from make_models import model  # noqa: E402

# What the machine has to have: the C and C++ runtime. Everything else must come from the wheel.
SYSTEM = re.compile(r"(linux-vdso|ld-linux|libc|libm|libgcc_s|libstdc\+\+)[-.]")


def run(*command, **options):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        build = pathlib.Path(heddle.__file__).parents[2]
        run(sys.executable, ROOT / "scripts" / "make_wheel.py", "--build", build, "--output", cls.folder)
        cls.wheel, = cls.folder.glob("*.whl")
        venv.create(cls.folder / "venv", with_pip=False)
        # pip of this environment installs there. NumPy is lent, so that nothing is downloaded.
        cls.python = cls.folder / "venv" / "bin" / "python"
        run(sys.executable, "-m", "pip", "--python", cls.python, "install", "--no-index", "--no-deps", cls.wheel)
        cls.packages = pathlib.Path(run(cls.python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
        lent = cls.packages / "numpy"
        lent.symlink_to(pathlib.Path(sysconfig.get_path("purelib")) / "numpy")
        lent.with_name("numpy.libs").symlink_to(pathlib.Path(sysconfig.get_path("purelib")) / "numpy.libs")

    def environment(self):
        return {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}

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
                   env=self.environment())
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
            for line in run("ldd", file, env=self.environment()).splitlines():
                name, _, path = line.strip().partition(" => ")
                if not SYSTEM.match(pathlib.Path(name).name.split(" ")[0]):
                    self.assertTrue(path.startswith(str(package)), f"{file}: {line}")

    def test_metadata(self):
        text = run(self.python, "-c", "import importlib.metadata as m; d = m.distribution('heddle'); "
                   "print(d.version, d.metadata['Requires-Python'], d.requires, len(d.metadata.get_payload()) > 2000); "
                   "print([(e.group, e.name, e.value) for e in d.entry_points])", env=self.environment())
        self.assertTrue(text.startswith(f"{heddle.__version__} >=3.{sys.version_info.minor} ['numpy>=1.22', "), text)
        self.assertIn(" True\n", text)
        command = self.folder / "venv" / "bin" / "heddle"
        self.assertEqual(f"heddle {heddle.__version__}\n", run(command, "--version", env=self.environment()))
        self.assertIn(f"-cp3{sys.version_info.minor}-cp3{sys.version_info.minor}-manylinux_2_", self.wheel.name)


if __name__ == "__main__":
    unittest.main()
