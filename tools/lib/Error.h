// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the user tools fail. Everything a tool throws is one of these or heddle::Error (include/heddle/heddle.hpp);
// runTool() turns it into one message on standard error and the exit status of design.md §7.
#ifndef HEDDLE_TOOLS_LIB_ERROR_H
#define HEDDLE_TOOLS_LIB_ERROR_H

#include <functional>
#include <stdexcept>

namespace heddle::tools {

enum ExitStatus : int {
  kDone = 0,   // everything was done, values agree
  kFailed = 1, // a file, the runtime or a comparison failed
  kUsage = 2,  // the command line is wrong
};

// The command line breaks a rule: exit status 2. The text states the rule, what was given, and the remedy.
class UsageError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

// The command line is fine, the world is not: exit status 1.
class Failure : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

// Runs `body` and returns its status. A failure is printed as "heddle run: TEXT" (`tool` = "heddle run") with further
// lines indented. The runtime's HEDDLE_INVALID_ARGUMENT (a value or a URI that breaks a rule) is wrong usage; its other
// codes and bad_alloc are failures, and so is a standard output that takes no more.
int runTool(const char *tool, const std::function<int()> &body);

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_LIB_ERROR_H
