// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs as functions, each what the main() of the program calls: parses argv, does the work, prints, and returns the
// exit status. No exception leaves one. They keep no state, so one process may run many after another (tests do).
#ifndef HEDDLE_TOOLS_LIB_MAINS_H
#define HEDDLE_TOOLS_LIB_MAINS_H

namespace heddle::tools {

int checkMain(int argc, char **argv);     // heddle-check
int compileMain(int argc, char **argv);   // heddle-compile
int reduceMain(int argc, char **argv);    // heddle-reduce
int referenceMain(int argc, char **argv); // heddle-reference
int runMain(int argc, char **argv);       // heddle-run

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_LIB_MAINS_H
