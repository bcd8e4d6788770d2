// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle inspect: what an artifact contains. docs/cli.md
#include "heddle/contract/Text.h"
#include "tools/explain/Graph.h"
#include "tools/inspect/Certificates.h"
#include "tools/inspect/Describe.h"
#include "tools/inspect/Summary.h"
#include "tools/lib/CommandLine.h"
#include "tools/lib/Error.h"
#include "tools/lib/Files.h"
#include "tools/session/Team.h"

#include <cstdio>
#include <cstring>
#include <filesystem>

namespace heddle::tools {
namespace {

constexpr const char *kFooter = R"(Examples:
  heddle inspect model.heddle
  heddle inspect model.heddle --json --bound --device=local://0
  heddle inspect model.heddle --verify --dim=batch=4 --mesh=x=2
Exit status: 0 done, 1 failed, 2 wrong usage.)";

struct Options {
  std::string artifact, html, mesh;
  std::vector<std::string> devices, dims;
  bool json = false, verify = false, bound = false;
};

std::optional<int> parse(int argc, char **argv, Options &to) {
  CommandLine line("heddle inspect", "Shows what an artifact contains.", kFooter);
  line.positional(to.artifact, "ARTIFACT", "what heddle compile wrote (.heddle)");
  line.flag(to.json, "--json", "print everything as JSON");
  line.flag(to.verify, "--verify",
            "also read the whole file, compare the hashes of its sections and parameters, and prove the host program "
            "again from its instructions");
  line.list(to.dims, "--dim", "NAME=SIZE",
            "with --verify: the size of a named dimension; without it several are tried");
  line.flag(to.bound, "--bound", "print the host program as it is once devices are chosen");
  line.value(to.mesh, "--mesh", "AXIS=SIZE,…",
             "with --bound or --verify: set sizes of the axes that a program of many ranks leaves free");
  line.value(to.html, "--html", "FILE.html",
             "write one self-contained page: contents, and the graph coloured by device");
  line.list(to.devices, "--device", "URI", "say which variants this device would run; repeat in order");
  std::optional<int> status = line.parse(argc, argv);
  if (!status && !to.dims.empty() && !to.verify)
    throw UsageError("--dim says which sizes --verify proves the program for; give --verify, too");
  return status;
}

// The bound programs of all entry points in one list, as describe() makes it of the artifact's own.
Json boundHost(const Options &options) {
  Team team({options.artifact, options.devices, {options.mesh, std::nullopt}});
  const Module &module = team.module(); // of rank 0
  Json host = Json::array();
  for (uint32_t i = 0; i < module.entryPoints(); ++i) {
    char *text = nullptr;
    check(heddle_module_bound_program(module.raw(), i, &text));
    Json program = Json::parse(takeString(text), nullptr, /*allow_exceptions=*/false);
    if (!program.is_array())
      throw Failure("the bound program of '" + std::string(module.entryPoint(i).name) + "' cannot be shown as JSON");
    for (Json &instruction : program) {
      instruction["function"] = module.entryPoint(i).name;
      host.push_back(std::move(instruction));
    }
  }
  return host;
}

Json linesOf(const std::string &text) {
  Json lines = Json::array();
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// The page of heddle explain with the artifact's contents; without a graph where the report has none.
void writePage(Json artifact, const std::string &report, const Options &options) {
  OutputFile file(options.html);
  std::string title = std::filesystem::path(options.artifact).filename().string();
  Graph graph;
  graph.title = title;
  if (artifact["report"].is_object() && artifact["report"].contains("graph"))
    graph = readGraph(report, title);
  for (const char *key : {"host", "report"})
    artifact.erase(key);
  file.write(toPage(graph, artifact));
  file.commit();
}

// Compilers that gave no certificate promised less than the check asks for: what it finds there is a remark.
Json proveAgain(const fb::Module &module, const Options &options, Json &report) {
  try {
    return verifyProgram(module, options.dims, options.mesh);
  } catch (const UsageError &) {
    throw;
  } catch (const Failure &failure) {
    if (!report["certificate"].is_null())
      throw;
    report["unproved"] = failure.what();
    return Json::array();
  }
}

int run(int argc, char **argv) {
  Options options;
  if (std::optional<int> status = parse(argc, argv, options))
    return *status;
  Artifact artifact(options.artifact);
  if (options.verify)
    check(heddle_artifact_verify(artifact.raw()));

  uint64_t bytes = 0;
  const void *metadata = heddle_artifact_metadata(artifact.raw(), &bytes);
  fb::ModuleT module;
  fb::GetModule(metadata)->UnPackTo(&module);
  contract::Header header;
  std::memcpy(&header, heddle_artifact_data(artifact.raw(), &bytes), sizeof(header));

  Json report = describe(module, header);
  if (options.bound)
    report["host"] = boundHost(options);
  if (!options.devices.empty())
    report["plan"] = linesOf(artifact.plan(options.devices));
  bool hashed = header.formatVersion >= contract::kFirstHashedFormat;
  if (options.verify) {
    report["verified_parameters"] = module.parameters.size();
    report["verified_sections"] = hashed ? Json{"header", "metadata", "code", "data"} : Json::array();
    report["verified_programs"] = proveAgain(*fb::GetModule(metadata), options, report);
  }
  if (!options.html.empty()) {
    writePage(report, module.report, options);
    return kDone;
  }
  std::string text = options.json ? toText(report) : contract::showText(summarizeArtifact(report, options.artifact));
  if (options.verify && !options.json) {
    text += "verified: the bytes of all " + std::to_string(module.parameters.size()) + " parameters" +
            (hashed ? " and of every section" : "") + " have their hashes\n";
    for (const Json &entry : report["verified_programs"])
      text += "verified: " + contract::showText(checkedLine(entry)) + "\n";
    if (report.contains("unproved"))
      text += "the artifact has no certificate, and its host program cannot be proved: " +
              contract::showText(report["unproved"].get<std::string>()) + "\n";
    else if (report["certificate"].is_null() && !report["verified_programs"].empty())
      text += "the artifact has no certificate: whether it was changed since it was compiled is not known\n";
  }
  std::fputs(text.c_str(), stdout);
  return kDone;
}

} // namespace
} // namespace heddle::tools

int main(int argc, char **argv) {
  return heddle::tools::runTool("heddle inspect", [&] { return heddle::tools::run(argc, argv); });
}
