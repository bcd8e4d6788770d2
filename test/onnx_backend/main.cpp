// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle_onnx_tests: the backend tests of the installed onnx package, checked against a manifest. docs/onnx-tests.md
#include "test/onnx_backend/Case.h"
#include "test/onnx_backend/Inventory.h"
#include "test/onnx_backend/Manifest.h"
#include "test/onnx_backend/Shards.h"
#include "tools/lib/CommandLine.h"
#include "tools/lib/Error.h"
#include "tools/lib/Files.h"

#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <fnmatch.h>
#include <sched.h>
#include <unistd.h>

using namespace heddle;
using namespace heddle::onnx_tests;

namespace {

struct Options {
  std::string data, manifest, filter = "*", xml;
  std::string ops = HEDDLE_ONNX_BACKEND "/real_model_ops.txt", device;
  std::optional<uint64_t> jobs, timeout;
  bool models = false, update = false, verbose = false;

  // Empty: the folder of tests itself.
  std::vector<std::string> sets() const {
    return models ? std::vector<std::string>{"pytorch-converted", "pytorch-operator", "simple"}
                  : std::vector<std::string>{""};
  }
};

struct Test {
  std::string name, difference;
  Outcome outcome;
  bool ofRealModels = false;
};

std::optional<int> parse(int argc, char **argv, Options &to) {
  tools::CommandLine line("heddle_onnx_tests", "Compiles and runs the backend tests of the onnx package",
                          "Exit status: 0 as the manifest says, 1 not, 2 wrong usage.");
  line.value(to.filter, "--filter", "GLOB", "only tests whose name matches");
  line.value(to.manifest, "--manifest", "FILE",
             "what is expected; default: test/onnx_backend/manifest.tsv, or models.tsv with --models");
  line.value(to.device, "--device", "URI",
             "compile for this device and run on it; default: local, each worker on a core of its own");
  line.value(to.data, "--data", "DIR",
             "the folder of the tests, or of their sets; default: of the onnx package of the build");
  line.value(to.ops, "--ops", "FILE", "the ops of real models; default: test/onnx_backend/real_model_ops.txt");
  line.value(to.xml, "--xml", "FILE", "write results as JUnit XML");
  line.value(to.jobs, "--jobs", "N", "worker processes; default: one for each core");
  line.value(to.timeout, "--timeout", "SECONDS", "for one test; default 60");
  line.flag(to.models, "--models",
            "the sets pytorch-converted, pytorch-operator and simple in place of the node tests");
  line.flag(to.update, "--update", "write what happened to the manifest");
  line.flag(to.verbose, "--verbose", "print every test that does not pass, and what compiler and runtime print");
  std::optional<int> status = line.parse(argc, argv);
  if (to.manifest.empty())
    to.manifest = std::string(HEDDLE_ONNX_BACKEND) + (to.models ? "/models.tsv" : "/manifest.tsv");
  if (to.data.empty())
    to.data = std::string(HEDDLE_ONNX_DATA) + (to.models ? "" : "/node");
  return status;
}

// The cores this process may use.
std::vector<int> ownCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof(set), &set);
  std::vector<int> cores;
  for (int i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &set))
      cores.push_back(i);
  return cores;
}

// A folder for artifacts, removed at the end.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string pattern = std::filesystem::temp_directory_path() / "heddle-onnx-XXXXXX";
    if (!mkdtemp(pattern.data()))
      throw tools::Failure("cannot make a folder in " + std::filesystem::temp_directory_path().string());
    path = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::string path;
};

std::vector<Test> runTests(const Options &options, const std::vector<std::string> &names) {
  TemporaryFolder folder;
  std::vector<int> cores = ownCores();
  ShardOptions shards{static_cast<unsigned>(options.jobs.value_or(cores.size())),
                      static_cast<unsigned>(options.timeout.value_or(60))};
  std::vector<Outcome> outcomes = runShards(names.size(), shards, [&](size_t test, unsigned worker) {
    if (!options.verbose)
      dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
    std::string own = "local://" + std::to_string(cores[worker % cores.size()]);
    return runCase(options.data + "/" + names[test], folder.path + "/" + std::to_string(worker) + ".heddle",
                   options.device.empty() ? own : options.device);
  });
  std::set<std::string> ops = readOps(options.ops);
  std::vector<Test> tests;
  for (size_t i = 0; i < names.size(); ++i)
    tests.push_back({names[i], "", outcomes[i], usesOnly(options.data + "/" + names[i] + "/model.onnx", ops)});
  return tests;
}

std::string escapeXml(const std::string &text) {
  std::string result;
  for (char c : text)
    result += c == '<' ? "&lt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
  return result;
}

// One test case for each test: passed if it is as the manifest says.
void writeXml(const std::string &path, const std::vector<Test> &tests) {
  tools::OutputFile file(path);
  file.write("<testsuite name=\"onnx_backend\">\n");
  for (const Test &test : tests)
    file.write("<testcase classname=\"onnx_backend\" name=\"" + test.name + "\">" +
               (test.difference.empty() ? "" : "<failure>" + escapeXml(test.difference) + "</failure>") +
               "</testcase>\n");
  file.write("</testsuite>\n");
  file.commit();
}

void printCount(const std::vector<Test> &tests) {
  size_t passed = 0, real = 0, realPassed = 0, crashed = 0;
  for (const Test &test : tests) {
    passed += test.outcome.passed();
    crashed += test.outcome.phase == Phase::Crashed;
    real += test.ofRealModels;
    realPassed += test.ofRealModels && test.outcome.passed();
  }
  std::printf("%zu of %zu pass, %zu crashed\n%zu of %zu pass whose ops are all among those of the real models\n",
              passed, tests.size(), crashed, realPassed, real);
}

int run(int argc, char **argv) {
  Options options;
  if (std::optional<int> status = parse(argc, argv, options))
    return *status;
  if (options.jobs == 0u)
    throw tools::UsageError("--jobs takes at least 1");
  std::vector<std::string> all = listTests(options.data, options.sets()), names;
  for (const std::string &name : all)
    if (fnmatch(options.filter.c_str(), name.c_str(), 0) == 0)
      names.push_back(name);
  if (names.empty())
    throw tools::UsageError("--filter: no test matches '" + options.filter + "'");
  Manifest manifest = Manifest::read(options.manifest);
  std::vector<Test> tests = runTests(options, names);
  size_t different = 0;
  for (Test &test : tests) {
    if (options.verbose && !test.outcome.passed())
      std::printf("%s%s: %s\n", test.ofRealModels ? "* " : "  ", test.name.c_str(), test.outcome.text.c_str());
    if (options.update)
      manifest.update(test.name, test.outcome);
    test.difference = manifest.compare(test.name, test.outcome);
    if (!test.difference.empty() && ++different)
      std::printf("%s: %s\n", test.name.c_str(), test.difference.c_str());
  }
  if (options.update) {
    manifest.keepOnly(all);
    manifest.write(options.manifest);
  }
  for (const std::string &name : manifest.missing(all)) {
    ++different;
    std::printf("%s: stands in the manifest, but the onnx package has no such test\n", name.c_str());
  }
  if (!options.xml.empty())
    writeXml(options.xml, tests);
  printCount(tests);
  std::printf("%zu not as the manifest says\n", different);
  return different ? tools::kFailed : tools::kDone;
}

} // namespace

int main(int argc, char **argv) {
  return tools::runTool("heddle_onnx_tests", [&] { return run(argc, argv); });
}
