// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/LaunchedRank.h"

#include <charconv>
#include <cstdlib>
#include <cstring>

namespace heddle {
namespace {

using Launcher = LaunchedRank::Launcher;

// The variables of one launcher. Both of the first two must be there.
struct Variables {
  Launcher launcher;
  const char *rank, *size, *localRank, *localSize;
  const char *besides; // must be there, too: names like RANK alone say little
};
constexpr Variables kLaunchers[] = {
    {Launcher::OpenMpi, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
     "OMPI_COMM_WORLD_LOCAL_SIZE", nullptr},
    {Launcher::Pmi, "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS", nullptr},
    {Launcher::Slurm, "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", nullptr, "SLURM_STEP_ID"},
    {Launcher::Torchrun, "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_ADDR"},
};

// Leaves `to` as it is where the variable is absent.
Status read(const Environment &environment, const char *name, uint32_t &to) {
  const char *text = name ? environment(name) : nullptr;
  if (!text)
    return Status();
  uint32_t value = 0;
  auto [end, error] = std::from_chars(text, text + std::strlen(text), value);
  if (error != std::errc() || *end || end == text || value > uint32_t{INT32_MAX})
    return Status(StatusCode::InvalidArgument, "the launcher's variable " + std::string(name) +
                                                   " must be a number that is not negative, got '" + text + "'");
  to = value;
  return Status();
}

Status checkBelow(const char *rankName, uint32_t rank, const char *sizeName, uint32_t size) {
  if (rank < size)
    return Status();
  return Status(StatusCode::InvalidArgument, "the launcher's variable " + std::string(rankName) + " must be below " +
                                                 (sizeName ? sizeName : "the number of ranks") + ", got " +
                                                 std::to_string(rank) + " and " + std::to_string(size));
}

} // namespace

const char *spelling(Launcher launcher) {
  switch (launcher) {
  case Launcher::OpenMpi: return "mpirun of Open MPI";
  case Launcher::Pmi: return "mpiexec";
  case Launcher::Slurm: return "srun";
  case Launcher::Torchrun: return "torchrun";
  }
  return "";
}

StatusOr<std::optional<LaunchedRank>> launchedRank(const Environment &environment) {
  for (const Variables &variables : kLaunchers) {
    if (!environment(variables.rank) || !environment(variables.size) ||
        (variables.besides && !environment(variables.besides)))
      continue;
    LaunchedRank out{variables.launcher};
    HEDDLE_RETURN_IF_ERROR(read(environment, variables.rank, out.rank));
    HEDDLE_RETURN_IF_ERROR(read(environment, variables.size, out.size));
    HEDDLE_RETURN_IF_ERROR(checkBelow(variables.rank, out.rank, variables.size, out.size));
    HEDDLE_RETURN_IF_ERROR(read(environment, variables.localRank, out.localRank));
    out.localSize = out.localRank + 1;
    HEDDLE_RETURN_IF_ERROR(read(environment, variables.localSize, out.localSize));
    HEDDLE_RETURN_IF_ERROR(checkBelow(variables.localRank, out.localRank, variables.localSize, out.localSize));
    return std::optional(out);
  }
  return std::optional<LaunchedRank>();
}

StatusOr<std::optional<LaunchedRank>> launchedRank() {
  return launchedRank([](const char *name) -> const char * { return std::getenv(name); });
}

} // namespace heddle
