# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Help, completion, manual pages and docs/cli.md say the same flags. usage: help_test.py BIN FIXTURE.heddle SOURCE"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(3))
import tool_case  # noqa: E402  takes the other two arguments

HEDDLE = os.path.join(tool_case.BIN, "heddle")
VERBS = [verb for verb in ("compile", "run", "launch", "bench", "compare", "check", "reduce", "inspect", "cache", "devices", "explain", "trace")
         if os.path.exists(f"{HEDDLE}-{verb}")]


def say(*arguments):
    return subprocess.run([HEDDLE, *arguments], capture_output=True, text=True, timeout=60)


def flags_of(verb):
    """The long flags that --help of the verb shows, with their types."""
    table = say(verb, "--help-table").stdout
    rows = [line.split("\t") for line in table.splitlines() if line.startswith("-")]
    return {name: kind for names, kind, _ in rows for name in names.split(",")}


class Help(unittest.TestCase):
    def test_page_has_every_flag(self):
        page = (SOURCE / "docs" / "cli.md").read_text(encoding="utf-8")
        for verb in VERBS:
            flags = flags_of(verb)
            self.assertIn("--help", flags, verb)
            for flag in sorted(flags):
                if flag.startswith("--") and flag not in ("--help", "--version"):
                    self.assertRegex(page, re.escape(flag) + r"(?![\w-])", f"heddle {verb}")

    def test_page_has_no_other(self):
        """In the block of usage of compile, where all of its flags stand."""
        if "compile" not in VERBS:
            self.skipTest("no compiler")
        page = (SOURCE / "docs" / "cli.md").read_text(encoding="utf-8")
        usage = re.search(r"^## heddle compile\n\n```sh\n(.*?)^```", page, re.S | re.M).group(1)
        self.assertEqual(set(re.findall(r"\[(--[\w-]+)", usage)) - set(flags_of("compile")), set())

    def test_help_has_groups_and_no_hidden(self):
        for verb in VERBS:
            text = say(verb, "--help").stdout
            self.assertIn("--help", text)
            self.assertNotIn("--cache-key", text)
            self.assertNotIn("--help-table", text)
        self.assertRegex(say("run", "--help").stdout, r"(?s)Program and devices:.*Values:.*Loading:")

    def complete(self, *words):
        """What bash offers for the last word."""
        script = say("completion", "bash")
        self.assertEqual((script.returncode, script.stderr), (0, ""))
        with tempfile.TemporaryDirectory() as folder:
            open(os.path.join(folder, "model.onnx"), "w").close()
            quoted = " ".join(f"'{word}'" for word in words)
            done = subprocess.run(["bash", "-c", f"{script.stdout}\nCOMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _heddle; "
                                   'printf "%s\\n" "${COMPREPLY[@]}"'], capture_output=True, text=True, cwd=folder)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_bash(self):
        self.assertEqual(self.complete("heddle", "ru"), ["run"])
        self.assertIn("--input", self.complete("heddle", "run", "--in"))
        self.assertEqual(self.complete("heddle", "run", "mo"), ["model.onnx"])
        if "compile" in VERBS:
            self.assertEqual(self.complete("heddle", "compile", "--data-tiling", "=", "o"), ["on", "off"])
            self.assertEqual(self.complete("heddle", "compile", "--data-tiling", "="), ["on", "off"])
            self.assertEqual(self.complete("heddle", "compile", "--place-file", "=", "m"), ["model.onnx"])
            self.assertEqual(self.complete("heddle", "compile", "--place-fi"), ["--place-file"])

    def test_other_shells(self):
        for shell, text in (("zsh", "#compdef heddle"), ("fish", "complete -c heddle -n '__fish_seen_subcommand_from run' -l input")):
            done = say("completion", shell)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn(text, done.stdout)
        for wrong in (["csh"], []):
            self.assertEqual(say("completion", *wrong).returncode, 2)

    def test_man(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(["cmake", f"-DBIN={tool_case.BIN}", f"-DFOLDER={folder}", "-P", SOURCE / "cmake" / "ShellPages.cmake"], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual({path.name for path in pathlib.Path(folder, "man/man1").iterdir()}, {"heddle.1", *(f"heddle-{verb}.1" for verb in VERBS)})
            for file, shell in (("bash-completion/completions/heddle", "bash"), ("fish/vendor_completions.d/heddle.fish", "fish"), ("zsh/site-functions/_heddle", "zsh")):
                self.assertEqual(pathlib.Path(folder, file).read_text(encoding="utf-8"), say("completion", shell).stdout)
            page = pathlib.Path(folder, "man/man1/heddle-run.1").read_text(encoding="utf-8")
        self.assertIn(".SS Values\n", page)
        self.assertRegex(page, r"\\fB\\-\\-input\\fR")
        self.assertEqual(say("help", "--man", "nothing").returncode, 2)


if __name__ == "__main__":
    unittest.main()
