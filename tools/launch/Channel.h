// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the watcher of a rank tells the launcher, over a socket of this machine that keeps messages apart: that the rank
// started, what it printed, how it ended. The kernel says the rest: a socket that closes without an end is a watcher
// that was killed.
#ifndef HEDDLE_TOOLS_LAUNCH_CHANNEL_H
#define HEDDLE_TOOLS_LAUNCH_CHANNEL_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace heddle::tools {

// The launcher's socket, for its watchers.
inline constexpr const char *kLaunchSocketVariable = "HEDDLE_LAUNCH_SOCKET";

enum class Said : uint32_t { Started, Output, Error, Ended };

struct Message {
  Said what = Said::Started;
  uint32_t rank = 0;
  int32_t process = 0; // Started: the rank; the watcher is known by the socket
  int32_t status = 0;  // Ended: as waitpid() gives it
  uint64_t timeNs = 0; // CLOCK_MONOTONIC
  std::string text;    // Output, Error: at most kMostText bytes, not always a line
  static constexpr size_t kMostText = 16384;
};

// One end of a connection. Owns the descriptor.
class Channel {
public:
  explicit Channel(int fd) : fd_(fd) {}
  Channel(Channel &&other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  Channel &operator=(Channel &&other) noexcept;
  ~Channel();

  int fd() const { return fd_; }
  // False when the other side is gone. Blocks while the other side does not read.
  bool send(const Message &message) const;
  // Without waiting; nothing: the other side is gone, or nothing is there (`pending` tells which).
  std::optional<Message> receive(bool &pending) const;
  // The process at the other end; 0 where the system does not say.
  pid_t peer() const;

private:
  int fd_;
};

// Throws Failure.
int listenAt(const std::string &path);
int connectTo(const std::string &path);

uint64_t nowNs();

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_LAUNCH_CHANNEL_H
