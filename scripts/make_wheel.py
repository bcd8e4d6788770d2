#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the two wheels from what `ninja heddle_packaged heddle_extensions` linked: nothing is compiled, nothing downloaded.

  make_wheel.py [--build build/release] [--output build/wheel]

heddle_runtime-*.whl, one for each extension of the build: the Python package, the extension and the runtime's library.
heddle-*.whl, one for all Pythons: the command line with the compiler and what compiles graphs of PyTorch, for a build that has
it; it needs the other of the same version. Metadata is that of pyproject.toml. A wheel's tag names the newest version of the C library that a file in it needs.
Prints the paths and sizes. docs/design/packages.md
"""
import argparse
import base64
import hashlib
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "bindings" / "python" / "heddle"
STRIP = "llvm-strip-22"
OF_COMPILER = ["_torch"]  # folders of the package that are of no use without it
# What is linked into the files of each wheel: THIRD_PARTY_NOTICES.md names it, and its licence comes along. Packages of Debian
# by name, of Python by the folder of their metadata.
LINKED = {
    "heddle-runtime": ["libflatbuffers-dev", "libxxhash-dev", "libvulkan-dev", "gcc-12-base", "nanobind"],
    "heddle": ["llvm-22-dev", "libmlir-22-dev", "liblld-22-dev", "libprotobuf-dev", "zlib1g-dev", "libzstd-dev", "nlohmann-json3-dev",
               "libcli11-dev", "libflatbuffers-dev", "libxxhash-dev", "libvulkan-dev", "gcc-12-base", "onnx"],
}


def project():
    text = (ROOT / "CMakeLists.txt").read_text()
    values = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    values["version"] = re.search(r"project\(Heddle VERSION ([0-9.]+)", text).group(1)
    return values


def description():
    """The page of the package; its links to other pages of the repository lead nowhere from an index."""
    page = (ROOT / "docs" / "python.md").read_text()
    return re.sub(r"\[([^\]]+)\]\((?!https?:|#)[^)]*\)", r"\1", page)


def metadata(values, name, python, requirements, extras):
    lines = ["Metadata-Version: 2.4", f"Name: {name}", f"Version: {values['version']}", f"Summary: {values['description']}",
             f"Keywords: {','.join(values['keywords'])}", f"License-Expression: {values['license']}",
             *(f"License-File: {file}" for file in values["license-files"]),
             *(f"License-File: {one}.txt" for one in LINKED[name]),
             *(f"Classifier: {one}" for one in values["classifiers"]),
             f"Requires-Python: {python}", *(f"Requires-Dist: {one}" for one in requirements)]
    for extra, needed in extras.items():
        lines += [f"Provides-Extra: {extra}", *(f"Requires-Dist: {one}; extra == '{extra}'" for one in needed)]
    return "\n".join([*lines, "Description-Content-Type: text/markdown", "", description()])


def entry_points(values):
    lines = ["[console_scripts]", *(f"{key} = {value}" for key, value in values["scripts"].items())]
    for group, points in values["entry-points"].items():
        lines += ["", f"[{group}]", *(f"{key} = {value}" for key, value in points.items())]
    return "\n".join(lines) + "\n"


def license_text(package):
    debian = pathlib.Path("/usr/share/doc") / package / "copyright"
    if debian.exists():
        return debian.read_text()
    files = sorted(pathlib.Path(sysconfig.get_path("purelib")).glob(f"{package}-*.dist-info/licenses/*"))
    if not files:
        sys.exit(f"make_wheel: no licence of {package} is installed")
    return "\n\n".join(file.read_text() for file in files)


def glibc_of(files):
    """The newest version of the C library that a file asks for, as in 2.28."""
    needed = {int(minor) for path in files for minor in re.findall(rb"GLIBC_2\.(\d+)(?=[\0.])", path.read_bytes())}
    return f"2_{max(needed, default=17)}"


class Wheel:
    """A folder that becomes a file."""

    def __init__(self, folder, values, name, tag):
        self.tree, self.values, self.name, self.tag = folder, values, name, tag
        self.binaries = []
        self.file = f"{name.replace('-', '_')}-{values['version']}"

    def add_binary(self, path, target):
        target = self.tree / "heddle" / target
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
        subprocess.run([STRIP, target], check=True)
        self.binaries.append(target)

    def add_sources(self, of_compiler):
        for path in PACKAGE.rglob("*"):
            if (path.relative_to(PACKAGE).parts[0] in OF_COMPILER) == of_compiler and path.suffix in (".py", ".pyi") or path.name == "py.typed":
                target = self.tree / "heddle" / path.relative_to(PACKAGE)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)

    def pack(self, output, texts):
        info = self.tree / f"{self.file}.dist-info"
        (info / "licenses").mkdir(parents=True)
        for name in self.values["license-files"]:
            shutil.copyfile(ROOT / name, info / "licenses" / name)
        for name in LINKED[self.name]:
            (info / "licenses" / f"{name}.txt").write_text(license_text(name))
        tag = f"{self.tag}-manylinux_{glibc_of(self.binaries)}_{machine_of(self.binaries[0])}"
        texts["WHEEL"] = f"Wheel-Version: 1.0\nGenerator: heddle make_wheel\nRoot-Is-Purelib: false\nTag: {tag}\n"
        for name, text in texts.items():
            (info / name).write_text(text)
        for old in output.glob(f"{self.file}-{self.tag}-*_{machine_of(self.binaries[0])}.whl"):
            old.unlink()
        wheel = output / f"{self.file}-{tag}.whl"
        write_zip(self.tree, info.name, wheel)
        installed = sum(path.stat().st_size for path in self.tree.rglob("*") if path.is_file())
        print(f"{wheel}: {mb(wheel.stat().st_size)}, installed {mb(installed)}")


def machine_of(path):
    """By the ELF header's e_machine."""
    return {62: "x86_64", 183: "aarch64"}[int.from_bytes(path.read_bytes()[18:20], "little")]


