// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks that are processes which an MPI launcher started. MPI moves messages between two ranks; the collectives are our
// own on top: the members' values are reduced in the order of ranks, by the code that threads use, so the bits are
// those of a local world. Every wait is a loop that also listens for other ranks' failures, so that nobody hangs in
// MPI.
//
//   StatusOr<std::unique_ptr<Group>> world = createMpiWorld({});
#ifndef HEDDLE_RUNTIME_COLLECTIVES_MPI_MPIGROUP_H
#define HEDDLE_RUNTIME_COLLECTIVES_MPI_MPIGROUP_H

#include "runtime/collectives/Group.h"

namespace heddle::collectives {

struct MpiOptions {
  std::string library; // a file; empty: the first that is found (MpiLibrary.h)
};

// This process's rank of MPI_COMM_WORLD; every call gives one more group of it, and all ranks call alike. Starts MPI
// unless the process has, with MPI_THREAD_MULTIPLE or _SERIALIZED, and ends it when the process ends. Unsupported says
// what to install.
//
// When a process ends, it says so: who waits for it afterwards fails. When it ends after a failure, it first gives the
// others up to five seconds to notice, then ends them (MPI_Abort). Threads of the process may use groups at once.
//
// After a failed run() what was to be received has ended; a large source may still be read for as long as MPI takes to
// see that nobody wants it, a second at most.
StatusOr<std::unique_ptr<Group>> createMpiWorld(const MpiOptions &options);

} // namespace heddle::collectives

#endif // HEDDLE_RUNTIME_COLLECTIVES_MPI_MPIGROUP_H
