// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The launcher's side of PMI for processes that another launcher than MPI's started: torchrun's. MPI asks its launcher
// who is there, over a socket and lines of text (PMI 1: "cmd=put kvsname=… key=… value=…"); rank 0 answers in its
// stead. MPICH and what descends from it find it by $PMI_PORT and $PMI_ID.
//
//   if (launched.launcher == LaunchedRank::Launcher::Torchrun)
//     HEDDLE_RETURN_IF_ERROR(joinTorchrun(launched));   // then MPI_Init
//
// Source: "PMI: A Scalable Parallel Process-Management Interface for Extreme-Scale Systems", Balaji et al., 2010, and
// what MPICH 4.0 and 5.0 say to their launchers.
#ifndef HEDDLE_RUNTIME_COLLECTIVES_MPI_PMISERVER_H
#define HEDDLE_RUNTIME_COLLECTIVES_MPI_PMISERVER_H

#include "runtime/base/LaunchedRank.h"

#include <chrono>
#include <memory>
#include <string>
#include <sys/types.h>
#include <thread>

namespace heddle::collectives {

// Who asks, and where rank 0 listens.
struct PmiEndpoint {
  std::string address; // IPv4, as numbers
  uint16_t port = 0;   // 0: any that is free
  uint32_t ranks = 1;
  std::string job; // the ranks of another job are sent away; without blanks
};

// Answers `ranks` processes on a thread of its own until each has said that it is done, or has gone. A line that is no
// PMI, or too long, ends that connection only, and so does who does not read the answers.
class PmiServer {
public:
  // Io: the port is taken, or the address is not of this machine.
  static StatusOr<std::unique_ptr<PmiServer>> start(const PmiEndpoint &endpoint);
  // Waits up to five seconds for ranks that are not done; in the child of a fork for nobody.
  ~PmiServer();

  uint16_t port() const { return port_; }

private:
  PmiServer() = default;

  int listener_ = -1, wake_[2] = {-1, -1};
  pid_t process_ = 0; // whose thread it is
  uint16_t port_ = 0;
  std::thread thread_;
};

// Returns when a server of the job answers there. Io after `patience`, or at once where that of
// another job does.
Status awaitPmiServer(const PmiEndpoint &endpoint, std::chrono::milliseconds patience);

// Makes this process of torchrun's one that MPI can start: rank 0 serves at $MASTER_ADDR and the port after
// $MASTER_PORT, or $HEDDLE_PMI_PORT; the others wait for it, a minute at most. Sets $PMI_PORT and $PMI_ID. Once per
// process; the server lives until it ends. InvalidArgument names a variable that is absent or no number.
Status joinTorchrun(const LaunchedRank &launched);

} // namespace heddle::collectives

#endif // HEDDLE_RUNTIME_COLLECTIVES_MPI_PMISERVER_H
