# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each check finds the fault it exists for, and passes the tree without it."""
import unittest

from support import tree  # first: it makes scripts/ importable

import check_budgets
import check_format
import check_includes
import check_isa
import check_license
import check_numbers
import check_pages
import check_passes
import check_prose
import check_sizes


class LicenseTest(unittest.TestCase):
    def test_missing_line(self):
        line = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
        with tree({"a.h": f"// {line}\n", "b.py": f"#!/usr/bin/env python3\n# {line}\n", "c.md": "", "d.json": "{}",
                   "e.cpp": "int e;\n", "late.py": "\n\n\n# " + line, "CMakeLists.txt": "project(x)\n"}) as root:
            errors = check_license.check(root)
        self.assertEqual(["CMakeLists.txt", "e.cpp", "late.py"], [error.split(":")[0] for error in errors], errors)

    def test_fix_puts_the_line_where_it_may_stand(self):
        files = {"a.cpp": "int a;\n", "b.sh": "#!/bin/sh\necho\n", "c.html": "<!doctype html>\n<p>\n",
                 "scripts/templates/pass/Pass.cpp.in": "x\n", "scripts/templates/pass/Passes.td.in": "part\n"}
        with tree(files) as root:
            check_license.fix(root)
            texts = {path: (root / path).read_text() for path in files}
            self.assertEqual([], check_license.check(root))
        spdx = check_license.LINE
        self.assertEqual(f"// {spdx}\nint a;\n", texts["a.cpp"])
        self.assertEqual(f"#!/bin/sh\n# {spdx}\necho\n", texts["b.sh"])
        self.assertEqual(f"<!doctype html>\n<!-- {spdx} -->\n<p>\n", texts["c.html"])
        self.assertEqual(f"// {spdx}\nx\n", texts["scripts/templates/pass/Pass.cpp.in"])
        self.assertEqual("part\n", texts["scripts/templates/pass/Passes.td.in"])


class ProseTest(unittest.TestCase):
    def lengths(self, text):
        return [len(words) for words in check_prose.sentences(text)]

    def test_what_a_sentence_is(self):
        self.assertEqual([5, 4], self.lengths("One two three four five. Six seven eight nine!\n"))
        self.assertEqual([4, 5], self.lengths("- A list has items:\n- and each is its own\n"))
        self.assertEqual([4, 4], self.lengths("| a cell of words | another cell of words |\n|---|---|\n"))
        self.assertEqual([4, 4], self.lengths("Call it with `f(x, y z)`. `module` then gives more"))
        self.assertEqual([5], self.lengths("```sh\nmany many many many words here\n```\nA [link of words](x.md) counts\n"))
        self.assertEqual([], self.lengths("## A title\n"))

    def test_what_is_too_long(self):
        with tree({"page.md": "word " * 45 + "\n"}) as root:
            self.assertEqual((45, 45), check_prose.figures(root / "page.md")[:2])


