// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ten compiler bugs, spread over the stages, to see that `heddle check` finds them. Test only: no shipped program links
// this.
#ifndef HEDDLE_TEST_SEEDED_BUGS_SEEDEDBUGS_H
#define HEDDLE_TEST_SEEDED_BUGS_SEEDEDBUGS_H

#include "compiler/Pipelines/Stages.h"

namespace mlir::heddle::test {

struct SeededBug {
  const char *name;
  Stage stage;       // after whose passes it is put in
  const char *where; // what the report must name: the dispatch or op, with its node
  // Changes the module after the stage; null for a bug of the artifact's writer.
  LogicalResult (*tamper)(ModuleOp);
  // Changes the artifact's file, keeping it well formed.
  void (*tamperArtifact)(const std::string &path);
};

ArrayRef<SeededBug> getSeededBugs();

// After codegen: leaves out the last workgroup of an executable, which has the rows that do not fill a tile.
LogicalResult dropWorkgroup(ModuleOp module, StringRef executable);

} // namespace mlir::heddle::test

#endif // HEDDLE_TEST_SEEDED_BUGS_SEEDEDBUGS_H
