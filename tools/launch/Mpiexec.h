// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program of an MPI that starts ranks: where it is, and what it must be told.
#ifndef HEDDLE_TOOLS_LAUNCH_MPIEXEC_H
#define HEDDLE_TOOLS_LAUNCH_MPIEXEC_H

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace heddle::tools {

// The one that is `asked` for; without that (""), in this order: $HEDDLE_MPIEXEC, that of the library or folder
// $HEDDLE_MPI, that of the Python environment that is active ($VIRTUAL_ENV) or that `self`, this program, is installed
// in, that on $PATH. Throws Failure: none is there, with what to install, or the one named is no program. `variable` is
// getenv().
std::string findMpiexec(const std::string &asked, const std::string &self,
                        const std::function<const char *(const char *)> &variable);

// Variables with which Open MPI starts more ranks than there are cores, and starts them for root; others do not read
// them. What the user has set stays.
void setMpiexecVariables();

// The folder of the library that belongs to an mpiexec, PREFIX/lib beside PREFIX/bin; "": there is none in it.
std::string libraryFolderOf(const std::string &mpiexec);

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_LAUNCH_MPIEXEC_H
