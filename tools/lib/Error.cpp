// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/lib/Error.h"

#include "heddle/contract/Text.h"
#include "heddle/heddle.hpp"

#include <cstdio>
#include <new>
#include <string>

namespace heddle::tools {
namespace {

void report(const char *tool, const std::string &text) {
  std::string line;
  for (char c : contract::showText(text)) {
    line += c;
    if (c == '\n')
      line += "  ";
  }
  std::fflush(stdout);
  std::fprintf(stderr, "%s: %s\n", tool, line.c_str());
}

} // namespace

int runTool(const char *tool, const std::function<int()> &body) {
  int status = kFailed;
  try {
    status = body();
  } catch (const UsageError &error) {
    report(tool, std::string(error.what()) + "\n(" + tool + " --help lists the flags)");
    return kUsage;
  } catch (const heddle::Error &error) {
    report(tool, error.what());
    return error.code() == HEDDLE_INVALID_ARGUMENT ? kUsage : kFailed;
  } catch (const std::bad_alloc &) {
    report(tool, "out of memory");
    return kFailed;
  } catch (const std::exception &error) {
    report(tool, error.what());
    return kFailed;
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
    report(tool, "cannot write to standard output");
    return kFailed;
  }
  return status;
}

} // namespace heddle::tools
