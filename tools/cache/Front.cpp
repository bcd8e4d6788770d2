// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cache/Front.h"

#include "tools/cache/CompileCache.h"
#include "tools/cache/CompileFlags.h"
#include "tools/cache/Folder.h"
#include "tools/lib/Error.h"
#include "tools/lib/Files.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace heddle::tools {
namespace {

std::string compilerPath() {
  std::error_code error;
  std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error)
    throw Failure("cannot find this program's folder: " + error.message());
  return (self.parent_path() / "heddle-compile").string();
}

// Becomes the compiler.
[[noreturn]] void compile(const std::string &compiler, int argc, char **argv, std::vector<std::string> more) {
  std::vector<char *> arguments(argv, argv + argc);
  for (std::string &argument : more)
    arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  execv(compiler.c_str(), arguments.data());
  throw Failure(errno == ENOENT ? "this build has no compiler: there is no '" + compiler + "'"
                                : "cannot start '" + compiler + "': " + std::strerror(errno));
}

void say(const CompileFlags &flags, const std::string &text) {
  if (flags.verbose)
    std::fprintf(stderr, "heddle compile: %s\n", text.c_str());
}

// Without a copy where that is wanted and the file systems are one.
bool linkTo(const std::string &artifact, const std::string &output) {
  std::string temporary = output + ".tmp-" + std::to_string(getpid());
  if (link(artifact.c_str(), temporary.c_str()) != 0)
    return false;
  if (rename(temporary.c_str(), output.c_str()) == 0)
    return true;
  unlink(temporary.c_str());
  return false;
}

void copyTo(const std::string &artifact, const std::string &output) {
  InputFile from(artifact);
  OutputFile to(output);
  std::vector<std::byte> buffer(1 << 20);
  for (uint64_t at = 0; at < from.bytes(); at += buffer.size()) {
    std::span<std::byte> part(buffer.data(), std::min<uint64_t>(buffer.size(), from.bytes() - at));
    from.read(at, part);
    to.write(part);
  }
  to.commit();
}

// False where the files cannot be written, of which the compiler can tell.
bool deliver(const Compilation &found, const CompileFlags &flags, const std::vector<std::string> &paths) {
  try {
    if (!flags.cacheShare || !linkTo(found.artifact, flags.output))
      copyTo(found.artifact, flags.output);
    if (!flags.stats.empty()) {
      auto stats = nlohmann::ordered_json::parse(found.stats);
      stats["cached"] = true;
      OutputFile to(flags.stats);
      to.write(stats.dump(2) + "\n");
      to.commit();
    }
  } catch (const std::exception &failure) {
    say(flags, std::string("not from the cache: ") + failure.what());
    return false;
  }
  if (!flags.quiet)
    std::fputs(withoutMarks(found.messages, paths).c_str(), stderr);
  say(flags, "from the cache");
  return true;
}

} // namespace

int compileFromCache(int argc, char **argv) {
  CompileFlags flags;
  CommandLine line("heddle compile", "Compiles a model to an artifact that runs on any mix of devices", kCompileFooter);
  define(line, flags);
  if (std::optional<int> status = line.parse(argc, argv))
    return *status;
  std::string compiler = compilerPath(), key;
  std::vector<std::string> more;
  if (!isCacheable(flags) || flags.output.empty()) {
    say(flags, "not from the cache: " +
                   std::string(flags.cache == "off" ? "--cache=off" : "these flags ask for more than an artifact"));
    compile(compiler, argc, argv, {});
  }
  uint64_t limit = cacheLimit();
  CompileCache cache(limit ? cacheFolder() : "");
  if (!cache.reason().empty()) {
    say(flags, "no cache: " + (limit ? cache.reason() : "HEDDLE_CACHE_SIZE is 0"));
  } else {
    try {
      KeyInputs inputs = keyInputs(flags, line, compiler);
      key = makeKey(inputs);
      std::optional<Compilation> found = cache.find(key);
      if (found && deliver(*found, flags, inputs.paths()))
        return kDone;
      if (!found)
        say(flags, "not in the cache");
      more.push_back("--cache-key=" + key);
    } catch (const Failure &failure) { // an input cannot be read, of which the compiler can tell
      say(flags, std::string("not from the cache: ") + failure.what());
    }
  }
  if (flags.cacheOnly)
    return kNotCached;
  compile(compiler, argc, argv, more);
}

} // namespace heddle::tools
