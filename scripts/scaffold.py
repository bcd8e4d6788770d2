# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the scaffolding scripts share: names, templates, careful edits of existing files.

A template is a text file under scripts/templates; `@Name@` and its like are replaced. An edit that finds no place for
itself is an error: nothing has been written then, because all texts are prepared before the first is written.
"""
import pathlib
import re
import sys

from check_passes import words

TEMPLATES = pathlib.Path(__file__).resolve().parent / "templates"


class ScaffoldError(Exception):
    """The rule that was broken, what was given, and what to do."""


def snake(name):
    return "_".join(words(name))


def kebab(name):
    return "-".join(words(name))


def require_camel_case(name):
    if not re.fullmatch(r"[A-Z][A-Za-z0-9]+", name):
        raise ScaffoldError(f"a name is CamelCase, such as FoldPads; got '{name}'")


def fill(template, **values):
    """The text of a template with every @key@ replaced."""
    text = (TEMPLATES / f"{template}.in").read_text()
    for key, value in values.items():
        text = text.replace(f"@{key}@", value)
    left = re.search(r"@\w+@", text)
    if left:
        raise ScaffoldError(f"template {template} needs a value for {left.group(0)}")
    return text


class Changes:
    """Files to write below a root: new ones, and edited ones. Nothing is written before apply()."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.texts = {}

    def create(self, path, text):
        if (self.root / path).exists():
            raise ScaffoldError(f"{path} exists already; choose another name or delete it")
        self.texts[path] = text

    def edit(self, path, pattern, replacement, why):
        """Replaces the last match of `pattern` (multi-line); `replacement` may use groups of the match."""
        if path not in self.texts:
            if not (self.root / path).exists():
                raise ScaffoldError(f"no file {path} to edit ({why})")
            self.texts[path] = (self.root / path).read_text()
        text = self.texts[path]
        matches = list(re.finditer(pattern, text, re.MULTILINE | re.DOTALL))
        if not matches:
            raise ScaffoldError(f"{path} has no place for the edit ({why}); make it by hand")
        last = matches[-1]
        self.texts[path] = text[: last.start()] + last.expand(replacement) + text[last.end():]

    def apply(self):
        for path, text in self.texts.items():
            target = self.root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
            print(f"wrote {path}")


def main(run):
    """Runs a script's work; a ScaffoldError becomes a message and status 2."""
    try:
        run()
    except ScaffoldError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
