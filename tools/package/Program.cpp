// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle-check and heddle-reduce of a package: heddle-compile beside this program, under this program's name. A wheel
// has no links.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <unistd.h>

int main(int argc, char **argv) {
  char self[4096];
  ssize_t length = readlink("/proc/self/exe", self, sizeof(self));
  if (length <= 0 || length == ssize_t(sizeof(self)) || argc < 1)
    return std::fprintf(stderr, HEDDLE_NAME ": cannot find this program's folder\n"), 1;
  std::string program(self, size_t(length));
  program.replace(program.rfind('/') + 1, program.npos, "heddle-compile");
  static char name[] = HEDDLE_NAME;
  argv[0] = name;
  execv(program.c_str(), argv);
  return std::fprintf(stderr, HEDDLE_NAME ": cannot start '%s': %s\n", program.c_str(), std::strerror(errno)), 1;
}
