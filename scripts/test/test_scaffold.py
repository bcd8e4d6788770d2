# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The scaffolding scripts, on a copy of the sources: what they make passes the checks, and they refuse what they cannot do."""
import subprocess
import unittest

from support import copy_of_sources, quiet, tree  # first: it makes scripts/ importable

import check_format
import check_includes
import check_license
import check_passes
from new_dialect import new_dialect
from new_driver import new_driver
from new_pass import new_pass
from scaffold import ScaffoldError

SUMMARY = "Splits a loop nest that no core could share"


class NewPassTest(unittest.TestCase):
    def test_passes_the_checks(self):
        with copy_of_sources() as root:
            before = check_passes.check(root)
            quiet(new_pass, root, "compiler/Stages/Form", "SplitLoops", SUMMARY, "ModuleOp")
            after = check_passes.check(root)
            self.assertEqual(before[0], after[0])
            self.assertEqual(before[1] + 1, after[1])
            self.assertEqual([], check_format.unformatted(root, ["compiler/Stages/Form/SplitLoops.cpp"]))
            self.assertEqual([], check_license.check(root))
            cmake = (root / "compiler/Stages/Form/CMakeLists.txt").read_text()
            self.assertRegex(cmake, r"heddle_mlir_library\(HeddleForm\s[^)]* SplitLoops\.cpp\s+LIBS")
            self.assertIn('Pass<"form-split-loops", "::mlir::ModuleOp">',
                          (root / "compiler/Stages/Form/Passes.td").read_text())

    def test_twice(self):
        with copy_of_sources() as root:
            quiet(new_pass, root, "compiler/Stages/Form", "SplitLoops", SUMMARY, "ModuleOp")
            with self.assertRaisesRegex(ScaffoldError, "SplitLoops.cpp exists already"):
                new_pass(root, "compiler/Stages/Form", "SplitLoops", SUMMARY, "ModuleOp")

    def test_refuses(self):
        with tree({"compiler/A/Passes.td": "#endif\n"}) as root:
            for folder, name, summary, text in [
                ("compiler/B", "SplitLoops", SUMMARY, "has none"),
                ("compiler/A", "splitLoops", SUMMARY, "CamelCase"),
                ("compiler/A", "SplitLoops", "short", "10 to 110"),
                ("compiler/A", "SplitLoops", SUMMARY, "no file compiler/A/CMakeLists.txt"),
            ]:
                with self.subTest(text), self.assertRaisesRegex(ScaffoldError, text):
                    new_pass(root, folder, name, summary, "ModuleOp")
            self.assertFalse((root / "compiler/A/SplitLoops.cpp").exists(), "a refusal writes nothing")


class NewDialectTest(unittest.TestCase):
    def test_passes_the_checks(self):
        with copy_of_sources() as root:
            before = check_includes.check(root)[0]
            quiet(new_dialect, root, "Mesh", "Which devices form a grid")
            self.assertEqual(before, check_includes.check(root)[0])
            self.assertEqual([], check_license.check(root))
            folder = "compiler/Dialect/Mesh/IR"
            self.assertEqual([], check_format.unformatted(root, [f"{folder}/MeshOps.h", f"{folder}/MeshOps.cpp"]))
            registration = (root / "compiler/Pipelines/Registration.cpp").read_text()
            self.assertIn('#include "compiler/Dialect/Mesh/IR/MeshOps.h"', registration)
            self.assertRegex(registration, r"registry\.insert<[^>]*, mesh::MeshDialect>")
            self.assertIn("add_subdirectory(Dialect/Mesh/IR)", (root / "compiler/CMakeLists.txt").read_text())


class NewDriverTest(unittest.TestCase):
    def test_compiles_and_is_registered(self):
        with copy_of_sources() as root:
            before = check_includes.check(root)[0]
            quiet(new_driver, root, "Metal", "Apple's GPUs")
            self.assertEqual(before, check_includes.check(root)[0])
            self.assertEqual([], check_license.check(root))
            folder = root / "runtime/drivers/metal"
            text = (folder / "MetalDriver.h").read_text() + (folder / "MetalDriver.cpp").read_text()
            self.assertNotRegex(text, r"Null[A-Z]|nullDriver|null\?")
            self.assertIn('return "metal"', text)
            self.assertIn("drivers/metal/MetalDriver.cpp", (root / "runtime/CMakeLists.txt").read_text())
            for source in ("runtime/drivers/metal/MetalDriver.cpp", "runtime/drivers/Registry.cpp"):
                compiled = subprocess.run(
                    ["clang++-22", "-std=c++20", "-fsyntax-only", "-fno-exceptions", "-fno-rtti", "-Wall", "-Werror",
                     "-Wno-unused-parameter", "-I.", "-Iinclude", "-Icontract/include", source],
                    cwd=root, capture_output=True, text=True)
                self.assertEqual(0, compiled.returncode, compiled.stderr)
            self.assertRegex((root / "runtime/drivers/Registry.cpp").read_text(), r"all\[\] = \{[^}]*&metalDriver\(\)")


if __name__ == "__main__":
    unittest.main()
