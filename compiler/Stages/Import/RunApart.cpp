// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/RunApart.h"

#include "llvm/Support/FileSystem.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <iterator>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir::heddle;

namespace {

constexpr int kOutput = 3, kAlive = 4; // file descriptors of the copy

// A file descriptor that is closed with it.
class Descriptor {
public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  ~Descriptor() { reset(-1); }
  void reset(int number) {
    if (number_ >= 0)
      close(number_);
    number_ = number;
  }
  int get() const { return number_; }

private:
  int number_;
};

#if defined(__x86_64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_AARCH64;
#elif defined(__riscv) && __riscv_xlen == 64
constexpr unsigned kArchitecture = AUDIT_ARCH_RISCV64;
#else
constexpr unsigned kArchitecture = 0; // limits alone
#endif

// From here on every call of the system but those for memory and for files that are open fails.
void allowOnlyMemoryAndOutput() {
  constexpr unsigned kAllowed[] = {
      SYS_read,       SYS_write,         SYS_writev,         SYS_lseek,        SYS_mmap,        SYS_munmap,
      SYS_mremap,     SYS_mprotect,      SYS_madvise,        SYS_brk,          SYS_futex,       SYS_exit,
      SYS_exit_group, SYS_rt_sigaction,  SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack, SYS_getpid,
      SYS_gettid,     SYS_clock_gettime, SYS_fstat,          SYS_getrandom,    SYS_sched_yield};
  constexpr size_t kCount = std::size(kAllowed);
  if (!kArchitecture)
    return;
  auto load = [](size_t offset) {
    return sock_filter(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(offset)));
  };
  auto give = [](unsigned answer) { return sock_filter(BPF_STMT(BPF_RET | BPF_K, answer)); };
  sock_filter filter[kCount + 6] = {load(offsetof(seccomp_data, arch)),
                                    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0),
                                    give(SECCOMP_RET_KILL_PROCESS), load(offsetof(seccomp_data, nr))};
  for (size_t i = 0; i < kCount; ++i)
    filter[4 + i] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kAllowed[i], static_cast<unsigned char>(kCount - i), 0);
  filter[4 + kCount] = give(SECCOMP_RET_ERRNO | EPERM);
  filter[5 + kCount] = give(SECCOMP_RET_ALLOW);
  sock_fprog program = {kCount + 6, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program); // a kernel without it leaves the limits
}

void limit(__rlimit_resource_t what, uint64_t bytes) {
  rlimit now = {};
  getrlimit(what, &now);
  rlim_t value = std::min<rlim_t>(bytes, now.rlim_max);
  rlimit wanted = {value, value};
  setrlimit(what, &wanted);
}

// Bytes of address space that this process has.
uint64_t addressSpace() {
  unsigned long long pages = 0;
  if (std::FILE *file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%llu", &pages) != 1)
      pages = 0;
    std::fclose(file);
  }
  return pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

// What the copy gives up before it works.
void enclose(const ApartLimits &limits, uint64_t space, int output, int alive) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // How it crashes is not for the user; LLVM's handlers would print a stack.
  for (int number : {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGXCPU, SIGXFSZ, SIGSYS})
    std::signal(number, SIG_DFL);
  // Neither of the two may lie where the other goes.
  output = fcntl(output, F_DUPFD, 64);
  alive = fcntl(alive, F_DUPFD, 64);
  int nowhere = open("/dev/null", O_RDWR);
  for (int standard : {0, 1, 2})
    if (dup2(nowhere, standard) < 0)
      close(standard);
  if (dup2(output, kOutput) < 0 || dup2(alive, kAlive) < 0)
    _exit(1);
#ifdef SYS_close_range
  syscall(SYS_close_range, kAlive + 1, ~0u, 0);
#endif
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, limits.seconds);
  limit(RLIMIT_FSIZE, limits.output);
  limit(RLIMIT_NOFILE, 0);
  if (limits.memory && space)
    limit(RLIMIT_AS, space + limits.memory);
  allowOnlyMemoryAndOutput();
}

[[noreturn]] void workApart(llvm::function_ref<void(llvm::raw_ostream &)> work) {
  bool failed;
  {
    llvm::raw_fd_ostream os(kOutput, /*shouldClose=*/false);
    os.SetBufferSize(1 << 20);
    work(os);
    os.flush();
    failed = os.has_error();
    os.clear_error();
  }
  _exit(failed ? 1 : 0);
}

// Whether the copy, which holds the other end of the pipe `alive`, ends by itself.
bool waitFor(int alive, unsigned seconds) {
  using Clock = std::chrono::steady_clock;
  auto end = Clock::now() + std::chrono::seconds(seconds);
  while (true) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd file = {alive, POLLIN, 0};
    int ready = poll(&file, 1, static_cast<int>(std::max<long long>(left, 0)));
    if (ready > 0)
      return true;
    if (ready == 0 || errno != EINTR)
      return false;
  }
}

Apart notStarted() {
  Apart apart;
  apart.why = std::strerror(errno);
  return apart;
}

} // namespace

Apart mlir::heddle::runApart(const ApartLimits &limits, llvm::function_ref<void(llvm::raw_ostream &)> work) {
  Descriptor output(memfd_create("heddle-apart", MFD_CLOEXEC)), waits, alive;
  int ends[2];
  if (output.get() < 0 || pipe2(ends, O_CLOEXEC) != 0)
    return notStarted();
  waits.reset(ends[0]);
  alive.reset(ends[1]);
  uint64_t space = addressSpace();
  pid_t child = fork();
  if (child < 0)
    return notStarted();
  if (child == 0) {
    enclose(limits, space, output.get(), alive.get());
    workApart(work);
  }
  alive.reset(-1);
  bool ended = waitFor(waits.get(), 20 * limits.seconds);
  if (!ended)
    kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  Apart apart;
  if (!ended || (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL)))
    apart.end = Apart::End::TooLong;
  else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    apart.end = Apart::End::Crashed;
  else if (auto buffer = llvm::MemoryBuffer::getOpenFile(output.get(), "heddle-apart", /*FileSize=*/-1)) {
    apart.end = Apart::End::Done;
    apart.output = std::move(*buffer);
  }
  return apart;
}
