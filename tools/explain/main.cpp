// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle explain: where everything runs and why. docs/cli.md
#include "heddle/contract/Artifact_generated.h"
#include "heddle/contract/Text.h"
#include "tools/explain/Graph.h"
#include "tools/lib/CommandLine.h"
#include "tools/lib/Error.h"
#include "tools/lib/Files.h"
#include "tools/session/Session.h"

#include <cstdio>
#include <filesystem>

namespace heddle::tools {
namespace {

constexpr const char *kFooter = R"(Reads the artifact's compile report, and needs neither the compiler nor a device.
Examples:
  heddle explain model.heddle --html=model.html
  heddle explain model.heddle --why=/encoder/MatMul_3
  heddle explain model.heddle --why-not=gpu
Exit status: 0 done, 1 failed, 2 wrong usage.)";

struct Options {
  std::string artifact, html;
  std::optional<std::string> why, whyNot;
  bool json = false;
};

std::optional<int> parse(int argc, char **argv, Options &to) {
  CommandLine line("heddle explain",
                   "Says where each part of a program runs and why, and what is moved between devices.", kFooter);
  line.positional(to.artifact, "ARTIFACT", "what heddle compile wrote (.heddle)");
  line.value(
      to.why, "--why", "NODE",
      "show only the node of the model, dispatch, argument or result of this name, or all whose names contain it");
  line.value(to.whyNot, "--why-not", "DEVICE",
             "say why dispatches (with --why: those of NODE) do not run on this device");
  line.flag(to.json, "--json", "print the same as JSON");
  line.value(to.html, "--html", "FILE.html",
             "write one self-contained page with the graph, coloured by device; - is standard output");
  return line.parse(argc, argv);
}

Graph readArtifact(const std::string &path) {
  Artifact artifact(path);
  uint64_t bytes = 0;
  const auto *report = fb::GetModule(heddle_artifact_metadata(artifact.raw(), &bytes))->report();
  return readGraph(report ? report->str() : "", std::filesystem::path(path).filename().string());
}

std::string explain(const Graph &graph, const Options &options) {
  std::string node = options.why.value_or("");
  if (options.whyNot)
    return options.json ? whyNotAsJson(graph, *options.whyNot, node) : explainWhyNot(graph, *options.whyNot, node);
  if (options.why)
    return options.json ? nodeAsJson(graph, node) : explainNode(graph, node);
  if (options.json)
    return allAsJson(graph);
  return options.html.empty() ? explainAll(graph) : "";
}

int run(int argc, char **argv) {
  Options options;
  if (std::optional<int> status = parse(argc, argv, options))
    return *status;
  Graph graph = readArtifact(options.artifact);
  if (options.html == "-") {
    std::string page = toPage(graph);
    std::fwrite(page.data(), 1, page.size(), stdout);
  } else if (!options.html.empty()) {
    OutputFile file(options.html);
    file.write(toPage(graph));
    file.commit();
  }
  std::string text = explain(graph, options);
  std::fputs((options.json ? text : contract::showText(text)).c_str(), stdout);
  return kDone;
}

} // namespace
} // namespace heddle::tools

int main(int argc, char **argv) {
  return heddle::tools::runTool("heddle explain", [&] { return heddle::tools::run(argc, argv); });
}
