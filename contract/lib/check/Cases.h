// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cases that an entry point is checked in: sizes of named dimensions and free axes, answers of devices, what data
// tell. All of them where they are few and known, else a choice that is the same in every run.
#ifndef HEDDLE_CONTRACT_LIB_CHECK_CASES_H
#define HEDDLE_CONTRACT_LIB_CHECK_CASES_H

#include "Program.h"
#include "heddle/contract/ProgramCheck.h"

namespace heddle::contract::check {

struct Cases {
  std::vector<Case> all;
  bool isWhole = false; // no other case than these exists
};

// Of what the request leaves open. At least one.
Cases casesOf(const Program &program, const Code &entry, const CheckRequest &request);

// More of them, by a seed, for a program that refuses those above by its own checks of sizes.
Case randomCase(const Program &program, const Code &entry, const CheckRequest &request, uint64_t seed);

} // namespace heddle::contract::check

#endif // HEDDLE_CONTRACT_LIB_CHECK_CASES_H
