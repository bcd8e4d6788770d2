// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/launch/Channel.h"

#include "tools/lib/Error.h"

#include <cerrno>
#include <cstring>
#include <ctime>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

namespace heddle::tools {
namespace {

struct Header {
  uint32_t what, rank;
  int32_t process, status;
  uint64_t timeNs;
};

struct sockaddr_un addressOf(const std::string &path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path))
    throw Failure("the path '" + path + "' is too long for a socket; set TMPDIR to a shorter folder");
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

int newSocket() {
  int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (fd < 0)
    throw Failure(std::string("cannot make a socket: ") + std::strerror(errno));
  return fd;
}

} // namespace

Channel &Channel::operator=(Channel &&other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

Channel::~Channel() {
  if (fd_ >= 0)
    close(fd_);
}

bool Channel::send(const Message &message) const {
  Header header{static_cast<uint32_t>(message.what), message.rank, message.process, message.status, message.timeNs};
  iovec parts[2] = {{&header, sizeof(header)}, {const_cast<char *>(message.text.data()), message.text.size()}};
  msghdr whole{};
  whole.msg_iov = parts;
  whole.msg_iovlen = 2;
  ssize_t sent;
  do
    sent = sendmsg(fd_, &whole, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent >= 0;
}

std::optional<Message> Channel::receive(bool &pending) const {
  Header header{};
  Message out;
  out.text.resize(Message::kMostText);
  iovec parts[2] = {{&header, sizeof(header)}, {out.text.data(), out.text.size()}};
  msghdr whole{};
  whole.msg_iov = parts;
  whole.msg_iovlen = 2;
  ssize_t got = recvmsg(fd_, &whole, MSG_DONTWAIT);
  pending = got < 0 && (errno == EAGAIN || errno == EINTR);
  if (got < static_cast<ssize_t>(sizeof(header)))
    return std::nullopt;
  out.what = static_cast<Said>(header.what);
  out.rank = header.rank;
  out.process = header.process;
  out.status = header.status;
  out.timeNs = header.timeNs;
  out.text.resize(static_cast<size_t>(got) - sizeof(header));
  return out;
}

pid_t Channel::peer() const {
  ucred credentials{};
  socklen_t bytes = sizeof(credentials);
  return getsockopt(fd_, SOL_SOCKET, SO_PEERCRED, &credentials, &bytes) == 0 ? credentials.pid : 0;
}

int listenAt(const std::string &path) {
  sockaddr_un address = addressOf(path);
  int fd = newSocket();
  if (bind(fd, reinterpret_cast<sockaddr *>(&address), sizeof(address)) != 0 || listen(fd, 4096) != 0)
    throw Failure("cannot listen at '" + path + "': " + std::strerror(errno));
  return fd;
}

int connectTo(const std::string &path) {
  sockaddr_un address = addressOf(path);
  int fd = newSocket();
  if (connect(fd, reinterpret_cast<sockaddr *>(&address), sizeof(address)) != 0)
    throw Failure("cannot reach the launcher at '" + path + "': " + std::strerror(errno) +
                  "; heddle launch starts ranks on this machine only");
  return fd;
}

uint64_t nowNs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

} // namespace heddle::tools