def write_zip(tree, info, wheel):
    record = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as file:
        for path in sorted(p for p in tree.rglob("*") if p.is_file()):
            name, data = path.relative_to(tree).as_posix(), path.read_bytes()
            entry = zipfile.ZipInfo(name)  # no dates: the same build gives the same wheel
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if data.startswith(b"\x7fELF") else 0o100644) << 16
            file.writestr(entry, data, compresslevel=9)  # an entry of its own does not ask the file
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(data)}")
        name = f"{info}/RECORD"
        file.writestr(zipfile.ZipInfo(name), "\n".join([*record, f"{name},,", ""]), zipfile.ZIP_DEFLATED, 9)


def mb(count):
    return f"{count / 1e6:.2f} MB"


def pack_runtime(values, folder, library, extension, output):
    tag = extension.parent.name
    wheel = Wheel(folder, values, "heddle-runtime", "cp312-abi3" if tag == "abi3" else f"{tag}-{tag}")
    wheel.add_sources(of_compiler=False)
    wheel.add_binary(extension, extension.name)
    wheel.add_binary(library, pathlib.Path("lib") / library.name)
    version = "3.12" if tag == "abi3" else f"3.{tag[3:]}"
    python = f">={version}" if tag == "abi3" else f"=={version}.*"
    wheel.pack(output, {"METADATA": metadata(values, "heddle-runtime", python, values["dependencies"],
                                             {"types": values["optional-dependencies"]["types"]})})


def pack_compiler(values, folder, programs, output):
    wheel = Wheel(folder, values, "heddle", "py3-none")
    wheel.add_sources(of_compiler=True)
    for program in programs:
        wheel.add_binary(program, pathlib.Path("bin") / program.name)
    requirements = [f"heddle-runtime=={values['version']}"]
    wheel.pack(output, {"METADATA": metadata(values, "heddle", values["requires-python"], requirements, values["optional-dependencies"]),
                        "entry_points.txt": entry_points(values)})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "build" / "wheel")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    packaged = options.build / "packaged"
    # A build for another machine has no packaged/lib: there the library itself is fit for packages.
    found = sorted((packaged / "lib").glob("libheddle_runtime.so.?")) or sorted((options.build / "lib").glob("libheddle_runtime.so.?"))
    extensions = sorted((packaged / "python").glob("*/_runtime.*.so"))
    if not found or not extensions:
        sys.exit(f"make_wheel: {packaged} has no library or no extension; run ninja -C {options.build} heddle_packaged heddle_extensions")
    values = project()
    for extension in extensions:
        with tempfile.TemporaryDirectory(dir=options.output) as folder:
            pack_runtime(values, pathlib.Path(folder), found[0], extension, options.output)
    programs = sorted((packaged / "bin").glob("heddle*"))
    if any(program.name == "heddle-compile" for program in programs):
        with tempfile.TemporaryDirectory(dir=options.output) as folder:
            pack_compiler(values, pathlib.Path(folder), programs, options.output)


if __name__ == "__main__":
    main()
