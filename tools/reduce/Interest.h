// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a program still shows what is looked for: asked of a process, which may crash or hang.
#ifndef HEDDLE_TOOLS_REDUCE_INTEREST_H
#define HEDDLE_TOOLS_REDUCE_INTEREST_H

#include <string>
#include <vector>

namespace heddle::tools {

struct Interest {
  enum class Kind { Command, Diverges, Crashes, Error };
  Kind kind = Kind::Diverges;
  std::string text;               // the command, or the text of the error
  std::vector<std::string> flags; // for heddle-check or heddle-compile
  std::string programs;           // the folder of those two
  unsigned seconds = 60;          // a process that takes longer is not interesting
};

// Whether the program in this file is interesting. Throws Failure when the process cannot be started.
bool holds(const Interest &interest, const std::string &path);

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_REDUCE_INTEREST_H
