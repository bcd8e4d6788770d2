// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a compilation depends on besides its inputs: the program that compiles, its libraries, the processor.
#ifndef HEDDLE_TOOLS_CACHE_IDENTITY_H
#define HEDDLE_TOOLS_CACHE_IDENTITY_H

#include <string>
#include <utility>
#include <vector>

namespace heddle::tools {

// The content of an ELF file in few bytes: its build id, which the linker computes from all that it writes; without one
// the digest of the file. Throws Failure.
std::string identifyBinary(const std::string &path);

// The shared libraries of this process, each with its identity. What the kernel maps (vdso) is not among them.
std::vector<std::pair<std::string, std::string>> identifyLibraries();

// The kind of this machine's first processor and all features that the system lists: what `host` means to a compiler.
// Throws Failure where the system does not say.
std::string identifyProcessor();

// Of the environment: what decides which libraries a program gets.
std::string identifyEnvironment();

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_CACHE_IDENTITY_H
