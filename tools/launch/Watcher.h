// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The process between an MPI's mpiexec and a rank: starts the rank, hands its output to the launcher, and tells at once
// how it ended, which mpiexec does in a way of its own or not at all. A rank that fails stays known to mpiexec as
// running until the launcher lets the watcher go, so that the other ranks can say what they have to say.
#ifndef HEDDLE_TOOLS_LAUNCH_WATCHER_H
#define HEDDLE_TOOLS_LAUNCH_WATCHER_H

namespace heddle::tools {

// `program`: path or name and arguments of the rank, ended by null. Returns the exit status that mpiexec is to see: the
// rank's, or 128 and the signal's number. The rank does not outlive its watcher, nor the watcher the launcher.
int watchRank(char *const *program);

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_LAUNCH_WATCHER_H