class NumbersTest(unittest.TestCase):
    def errors(self, text, allowed):
        with tree({"compiler/Stages/Import/Onnx/A.cpp": text, "compiler/Stages/Form/B.cpp": "constexpr int kWide = 16;\n"}) as root:
            return check_numbers.check(root, allowed)

    def test_each_number_has_a_reason(self):
        text = ("// constexpr int kOld = 1;\nstatic constexpr int64_t kRows = 32, kLimit = int64_t(1) << f(2, kNone);\n"
                "constexpr double kTable[] = {1, 2};\nconstexpr StringLiteral kName = \"a\";\n")
        known = {"A.cpp": {"limit": "kLimit", "value": "kTable"}}
        errors = self.errors(text, known)
        self.assertEqual(1, len(errors), errors)
        self.assertIn("compiler/Stages/Import/Onnx/A.cpp:2: kRows is a number of no known kind", errors[0])
        self.assertEqual([], self.errors(text, {"A.cpp": {"limit": "kLimit kRows", "value": "kTable"}}))

    def test_rows_go_stale(self):
        self.assertEqual(["scripts/check_numbers.py: A.cpp has no kGone"], self.errors("", {"A.cpp": {"limit": "kGone"}}))
        self.assertIn("'speed' is no reason", self.errors("constexpr int kFew = 8;\n", {"A.cpp": {"speed": "kFew"}})[0])

    def test_bytes_are_not_computed_by_hand(self):
        for line in ("std::max<int64_t>(1, type.getElementTypeBitWidth() / 8)", "(t.getIntOrFloatBitWidth() + 7) / 8", "(bits + 7) / 8",
                     "llvm::divideCeil(type.getElementTypeBitWidth(), 8)", "std::max<int64_t>(bits / 8, 1)", "width / 8", "(bitsOf(getType()) + 7) / 8",
                     "count * type.getIntOrFloatBitWidth() / 8", "form.group() * form.partBits() / 8", "32 / std::max(e.getIntOrFloatBitWidth(), 8u)",
                     "type.getElementTypeBitWidth() >> 3"):
            for path in ("compiler/Codegen/A.cpp", "runtime/a.h", "tools/a/a.cpp"):
                with self.subTest(line=line, path=path), tree({path: f"int a = 1;\nint b = {line};\n"}) as root:
                    self.assertEqual([f"{path}:2: bytes of so many bits are storageBytes()"], [error.split(" (")[0] for error in check_numbers.check(root, {})])

    def test_what_is_no_size_in_memory(self):
        text = ("// bits / 8\nint a = getIntOrFloatBitWidth() < 8, b = limit / 8, c = divideCeil(blocks * bits, 8), d = code(b, block * bits / 8, 1);\n"
                "auto e = refuse(\"(bits + 7) / 8\");\n")
        with tree({"compiler/Stages/Form/A.cpp": text, "compiler/Analysis/StorageBytes.h": "int a = (bits + 7) / 8;\n"}) as root:
            self.assertEqual([], check_numbers.check(root, {}))


class IsaTest(unittest.TestCase):
    def test_instructions_have_one_place(self):
        text = 'call("llvm.x86.avx512.vpdpbusd.512");\ncall("llvm.fma.f32");\n'
        with tree({"compiler/Codegen/ISA/X86.cpp": text, "compiler/Stages/Codegen/A.cpp": text,
                   "compiler/Codegen/test/b.cpp": text, "runtime/c.cpp": 'asm volatile("");\n'}) as root:
            errors = check_isa.check(root)
        self.assertEqual(["compiler/Stages/Codegen/A.cpp:1"], [":".join(error.split(":")[:2]) for error in errors], errors)


class PagesTest(unittest.TestCase):
    def errors(self, files):
        with tree(files) as root:
            return check_pages.check(root, sorted(path for path in files if path.endswith(".md")))

    def assert_one(self, files, text):
        errors = self.errors(files)
        self.assertEqual(1, len(errors), errors)
        self.assertIn(text, errors[0])

    def test_links(self):
        page = "# A `b` of C++, and D\n\n[a](b.md#two-words) [c](../x/y.h) [d](#a-b-of-c-and-d) [e](https://none.such/z.md)\n"
        files = {"docs/a.md": page, "docs/b.md": "## Two words\n\n## Two words\n[again](#two-words-1)\n", "x/y.h": ""}
        self.assertEqual([], self.errors(files))
        self.assert_one({**files, "docs/a.md": page + "[f](c.md)\n"}, "docs/a.md:4: no file for the link 'c.md'")
        self.assert_one({**files, "docs/a.md": page + "[f](b.md#three)\n"}, "docs/a.md:4: no title for the link 'b.md#three'")
        self.assertEqual([], self.errors({"docs/a.md": "```\n[f](c.md)\n```\n`[g](c.md)`\n"}))

    def test_every_page_is_found(self):
        files = {"docs/index.md": "[a](design/a.md)\n", "docs/design/a.md": "[b](log/b.md)\n", "docs/design/log/b.md": ""}
        self.assertEqual([], self.errors(files))
        self.assert_one({**files, "docs/design/c.md": "[a](a.md)\n"}, "docs/design/c.md: no way to it from docs/index.md")

    def test_wrap(self):
        long = "- An item of a [list that is long](with/a/link.md) " + "and goes on " * 9 + "`with code of\tblanks` - 1\n  is one paragraph"
        page = f"# Title {'word ' * 30}\n\n{long}\n- another\n\n```\n{'code ' * 30}\n```\n| {'cell ' * 30} |\n"
        wrapped = check_pages.wrap(page)
        self.assertEqual(page.split(), wrapped.split())
        self.assertEqual([], list(check_pages.wide(wrapped.split("\n", 1)[1])))
        self.assertIn("\n  ", wrapped)
        self.assertNotIn("\n  - 1", wrapped)
        self.assertIn("\n- another\n\n```\n" + "code " * 30 + "\n```\n| ", wrapped)
        self.assertEqual(wrapped, check_pages.wrap(wrapped))

    def test_design_pages_are_short(self):
        line = "word " * 20 + "\n"
        self.assert_one({"docs/design/a.md": line * 130}, "docs/design/a.md: 12.8 KB, at most 12")
        self.assertEqual([], self.errors({"docs/design/log/a.md": line * 130, "docs/b.md": line * 130}))
        self.assert_one({"docs/design/log/a.md": line + "word " * 30}, "docs/design/log/a.md:2: 150 columns, at most 120")
        self.assertEqual([], self.errors({"docs/design/a.md": f"| {'word ' * 30} |\n```\n{'word ' * 30}\n```\n"}))


