#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the pages: links lead somewhere, every page can be found, and design pages are short.

A link to a file of the tree, and to a title in a page, must be there. Every page of docs/ is linked from docs/index.md,
directly or through a design page. A design page has at most 12 KB and its lines at most 120 columns; docs/design/log
has what was measured and tried, of any length. Tables and blocks of code may be wider, and so may what a script made.
--fix wraps the lines of design pages anew.
"""
import argparse
import re
import sys
import textwrap

from source_tree import ROOT, tracked_files

KILOBYTES, COLUMNS = 12, 120
GENERATED = {"docs/design/tour.md", "docs/passes.md", "docs/operators.md", "docs/python-api.md"}
FENCE = re.compile(r"^```.*?^```", re.S | re.M)


def blank(text, pattern):
    """The text with what fits replaced by blanks, so that lines keep their numbers."""
    return pattern.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)


def anchors(text):
    """The names that titles get on the usual hosts: small letters, no punctuation, hyphens for blanks."""
    seen, names = {}, set()
    for title in re.findall(r"^#+ +(.*)$", blank(text, FENCE), re.M):
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).replace("`", "")
        name = re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")
        names.add(name if name not in seen else f"{name}-{seen[name]}")
        seen[name] = seen.get(name, 0) + 1
    return names


def links(text):
    """Line and target of each link that is not to another site."""
    prose = blank(blank(text, FENCE), re.compile(r"`[^`\n]+`(?!\])"))
    for found in re.finditer(r"\]\(([^)\s]+)\)", prose):
        if not re.match(r"\w+:", found.group(1)):
            yield prose[:found.start()].count("\n") + 1, found.group(1)


def wide(text):
    for number, line in enumerate(blank(text, FENCE).split("\n"), 1):
        if len(line) > COLUMNS and not line.lstrip().startswith("|") and " " in line.strip()[:COLUMNS]:
            yield number, len(line)


def wrap_paragraph(lines):
    """The lines of a paragraph or of one item of a list, wrapped; code and links stay in one piece."""
    indent, mark = re.match(r"(\s*)((?:[-*]|\d+\.)\s+)?", lines[0]).groups(default="")
    text = " ".join(line.strip() for line in lines)[len(mark):]
    text = re.sub(r"`[^`]*`|\]\([^)]*\)", lambda piece: piece.group().replace(" ", "\0"), text)
    # What would begin an item or a title stays behind the word before it.
    text = re.sub(r" (?=([-*+>|]|#+|\d+\.)( |$))", "\0", text)
    wrapped = textwrap.wrap(text, COLUMNS, initial_indent=indent + mark, subsequent_indent=indent + " " * len(mark),
                            break_long_words=False, break_on_hyphens=False)
    return [line.replace("\0", " ") for line in wrapped]


def wrap(text):
    """A page with lines of at most 120 columns; titles, tables, code and HTML are left as they are."""
    out, paragraph, code = [], [], False
    for line in [*text.split("\n"), ""]:
        fence = line.lstrip().startswith("```")
        apart = code or fence or not line.strip() or line.lstrip().startswith(("|", "#", "<", ">"))
        if paragraph and (apart or re.match(r"\s*([-*]|\d+\.)\s", line)):
            out += wrap_paragraph(paragraph)
            paragraph = []
        (out if apart or (line.startswith("    ") and not paragraph) else paragraph).append(line)
        code ^= fence
    return "\n".join(out[:-1])


def check(root, pages):
    """Errors of the pages, named by their paths from the root."""
    errors, leads = [], {}
    texts = {page: (root / page).read_text(encoding="utf-8") for page in pages}
    for page, text in texts.items():
        leads[page] = set()
        for line, link in links(text):
            path, _, anchor = link.partition("#")
            target = ((root / page).parent / path).resolve() if path else (root / page).resolve()
            if not target.exists():
                errors.append(f"{page}:{line}: no file for the link '{link}'")
                continue
            name = target.relative_to(root.resolve()).as_posix()
            leads[page].add(name)
            if anchor and name in texts and anchor not in anchors(texts[name]):
                errors.append(f"{page}:{line}: no title for the link '{link}'; titles: {', '.join(sorted(anchors(texts[name])))}")
        if page.startswith("docs/design/") and page not in GENERATED:
            size = len(text.encode())
            if size > KILOBYTES * 1024 and not page.startswith("docs/design/log/"):
                errors.append(f"{page}: {size / 1024:.1f} KB, at most {KILOBYTES}; measurements and what was tried go to docs/design/log")
            errors += [f"{page}:{line}: {width} columns, at most {COLUMNS}" for line, width in wide(text)]
    index = "docs/index.md"
    if index in leads:
        found, todo = {index}, [index]
        while todo:
            for name in leads.get(todo.pop(), set()) - found:
                if name.startswith("docs/"):
                    found.add(name)
                    todo.append(name)
        errors += [f"{page}: no way to it from {index}" for page in pages if page.startswith("docs/") and page not in found]
    return errors


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fix", action="store_true")
    pages = tracked_files(ROOT, [".md"])
    if parser.parse_args().fix:
        for page in pages:
            if page.startswith("docs/design/") and page not in GENERATED:
                text = (ROOT / page).read_text(encoding="utf-8")
                (ROOT / page).write_text(wrap(text), encoding="utf-8")
    errors = check(ROOT, pages)
    print("\n".join([*errors, f"check_pages: {len(pages)} pages, {len(errors)} errors"]))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
