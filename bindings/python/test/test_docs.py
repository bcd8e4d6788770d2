# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples of the pages for users, run as they stand: `pycon` blocks, `python` blocks, and the columns of tables that say
what a call of another library is in Heddle."""
import contextlib
import doctest
import io
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import heddle
import numpy
import onnx.parser

DOCS = pathlib.Path(__file__).resolve().parents[3] / "docs"
BIN = pathlib.Path(heddle.__file__).resolve().parent / "bin"
if not BIN.exists():
    BIN = pathlib.Path(heddle.__file__).parent / "bin"
COMING = ("onnxruntime", "openvino", "iree", "tensorrt")

# What the pages call model.onnx; `x` is an array for it.
MODEL = """<ir_version: 10, opset_import: ["" : 20], metadata_props: ["names": "{0: 'cat'}"]>
add (float[batch, 4] x) => (float[batch, 4] y) { y = Add(x, x) }"""
DECODER = """<ir_version: 10, opset_import: ["" : 20]>
decode (float[1, 4] x, float[past, 4] past_0) => (float[1, 4] y, float[present, 4] present_0) <int64[1] zero = {0}> {
  present_0 = Concat<axis=0>(past_0, x)
  y = ReduceSum(present_0, zero)
}"""
X = numpy.ones((2, 4), numpy.float32)


def spans(cell):
    return re.findall(r"`([^`]+)`", cell)


def right_column(text):
    """(line number, code) of each piece of code in the right column of tables whose title is Heddle."""
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        inside = (inside or (line.startswith("|") and cells[-1] == "Heddle")) and line.startswith("|")
        if inside and len(cells) == 2 and cells[-1] != "Heddle":
            yield from ((number, code) for code in spans(cells[1]))


class Docs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        for name, text in (("model", MODEL), ("edited", MODEL), ("decoder", DECODER)):
            onnx.save(onnx.parser.parse_model(text), f"{name}.onnx")

    def examples(self, page, least):
        blocks = re.findall(r"^```pycon\n(.*?)^```", (DOCS / page).read_text(), re.S | re.M)
        examples = doctest.DocTestParser().get_doctest("".join(blocks), {}, page, None, 0)
        self.assertGreaterEqual(len(examples.examples), least)
        report = []
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        runner.run(examples, out=report.append)
        self.assertEqual(0, runner.failures, "".join(report))

    def commands(self, page):
        for block in re.findall(r"^```sh\n(.*?)^```", (DOCS / page).read_text(), re.S | re.M):
            for line in block.splitlines():
                self.shell(line)

    def blocks(self, page):
        for block in re.findall(r"^```python\n(.*?)^```", (DOCS / page).read_text(), re.S | re.M):
            exec(compile(block, page, "exec"), {})  # noqa: S102

    def test_python(self):
        self.examples("python.md", 25)

    def test_deploying(self):
        heddle.compile("model.onnx", "model.heddle")
        self.examples("deploying.md", 3)

    def test_blocks(self):
        for page in ("making-it-fast.md", "coming-from-onnxruntime.md"):
            self.blocks(page)
        self.commands("making-it-fast.md")

    def shell(self, command):
        environment = dict(os.environ, PATH=f"{BIN}:{os.environ['PATH']}")
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, env=environment)
        self.assertEqual(0, done.returncode, f"{command}\n{done.stderr}")

    def columns(self, page, least):
        scope = {"heddle": heddle, "numpy": numpy, "x": X, "s": heddle.Session("model.onnx"), "m": heddle.load("model.onnx")}
        tried = 0
        for number, code in right_column((DOCS / page).read_text()):
            with self.subTest(f"{page}:{number}: {code}"):
                if "…" in code or code.startswith("--") or re.fullmatch(r"[A-Za-z_.]+(\(\))?", code):
                    continue  # a name
                tried += 1
                if code.startswith("heddle "):
                    self.shell(code)
                else:
                    with contextlib.redirect_stdout(io.StringIO()):
                        exec(compile(code, page, "exec"), scope)  # noqa: S102
        self.assertGreaterEqual(tried, least)

    def test_lines(self):
        """The table of lines: those of Heddle run, are as many as it says, and no more than a peer's."""
        scope, tried = {"heddle": heddle, "numpy": numpy, "x": X, "out": numpy.empty_like(X)}, 0
        example = (DOCS.parent / "examples" / "embed" / "CMakeLists.txt").read_text()
        table = (DOCS / "coming-from-onnxruntime.md").read_text().split("| task | lines |")[1].split("\n\n")[0]
        for row in table.splitlines()[2:]:
            task, lines, ours, *peers = (cell.strip() for cell in row.strip().strip("|").split(" | "))
            with self.subTest(task):
                self.assertEqual(int(lines), len(spans(ours)))
                self.assertLessEqual(int(lines), min(int(peer) for peer in peers if peer != "–"))
                for code in spans(ours):
                    tried += 1
                    if "CMake" in task:
                        self.assertIn(code, example)
                    elif code.startswith("heddle "):
                        self.shell(code)
                    else:
                        exec(compile(code, task, "exec"), scope)  # noqa: S102
        self.assertGreaterEqual(tried, 9)

    def test_links(self):
        """Every link of these pages to a file, and to a title in it, leads somewhere."""
        for page in [DOCS / name for name in PAGES]:
            for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
                if "://" in target:
                    continue
                name, _, anchor = target.partition("#")
                file = (page.parent / name).resolve() if name else page
                self.assertTrue(file.exists(), f"{page.name}: {target}")
                if anchor:
                    titles = re.findall(r"^#+ (.*)$", file.read_text(), re.M)
                    anchors = [re.sub(r"[^\w\- ]", "", title.replace("`", "")).strip().lower().replace(" ", "-") for title in titles]
                    self.assertIn(anchor, anchors, f"{page.name}: {target}")


PAGES = ["index.md", "python.md", "deploying.md", "troubleshooting.md", "making-it-fast.md", "python-api.md",
         *(f"coming-from-{name}.md" for name in COMING)]

for _name in COMING:
    setattr(Docs, f"test_columns_{_name}", lambda self, page=f"coming-from-{_name}.md": self.columns(page, 8))

if __name__ == "__main__":
    unittest.main()
