// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/reduce/Interest.h"

#include "tools/lib/Error.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace heddle::tools;

namespace {

struct Outcome {
  int status = 0;
  bool crashed = false;
  std::string printed;
};

Outcome execute(const std::string &program, const std::vector<std::string> &arguments, unsigned seconds) {
  llvm::SmallString<128> printed;
  if (llvm::sys::fs::createTemporaryFile("heddle-reduce", "txt", printed)) {
    llvm::SmallString<128> folder;
    llvm::sys::path::system_temp_directory(/*erasedOnReboot=*/true, folder);
    throw Failure("cannot make a temporary file in '" + folder.str().str() +
                  "'; set TMPDIR to a folder that can be written");
  }
  auto remove = llvm::make_scope_exit([&] { llvm::sys::fs::remove(printed); });
  std::vector<llvm::StringRef> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(""), llvm::StringRef(printed),
                                                llvm::StringRef(printed)};
  std::string message;
  bool notStarted = false;
  Outcome out;
  out.status = llvm::sys::ExecuteAndWait(program, words, std::nullopt, redirects, seconds, 0, &message, &notStarted);
  if (notStarted)
    throw Failure("cannot start '" + program + "': " + message);
  out.crashed = out.status == -2 && !llvm::StringRef(message).contains("timed out");
  if (auto buffer = llvm::MemoryBuffer::getFile(printed))
    out.printed = (*buffer)->getBuffer().str();
  return out;
}

} // namespace

bool heddle::tools::holds(const Interest &interest, const std::string &path) {
  if (interest.kind == Interest::Kind::Command)
    return execute("/bin/sh", {"-c", interest.text + " \"$1\"", "sh", path}, interest.seconds).status == 0;
  std::vector<std::string> arguments = {path};
  arguments.insert(arguments.end(), interest.flags.begin(), interest.flags.end());
  if (interest.kind == Interest::Kind::Diverges) {
    Outcome out = execute(interest.programs + "/heddle-check", arguments, interest.seconds);
    return out.status == kFailed && out.printed.find("DIVERGES") != std::string::npos;
  }
  std::string artifact = path + ".heddle";
  arguments.insert(arguments.end(), {"-o", artifact});
  auto remove = llvm::make_scope_exit([&] { llvm::sys::fs::remove(artifact); });
  Outcome out = execute(interest.programs + "/heddle-compile", arguments, interest.seconds);
  if (interest.kind == Interest::Kind::Crashes)
    return out.crashed;
  return out.status != 0 && out.printed.find(interest.text) != std::string::npos;
}