class IncludesTest(unittest.TestCase):
    def errors(self, files):
        with tree(files) as root:
            return check_includes.check(root)[0]

    def assert_one(self, files, text):
        errors = self.errors(files)
        self.assertEqual(len(errors), 1, errors)
        self.assertIn(text, errors[0])

    def test_order_kept(self):
        self.assertEqual([], self.errors({
            "runtime/base/Status.h": "#include <string>\n",
            "runtime/hal/Device.h": '#include "runtime/base/Status.h"\n#include "heddle/contract/Plan.h"\n',
            "runtime/drivers/null/Null.cpp": '#include "runtime/hal/Device.h"\n',
            "contract/include/heddle/contract/Plan.h": "",
            "compiler/Dialect/Flow/IR/FlowOps.h": '#include "mlir/IR/Builders.h"\n',
            "compiler/Dialect/Host/IR/HostOps.h": '#include "compiler/Dialect/Flow/IR/FlowOps.h"\n',
            "tools/run/heddle-run.cpp": '#include "heddle/heddle.h"\n',
        }))

    def test_lower_room_includes_higher(self):
        self.assert_one({"runtime/base/Status.cpp": '#include "runtime/hal/Device.h"\n', "runtime/hal/Device.h": ""},
                        "runtime/base/Status.cpp:1: includes runtime/hal/Device.h: runtime/base comes before runtime/hal")

    def test_rooms_of_one_rank(self):
        self.assert_one({"compiler/Stages/Form/A.cpp": '#include "compiler/Stages/Place/B.h"\n',
                         "compiler/Stages/Place/B.h": ""}, "compiler/Stages/Form comes before compiler/Stages/Place, or beside")

    def test_front_ends_do_not_meet(self):
        importer = "compiler/Stages/Import/"
        files = {importer + "Emit/Scalars.h": "", importer + "Onnx/Lowering.h": f'#include "{importer}Emit/Scalars.h"\n',
                 "compiler/Target/Forms/FormModel.h": "", "compiler/Target/CPU/CpuTarget.h": "",
                 importer + "StableHlo/Lowering.h": "", importer + "Import.cpp": f'#include "{importer}Onnx/Lowering.h"\n'}
        self.assertEqual([], self.errors({**files, importer + "Emit/A.cpp": '#include "compiler/Target/Forms/FormModel.h"\n'}))
        for path, include in (("StableHlo/A.cpp", importer + "Onnx/Lowering.h"), ("Emit/A.cpp", importer + "StableHlo/Lowering.h"),
                              ("Onnx/A.cpp", "compiler/Target/CPU/CpuTarget.h")):
            self.assert_one({**files, importer + path: f'#include "{include}"\n'}, "comes before")

    def test_halves_do_not_meet(self):
        self.assert_one({"compiler/Pipelines/A.cpp": '\n#include "runtime/hal/Device.h"\n', "runtime/hal/Device.h": ""},
                        "A.cpp:2: includes runtime/hal/Device.h: compiler may not include runtime")
        self.assert_one({"contract/lib/A.cpp": '#include "runtime/base/B.h"\n', "runtime/base/B.h": ""},
                        "contract may not include runtime")

    def test_llvm_outside_the_compiler(self):
        self.assert_one({"runtime/base/A.cpp": '#include "llvm/ADT/StringRef.h"\n'}, "LLVM is for compiler/")
        self.assert_one({"tools/run/A.cpp": "#include <mlir/IR/Builders.h>\n"}, "LLVM is for compiler/")

    def test_runtime_tool_includes_compiler(self):
        self.assert_one({"tools/run/A.cpp": '#include "compiler/Pipelines/B.h"\n', "compiler/Pipelines/B.h": ""},
                        "this tool starts without the compiler")

    def test_nobody_includes_a_test(self):
        self.assert_one({"runtime/hal/A.cpp": '#include "runtime/hal/cts/B.h"\n', "runtime/hal/cts/B.h": ""},
                        "only a test may include a test")

    def test_file_in_no_room(self):
        self.assert_one({"runtime/misc/A.cpp": ""}, "lies in no room")

    def test_cycle_of_files(self):
        self.assert_one({"runtime/hal/A.h": '#include "B.h"\n', "runtime/hal/B.h": '#include "runtime/hal/A.h"\n'},
                        "files include each other in a cycle: runtime/hal/A.h -> runtime/hal/B.h -> runtime/hal/A.h")

    def test_cycle_of_rooms(self):
        self.assert_one({
            "compiler/Dialect/A/IR/A.h": '#include "compiler/Dialect/B/IR/B.h"\n', "compiler/Dialect/B/IR/B.h": "",
            "compiler/Dialect/B/IR/B.cpp": '#include "compiler/Dialect/A/IR/C.h"\n', "compiler/Dialect/A/IR/C.h": "",
        }, "rooms include each other in a cycle")

    def test_tablegen_includes(self):
        self.assert_one({"compiler/Dialect/A/IR/A.td": 'include "compiler/Stages/Form/Passes.td"\n',
                         "compiler/Stages/Form/Passes.td": ""}, "compiler/Dialect/A/IR comes before")


