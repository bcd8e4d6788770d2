#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether the pages that users read have short sentences: the median at most 15 words, the longest at most 40.

  check_prose.py                 checks the pages below
  check_prose.py --report FILE…  prints the figures of any pages, and their longest sentences; never fails

A sentence ends with a full stop, a question mark or an exclamation mark before a space, with a list's item, a table's
cell or a paragraph. Code between backquotes is one word that may begin a sentence; blocks of code are none. A colon or a semicolon ends nothing.
"""
import argparse
import pathlib
import re
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MEDIAN, LONGEST = 15, 40
# Not yet: the page that is made of the descriptions of passes.
EXEMPT = ["docs/passes.md"]
PAGES = ["README.md", "CONTRIBUTING.md", "SECURITY.md",
         *(page for page in sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/*.md")) if page not in EXEMPT)]


def paragraphs(text):
    """Texts that belong together, without code and markup."""
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    text = re.sub(r"^```.*?^```", "\n", text, flags=re.S | re.M)
    text = re.sub(r"`[^`]+`", "Code", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"^\|[-| :]+\|$", "", text, flags=re.M)
    for block in re.split(r"\n\s*\n", text):
        for part in re.split(r"\n(?=\s*(?:[-*]|\d+\.)\s|\||#)", block):
            if part.lstrip().startswith("|"):
                yield from (cell.strip() for cell in part.strip().strip("|").split("|"))
            else:
                yield re.sub(r"^\s*(?:[-*]|\d+\.|#+)\s+", "", part)


def sentences(text):
    """Sentences as lists of words; titles and cells of three words and fewer are none."""
    for paragraph in paragraphs(text):
        for sentence in re.split(r"(?<=[.!?])[)*]*\s+(?=[^a-z])", " ".join(paragraph.split())):
            words = re.findall(r"[^\s]*\w[^\s]*", sentence)
            if len(words) > 3:
                yield words


def figures(path):
    found = list(sentences(path.read_text(encoding="utf-8")))
    lengths = [len(words) for words in found] or [0]
    return statistics.median(lengths), max(lengths), found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--report", nargs="+", type=pathlib.Path, metavar="FILE")
    given = parser.parse_args()
    errors = 0
    for path in given.report or [ROOT / page for page in PAGES]:
        median, longest, found = figures(path)
        if given.report:
            print(f"{path}: {len(found)} sentences, median {median:g} words, longest {longest}")
        if median > MEDIAN:
            errors += 1
            print(f"{path}: the median sentence has {median:g} words; at most {MEDIAN}")
        for words in sorted(found, key=len, reverse=True):
            if len(words) > LONGEST:
                errors += 1
                print(f"{path}: a sentence of {len(words)} words, at most {LONGEST}: {' '.join(words[:12])} …")
    if given.report:
        return 0
    print(f"check_prose: {len(PAGES)} pages, {errors} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
