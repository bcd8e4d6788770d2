#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the wheel of the Python package from a finished build: nothing is compiled, nothing downloaded.

  make_wheel.py [--build build/release] [--output build/wheel]

The wheel has the package, the extension, the runtime's library, the command line's programs, and the shared libraries
that heddle-compile needs (LLVM, MLIR and theirs), all but those of the C and C++ runtime, with the licence of each. Its
tag names the Python it was built for and the C library that it needs. Prints the path and the sizes.
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
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "bindings" / "python" / "heddle"
# Of the C and C++ runtime, which every machine with Python has.
SYSTEM = re.compile(r"(linux-vdso|ld-linux|libc|libm|libdl|librt|libpthread|libgcc_s|libstdc\+\+)[-.]")
STRIP = "llvm-strip-22"
LICENSES = ("LICENSE", "THIRD_PARTY_NOTICES.md")

METADATA = """\
Metadata-Version: 2.4
Name: heddle
Version: {version}
Summary: Compiles tensor programs (ONNX, MLIR, PyTorch) once and runs them on any mix of devices
License-Expression: Apache-2.0 WITH LLVM-exception
{license_files}
Requires-Python: >={python}
Requires-Dist: numpy>=1.22
Provides-Extra: types
Requires-Dist: ml_dtypes; extra == 'types'
Provides-Extra: torch
Requires-Dist: torch>=2.6; extra == 'torch'
Requires-Dist: onnxscript; extra == 'torch'
Provides-Extra: jax
Requires-Dist: jax; extra == 'jax'
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Python :: 3
Description-Content-Type: text/markdown

{description}"""
ENTRY_POINTS = """\
[console_scripts]
heddle = heddle._tools:main

[torch_dynamo_backends]
heddle = heddle._torch.graph:backend
"""


def version_of(build):
    cache = (build / "CMakeCache.txt").read_text()
    return re.search(r"^CMAKE_PROJECT_VERSION:STATIC=(.+)$", cache, re.M).group(1)


def install(build, tree):
    """The programs and libraries of the build, stripped, with run paths inside the package."""
    subprocess.run(["cmake", "--install", build, "--component", "python", "--prefix", tree], check=True,
                   stdout=subprocess.DEVNULL)
    package = tree / "heddle"
    for path in list((package / "lib").iterdir()):
        if path.name.startswith("_runtime"):
            path.rename(package / path.name)
        elif path.is_symlink():  # a wheel has no links: the name that programs ask for is the file
            path.resolve().replace(path)
    for path in [*PACKAGE.iterdir(), *(PACKAGE / "_torch").iterdir()]:
        if path.suffix in (".py", ".pyi") or path.name == "py.typed":
            target = package / path.relative_to(PACKAGE)
            target.parent.mkdir(exist_ok=True)
            shutil.copyfile(path, target)


def bundle(build, package):
    """Copies the shared libraries that heddle-compile of the build is linked to; returns where each came from."""
    sources = []
    listing = subprocess.run(["ldd", build / "bin" / "heddle-compile"], check=True, capture_output=True, text=True).stdout
    for name, path in re.findall(r"^\s*(\S+) => (/\S+)", listing, re.M):
        if not SYSTEM.match(name) and not (package / "lib" / name).exists():
            sources.append(pathlib.Path(path).resolve())
            shutil.copy(sources[-1], package / "lib" / name)
    if "not found" in listing:
        sys.exit(f"make_wheel: a library of heddle-compile is missing:\n{listing}")
    return sources


def debian_license(library):
    """(package, text) of what Debian says of one library; the file may be listed below /usr and found below /."""
    found = subprocess.run(["dpkg", "-S", f"*/{library.name}"], check=True, capture_output=True, text=True).stdout
    package = found.split(":")[0]
    return package, (pathlib.Path("/usr/share/doc") / package / "copyright").read_text()


def write_licenses(folder, libraries):
    """Ours, and Debian's for each library in the wheel, in `folder`; returns their names."""
    folder.mkdir(parents=True)
    for name in LICENSES:
        shutil.copyfile(ROOT / name, folder / name)
    for library in libraries:
        package, text = debian_license(library)
        (folder / f"{package}.txt").write_text(text)
    return sorted(path.name for path in folder.iterdir())


def binaries(package):
    return sorted([*(package / "bin").iterdir(), *(package / "lib").iterdir(), *package.glob("_runtime*.so")])


def platform_tag(package):
    """By the newest symbol version of the C library that a file asks for."""
    needed = max(int(minor) for path in binaries(package) for minor in re.findall(rb"GLIBC_2\.(\d+)", path.read_bytes()))
    machine = sysconfig.get_platform().split("-")[-1]
    return f"manylinux_2_{needed}_{machine}"


def description():
    """The page of the package; its links to other pages of the repository lead nowhere from an index."""
    page = (ROOT / "docs" / "python.md").read_text()
    return re.sub(r"\[([^\]]+)\]\((?!https?:|#)[^)]*\)", r"\1", page)


def write_dist_info(tree, version, tag, libraries):
    folder = tree / f"heddle-{version}.dist-info"
    folder.mkdir()
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    licenses = "\n".join(f"License-File: {name}" for name in write_licenses(folder / "licenses", libraries))
    (folder / "METADATA").write_text(
        METADATA.format(version=version, python=python, description=description(), license_files=licenses))
    (folder / "WHEEL").write_text(f"Wheel-Version: 1.0\nGenerator: heddle make_wheel\nRoot-Is-Purelib: false\nTag: {tag}\n")
    (folder / "entry_points.txt").write_text(ENTRY_POINTS)
    return folder


def pack(tree, dist_info, wheel):
    record = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as file:
        for path in sorted(p for p in tree.rglob("*") if p.is_file()):
            name = path.relative_to(tree).as_posix()
            data = path.read_bytes()
            entry = zipfile.ZipInfo(name)  # no dates: the same build gives the same wheel
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if path.parent.name in ("bin", "lib") or path.suffix == ".so" else 0o100644) << 16
            file.writestr(entry, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(data)}")
        name = f"{dist_info.name}/RECORD"
        file.writestr(zipfile.ZipInfo(name), "\n".join([*record, f"{name},,", ""]))


def mib(count):
    return f"{count / 2**20:.1f} MiB"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "build" / "wheel")
    options = parser.parse_args()
    version = version_of(options.build)
    options.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=options.output) as folder:
        tree = pathlib.Path(folder)
        install(options.build, tree)
        package = tree / "heddle"
        libraries = bundle(options.build, package)
        subprocess.run([STRIP, "--strip-unneeded", *binaries(package)], check=True)
        python = f"cp{sys.version_info.major}{sys.version_info.minor}"
        tag = f"{python}-{python}-{platform_tag(package)}"
        wheel = options.output / f"heddle-{version}-{tag}.whl"
        pack(tree, write_dist_info(tree, version, tag, libraries), wheel)
        sizes = sorted(((path.stat().st_size, path.name) for path in binaries(package)), reverse=True)
    print(f"{wheel}: {mib(wheel.stat().st_size)}, installed {mib(sum(size for size, _ in sizes))}")
    print("largest: " + ", ".join(f"{name} {mib(size)}" for size, name in sizes[:6]))


if __name__ == "__main__":
    main()
