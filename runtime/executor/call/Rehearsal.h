// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a program computes before it reads from a device, without its work: an abstract run of ScalarMachine ahead of a
// call that writes memory which outlives it. It refuses what can be refused while nothing is written yet: storage of
// the caller that is too small for a result whose size the arguments tell.
//
// Follows the program's scalars, and nothing else, as far as no branch asks for what a device computes and up to the
// first jump back: each instruction at most once. Changes nothing that a call sees. One thread.
//
//   HEDDLE_RETURN_IF_ERROR(rehearsal.run(frame.scalars, results));
#ifndef HEDDLE_RUNTIME_EXECUTOR_CALL_REHEARSAL_H
#define HEDDLE_RUNTIME_EXECUTOR_CALL_REHEARSAL_H

#include "runtime/executor/call/Results.h"

#include <optional>

namespace heddle {

class Rehearsal {
public:
  // Both are borrowed.
  Rehearsal(const fb::Module &module, const Function &function) : module_(module), function_(function) {}
  // Some call of the function can fail too late: it writes state or donated memory in place.
  bool isNeeded() const;
  // With registers as the call begins. The failure is what the call's would be (Results::checkRoom), location and all.
  Status run(std::span<const int64_t> scalars, const Results &results);

private:
  Status step(const Head &head, const Results &results, const Head *&next);
  Status setResult(const SetResultOp &op, const Results &results) const;

  const fb::Module &module_;
  const Function &function_;
  std::vector<std::optional<int64_t>> known_; // by scalar register; kept, so that a warm call allocates nothing
};

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_CALL_REHEARSAL_H
