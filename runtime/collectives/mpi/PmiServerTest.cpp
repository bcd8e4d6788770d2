// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/collectives/mpi/PmiServer.h"

#include <arpa/inet.h>
#include <cerrno>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace heddle;
using namespace heddle::collectives;
using namespace std::chrono_literals;

namespace {

PmiEndpoint local(uint32_t ranks) { return {"127.0.0.1", 0, ranks, "job.0"}; }

class Client {
public:
  explicit Client(uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    ::inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<sockaddr *>(&address), sizeof(address)), 0);
    const timeval limit = {5, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  }
  ~Client() { ::close(socket_); }

  void say(const std::string &text) {
    EXPECT_EQ(::send(socket_, text.data(), text.size(), MSG_NOSIGNAL), ssize_t(text.size()));
  }
  // The next line; "" where the connection is over.
  std::string hear() {
    std::string line;
    for (char c; ::recv(socket_, &c, 1, 0) == 1 && c != '\n';)
      line += c;
    return line;
  }
  std::string ask(const std::string &line) {
    say(line + "\n");
    return hear();
  }
  // Asks and asks, and reads nothing. Whether the server ends the connection.
  bool flood() {
    const timeval limit = {5, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
    std::string text;
    while (text.size() < 1 << 16)
      text += "cmd=get_maxes\n";
    ssize_t sent = 0;
    for (int i = 0; i < 10000 && sent >= 0; ++i)
      sent = ::send(socket_, text.data(), text.size() / 14 * 14, MSG_NOSIGNAL);
    return sent < 0 && (errno == EPIPE || errno == ECONNRESET);
  }
  void join(int rank) {
    EXPECT_EQ(ask("cmd=initack pmiid=" + std::to_string(rank)), "cmd=initack rc=0");
    hear(); // size
    EXPECT_EQ(hear(), "cmd=set rank=" + std::to_string(rank));
    hear(); // debug
  }

private:
  int socket_;
};

TEST(PmiServer, RanksMeet) {
  StatusOr<std::unique_ptr<PmiServer>> server = PmiServer::start(local(2));
  ASSERT_TRUE(server.ok());
  Client first((*server)->port()), second((*server)->port());
  first.join(0), second.join(1);
  EXPECT_EQ(first.ask("cmd=put kvsname=heddle key=a value=x y=z "), "cmd=put_result rc=0 msg=success");
  first.say("cmd=barrier_in\n");
  EXPECT_EQ(second.ask("cmd=barrier_in"), "cmd=barrier_out rc=0");
  EXPECT_EQ(first.hear(), "cmd=barrier_out rc=0");
  EXPECT_EQ(second.ask("cmd=get kvsname=heddle key=a"), "cmd=get_result rc=0 msg=success value=x y=z ");
  EXPECT_EQ(second.ask("cmd=get kvsname=heddle key=b"), "cmd=get_result rc=-1 msg=key_not_found value=unknown");
  EXPECT_EQ(first.ask("cmd=finalize"), "cmd=finalize_ack rc=0");
  EXPECT_EQ(second.ask("cmd=finalize"), "cmd=finalize_ack rc=0");
}

// Lines in pieces, several at once, and nonsense: only its own connection ends.
TEST(PmiServer, BadInput) {
  StatusOr<std::unique_ptr<PmiServer>> server = PmiServer::start(local(1));
  ASSERT_TRUE(server.ok());
  for (const std::string &text : {std::string("GET / HTTP/1.1\n"), std::string("cmd=put key=a value=b\n"),
                                  std::string("cmd=initack pmiid=1\n"), std::string("cmd=initack pmiid=x\n"),
                                  std::string(100000, 'x'), std::string("\n"), std::string(1, '\0') + "\n"}) {
    Client client((*server)->port());
    client.say(text);
    EXPECT_EQ(client.hear(), "") << text.substr(0, 40);
  }
  Client good((*server)->port());
  good.say("cmd=init");
  good.say("ack pmiid=0\ncmd=init pmi_version=1 pmi_subversion=1\ncmd=spawn\n");
  for (const char *line :
       {"cmd=initack rc=0", "cmd=set size=1", "cmd=set rank=0", "cmd=set debug=0",
        "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0", "cmd=spawn_result rc=-1 msg=not_supported"})
    EXPECT_EQ(good.hear(), line);
  Client twin((*server)->port());
  EXPECT_EQ(twin.ask("cmd=initack pmiid=0"), "");
}

// Who does not read, and many who say nothing, keep nobody else from being served.
TEST(PmiServer, NobodyHoldsItUp) {
  StatusOr<std::unique_ptr<PmiServer>> server = PmiServer::start(local(2));
  ASSERT_TRUE(server.ok());
  Client deaf((*server)->port());
  deaf.join(0);
  EXPECT_TRUE(deaf.flood());
  std::vector<std::unique_ptr<Client>> silent;
  for (int i = 0; i < 100; ++i)
    silent.push_back(std::make_unique<Client>((*server)->port()));
  EXPECT_EQ(silent.front()->hear(), ""); // gave way
  EXPECT_EQ(silent.back()->ask("cmd=initack pmiid=1"), "cmd=initack rc=0");
}

TEST(PmiServer, ForkedChildLeavesIt) {
  StatusOr<std::unique_ptr<PmiServer>> server = PmiServer::start(local(1));
  ASSERT_TRUE(server.ok());
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(5);
    server->reset();
    ::_exit(0);
  }
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  PmiEndpoint endpoint = local(1);
  endpoint.port = (*server)->port();
  EXPECT_TRUE(awaitPmiServer(endpoint, 1s).ok());
  Client last(endpoint.port);
  last.join(0);
}

TEST(PmiServer, OtherJobsAreSentAway) {
  StatusOr<std::unique_ptr<PmiServer>> server = PmiServer::start(local(1));
  ASSERT_TRUE(server.ok());
  PmiEndpoint endpoint = local(1);
  endpoint.port = (*server)->port();
  EXPECT_TRUE(awaitPmiServer(endpoint, 5s).ok());
  StatusOr<std::unique_ptr<PmiServer>> taken = PmiServer::start(endpoint);
  EXPECT_FALSE(taken.ok());
  endpoint.job = "another";
  const Status other = awaitPmiServer(endpoint, 5s);
  EXPECT_NE(other.message().find("the ranks of another job meet (job.0); set HEDDLE_PMI_PORT"), std::string::npos)
      << other.message();
  Client last((*server)->port()); // so that the server need not wait
  last.join(0);
}

TEST(PmiServer, NobodyAnswers) {
  PmiEndpoint endpoint = local(2);
  {
    StatusOr<std::unique_ptr<PmiServer>> server = PmiServer::start(local(1));
    ASSERT_TRUE(server.ok());
    endpoint.port = (*server)->port();
    Client last(endpoint.port);
    last.join(0);
  }
  EXPECT_NE(awaitPmiServer(endpoint, 100ms).message().find("rank 0 does not answer at 127.0.0.1:"), std::string::npos);
}

} // namespace
