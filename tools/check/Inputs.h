// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arguments of a reference run, from flags or made up.
#ifndef HEDDLE_TOOLS_CHECK_INPUTS_H
#define HEDDLE_TOOLS_CHECK_INPUTS_H

#include "compiler/Reference/Reference.h"
#include "tools/lib/HostTensor.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle::tools {

using ReferenceTensor = mlir::heddle::reference::Tensor;
using ReferenceSignature = mlir::heddle::reference::Signature;

struct InputFlags {
  std::vector<std::string> inputs; // --input=[NAME=]VALUE
  std::vector<std::string> dims;   // --dim=NAME=SIZE
  uint64_t seed = 1;               // of what is made up
};

// One tensor for each argument. Those without a flag are made up: floats uniform in [-1, 1), integers 0 or 1 (so that
// they are valid as masks and as indices), dynamic dimensions as --dim, as other inputs or else a small odd size says.
// Sets `random` when anything was made up. Throws UsageError: an unknown name, too many values, a size that is none;
// Failure: a file that cannot be read.
std::vector<ReferenceTensor> makeInputs(const ReferenceSignature &signature, const InputFlags &flags, bool &random);

// The same for each rank of a program with a mesh. What is given for a sharded argument is the whole, of which each
// rank gets its part; for another one `{rank}` in the flag stands for the rank's number. Made up are parts, equal where
// ranks have the same one.
std::vector<std::vector<ReferenceTensor>> makeRankInputs(const ReferenceSignature &signature, const InputFlags &flags,
                                                         unsigned ranks, bool &random);

TensorView viewOf(const ReferenceTensor &tensor);

// Writes results as `--output=[NAME=]@file.npy` asks, by position or name; prints the others in value syntax.
void writeOutputs(const ReferenceSignature &signature, const std::vector<ReferenceTensor> &results,
                  const std::vector<std::string> &outputs);

// Likewise of all ranks: sharded results are joined; of others each rank's own is written, `{rank}` in the file's name
// being its number, or printed. Throws UsageError: several ranks in one file.
void writeRankOutputs(const ReferenceSignature &signature, const std::vector<std::vector<ReferenceTensor>> &results,
                      const std::vector<std::string> &outputs);

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_CHECK_INPUTS_H
