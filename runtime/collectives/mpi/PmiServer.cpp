// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/collectives/mpi/PmiServer.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <netdb.h>
#include <netinet/in.h>
#include <optional>
#include <poll.h>
#include <set>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace heddle::collectives {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

constexpr size_t kLongestLine = 8192;
constexpr ptrdiff_t kMostStrangers = 64; // connections that have not said which rank they are of
constexpr auto kGrace = 5s;              // for ranks that end after rank 0
constexpr auto kPatience = 60s;          // for rank 0 to come
constexpr auto kBetweenTries = 50ms;

Status ioError(const std::string &what) { return Status(StatusCode::Io, what + ": " + std::strerror(errno)); }

// The value of `key=` in a line of words; of the last one up to the end of the line.
std::optional<std::string> valueOf(std::string_view line, std::string_view key, bool isLast = false) {
  const std::string wanted = std::string(key) + "=";
  for (size_t at = line.find(wanted); at != std::string_view::npos; at = line.find(wanted, at + 1))
    if (at == 0 || line[at - 1] == ' ') {
      const std::string_view rest = line.substr(at + wanted.size());
      return std::string(isLast ? rest : rest.substr(0, rest.find(' ')));
    }
  return std::nullopt;
}

std::optional<uint32_t> numberOf(std::string_view text) {
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty() ? std::optional(value)
                                                                                   : std::nullopt;
}

// Waits for nobody: false also where the other side does not read what it has asked for.
bool sendAll(int socket, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = ::send(socket, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent <= 0)
      return false;
    text.remove_prefix(size_t(sent));
  }
  return true;
}

// What a PMI server knows, and what it says to each line. One thread.
class Conversation {
public:
  explicit Conversation(const PmiEndpoint &endpoint) : endpoint_(endpoint) {}

  struct Client {
    int socket;
    std::string unread;
    std::optional<uint32_t> rank;
    bool isWaiting = false;
  };
  std::vector<Client> clients;

  // Whether every rank has been here and has gone.
  bool isOver() const { return gone_ == endpoint_.ranks; }

  // Reads what has come. False: the connection is over.
  bool read(Client &client) {
    char bytes[4096];
    const ssize_t count = ::recv(client.socket, bytes, sizeof(bytes), 0);
    if (count <= 0)
      return false;
    client.unread.append(bytes, size_t(count));
    for (size_t end; (end = client.unread.find('\n')) != std::string::npos;) {
      const std::string line = client.unread.substr(0, end);
      client.unread.erase(0, end + 1);
      if (!answer(client, line))
        return false;
    }
    return client.unread.size() <= kLongestLine;
  }

  // The one of the strangers that has said nothing for longest gives way.
  void add(int socket) {
    const auto isStranger = [](const Client &client) { return !client.rank; };
    if (std::ranges::count_if(clients, isStranger) == kMostStrangers) {
      const auto oldest = std::ranges::find_if(clients, isStranger);
      drop(*oldest);
      clients.erase(oldest);
    }
    clients.push_back({socket, {}, {}});
  }

  void drop(Client &client) {
    ::close(client.socket);
    gone_ += client.rank.has_value();
  }

private:
  bool answer(Client &client, const std::string &line) {
    const std::optional<std::string> command = valueOf(line, "cmd");
    const auto say = [&](const std::string &text) { return sendAll(client.socket, "cmd=" + text + "\n"); };
    if (!command)
      return false;
    if (*command == "heddle_job") // our own question, before MPI asks
      return say("heddle_job job=" + endpoint_.job) && false;
    if (*command == "initack")
      return begin(client, line);
    if (!client.rank)
      return false;
    if (*command == "init")
      return say("response_to_init pmi_version=1 pmi_subversion=1 rc=0");
    if (*command == "get_maxes")
      return say("maxes kvsname_max=256 keylen_max=64 vallen_max=1024");
    if (*command == "get_appnum")
      return say("appnum appnum=0");
    if (*command == "get_my_kvsname")
      return say("my_kvsname kvsname=heddle");
    if (*command == "get_universe_size")
      return say("universe_size size=" + std::to_string(endpoint_.ranks));
    if (*command == "put")
      return put(line) ? say("put_result rc=0 msg=success") : say("put_result rc=-1 msg=no_key_or_value");
    if (*command == "get")
      return get(client, line);
    if (*command == "barrier_in")
      return meet(client);
    if (*command == "finalize")
      return say("finalize_ack rc=0") && false;
    if (*command == "abort")
      return false;
    return say(*command + "_result rc=-1 msg=not_supported"); // spawning and publishing of names
  }

