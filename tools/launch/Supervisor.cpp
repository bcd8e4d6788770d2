// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/launch/Supervisor.h"

#include "heddle/contract/RankStatus.h"
#include "tools/launch/Channel.h"
#include "tools/launch/Mpiexec.h"
#include "tools/launch/RankOutput.h"
#include "tools/launch/Report.h"
#include "tools/lib/Error.h"
#include "tools/lib/Files.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace heddle::tools {
namespace {

constexpr uint64_t kMillisecond = 1'000'000;
constexpr uint64_t kSpeakNs = 700 * kMillisecond; // after the first failure: the others may say what they see
constexpr uint64_t kTermNs = 1500 * kMillisecond; // from asking mpiexec to end until all are killed
constexpr uint64_t kTickMs = 200;                 // between two looks at the page
constexpr uint64_t kLinger = 500 * kMillisecond;  // from mpiexec's end until what is left is killed

struct Rank {
  bool isKnown = false, hasEnded = false;
  bool hasFailed = false; // as it says itself, before its end
  uint32_t number = 0;
  pid_t process = 0; // with a process group of this number
  pid_t watcher = 0;
  std::unique_ptr<Channel> channel;
};

class Supervisor {
public:
  explicit Supervisor(const LaunchPlan &plan)
      : plan_(plan), page_(folder_.at("ranks"), plan.ranks), listener_(listenAt(folder_.at("socket"))),
        output_(plan.prefix, [](bool isError, const std::string &text) {
          FILE *to = isError ? stderr : stdout;
          std::fwrite(text.data(), 1, text.size(), to);
          std::fflush(to);
        }) {}

  int run() {
    openSignals();
    start();
    while (!isOver())
      step();
    killAll();
    output_.finish();
    return conclude();
  }

private:
  // ---- starting

  void openSignals() {
    sigset_t signals;
    sigemptyset(&signals);
    for (int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP})
      sigaddset(&signals, signal);
    sigprocmask(SIG_BLOCK, &signals, &signalsBefore_);
    signals_ = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  }

  void start() {
    setenv(kLaunchSocketVariable, folder_.at("socket").c_str(), 1);
    setenv(contract::kRankStatusVariable, page_.path().c_str(), 1);
    if (std::string folder = libraryFolderOf(plan_.mpiexec); !folder.empty())
      setenv("HEDDLE_MPI", folder.c_str(), 0);
    setMpiexecVariables();
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
      throw Failure(std::string("cannot make a pipe: ") + std::strerror(errno));
    mpiexec_ = fork();
    if (mpiexec_ < 0)
      throw Failure(std::string("cannot start a process: ") + std::strerror(errno));
    if (mpiexec_ == 0)
      becomeMpiexec(ends[1]);
    close(ends[1]);
    mpiexecSays_ = ends[0];
  }

