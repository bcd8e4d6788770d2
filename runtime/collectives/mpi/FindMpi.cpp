// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/collectives/mpi/MpiLibrary.h"

#include "runtime/base/LaunchedRank.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>

#include <dlfcn.h>
#include <unistd.h>

namespace heddle::collectives {
namespace {

namespace fs = std::filesystem;

const char *environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

fs::path target(const fs::path &link) {
  std::error_code error;
  const fs::path path = fs::read_symlink(link, error);
  return error ? fs::path() : path;
}

bool isLaunched() {
  const StatusOr<std::optional<LaunchedRank>> launched = launchedRank();
  return launched.ok() && *launched;
}

// Whether ranks are found by PMIx alone (srun --mpi=pmix), of which Open MPI asks, and MPICH's wheels do not.
bool isByPmix() { return *environment("PMIX_NAMESPACE") && !*environment("PMI_RANK"); }

// Folders where a library may lie, best first.
std::vector<fs::path> folders() {
  std::vector<fs::path> found;
  const auto beside = [&](const fs::path &program) {
    if (!program.empty())
      found.push_back(program.parent_path().parent_path() / "lib");
  };
  if (isLaunched())
    beside(target("/proc/" + std::to_string(getppid()) + "/exe"));
  if (*environment("VIRTUAL_ENV"))
    found.push_back(fs::path(environment("VIRTUAL_ENV")) / "lib");
  std::error_code error;
  for (std::string path = environment("PATH"); !path.empty();) {
    const size_t end = std::min(path.find(':'), path.size());
    const fs::path program = fs::path(path.substr(0, end)) / "mpiexec";
    if (fs::exists(program, error))
      beside(program);
    path.erase(0, end + 1);
  }
  Dl_info own;
  if (dladdr(reinterpret_cast<void *>(&findMpi), &own) && own.dli_fname)
    for (fs::path above = fs::absolute(own.dli_fname, error).parent_path(); above.has_relative_path();
         above = above.parent_path())
      if (above.filename() == "lib")
        found.push_back(above);
  return found;
}

} // namespace

std::vector<std::string> findMpi() {
  std::vector<std::string> names = {"libmpi_abi.so.1", "libmpi_abi.so.0", "libmpi_abi.so",
                                    "libmpi.so.12",    "libmpich.so.12",  "libmpi.so.40"}; // libmpich: Debian's name
  if (*environment("OMPI_COMM_WORLD_SIZE"))
    std::rotate(names.begin(), names.end() - 1, names.end());
  std::vector<std::string> files;
  std::error_code error;
  const auto look = [&](const fs::path &folder) {
    for (const std::string &name : names)
      if (fs::exists(folder / name, error))
        files.push_back((folder / name).string());
  };
  const fs::path told = environment("HEDDLE_MPI");
  if (!told.empty()) { // nothing else then
    if (!fs::is_directory(told, error))
      return {told.string()};
    look(told);
    return files;
  }
  for (const fs::path &folder : folders())
    look(folder);
  files.insert(files.end(), names.begin(), names.end());
  if (!isByPmix())
    return files;
  std::vector<std::string> first;
  std::ranges::copy_if(files, std::back_inserter(first),
                       [](const std::string &file) { return file.ends_with("libmpi.so.40"); });
  first.insert(first.end(), files.begin(), files.end());
  return first;
}

} // namespace heddle::collectives
