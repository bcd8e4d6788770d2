// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/session/ModelFile.h"

#include "tools/lib/Error.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace heddle::tools {
namespace {

namespace fs = std::filesystem;

// The program with the cache in front of the compiler.
std::string compilerPath() {
  std::error_code error;
  fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const char *name : {"heddle-cache", "heddle-compile"})
    if (error || access((folder / name).c_str(), X_OK) != 0)
      throw Failure("a model must be compiled, and this build has no compiler: there is no '" +
                    (folder / name).string() +
                    "'; compile it where there is one (heddle compile MODEL -o OUT.heddle), and give the artifact");
  return (folder / "heddle-cache").string();
}

int start(std::vector<std::string> command) {
  std::vector<char *> arguments;
  for (std::string &argument : command)
    arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  if (int error = posix_spawn(&child, arguments[0], nullptr, nullptr, arguments.data(), environ))
    throw Failure("cannot start '" + command[0] + "': " + std::strerror(error));
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      throw Failure(std::string("cannot wait for the compiler: ") + std::strerror(errno));
  if (WIFSIGNALED(status))
    throw Failure("the compiler ended by signal " + std::to_string(WTERMSIG(status)));
  return WEXITSTATUS(status);
}

} // namespace

void ModelFlags::addTo(CommandLine &line, const std::string &dimHelp) {
  line.group("Model that is compiled first");
  line.list(dims, "--dim", "NAME=SIZE", dimHelp);
  line.list(targetDevices, "--target-device", "SPEC", "compile for this device, as in heddle compile");
  line.value(precision, "--precision", "f32|bf16|f16", "what products of f32 are computed in, as in heddle compile");
  line.list(compileFlags, "--compile-flag", "FLAG", "another flag of heddle compile, such as --compile-flag=-O3");
  line.value(cache, "--cache", "on|off", "take the artifact from the cache if the same was compiled before (on)");
  line.flag(quiet, "-q,--quiet", "print only errors of the compilation");
}

bool isModel(const std::string &path) {
  return path.ends_with(".onnx") || path.ends_with(".mlir") || path.ends_with(".mlirbc");
}

ModelFile::ModelFile(const std::string &path, const ModelFlags &flags) : artifact_(path) {
  if (!isModel(path)) {
    if (!flags.targetDevices.empty() || !flags.compileFlags.empty() || !flags.cache.empty() || !flags.precision.empty())
      throw UsageError("--target-device, --precision, --compile-flag and --cache are for models, and '" + path +
                       "' is compiled (a model's name ends in .onnx, .mlir or .mlirbc)");
    return;
  }
  std::vector<std::string> command{compilerPath(), "compile", path};
  folder_ = std::make_unique<ScratchFolder>("heddle-");
  artifact_ = folder_->at("model.heddle");
  command.insert(command.end(), {"-o", artifact_, "--cache-share"});
  for (const std::string &dim : flags.dims)
    command.push_back("--dim=" + dim);
  for (const std::string &device : flags.targetDevices)
    command.push_back("--target-device=" + device);
  if (!flags.precision.empty())
    command.push_back("--precision=" + flags.precision);
  command.insert(command.end(), flags.compileFlags.begin(), flags.compileFlags.end());
  if (!flags.cache.empty())
    command.push_back("--cache=" + flags.cache);
  if (flags.quiet)
    command.push_back("--quiet");
  int status = start(command);
  if (status == kDone)
    return;
  if (status == kUsage)
    throw UsageError("'" + path + "' was not compiled, for the reason above");
  throw Failure("'" + path + "' was not compiled, for the reason above");
}

} // namespace heddle::tools
