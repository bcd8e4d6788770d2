# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small source trees for the tests of the scripts."""
import contextlib
import io
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))


@contextlib.contextmanager
def tree(files):
    """A git repository with these files ({path: text}), removed afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        subprocess.run(["git", "init", "-q", "."], cwd=root, check=True)
        yield root


@contextlib.contextmanager
def copy_of_sources():
    """A copy of this repository's sources, as a git repository of its own."""
    from source_tree import tracked_files

    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for path in tracked_files(ROOT):
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / path, root / path)
        subprocess.run(["git", "init", "-q", "."], cwd=root, check=True)
        yield root


def quiet(function, *arguments):
    """Calls a function without its output."""
    with contextlib.redirect_stdout(io.StringIO()):
        return function(*arguments)