  bool begin(Client &client, const std::string &line) {
    const std::optional<std::string> id = valueOf(line, "pmiid");
    const std::optional<uint32_t> rank = id ? numberOf(*id) : std::nullopt;
    if (!rank || *rank >= endpoint_.ranks || client.rank || !joined_.insert(*rank).second)
      return false;
    client.rank = rank;
    return sendAll(client.socket, "cmd=initack rc=0\ncmd=set size=" + std::to_string(endpoint_.ranks) +
                                      "\ncmd=set rank=" + std::to_string(*rank) + "\ncmd=set debug=0\n");
  }

  bool put(const std::string &line) {
    const std::optional<std::string> key = valueOf(line, "key"), value = valueOf(line, "value", /*isLast=*/true);
    if (key && value)
      values_[*key] = *value;
    return key && value;
  }

  bool get(Client &client, const std::string &line) {
    const std::optional<std::string> key = valueOf(line, "key");
    const auto found = key ? values_.find(*key) : values_.end();
    return sendAll(client.socket, found == values_.end()
                                      ? "cmd=get_result rc=-1 msg=key_not_found value=unknown\n"
                                      : "cmd=get_result rc=0 msg=success value=" + found->second + "\n");
  }

  // Lets all go when the last one has come.
  bool meet(Client &client) {
    client.isWaiting = true;
    uint32_t waiting = 0;
    for (const Client &other : clients)
      waiting += other.isWaiting;
    if (waiting < endpoint_.ranks)
      return true;
    for (Client &other : clients)
      if (std::exchange(other.isWaiting, false))
        sendAll(other.socket, "cmd=barrier_out rc=0\n");
    return true;
  }

  PmiEndpoint endpoint_;
  std::map<std::string, std::string> values_;
  std::set<uint32_t> joined_;
  uint32_t gone_ = 0;
};

// Until all ranks have gone; once `wake` can be read, no longer than the grace.
void serve(int listener, int wake, const PmiEndpoint &endpoint) {
  Conversation conversation(endpoint);
  std::optional<Clock::time_point> end;
  while (!conversation.isOver() && (!end || Clock::now() < *end)) {
    std::vector<pollfd> sockets = {{listener, POLLIN, 0}, {end ? -1 : wake, POLLIN, 0}};
    for (const Conversation::Client &client : conversation.clients)
      sockets.push_back({client.socket, POLLIN, 0});
    if (::poll(sockets.data(), sockets.size(), end ? 50 : -1) < 0 && errno != EINTR)
      break;
    if (sockets[1].revents)
      end = Clock::now() + kGrace;
    for (size_t i = sockets.size(); i-- > 2;)
      if (sockets[i].revents && !conversation.read(conversation.clients[i - 2])) {
        conversation.drop(conversation.clients[i - 2]);
        conversation.clients.erase(conversation.clients.begin() + ptrdiff_t(i - 2));
      }
    if (sockets[0].revents)
      if (const int accepted = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC); accepted >= 0)
        conversation.add(accepted);
  }
  for (Conversation::Client &client : conversation.clients)
    conversation.drop(client);
}

sockaddr_in addressOf(const PmiEndpoint &endpoint) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(endpoint.port);
  ::inet_pton(AF_INET, endpoint.address.c_str(), &address.sin_addr);
  return address;
}

std::string spell(const PmiEndpoint &endpoint) { return endpoint.address + ":" + std::to_string(endpoint.port); }

// The job that a server there answers for; none where nobody answers.
std::optional<std::string> askJob(const PmiEndpoint &endpoint) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = addressOf(endpoint);
  const timeval limit = {2, 0};
  ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
  std::string text;
  if (!::connect(socket, reinterpret_cast<const sockaddr *>(&address), sizeof(address)) &&
      sendAll(socket, "cmd=heddle_job\n")) {
    char bytes[512];
    for (ssize_t count; text.size() < kLongestLine && (count = ::recv(socket, bytes, sizeof(bytes), 0)) > 0;)
      text.append(bytes, size_t(count));
  }
  ::close(socket);
  const size_t end = text.find('\n');
  return end == std::string::npos ? std::nullopt : valueOf(text.substr(0, end), "job");
}

StatusOr<std::string> resolve(const std::string &host) {
  addrinfo hints = {}, *found = nullptr;
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  if (const int error = ::getaddrinfo(host.c_str(), nullptr, &hints, &found))
    return Status(StatusCode::Io, "$MASTER_ADDR '" + host + "' has no IPv4 address: " + ::gai_strerror(error));
  char text[INET_ADDRSTRLEN] = "";
  ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in *>(found->ai_addr)->sin_addr, text, sizeof(text));
  ::freeaddrinfo(found);
  return std::string(text);
}

