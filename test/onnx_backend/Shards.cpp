// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/onnx_backend/Shards.h"

#include "tools/lib/Error.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace heddle::onnx_tests {
namespace {

using Clock = std::chrono::steady_clock;

// What a worker tells at the start of a test (phase kStarted) and at its end. Smaller than PIPE_BUF, so that a message
// comes whole or not at all.
struct Message {
  static constexpr uint8_t kStarted = 0xff;
  uint32_t test;
  uint8_t phase;
  char text[1000]; // cut off and terminated
};

struct Worker {
  pid_t pid = -1;
  int fd = -1;
  bool busy = false; // in a test
  uint32_t test = 0;
  Clock::time_point started;
};

class Shards {
public:
  Shards(size_t count, const ShardOptions &options, const std::function<Outcome(size_t, unsigned)> &body)
      : count(count), options(options), body(body), outcomes(count), workers(options.workers) {
    void *memory = mmap(nullptr, sizeof(*next), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      throw tools::Failure(std::string("cannot share memory with workers: ") + std::strerror(errno));
    next = new (memory) std::atomic<uint32_t>(0);
  }
  ~Shards() { munmap(next, sizeof(*next)); }

  std::vector<Outcome> run() {
    for (unsigned i = 0; i < workers.size(); ++i)
      start(i);
    while (step()) {
    }
    return std::move(outcomes);
  }

private:
  void start(unsigned index);
  [[noreturn]] void work(unsigned index, int fd);
  bool step();
  void receive(unsigned index);
  void ended(unsigned index);

  size_t count;
  ShardOptions options;
  const std::function<Outcome(size_t, unsigned)> &body;
  std::vector<Outcome> outcomes;
  std::vector<Worker> workers;
  std::atomic<uint32_t> *next; // the first test that nobody took; shared with the workers
};

void Shards::start(unsigned index) {
  int ends[2];
  if (pipe(ends) != 0)
    throw tools::Failure(std::string("cannot make a pipe: ") + std::strerror(errno));
  std::fflush(nullptr);
  pid_t pid = fork();
  if (pid < 0)
    throw tools::Failure(std::string("cannot start a worker: ") + std::strerror(errno));
  if (pid == 0) {
    close(ends[0]);
    work(index, ends[1]);
  }
  close(ends[1]);
  workers[index] = Worker();
  workers[index].pid = pid;
  workers[index].fd = ends[0];
}

void Shards::work(unsigned index, int fd) {
  auto send = [&](const Message &message) {
    if (write(fd, &message, sizeof(message)) != sizeof(message))
      _exit(1);
  };
  for (uint32_t test; (test = next->fetch_add(1)) < count;) {
    Message message{test, Message::kStarted, ""};
    send(message);
    Outcome outcome = body(test, index);
    message.phase = static_cast<uint8_t>(outcome.phase);
    std::strncpy(message.text, outcome.text.c_str(), sizeof(message.text) - 1);
    send(message);
  }
  _exit(0);
}

// Waits for the next message or for the next test whose time is over; false when all workers are done.
bool Shards::step() {
  std::vector<pollfd> fds;
  std::vector<unsigned> indices;
  int wait = -1;
  for (unsigned i = 0; i < workers.size(); ++i) {
    Worker &worker = workers[i];
    if (worker.fd < 0)
      continue;
    auto left = std::chrono::ceil<std::chrono::milliseconds>( // not early: ended() looks at the time, too
        worker.started + std::chrono::seconds(options.timeoutSeconds) - Clock::now());
    if (worker.busy && left.count() <= 0)
      kill(worker.pid, SIGKILL);
    if (worker.busy && (wait < 0 || left.count() < wait))
      wait = std::max<int>(static_cast<int>(left.count()), 1);
    fds.push_back({worker.fd, POLLIN, 0});
    indices.push_back(i);
  }
  if (fds.empty())
    return false;
  poll(fds.data(), fds.size(), wait);
  for (size_t i = 0; i < fds.size(); ++i)
    if (fds[i].revents)
      receive(indices[i]);
  return true;
}

void Shards::receive(unsigned index) {
  Worker &worker = workers[index];
  Message message;
  if (read(worker.fd, &message, sizeof(message)) != sizeof(message))
    return ended(index);
  worker.busy = message.phase == Message::kStarted;
  worker.test = message.test;
  worker.started = Clock::now();
  if (!worker.busy)
    outcomes[message.test] = {static_cast<Phase>(message.phase), message.text};
}

void Shards::ended(unsigned index) {
  Worker &worker = workers[index];
  close(worker.fd);
  worker.fd = -1;
  int status = 0;
  waitpid(worker.pid, &status, 0);
  if (!worker.busy)
    return;
  bool late = Clock::now() - worker.started >= std::chrono::seconds(options.timeoutSeconds);
  std::string text = late                  ? "no end after " + std::to_string(options.timeoutSeconds) + " s"
                     : WIFSIGNALED(status) ? std::string("ended by ") + strsignal(WTERMSIG(status))
                                           : "ended with " + std::to_string(WEXITSTATUS(status));
  outcomes[worker.test] = {Phase::Crashed, text};
  start(index);
}

} // namespace

std::vector<Outcome> runShards(size_t count, const ShardOptions &options,
                               const std::function<Outcome(size_t test, unsigned worker)> &body) {
  return Shards(count, options, body).run();
}

} // namespace heddle::onnx_tests