class BudgetsTest(unittest.TestCase):
    """Headers here have a comment in every second line, so that their share is kept."""

    def errors(self, files, entries=""):
        with tree({**files, "scripts/budgets.txt": entries}) as root:
            return check_budgets.check(root)[0]

    def assert_one(self, text, files, entries=""):
        errors = self.errors(files, entries)
        self.assertEqual(1, len(errors), errors)
        self.assertIn(text, errors[0])

    @staticmethod
    def class_of(methods):
        lines = [f"  int m{i}(int x) const; // one" if i % 2 else f"  int m{i}() {{ return 0; }} // one" for i in range(methods)]
        return "\n".join(["namespace a {", *["// a comment"] * 5, "class Big {", "public:", "  Big(); // not counted", "  ~Big();",
                          "  Big &operator=(const Big &);", *lines, "};", "struct Small {", "  int x();", "};", "}"])

    def test_methods(self):
        self.assertEqual([], self.errors({"runtime/hal/A.h": self.class_of(25)}))
        self.assert_one("runtime/hal/A.h Big: 26 methods, at most 25", {"runtime/hal/A.h": self.class_of(26)})
        self.assertEqual([], self.errors({"runtime/test/A.h": self.class_of(26)}))

    def test_files_of_a_class(self):
        files = {"runtime/hal/A.h": self.class_of(3), "runtime/hal/A.cpp": "namespace a { int Big::m1(int x) const { return 1; } }\n",
                 "runtime/hal/C.cpp": "class Big { int m3(); };\nint Big::m3() { return 1; }\n"}
        self.assertEqual([], self.errors(files))
        files["runtime/hal/B.cpp"] = "using namespace a;\nint Big::m3(int x) const { return 1; }\n"
        self.assert_one("runtime/hal/A.h Big: methods in 2 .cpp files, at most 1", files)

    def test_sources(self):
        files = {f"runtime/hal/F{i}.cpp": "" for i in range(30)}
        self.assertEqual([], self.errors({**files, "runtime/hal/F0.h": "// a\n", "runtime/hal/test/T.cpp": ""}))
        self.assert_one("runtime/hal: 31 sources, at most 30", {**files, "runtime/hal/G.h": "// a\n"})

    def test_circles(self):
        files = {"runtime/hal/A.h": "// a\n", "runtime/hal/B.h": "// b\n",
                 "runtime/hal/A.cpp": '#include "A.h"\n#include "runtime/hal/B.h"\n', "runtime/hal/B.cpp": '#include "runtime/hal/B.h"\n'}
        self.assertEqual([], self.errors(files))
        files["runtime/hal/B.cpp"] += '#include "runtime/hal/A.h"\n'
        self.assert_one("runtime/hal/A runtime/hal/B: 2 units include each other in a circle", files)
        larger = "circle 3 runtime/hal/A runtime/hal/B runtime/hal/C\n"  # a circle may lose units
        self.assertEqual(1, len(self.errors(files, larger)))  # and its entry is then stale
        self.assertEqual([["a", "b", "c"]], check_budgets.circles({"a": "b", "b": "cd", "c": "a", "d": ""}))
        self.assertEqual([["a", "b"], ["c", "d"]], check_budgets.circles({"a": "b", "b": "ac", "c": "d", "d": "c"}))

    def test_folders(self):
        files = {"runtime/hal/A.h": "// a\n", "runtime/hal/B.h": "// b\n#include \"runtime/base/C.h\"\n// b\n",
                 "runtime/base/C.h": "// c\n"}
        self.assertEqual([], self.errors(files))
        files["runtime/base/C.h"] += "#include \"runtime/hal/A.h\"\n"  # no circle of units, but one of folders
        self.assert_one("runtime/base runtime/hal: the folders include each other, by 1 includes against the order", files)
        self.assertEqual([], self.errors(files, "folders 1 runtime/base runtime/hal\n"))

    def test_comments(self):
        lines = ["// a", "int b; // c", '"http://x";', "/* d", "   e */ int f;", "", "int g;", "/* h */"]
        self.assertEqual((5, 7), check_budgets.comment_lines("\n".join(lines)))
        files = {"runtime/hal/A.h": "// a\nint b;\nint c;\n", "runtime/base/B.h": "// a\n// b\n"}
        self.assert_one("runtime/hal: 33 % of the lines of its headers have a comment, at least 35", files)
        self.assertEqual([], self.errors(files, "comments 33 runtime/hal\n"))
        self.assert_one("and scripts/budgets.txt has 34", files, "comments 34 runtime/hal\n")

    def test_the_list_only_shrinks(self):
        files = {"runtime/hal/A.h": self.class_of(28)}
        self.assertEqual([], self.errors(files, "methods 28 runtime/hal/A.h Big\n"))
        self.assertEqual([], self.errors(files, "methods 30 runtime/hal/A.h Big\n"))
        self.assert_one("28 methods, at most 25, and scripts/budgets.txt has 27", files, "methods 27 runtime/hal/A.h Big\n")
        self.assert_one("'methods runtime/hal/A.h Old' keeps the budget or is not there", files,
                        "methods 28 runtime/hal/A.h Big\nmethods 28 runtime/hal/A.h Old\n")
        with tree({**files, "scripts/budgets.txt": "methods 30 runtime/hal/A.h Big\n"}) as root:
            self.assertEqual({("methods", "runtime/hal/A.h Big"): 28}, check_budgets.check(root)[1])


