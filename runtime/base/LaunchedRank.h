// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which rank of how many this process is, by the environment that its launcher made: Open MPI's mpirun, anything that
// speaks PMI (MPICH, Intel MPI, srun --mpi=pmi2), srun, torchrun. Pure: variables in, numbers out; nothing is asked of
// a library.
#ifndef HEDDLE_RUNTIME_BASE_LAUNCHEDRANK_H
#define HEDDLE_RUNTIME_BASE_LAUNCHEDRANK_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <functional>
#include <optional>

namespace heddle {

struct LaunchedRank {
  enum class Launcher { OpenMpi, Pmi, Slurm, Torchrun };

  Launcher launcher = Launcher::Pmi;
  uint32_t rank = 0, size = 1;           // in the world
  uint32_t localRank = 0, localSize = 1; // among those of this machine; where nobody says, it is alone on it
};

// "mpirun of Open MPI", "mpiexec", "srun", "torchrun"
const char *spelling(LaunchedRank::Launcher launcher);

using Environment = std::function<const char *(const char *)>; // getenv()

// Nothing: no launcher started this process. InvalidArgument names the variable: a number is none, or the rank is not
// below the size. A job's script itself, which Slurm starts once, is no rank.
StatusOr<std::optional<LaunchedRank>> launchedRank(const Environment &environment);
// Of this process.
StatusOr<std::optional<LaunchedRank>> launchedRank();

} // namespace heddle

#endif // HEDDLE_RUNTIME_BASE_LAUNCHEDRANK_H
