// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `heddle VERB …` becomes `heddle-VERB …`, the program beside this one: so `heddle run` never loads LLVM.
#include "tools/heddle/Completion.h"
#include "tools/lib/Build.h"
#include "tools/lib/Error.h"
#include "tools/lib/Suggest.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <spawn.h>
#include <string>
#include <string_view>
#include <sys/wait.h>
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
    {"compare", "say where the values of two programs first differ"},
    {"check", "compare every stage of a compilation with the reference"},
    {"reduce", "make a program small that shows a defect"},
    {"inspect", "show what an artifact contains"},
    {"cache", "show and remove what was kept of compilations"},
    {"devices", "list the devices of this machine"},
    {"explain", "say where each part of a program runs and why"},
    {"trace", "say where the time of calls goes; write a timeline (Perfetto, SVG)"},
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
              "heddle completion bash|zsh|fish prints a script for the shell, heddle help --man [VERB] a manual page.\n"
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

// What `heddle-VERB FLAG` prints on standard output; "" where there is no such program.
std::string ask(const std::string &verb, const char *flag) {
  // The compiler's own table comes from the program in front of it, which starts faster.
  bool isCached = verb == "compile" && exists("cache");
  std::string program = programOf(isCached ? "cache" : verb).string(), word = verb, argument = flag, text;
  std::vector<char *> arguments{program.data(), argument.data(), nullptr};
  if (isCached)
    arguments.insert(arguments.begin() + 1, word.data());
  int ends[2];
  if (!exists(verb) || pipe2(ends, O_CLOEXEC) != 0)
    return "";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  pid_t child = 0;
  int error = posix_spawn(&child, program.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  char buffer[4096];
  for (ssize_t got; !error && (got = read(ends[0], buffer, sizeof(buffer))) != 0;)
    if (got > 0)
      text.append(buffer, static_cast<size_t>(got));
    else if (errno != EINTR)
      break;
  close(ends[0]);
  int status = 0;
  if (!error)
    waitpid(child, &status, 0);
  return status == 0 ? text : "";
}

int printCompletion(const std::string &shell) {
  std::vector<CompletedVerb> verbs;
  for (const Verb &verb : kVerbs)
    if (exists(verb.name))
      verbs.push_back({verb.name, verb.summary, parseTable(ask(verb.name, "--help-table"))});
  std::string script = completionScript(shell, verbs);
  if (script.empty())
    throw UsageError("heddle completion takes bash, zsh or fish" + (shell.empty() ? "" : ", got '" + shell + "'"));
  std::fputs(script.c_str(), stdout);
  return kDone;
}

// The manual page of a verb, or of all.
int printMan(const std::string &verb) {
  if (!verb.empty()) {
    std::string page = ask(verb, "--help-man");
    if (page.empty())
      throw UsageError("there is no manual page of '" + verb + "'");
    std::fputs(page.c_str(), stdout);
    return kDone;
  }
  std::printf(
      ".TH heddle 1 \"\" \"heddle %s\" Heddle\n.SH NAME\nheddle \\- compile a tensor program once, run it on any "
      "mix of devices\n.SH SYNOPSIS\n.B heddle\nVERB [ARGUMENTS]\n.SH VERBS\n",
      HEDDLE_VERSION);
  for (const Verb &known : kVerbs)
    std::printf(".TP\n.B %s\n%s; see\n.BR heddle-%s (1)\n", known.name, known.summary, known.name);
  std::printf(".SH EXIT STATUS\n0 done, 1 failed or values differ, 2 wrong usage.\n");
  return kDone;
}

int run(int argc, char **argv) {
  std::string verb = argc > 1 ? argv[1] : "";
  if (verb.empty())
    throw UsageError("a verb is missing: heddle VERB …");
  if (verb == "--help" || verb == "-h" || (verb == "help" && argc == 2))
    return printHelp();
  if (verb == "--version") {
    std::printf("%s\n", buildText().c_str());
    return kDone;
  }
  if (verb == "completion")
    return printCompletion(argc > 2 ? argv[2] : "");
  if (verb == "help" && std::string_view(argv[2]) == "--man")
    return printMan(argc > 3 ? argv[3] : "");
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