GOOD_PASS = '''def FoldPads : Pass<"form-fold-pads", "::mlir::ModuleOp"> {
  let summary = "Folds a pad into the op that reads it, so that it costs nothing";
}
'''
GOOD_TREE = {
    "compiler/Stages/Form/Passes.td": GOOD_PASS,
    "compiler/Stages/Form/FoldPads.cpp": "",
    "compiler/Stages/Form/test/fold_pads.mlir": "// RUN: heddle-opt %s --form-fold-pads | FileCheck %s\n",
}


class PassesTest(unittest.TestCase):
    def errors(self, **changes):
        files = dict(GOOD_TREE)
        for key, text in changes.items():
            path = {"td": "compiler/Stages/Form/Passes.td", "cpp": "compiler/Stages/Form/FoldPads.cpp",
                    "test": "compiler/Stages/Form/test/fold_pads.mlir"}[key]
            files.pop(path)
            if text is not None:
                files[path] = text
        with tree(files) as root:
            return check_passes.check(root)[0]

    def assert_one(self, text, **changes):
        errors = self.errors(**changes)
        self.assertEqual(len(errors), 1, errors)
        self.assertIn(text, errors[0])

    def test_good(self):
        self.assertEqual([], self.errors())

    def test_names(self):
        self.assertEqual("form-regions", check_passes.flag_of("FormRegions", "form"))
        self.assertEqual("form-verify", check_passes.flag_of("VerifyForm", "form"))
        self.assertEqual("codegen-set-cpu-target", check_passes.flag_of("SetCPUTarget", "codegen"))

    def test_wrong_flag(self):
        with tree({**GOOD_TREE, "compiler/Stages/Form/Passes.td": GOOD_PASS.replace("form-fold-pads", "fold-pads")}) as root:
            self.assertIn("has the flag --fold-pads, got to be --form-fold-pads", check_passes.check(root)[0][0])

    def test_no_file(self):
        self.assert_one("no file compiler/Stages/Form/FoldPads.cpp", cpp=None)

    def test_no_test(self):
        self.assert_one("no test compiler/Stages/Form/test/fold_pads.mlir", test=None)

    def test_test_runs_another_pass(self):
        self.assert_one("does not run --form-fold-pads", test="// RUN: heddle-opt %s --form-fold-pads-too\n")

    def test_says_too_little(self):
        self.assert_one("says too little", td=GOOD_PASS.replace(" into the op that reads it, so that it costs nothing", ""))

    def test_unreadable_definition(self):
        self.assert_one("does not read as a pass", td=GOOD_PASS + "def B : SomethingElse<\"b\"> {\n}\n")


