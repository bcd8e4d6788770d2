#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a new runtime driver: a copy of drivers/null under another name, built and registered.

  new_driver.py Metal "Apple's GPUs"

The copy accepts every program and computes nothing; replace one method after the other, with hal/cts as the guide. A
driver is a decision: say why it exists in docs/design/structure.md.
"""
import argparse
import pathlib

from scaffold import Changes, ScaffoldError, main, require_camel_case
from source_tree import ROOT

REGISTRY = "runtime/drivers/Registry.cpp"
HEADER = ("// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
          "// The driver of {what}. Made from drivers/null: it accepts every program and computes nothing yet.\n"
          "// Options: `{name}?memory=64m` limits what it allocates.\n")


def renamed(text, name):
    """The null driver's text under another name; C++'s null pointer and null checks keep theirs."""
    lower = name.lower()
    for old, new in [("NullDriver", f"{name}Driver"), ("NullCommands", f"{name}Commands"), ("NullDevice", f"{name}Device"),
                     ("NullExecutable", f"{name}Executable"), ("NullState", f"{name}State"), ("nullDriver", f"{lower}Driver"),
                     ("drivers/null/", f"drivers/{lower}/"), ("DRIVERS_NULL_NULLDRIVER", f"DRIVERS_{name.upper()}_{name.upper()}DRIVER"),
                     ('"null"', f'"{lower}"'), ("null://", f"{lower}://"), ("null device", f"{lower} device")]:
        text = text.replace(old, new)
    return text


def new_driver(root, name, what):
    require_camel_case(name)
    if not 3 <= len(what) <= 60:
        raise ScaffoldError(f"say in 3 to 60 characters what the driver is for; got '{what}'")
    lower = name.lower()
    source = root / "runtime/drivers/null"
    header = (source / "NullDriver.h").read_text()
    body = header[header.index("#ifndef"):]
    changes = Changes(root)
    changes.create(f"runtime/drivers/{lower}/{name}Driver.h", HEADER.format(what=what, name=lower) + renamed(body, name))
    changes.create(f"runtime/drivers/{lower}/{name}Driver.cpp", renamed((source / "NullDriver.cpp").read_text(), name))
    changes.edit("runtime/CMakeLists.txt", r"drivers/null/NullDriver\.cpp",
                 rf"drivers/{lower}/{name}Driver.cpp \g<0>", "list of sources")
    changes.edit(REGISTRY, r'#include "runtime/drivers/null/NullDriver\.h"',
                 rf'#include "runtime/drivers/{lower}/{name}Driver.h"\n\g<0>', "include of the driver")
    changes.edit(REGISTRY, r"&nullDriver\(\)\}", rf"&{lower}Driver(), \g<0>", "list of drivers")
    changes.apply()


def run():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name")
    parser.add_argument("what", help="what it drives, for the header")
    parser.add_argument("--root", default=ROOT, type=pathlib.Path)
    options = parser.parse_args()
    new_driver(options.root, options.name, options.what)


if __name__ == "__main__":
    main(run)
