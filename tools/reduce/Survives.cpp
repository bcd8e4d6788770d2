// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/reduce/Survives.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

bool mlir::heddle::survives(llvm::function_ref<void()> work) {
  pid_t child = fork();
  if (child < 0)
    return true;
  if (child == 0) {
    // How it crashes is not for the user; LLVM's handlers would print a stack.
    for (int number : {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE, SIGTRAP})
      std::signal(number, SIG_DFL);
    if (int nowhere = open("/dev/null", O_WRONLY); nowhere >= 0)
      dup2(nowhere, STDERR_FILENO);
    work();
    _exit(0);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