class SizesTest(unittest.TestCase):
    def check(self, files):
        with tree(files) as root:
            warnings, errors, _ = check_sizes.check(root)
            return warnings, errors

    def function(self, lines):
        return "int f() {\n" + "  ;\n" * (lines - 2) + "}\n"

    def test_functions(self):
        self.assertEqual(([], []), self.check({"a.cpp": self.function(60)}))
        warnings, errors = self.check({"a.cpp": self.function(61)})
        self.assertEqual((["a.cpp:1: function f has 61 lines; aim 60, wall 100"], []), (warnings, errors))
        self.assertEqual(["a.h:1: function f has 101 lines; aim 60, wall 100"], self.check({"a.h": self.function(101)})[1])

    def test_python_functions(self):
        text = "def f():\n" + "    pass\n" * 100
        self.assertEqual(["a.py:1: function f has 101 lines; aim 60, wall 100"], self.check({"a.py": text})[1])

    def test_files(self):
        self.assertEqual(1, len(self.check({"a.cpp": "\n" * 501})[0]))
        self.assertEqual(1, len(self.check({"a.cpp": "\n" * 1001})[1]))
        self.assertEqual(([], []), self.check({"a.td": "\n" * 1001}))


class FormatTest(unittest.TestCase):
    def test_finds_what_is_not_formatted(self):
        with tree({".clang-format": "BasedOnStyle: LLVM\n", "a.cpp": "int  x ;\n", "b.cpp": "int x;\n"}) as root:
            self.assertEqual(["a.cpp"], check_format.unformatted(root, ["a.cpp", "b.cpp"]))


if __name__ == "__main__":
    unittest.main()