  // A group of its own, so that Ctrl-C comes to this process only, which ends the others in order; without input, since
  // a process that is not in front may not read the terminal.
  [[noreturn]] void becomeMpiexec(int says) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    sigprocmask(SIG_SETMASK, &signalsBefore_, nullptr);
    int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    fcntl(says, F_SETFL, 0);
    dup2(says, STDOUT_FILENO);
    dup2(says, STDERR_FILENO);
    std::vector<std::string> words = {plan_.mpiexec, "-n", std::to_string(plan_.ranks)};
    words.insert(words.end(), plan_.mpiArguments.begin(), plan_.mpiArguments.end());
    words.insert(words.end(), {plan_.self, kWatchArgument});
    words.insert(words.end(), plan_.program.begin(), plan_.program.end());
    std::vector<char *> arguments;
    for (std::string &word : words)
      arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execv(arguments[0], arguments.data());
    dprintf(STDERR_FILENO, "cannot start '%s': %s\n", arguments[0], std::strerror(errno));
    _exit(127);
  }

  // ---- one turn of the loop

  void step() {
    std::vector<pollfd> sources = {{listener_.fd(), POLLIN, 0}, {signals_, POLLIN, 0}, {mpiexecSays_, POLLIN, 0}};
    for (const auto &rank : ranks_)
      sources.push_back({rank->channel ? rank->channel->fd() : -1, POLLIN, 0});
    int got = poll(sources.data(), sources.size(), waitMs());
    if (got > 0) {
      for (size_t i = 0; i + 3 < sources.size(); ++i)
        if (sources[i + 3].revents)
          hear(*ranks_[i]);
      if (sources[2].revents)
        hearMpiexec();
      if (sources[1].revents)
        handleSignals();
      if (sources[0].revents)
        accept();
    }
    lookForFailures();
    uint64_t now = nowNs();
    nextFlush_ = output_.flush(now);
    if (now >= termAt_) {
      terminate();
    } else if (now >= killAt_) {
      killAll();
      killAt_ = UINT64_MAX;
    }
  }

  int waitMs() const {
    uint64_t next = std::min({nextFlush_, termAt_, killAt_, overAt_}), now = nowNs();
    return next <= now ? 0 : static_cast<int>(std::min<uint64_t>((next - now) / kMillisecond + 1, kTickMs));
  }

  void accept() {
    int fd = ::accept4(listener_.fd(), nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0)
      return;
    ranks_.push_back(std::make_unique<Rank>());
    ranks_.back()->channel = std::make_unique<Channel>(fd);
    ranks_.back()->watcher = ranks_.back()->channel->peer();
  }

  void hear(Rank &rank) {
    bool pending = false;
    std::optional<Message> message = rank.channel->receive(pending);
    if (!message) {
      if (!pending)
        lose(rank);
      return;
    }
    if (message->rank >= plan_.ranks)
      return;
    rank.number = message->rank;
    switch (message->what) {
    case Said::Started:
      rank.isKnown = true;
      rank.process = message->process;
      break;
    case Said::Output:
    case Said::Error: output_.add(rank.number, message->what == Said::Error, message->text, nowNs()); break;
    case Said::Ended:
      rank.hasEnded = true;
      if (message->status != 0)
        fail({rank.number, message->status, message->timeNs});
      if (isEnding_)
        rank.channel.reset(); // lets the watcher go
      break;
    }
  }

  // The watcher is gone.
  void lose(Rank &rank) {
    rank.channel.reset();
    if (rank.isKnown && !rank.hasEnded && !isEnding_)
      fail({rank.number, SIGKILL, nowNs()}); // somebody killed the watcher, and so the rank
    rank.hasEnded = true;
  }

  void hearMpiexec() {
    char buffer[4096];
    ssize_t got = read(mpiexecSays_, buffer, sizeof(buffer));
    if (got > 0) {
      constexpr size_t kMost = 65536;
      mpiexecSaid_.append(buffer, static_cast<size_t>(got));
      if (mpiexecSaid_.size() > kMost)
        mpiexecSaid_.erase(0, mpiexecSaid_.size() - kMost);
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      close(mpiexecSays_);
      mpiexecSays_ = -1;
    }
  }

  void handleSignals() {
    signalfd_siginfo info{};
    while (read(signals_, &info, sizeof(info)) == sizeof(info)) {
      if (info.ssi_signo == SIGCHLD) {
        if (waitpid(mpiexec_, &mpiexecStatus_, WNOHANG) == mpiexec_)
          overAt_ = nowNs() + kLinger;
      } else if (interrupt_) {
        killAll(); // asked twice
      } else {
        interrupt_ = static_cast<int>(info.ssi_signo);
        terminate();
      }
    }
  }

  // ---- failing

  // A program that failed may take its time to end: MPI lets its other ranks notice.
  void lookForFailures() {
    for (const auto &rank : ranks_)
      if (rank->isKnown && !rank->hasEnded && !rank->hasFailed)
        if (uint64_t time = page_.failedNs(rank->number)) {
          rank->hasFailed = true;
          failed_.push_back({rank->number, kFailed << 8, time});
          beginToEnd();
        }
  }

  // From the first failure on there is a moment for the others to speak.
  void beginToEnd() {
    if (failedNs_ || isEnding_)
      return;
    places_ = page_.readAll();
    failedNs_ = nowNs();
    termAt_ = failedNs_ + kSpeakNs;
  }

  void fail(const RankEnd &end) {
    if (isEnding_)
      return;
    beginToEnd();
    ends_.push_back(end);
    if (ends_.size() == plan_.ranks)
      termAt_ = 0;
  }

  // Ends all in order: mpiexec ends its ranks and cleans up behind it.
  void terminate() {
    termAt_ = UINT64_MAX;
    if (isEnding_)
      return;
    isEnding_ = true;
    for (const RankEnd &failed : failed_) // that had no time to end by themselves
      if (std::none_of(ends_.begin(), ends_.end(), [&](const RankEnd &end) { return end.rank == failed.rank; }))
        ends_.push_back(failed);
    killAt_ = nowNs() + kTermNs;
    if (overAt_ == UINT64_MAX)
      kill(mpiexec_, SIGTERM);
    for (const auto &rank : ranks_) {
      if (rank->process > 1 && !rank->hasEnded)
        kill(-rank->process, SIGTERM);
      if (rank->hasEnded)
        rank->channel.reset(); // lets the watcher go
    }
  }

  void killAll() {
    isEnding_ = true;
    for (const auto &rank : ranks_) {
      if (!rank->hasEnded) // else the number may be another's by now
        for (pid_t process : {rank->process, rank->watcher})
          if (process > 1)
            kill(process == rank->process ? -process : process, SIGKILL);
      rank->hasEnded = true;
      rank->channel.reset();
    }
    if (overAt_ == UINT64_MAX)
      kill(-mpiexec_, SIGKILL);
  }

  bool isOver() const {
    if (overAt_ == UINT64_MAX)
      return false;
    bool allQuiet =
        mpiexecSays_ < 0 &&
        std::none_of(ranks_.begin(), ranks_.end(), [](const auto &rank) { return rank->channel != nullptr; });
    return allQuiet || nowNs() >= overAt_;
  }

  int conclude() {
    std::fflush(stdout);
    if (interrupt_) {
      std::fprintf(stderr, "heddle launch: ended by signal %d (%s)\n", interrupt_, strsignal(interrupt_));
      return 128 + interrupt_;
    }
    if (!ends_.empty()) {
      for (RankEnd &end : ends_) // a rank that waited for it may have ended before it
        if (uint64_t time = page_.failedNs(end.rank))
          end.timeNs = std::min(end.timeNs, time);
      std::sort(ends_.begin(), ends_.end(), [](const RankEnd &a, const RankEnd &b) {
        return std::pair(a.timeNs, a.rank) < std::pair(b.timeNs, b.rank);
      });
      say(describeFailure(ends_, places_, failedNs_));
      return statusOf(ends_);
    }
    auto known = static_cast<uint32_t>(
        std::count_if(ranks_.begin(), ranks_.end(), [](const auto &rank) { return rank->isKnown; }));
    bool isWell = WIFEXITED(mpiexecStatus_) && WEXITSTATUS(mpiexecStatus_) == 0;
    if (isWell && known == plan_.ranks) {
      std::fputs(mpiexecSaid_.c_str(), stderr);
      return kDone;
    }
    std::string text = "'" + plan_.mpiexec + "' ";
    text += WIFSIGNALED(mpiexecStatus_) ? "was ended by signal " + std::to_string(WTERMSIG(mpiexecStatus_))
                                        : "ended with status " + std::to_string(WEXITSTATUS(mpiexecStatus_));
    if (known < plan_.ranks)
      text += "; of " + std::to_string(plan_.ranks) + " ranks it had started " + std::to_string(known);
    say(text + (mpiexecSaid_.empty() ? "" : "\nit said:\n" + mpiexecSaid_));
    return kFailed;
  }

  static void say(std::string text) {
    while (text.ends_with('\n'))
      text.pop_back();
    for (size_t at = 0; (at = text.find('\n', at)) != text.npos; at += 3)
      text.replace(at, 1, "\n  ");
    std::fprintf(stderr, "heddle launch: %s\n", text.c_str());
  }

  const LaunchPlan &plan_;
  ScratchFolder folder_{"heddle-launch-"}; // for the socket and the page
  RankPage page_;
  Channel listener_;
  RankOutput output_;
  sigset_t signalsBefore_{};
  int signals_ = -1, mpiexecSays_ = -1;
  pid_t mpiexec_ = -1;
  int mpiexecStatus_ = 0;
  std::string mpiexecSaid_;
  std::vector<std::unique_ptr<Rank>> ranks_; // in the order in which they came
  std::vector<RankEnd> ends_;                // by themselves, and badly
  std::vector<RankEnd> failed_;              // as they say; many of them end in a moment
  std::vector<RankPlace> places_;
  uint64_t failedNs_ = 0;
  bool isEnding_ = false;
  int interrupt_ = 0;
  // Points in time; UINT64_MAX: never.
  uint64_t nextFlush_ = UINT64_MAX, termAt_ = UINT64_MAX, killAt_ = UINT64_MAX, overAt_ = UINT64_MAX;
};

} // namespace

int superviseLaunch(const LaunchPlan &plan) { return Supervisor(plan).run(); }

} // namespace heddle::tools
