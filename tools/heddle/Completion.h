// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shell completion out of the tables of flags that the programs print (--help-table). Pure: no program is started here.
#ifndef HEDDLE_TOOLS_HEDDLE_COMPLETION_H
#define HEDDLE_TOOLS_HEDDLE_COMPLETION_H

#include <string>
#include <string_view>
#include <vector>

namespace heddle::tools {

struct CompletedFlag {
  std::vector<std::string> names;   // "-o", "--output"
  std::string help;                 // one line
  bool takesValue = false;          // always; one that may have a value takes none here
  bool isFile = false;              // of a file or folder
  std::vector<std::string> choices; // the words it may be, where there are few
};

struct CompletedVerb {
  std::string name, help;
  std::vector<CompletedFlag> flags;
};

// The lines of --help-table: NAME,NAME tab TYPE tab HELP. Arguments that are no flags are left out: they are files.
std::vector<CompletedFlag> parseTable(std::string_view table);

// A script for the shell: bash, zsh or fish. "" for another.
std::string completionScript(const std::string &shell, const std::vector<CompletedVerb> &verbs);

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_HEDDLE_COMPLETION_H
