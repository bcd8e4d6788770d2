// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/launch/Watcher.h"

#include "runtime/base/LaunchedRank.h"
#include "tools/launch/Channel.h"
#include "tools/lib/Error.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

namespace heddle::tools {
namespace {

constexpr int kCannotStart = 127;

struct Pipe {
  int read = -1, write = -1;
};

Pipe makePipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw Failure(std::string("cannot make a pipe: ") + std::strerror(errno));
  return {ends[0], ends[1]};
}

uint32_t rankOfThisProcess() {
  StatusOr<std::optional<LaunchedRank>> rank = launchedRank();
  if (!rank.ok())
    throw Failure(rank.status().text());
  if (!rank->has_value())
    throw Failure("mpiexec did not say which rank this is: none of OMPI_COMM_WORLD_RANK, PMI_RANK is set; name another "
                  "one by heddle launch --mpiexec=PATH");
  return (*rank)->rank;
}

class Watcher {
public:
  Watcher(uint32_t rank, Channel channel) : rank_(rank), channel_(std::move(channel)) {
    sigset_t signals;
    sigemptyset(&signals);
    for (int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP})
      sigaddset(&signals, signal);
    sigprocmask(SIG_BLOCK, &signals, &before_);
    signals_ = signalfd(-1, &signals, SFD_CLOEXEC);
  }

  int run(char *const *program) {
    out_ = makePipe();
    error_ = makePipe();
    child_ = fork();
    if (child_ < 0)
      throw Failure(std::string("cannot start a process: ") + std::strerror(errno));
    if (child_ == 0)
      become(program);
    setpgid(child_, child_); // here too: whoever comes first
    close(out_.write);
    close(error_.write);
    if (!channel_.send({Said::Started, rank_, child_, 0, nowNs(), {}}))
      return abandon();
    while (!hasEnded_)
      if (!serve())
        return abandon();
    if (!channel_.send({Said::Ended, rank_, child_, status_, endedNs_, {}}))
      return kFailed;
    if (status_ != 0)
      waitForLeave();
    return WIFSIGNALED(status_) ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_);
  }

private:
  [[noreturn]] void become(char *const *program) {
    setpgid(0, 0); // what it starts ends with it
    dup2(out_.write, STDOUT_FILENO);
    dup2(error_.write, STDERR_FILENO);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execvp(program[0], program);
    dprintf(STDERR_FILENO, "cannot start '%s': %s\n", program[0], std::strerror(errno));
    _exit(kCannotStart);
  }

  // The launcher is gone: so is the rank.
  int abandon() {
    kill(-child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    return kFailed;
  }

  // Handles what is there; false when the launcher is gone.
  bool serve() {
    pollfd sources[] = {
        {channel_.fd(), POLLIN, 0}, {signals_, POLLIN, 0}, {out_.read, POLLIN, 0}, {error_.read, POLLIN, 0}};
    if (poll(sources, 4, -1) < 0)
      return errno == EINTR;
    if (sources[0].revents)
      return false;
    if (sources[2].revents && !forward(out_.read, Said::Output))
      return false;
    if (sources[3].revents && !forward(error_.read, Said::Error))
      return false;
    if (sources[1].revents)
      handleSignal();
    // What it printed last; a process that it left behind may keep the pipes open.
    return !hasEnded_ || (drain(out_.read, Said::Output) && drain(error_.read, Said::Error));
  }

  bool forward(int &from, Said what) {
    char buffer[Message::kMostText];
    ssize_t got = read(from, buffer, sizeof(buffer));
    if (got <= 0) {
      close(from);
      from = -1; // poll() passes over it
      return true;
    }
    return channel_.send({what, rank_, child_, 0, nowNs(), std::string(buffer, static_cast<size_t>(got))});
  }

  bool drain(int &from, Said what) {
    constexpr int kMostReads = 16; // more than a pipe holds
    for (int i = 0; i < kMostReads && from >= 0; ++i) {
      pollfd source{from, POLLIN, 0};
      if (poll(&source, 1, 0) <= 0)
        return true;
      if (!forward(from, what))
        return false;
    }
    return true;
  }

  void handleSignal() {
    signalfd_siginfo info{};
    if (read(signals_, &info, sizeof(info)) != sizeof(info))
      return;
    if (info.ssi_signo != SIGCHLD)
      kill(-child_, static_cast<int>(info.ssi_signo));
    else
      reap();
  }

  void reap() {
    siginfo_t info{};
    if (waitid(P_PID, static_cast<id_t>(child_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != child_)
      return;
    endedNs_ = nowNs();
    if (info.si_code != CLD_EXITED || info.si_status != 0)
      kill(-child_, SIGKILL); // while the number is still its own
    waitpid(child_, &status_, 0);
    hasEnded_ = true;
  }

  // Until the launcher closes the connection, or mpiexec ends this process.
  void waitForLeave() {
    pollfd source{channel_.fd(), POLLIN, 0};
    while (poll(&source, 1, -1) < 0 && errno == EINTR)
      ;
  }

  uint32_t rank_;
  Channel channel_;
  sigset_t before_{};
  int signals_ = -1;
  Pipe out_, error_;
  pid_t child_ = -1;
  int status_ = 0;
  bool hasEnded_ = false;
  uint64_t endedNs_ = 0;
};

} // namespace

int watchRank(char *const *program) {
  const char *socket = std::getenv(kLaunchSocketVariable);
  if (!socket || !program[0])
    throw UsageError("this is how heddle launch starts a rank; use heddle launch -n N VERB …");
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  return Watcher(rankOfThisProcess(), Channel(connectTo(socket))).run(program);
}

} // namespace heddle::tools
