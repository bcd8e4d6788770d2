// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle reduce: the smallest program that still shows what is looked for. docs/cli.md
#include "compiler/Pipelines/Messages.h"
#include "compiler/Pipelines/Stages.h"
#include "compiler/Stages/Import/Import.h"
#include "tools/lib/CommandLine.h"
#include "tools/lib/Error.h"
#include "tools/lib/Files.h"
#include "tools/lib/Mains.h"
#include "tools/reduce/Interest.h"
#include "tools/reduce/Reducer.h"

#include "mlir/IR/MLIRContext.h"

#include <cstdio>
#include <filesystem>
#include <unistd.h>

using namespace heddle::tools;

namespace {

constexpr const char *kFooter = R"(Examples:
  heddle reduce model.onnx -o small.mlir --diverges
  heddle reduce model.mlir -o small.mlir --error='no lowering' --with=--data-tiling=off
  heddle reduce model.mlir -o small.mlir --command='./is-wrong.sh'
Exit status: 0 done, 1 the model does not show the defect, or a file failed, 2 wrong usage.)";

struct Flags {
  std::string model, output;
  std::optional<std::string> command, error;
  bool diverges = false, crashes = false;
  std::vector<std::string> with;
  std::optional<uint64_t> maxTests, seconds;
};

std::string folderOfPrograms() {
  std::error_code error;
  std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error)
    throw Failure("cannot find this program's folder: " + error.message());
  return self.parent_path().string();
}

Interest interestOf(const Flags &flags) {
  if (flags.diverges + flags.crashes + flags.command.has_value() + flags.error.has_value() != 1)
    throw UsageError("give one of --diverges, --crashes, --error=TEXT and --command=COMMAND, the defect to look for");
  Interest interest;
  interest.kind = flags.command   ? Interest::Kind::Command
                  : flags.crashes ? Interest::Kind::Crashes
                  : flags.error   ? Interest::Kind::Error
                                  : Interest::Kind::Diverges;
  interest.text = flags.command.value_or(flags.error.value_or(""));
  if ((flags.command || flags.error) && interest.text.empty())
    throw UsageError("--error and --command take a text, got none");
  if (flags.command && !flags.with.empty())
    throw UsageError("--with goes with --diverges, --crashes and --error; write the flags into the command");
  interest.flags = flags.with;
  interest.programs = folderOfPrograms();
  interest.seconds = static_cast<unsigned>(flags.seconds.value_or(interest.seconds));
  return interest;
}

// A folder with the candidate, which goes when the work is done.
class Candidate {
public:
  std::string write(mlir::ModuleOp module) {
    std::string path = folder.at("candidate.mlir");
    OutputFile file(path);
    file.write(mlir::heddle::spell(module));
    file.commit();
    return path;
  }

private:
  ScratchFolder folder{"heddle-reduce-"};
};

int run(int argc, char **argv) {
  Flags flags;
  CommandLine line("heddle reduce", "Makes a program as small as possible while it still shows a defect", kFooter);
  line.positional(flags.model, "MODEL", "the model: .onnx, .mlir or .mlirbc");
  line.value(flags.output, "-o,--output", "FILE.mlir", "write the smallest program here");
  line.flag(flags.diverges, "--diverges", "the defect: heddle check finds a stage that computes something else");
  line.flag(flags.crashes, "--crashes", "the defect: heddle compile crashes");
  line.value(flags.error, "--error", "TEXT", "the defect: heddle compile fails with a message that contains this text");
  line.value(flags.command, "--command", "COMMAND", "the defect: COMMAND FILE.mlir ends with status 0");
  line.list(flags.with, "--with", "FLAG", "pass a flag to heddle check or heddle compile; may be repeated");
  line.value(flags.maxTests, "--max-tests", "N", "stop after so many candidates (2000)");
  line.value(flags.seconds, "--seconds", "N", "give up on a candidate that takes longer (60)");
  if (auto status = line.parse(argc, argv))
    return *status;
  if (flags.output.empty())
    throw UsageError("where to write is missing: heddle reduce MODEL -o OUT.mlir");
  Interest interest = interestOf(flags);

  mlir::DialectRegistry registry;
  mlir::heddle::registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  mlir::heddle::Messages messages(context);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::heddle::importModel(flags.model, &context, {});
  if (!module)
    return kFailed;
  OutputFile output(flags.output);
  Candidate candidate;
  auto isInteresting = [&](mlir::ModuleOp each) { return holds(interest, candidate.write(each)); };
  if (!isInteresting(*module))
    throw Failure("'" + flags.model + "' does not show the defect after import: there is nothing to reduce");
  unsigned before = mlir::heddle::countOps(*module);
  bool progress = isatty(STDERR_FILENO);
  mlir::heddle::Reduction reduction = mlir::heddle::reduce(
      *module, isInteresting, static_cast<unsigned>(flags.maxTests.value_or(2000)), [&](mlir::ModuleOp each) {
        if (progress)
          std::fprintf(stderr, "\r%u ops ", mlir::heddle::countOps(each));
      });
  output.write(mlir::heddle::spell(*reduction.module));
  output.commit();
  std::fprintf(stderr, "%s%u ops became %u, %u candidates%s\n", progress ? "\r" : "", before,
               mlir::heddle::countOps(*reduction.module), reduction.tests,
               reduction.complete ? "" : "; --max-tests ended it");
  return kDone;
}

} // namespace

int heddle::tools::reduceMain(int argc, char **argv) {
  return runTool("heddle reduce", [&] { return run(argc, argv); });
}
