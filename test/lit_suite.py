# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The lit suite: `RUN:` lines in compiler/**/test/*.mlir and test/**/*.{mlir,test}. (Not called lit.cfg.py: lit would take test/
# for a suite of its own.)
#
#   lit-22 -v build/release/lit                                        everything
#   lit-22 -v build/release/lit/compiler/Stages/Form/test/foo.mlir     one file, by its path in the source tree
#
# Tests find the built programs, FileCheck, `not` and split-file in PATH; %s, %t and %S are lit's, %python is the
# interpreter of .venv, %root the top of the source tree.
import os

import lit.formats

config.name = "Heddle"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.test_source_root = config.heddle_source_dir
config.test_exec_root = os.path.join(config.heddle_build_dir, "lit")

# The source tree is searched; these folders hold no tests of lit.
config.excludes = [
    "build", ".venv", ".git", "docs", "examples", "benchmarks", "scripts", "Inputs", "RankInputs", "ShardingInputs", "artifacts",
]

config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.heddle_build_dir, "bin"), config.llvm_tools_dir, config.environment["PATH"]]
)
config.environment["HEDDLE_CACHE_DIR"] = os.path.join(config.test_exec_root, "cache")
config.substitutions.append(("%python", config.heddle_python))
config.substitutions.append(("%root", config.heddle_source_dir))