StatusOr<uint16_t> readPort(const char *name, uint32_t add) {
  const char *text = std::getenv(name);
  const std::optional<uint32_t> value = text ? numberOf(text) : std::nullopt;
  if (value && *value + add >= 1 && *value + add <= 65535)
    return uint16_t(*value + add);
  return Status(StatusCode::InvalidArgument, "torchrun's processes meet by $" + std::string(name) +
                                                 ", a port below 65535; got " +
                                                 (text ? "'" + std::string(text) + "'" : "none"));
}

} // namespace

StatusOr<std::unique_ptr<PmiServer>> PmiServer::start(const PmiEndpoint &endpoint) {
  std::unique_ptr<PmiServer> server(new PmiServer);
  server->listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  ::setsockopt(server->listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  sockaddr_in address = addressOf(endpoint);
  socklen_t length = sizeof(address);
  if (::bind(server->listener_, reinterpret_cast<const sockaddr *>(&address), length) ||
      ::listen(server->listener_, SOMAXCONN) || ::pipe2(server->wake_, O_CLOEXEC) ||
      ::getsockname(server->listener_, reinterpret_cast<sockaddr *>(&address), &length))
    return ioError("rank 0 cannot listen at " + spell(endpoint) + " for the others");
  server->port_ = ntohs(address.sin_port);
  server->process_ = ::getpid();
  server->thread_ = std::thread(serve, server->listener_, server->wake_[0], endpoint);
  return server;
}

PmiServer::~PmiServer() {
  if (process_ != ::getpid() && thread_.joinable()) {
    thread_.detach(); // the child of a fork has no such thread, and the parent's goes on
  } else if (thread_.joinable()) {
    const ssize_t written = ::write(wake_[1], "", 1);
    static_cast<void>(written);
    thread_.join();
  }
  for (int file : {listener_, wake_[0], wake_[1]})
    if (file >= 0)
      ::close(file);
}

Status awaitPmiServer(const PmiEndpoint &endpoint, std::chrono::milliseconds patience) {
  const Clock::time_point end = Clock::now() + patience;
  for (;;) {
    const std::optional<std::string> job = askJob(endpoint);
    if (job && *job == endpoint.job)
      return {};
    if (job)
      return Status(StatusCode::Io, "at " + spell(endpoint) + " the ranks of another job meet (" + *job +
                                        "); set HEDDLE_PMI_PORT to another port on all ranks");
    if (Clock::now() >= end)
      return Status(StatusCode::Io, "rank 0 does not answer at " + spell(endpoint) +
                                        "; it listens there once it has made its ranks; where the port is taken, set "
                                        "HEDDLE_PMI_PORT on all ranks");
    std::this_thread::sleep_for(kBetweenTries);
  }
}

Status joinTorchrun(const LaunchedRank &launched) {
  static std::unique_ptr<PmiServer> server;
  const char *host = std::getenv("MASTER_ADDR"), *job = std::getenv("TORCHELASTIC_RUN_ID"),
             *restart = std::getenv("TORCHELASTIC_RESTART_COUNT");
  StatusOr<uint16_t> port =
      std::getenv("HEDDLE_PMI_PORT") ? readPort("HEDDLE_PMI_PORT", 0) : readPort("MASTER_PORT", 1);
  if (!port.ok())
    return port.takeStatus();
  StatusOr<std::string> address = resolve(host ? host : "");
  if (!address.ok())
    return address.takeStatus();
  PmiEndpoint endpoint{*address, *port, launched.size, std::string(job ? job : "") + "." + (restart ? restart : "0")};
  for (char &c : endpoint.job)
    c = c <= ' ' || c == '=' ? '_' : c;
  if (launched.rank == 0) {
    StatusOr<std::unique_ptr<PmiServer>> started = PmiServer::start(endpoint);
    if (!started.ok())
      return Status(StatusCode::Io, started.status().message() + "; set HEDDLE_PMI_PORT to a free port on all ranks");
    server = std::move(*started);
  }
  HEDDLE_RETURN_IF_ERROR(awaitPmiServer(endpoint, kPatience));
  ::setenv("PMI_PORT", spell(endpoint).c_str(), 1);
  ::setenv("PMI_ID", std::to_string(launched.rank).c_str(), 1);
  return {};
}

} // namespace heddle::collectives
