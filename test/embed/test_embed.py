# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""examples/embed, a project outside this one, in every way that docs/install.md names: find_package and pkg-config on what
`cmake --install` gives, and FetchContent on the sources, with each compiler and standard that a user may have."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["HEDDLE_BIN"]).parent
EXAMPLE = ROOT / "examples" / "embed"
ARTIFACT = ROOT / "test" / "artifacts" / "format-2.heddle"
OUTPUT = "main takes 1 and gives 1 tensors\n4 8 12 16 | 4 8 12 16\n"
COMPILERS = [name for name in ("g++", "clang++-22") if shutil.which(name)]
# What every reader of the headers may have switched on.
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]


def run(*command, **options):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def configure(folder, *options):
    run("cmake", "-S", EXAMPLE, "-B", folder, "-G", "Ninja", *options)


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.prefix = cls.folder / "moved"
        for component in ("runtime", "development"):
            run("cmake", "--install", BUILD, "--component", component, "--prefix", cls.folder / "installed")
        (cls.folder / "installed").rename(cls.prefix)  # nothing in it may know where it was installed

    def check(self, program):
        self.assertEqual(OUTPUT, run(program, ARTIFACT, env={**os.environ, "LD_LIBRARY_PATH": str(self.prefix / "lib")}))

    def test_find_package(self):
        for compiler in COMPILERS:
            with self.subTest(compiler=compiler):
                folder = self.folder / f"find-{compiler}"
                configure(folder, f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_CXX_COMPILER={compiler}",
                          f"-DCMAKE_CXX_FLAGS={' '.join(WARNINGS)}")
                run("ninja", "-C", folder)
                self.check(folder / "embed")

    def test_version(self):
        (self.folder / "old").mkdir()
        listing = (EXAMPLE / "CMakeLists.txt").read_text().replace("Heddle 0.1 ", "Heddle 0.0 ")
        (self.folder / "old" / "CMakeLists.txt").write_text(listing)
        done = subprocess.run(["cmake", "-S", self.folder / "old", "-B", self.folder / "old-build",
                               f"-DCMAKE_PREFIX_PATH={self.prefix}"], capture_output=True, text=True)
        self.assertNotEqual(0, done.returncode)
        self.assertIn("requested version \"0.0\"", done.stderr)

    @unittest.skipUnless(shutil.which("pkg-config"), "no pkg-config")
    def test_pkg_config(self):
        environment = {**os.environ, "PKG_CONFIG_PATH": str(self.prefix / "lib" / "pkgconfig")}
        flags = run("pkg-config", "--cflags", "--libs", "heddle", env=environment).split()
        version = run("pkg-config", "--modversion", "heddle", env=environment).strip()
        self.assertIn(f"project(Heddle VERSION {version} ", (ROOT / "CMakeLists.txt").read_text())
        for compiler in COMPILERS:
            for standard in ("c++17", "c++20"):
                with self.subTest(compiler=compiler, standard=standard):
                    program = self.folder / f"pkg-{compiler}-{standard}"
                    run(compiler, f"-std={standard}", *WARNINGS, EXAMPLE / "embed.cpp", "-o", program, *flags)
                    self.check(program)

    def test_headers(self):
        """Each is read alone, the C ones by C99."""
        headers = sorted((self.prefix / "include" / "heddle").iterdir())
        self.assertEqual(["buffers.h", "buffers.hpp", "heddle.h", "heddle.hpp", "ranks.h", "ranks.hpp", "span.hpp"],
                         [path.name for path in headers])
        for header in headers:
            compilers = [("cc" if shutil.which("cc") else "clang-22", "c99", "c")] if header.suffix == ".h" else []
            for compiler, standard, language in compilers + [(name, "c++17", "c++") for name in COMPILERS]:
                with self.subTest(header=header.name, compiler=compiler):
                    run(compiler, f"-std={standard}", "-x", language, *WARNINGS, "-fsyntax-only", "-I", self.prefix / "include",
                        "-", input=f"#include <heddle/{header.name}>\n")


class Sources(unittest.TestCase):
    """FetchContent, without what only tests and tools need. The build folder stays, so that a second run has nothing to do."""

    def test_fetch_content(self):
        folder = BUILD / "embed_sources"
        configure(folder, f"-DHEDDLE_SOURCE={ROOT}", "-DCMAKE_CXX_COMPILER=clang++-22", "-DCMAKE_C_COMPILER=clang-22",
                  "-DCMAKE_CXX_FLAGS=-O0", *(f"-DCMAKE_{language}_COMPILER_LAUNCHER=ccache" for language in ("C", "CXX") if shutil.which("ccache")))
        cache = (folder / "CMakeCache.txt").read_text()
        for absent in ("GTest_DIR", "LLVM_DIR", "MLIR_DIR", "nlohmann_json_DIR", "CLI11_DIR", "nanobind_DIR", "HEDDLE_SPIRV_AS"):
            self.assertNotIn(f"\n{absent}:", cache)
        run("ninja", "-C", folder, f"-j{os.cpu_count()}", "embed")
        self.assertEqual(OUTPUT, run(folder / "embed", ARTIFACT))
        self.assertFalse((folder / "bin").exists() or (folder / "lib").exists(), "folders of ours in the user's build")
        line, = run("ninja", "-C", folder, "-t", "commands", "-s", "CMakeFiles/embed.dir/embed.cpp.o").splitlines()
        for leak in ("-std=c++20", "-fno-rtti", "-Wextra", "-fvisibility"):
            self.assertNotIn(leak, line)


if __name__ == "__main__":
    unittest.main()
