// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle_tool_server: runs heddle-compile, heddle-reference and heddle-run again and again in one process, because
// loading and initialising LLVM costs more than most test models. Speaks JSON, a line each way:
//   ["heddle-compile", "m.onnx", "-o", "m.heddle"]   →   {"status": 0}
// What the programs print goes to standard error. Ends with its input. A crash of a program is one of the server: its
// caller sees the end of the answers and the exit status.
#include "tools/lib/Error.h"
#include "tools/lib/Json.h"
#include "tools/lib/Mains.h"

#include <cstdio>
#include <iostream>
#include <string>
#include <unistd.h>
#include <vector>

using namespace heddle::tools;

namespace {

using Main = int (*)(int, char **);

Main findMain(const std::string &name) {
  for (auto [known, main] :
       {std::pair("heddle-compile", &compileMain), {"heddle-reference", &referenceMain}, {"heddle-run", &runMain}})
    if (name == known)
      return main;
  return nullptr;
}

int answer(const std::string &line) {
  Json request = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  std::vector<std::string> words;
  for (const Json &word : request.is_array() ? request : Json::array())
    words.push_back(word.is_string() ? word.get<std::string>() : "");
  Main main = words.empty() ? nullptr : findMain(words[0]);
  if (!main) {
    std::fprintf(stderr, "a request names heddle-compile, heddle-reference or heddle-run, got %s\n", line.c_str());
    return kUsage;
  }
  std::vector<char *> arguments;
  for (std::string &word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int status = main(static_cast<int>(words.size()), arguments.data());
  std::fflush(stdout);
  return status;
}

} // namespace

int main() {
  FILE *answers = fdopen(dup(STDOUT_FILENO), "w");
  dup2(STDERR_FILENO, STDOUT_FILENO);
  for (std::string line; std::getline(std::cin, line);) {
    std::fprintf(answers, "{\"status\": %d}\n", answer(line));
    std::fflush(answers);
  }
}
