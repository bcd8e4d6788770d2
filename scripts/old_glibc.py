#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a folder to link against an old version of the C library, from the package `ziglang` of PyPI, which knows all of them.

  old_glibc.py FOLDER [--version 2.28] [--zig PYTHON]

FOLDER gets Scrt1.o, libc_nonshared.a and the shared libraries, which have the symbols of that version and no code. PYTHON is
an interpreter that has ziglang (default: this one). Repeated, it does nothing.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def link_line(zig, version):
    """The linker's arguments for an empty program, by which zig makes all of it."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "empty.c"
        source.write_text("int main(void) { return 0; }\n")
        done = subprocess.run([zig, "-m", "ziglang", "build-exe", source, "-lc", "-fPIE", "-fno-ubsan-rt",
                               "-target", f"x86_64-linux-gnu.{version}", "--verbose-link"],
                              cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"old_glibc: zig ended with {done.returncode}\n{done.stderr}")
    return done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--version", default="2.28")
    parser.add_argument("--zig", default=sys.executable, type=lambda path: pathlib.Path(path).absolute())  # not resolved: a venv's is a link
    options = parser.parse_args()
    stamp = options.folder / "version"
    if stamp.exists() and stamp.read_text() == options.version:
        return
    found = re.findall(r"(/\S+/(?:Scrt1\.o|libc_nonshared\.a|lib\w+\.so\.\d+))(?=\s)", link_line(options.zig, options.version))
    names = {pathlib.Path(path).name for path in found}
    if not {"Scrt1.o", "libc_nonshared.a", "libc.so.6", "libm.so.6"} <= names:
        sys.exit(f"old_glibc: zig links with {sorted(names)}, which is not all that is needed")
    shutil.rmtree(options.folder, ignore_errors=True)
    options.folder.mkdir(parents=True)
    for path in found:
        shutil.copy(path, options.folder)
    stamp.write_text(options.version)


if __name__ == "__main__":
    main()
