// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of what the caller gives to an entry point. Pure but for the symbols' registers; allocate only to fail.
#ifndef HEDDLE_RUNTIME_EXECUTOR_CALL_ENTRYCHECKS_H
#define HEDDLE_RUNTIME_EXECUTOR_CALL_ENTRYCHECKS_H

#include "runtime/base/Status.h"
#include "runtime/executor/load/HeldBuffer.h"
#include "runtime/executor/program/Program.h"

#include <span>

namespace heddle {

// Number, element type, rank, static sizes, memory; binds the dimension symbols into `symbols` with equality and
// bounds.
//   "argument 1 'attention_mask': dimension 1 'seq' is 128 in argument 0 'input_ids', got 64; give equal sizes"
Status bindArguments(const Function &function, std::span<const heddle_tensor> arguments, int64_t *symbols);

// The same of one argument, the caller's or state.
Status bindArgument(const Function &function, size_t index, const heddle_tensor &tensor, int64_t *symbols);

// The memory of a donated argument is no other argument's, and its result has no storage elsewhere.
Status checkDonation(const Function &function, const Donation &donation, std::span<const heddle_tensor> arguments,
                     const heddle_tensor &result);

// Number and, where storage is given, that it is aligned. Sizes are checked when they are known.
Status checkResultStorage(const Function &function, std::span<const heddle_tensor> results);

// A value of the caller's, for messages: "argument 0 'x'".
struct ValueName {
  const Function &function;
  bool isResult;
  size_t index;
};

// What a view says of its memory: so many bytes there lie in the buffer, whose device still works. InvalidArgument.
Status checkView(const ValueName &name, const Place &place, uint64_t bytes);
Status checkWritable(const ValueName &name, const Place &place);
// The failure of a result that is to lie on a device that is not there, or (`exists`) that the program does not use.
Status refuseDevice(const ValueName &name, uint32_t device, bool exists);
// Storage of results overlaps neither each other nor an argument, but for a donated one's result.
Status checkApart(const Function &function, std::span<const heddle_tensor> arguments,
                  std::span<const heddle_tensor> results);

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_CALL_ENTRYCHECKS_H
