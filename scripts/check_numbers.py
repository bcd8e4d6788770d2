#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that no importer has a number of a machine or of code generation (docs/design/import.md), and that bytes are
computed from bits in one place.

  check_numbers.py [--root DIR]

Every numeric constant `constexpr … kName` in compiler/Stages/Import stands in ALLOWED with the kind of reason for it.
None of them is speed: what decides which of two right forms is the faster one is a field of FormModel
(compiler/Target/Forms), which a target may set. A new constant is a row here, or a field there.

What numbers take in memory says storageBytes(): heddle/contract/StorageBytes.h for bits and the artifact's types,
compiler/Analysis/StorageBytes.h for MLIR's. Elsewhere nothing divides a width by 8: such copies disagreed on numbers of
less than a byte, and on indices.
"""
import argparse
import pathlib
import re
import sys

from source_tree import CPP_SUFFIXES, ROOT, tracked_files

FOLDER = "compiler/Stages/Import/"
NUMBER = re.compile(r"\bconstexpr\s+(?:std::)?(?:u?int\d*(?:_t)?|unsigned|size_t|float|double)\s+(k[A-Z]\w*\s*(?:\[\w*\])?\s*=[^;]*);")
NAME = re.compile(r"(?:^|,)\s*(k[A-Z]\w*)\s*(?:\[\w*\])?\s*=")
SKIPPED = {"test"}

REASONS = {
    "format": "what a file format, an operator's text or a system interface says",
    "limit": "larger ones are refused, or no model has them: bounds arithmetic, memory and recursion",
    "program": "how many ops or loop-carried values one node may become: the size of the program, not its speed",
    "value": "a mathematical constant, or how exact a result is",
    "text": "how much a message says",
}
# File: {reason: names}. Files by name, so that they may move.
ALLOWED = {
    "Attention.cpp": {"format": "kFloat kHalf kDouble kBrain"},
    "Arithmetic.cpp": {"program": "kAtOnce", "value": "kMaximumSquarings"},
    "ComplexArithmetic.cpp": {"value": "kInfinity"},
    "Contraction.cpp": {"limit": "kLimit"},
    "ContribAttention.cpp": {"limit": "kMost"},
    "ConvTranspose.cpp": {"program": "kMostConvolutions"},
    "Converter.cpp": {"limit": "kMaximumInlined"},
    "Convolution.cpp": {"limit": "kExact"},
    "Coordinates.cpp": {"value": "kTie"},
    "ElementRegion.cpp": {"limit": "kMaximumOps"},
    "EmitReads.cpp": {"limit": "kMaximumReads"},
    "EmitShapes.cpp": {"program": "kMaximumContents kMostParts kTransposedHere"},
    "Emitter.cpp": {"program": "kMaximumLiteral"},
    "FixedSizes.cpp": {"limit": "kLargest"},
    "Fourier.cpp": {"limit": "kMostConstants"},
    "Fourier.h": {"limit": "kMaximumLength"},
    "Functions.cpp": {"limit": "kMostCallsDeep kMaximumInlined", "value": "kCentre kTail kFit"},
    "Graph.cpp": {"limit": "kMostGraphsDeep"},
    "GraphImporter.cpp": {"text": "kMost"},
    "GspmdText.cpp": {"limit": "kMaximumDevices"},
    "ImportIf.cpp": {"limit": "kMaximumSides"},
    "IncompleteGamma.cpp": {"value": "kLargest kMostTerms kResolution"},
    "InlineCalls.cpp": {"limit": "kMaximumCalls"},
    "ListSyntax.cpp": {"limit": "kMost"},
    "LoopImporter.cpp": {"program": "kFirstRoom kMaximumContents", "limit": "kSmallStep"},
    "Model.cpp": {"format": "kNewestOpset kFirstIrWithOpsets kFirstIrWithDefaults", "program": "kMostDefaults kMostDefaultElements"},
    "Movement.cpp": {"limit": "kLimit"},
    "RandomNumbers.cpp": {"value": "kStep"},
    "ReadBytecode.cpp": {"limit": "kMiB kMaximumAlignment", "program": "kLarge"},
    "ReadSparse.cpp": {"limit": "kMostBytes"},
    "ResizeAxes.h": {"limit": "kLongestAxis"},
    "RunApart.cpp": {"format": "kOutput kAlive kArchitecture kAllowed kCount"},
    "Schema.cpp": {"format": "kAnyNumber"},
    "Sequences.cpp": {"program": "kMostElements"},
    "Shape.cpp": {"program": "kMaximumContents", "value": "kMostExact"},
    "Sizes.cpp": {"program": "kMaximumTerms kMaximumDegree"},
    "Sizes.h": {"limit": "kMostElements"},
    "Slicing.cpp": {"format": "kToTheEnd"},
    "SmallFloats.cpp": {"format": "kWordMantissa kWordBias kWordNan kMantissa kRebias kNan kOne kInfinity"},
    "SpecialFunctions.cpp": {"value": "kZetaRest kBernoulli kBesselNear kBesselFar kLarge kHalf kTerms", "limit": "kMostTrips"},
    "Spectra.cpp": {"value": "kMostSweeps"},
    "SymmetricEigen.cpp": {"value": "kMostSteps"},
    "Unpooling.cpp": {"program": "kMostPhases", "limit": "kMostTaps"},
    "Widening.cpp": {"program": "kMaximumLiteral"},
    "Window.cpp": {"limit": "kMaximum kLimit"},
    "WireScanner.cpp": {"format": "kModelGraph kGraphInitializer kTensorRawData", "limit": "kMinimumBytes"},
    "UnpoolingCheck.cpp": {"program": "kMostRows"},
}

# Where bits become bytes, and what looks like it elsewhere. A product with a count, `count * bits / 8`, is of packed
# bits and no size in memory; a comparison of widths is none either.
STORAGE = {"contract/include/heddle/contract/StorageBytes.h", "compiler/Analysis/StorageBytes.h"}
WIDTH = r"(?:\w+BitWidth\(\)|\w*[bB]itsOf\([^;]*?\)|(?<![*] )\b(?:\w+(?:\.|->|\(\)))*(?:[a-z]\w*)?(?:[bB]its|[wW]idth)(?:\(\))?)"
BYTES = re.compile(rf"{WIDTH}\)*\s*(?:\+\s*7\s*\)+\s*)?(?:/\s*8\b|>>\s*3\b)"
                   rf"|\w*[cC]eil\w*\([^;]*?{WIDTH}[^;,]*,\s*8\)"
                   rf"|max[^;]*?8u?\b[^;]*?BitWidth\(\)|max[^;]*?BitWidth\(\),\s*8u?\)")
HALVES = ("bindings/", "compiler/", "contract/", "runtime/", "tools/")


def bytes_by_hand(text):
    """The lines of a file that compute bytes from bits."""
    text = re.sub(r'//[^\n]*|"(?:[^"\\\n]|\\.)*"', "", text)
    return [text.count("\n", 0, match.start()) + 1 for match in BYTES.finditer(text)]


def numbers(text):
    """(line, name) of each numeric constant of a file."""
    text = re.sub(r"//[^\n]*", "", text)
    for match in NUMBER.finditer(text):
        # What stands in braces or parentheses declares nothing.
        declared = match.group(1)
        while declared != (inner := re.sub(r"\{[^{}]*\}|\([^()]*\)", "0", declared)):
            declared = inner
        for name in NAME.finditer(declared):
            yield text.count("\n", 0, match.start()) + 1, name.group(1)


def check(root, allowed=None):
    """All errors of a tree."""
    allowed = ALLOWED if allowed is None else allowed
    errors, seen = [], set()
    for reasons in allowed.values():
        errors += [f"'{reason}' is no reason; known: {', '.join(REASONS)}" for reason in reasons if reason not in REASONS]
    for path in tracked_files(root, CPP_SUFFIXES):
        if path.startswith(HALVES) and path not in STORAGE:
            errors += [f"{path}:{line}: bytes of so many bits are storageBytes() (compiler/Analysis/StorageBytes.h, "
                       "heddle/contract/StorageBytes.h), which knows numbers of less than a byte"
                       for line in bytes_by_hand((pathlib.Path(root) / path).read_text())]
        if not path.startswith(FOLDER) or SKIPPED & set(path.split("/")):
            continue
        file = path.rsplit("/", 1)[1]
        names = {name for listed in allowed.get(file, {}).values() for name in listed.split()}
        for line, name in numbers((pathlib.Path(root) / path).read_text()):
            seen.add((file, name))
            if name not in names:
                errors.append(f"{path}:{line}: {name} is a number of no known kind; if it is about speed, it is a field of "
                              "FormModel (compiler/Target/Forms), else a row of ALLOWED in scripts/check_numbers.py")
    for file, reasons in allowed.items():
        errors += [f"scripts/check_numbers.py: {file} has no {name}" for listed in reasons.values()
                   for name in listed.split() if (file, name) not in seen]
    return errors


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=ROOT, type=pathlib.Path)
    options = parser.parse_args()
    errors = check(options.root)
    for error in errors:
        print(error, file=sys.stderr)
    print(f"check_numbers: {len(ALLOWED)} files with numbers, {len(errors)} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
