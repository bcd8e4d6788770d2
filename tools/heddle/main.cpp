// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `heddle VERB …` becomes `heddle-VERB …`, the program beside this one: so `heddle run` never loads LLVM.
#include "tools/lib/Error.h"
#include "tools/lib/Suggest.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <unistd.h>
#include <vector>

namespace heddle::tools {
namespace {

struct Verb {
  const char *name;
  const char *summary;
};
constexpr Verb kVerbs[] = {
    {"compile", "compile a model (.onnx, .mlir, .mlirbc) to an artifact (.heddle)"},
    {"run", "run a model or an artifact, print or compare its results"},
    {"launch", "run a program on several ranks, each a process"},
    {"bench", "measure the latency and throughput of a model or an artifact"},
    {"check", "compare every stage of a compilation with the reference"},
    {"reduce", "make a program small that shows a defect"},
    {"inspect", "show what an artifact contains"},
    {"cache", "show and remove what was kept of compilations"},
    {"devices", "list the devices of this machine"},
    {"explain", "say where each part of a program runs and why"},
    {"trace", "write a timeline of calls (Perfetto, SVG)"},
};

std::filesystem::path programOf(const std::string &verb) {
  std::error_code error;
  std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error)
    throw Failure("cannot find this program's folder: " + error.message());
  return self.parent_path() / ("heddle-" + verb);
}

bool exists(const std::string &verb) { return access(programOf(verb).c_str(), X_OK) == 0; }

int printHelp() {
  std::printf("Compile a tensor program once, run it on any mix of devices.\n\nUsage: heddle VERB [ARGUMENTS]\n\n");
  for (const Verb &verb : kVerbs)
    std::printf("  %-9s %s%s\n", verb.name, verb.summary, exists(verb.name) ? "" : " (not in this build)");
  std::printf("\nheddle VERB --help lists the flags of a verb; heddle --version prints the version.\n"
              "Exit status: 0 done, 1 failed or values differ, 2 wrong usage.\n");
  return kDone;
}

[[noreturn]] void unknown(const std::string &verb) {
  std::vector<std::string> names;
  for (const Verb &known : kVerbs)
    names.emplace_back(known.name);
  std::string guess = didYouMean(verb, names);
  throw UsageError("unknown verb '" + verb + "'" + (guess.empty() ? "; the verbs are " + quotedList(names) : guess));
}

int dispatch(const std::string &verb, std::vector<char *> arguments) {
  bool isCached = verb == "compile" && exists("cache") && exists(verb); // through the cache in front of the compiler
  std::string program = programOf(isCached ? "cache" : verb).string();
  std::string word = verb;
  if (isCached) // which takes the verb's name for the argument that says so
    arguments.insert(arguments.begin() + 1, word.data());
  arguments[0] = program.data();
  arguments.push_back(nullptr);
  execv(program.c_str(), arguments.data());
  if (errno != ENOENT)
    throw Failure("cannot start '" + program + "': " + std::strerror(errno));
  for (const Verb &known : kVerbs)
    if (verb == known.name)
      throw Failure("'" + verb + "' is not part of this build: there is no '" + program +
                    "'; build it (compile and check need -DHEDDLE_COMPILER=ON)");
  unknown(verb);
}

int run(int argc, char **argv) {
  std::string verb = argc > 1 ? argv[1] : "";
  if (verb.empty())
    throw UsageError("a verb is missing: heddle VERB …");
  if (verb == "--help" || verb == "-h" || (verb == "help" && argc == 2))
    return printHelp();
  if (verb == "--version") {
    std::printf(*HEDDLE_BUILD ? "heddle %s (%s)\n" : "heddle %s\n", HEDDLE_VERSION, HEDDLE_BUILD);
    return kDone;
  }
  if (verb == "help") {
    std::string help = "--help";
    return dispatch(argv[2], {argv[0], help.data()});
  }
  if (verb.starts_with('-'))
    throw UsageError("unknown flag '" + verb + "'; flags follow the verb");
  return dispatch(verb, std::vector<char *>(argv + 1, argv + argc));
}

} // namespace
} // namespace heddle::tools

int main(int argc, char **argv) {
  return heddle::tools::runTool("heddle", [&] { return heddle::tools::run(argc, argv); });
}
