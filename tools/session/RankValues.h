// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments and results of programs of many ranks, as the command line gives and gets them. Where the entry point says
// how a value is spread over the ranks, a text is the whole of it, and each rank gets its share; else each has a value
// of its own, the same text for all. `{rank}` in a text is the rank's number, and makes it that rank's own in both
// cases.
#ifndef HEDDLE_TOOLS_SESSION_RANKVALUES_H
#define HEDDLE_TOOLS_SESSION_RANKVALUES_H

#include "tools/lib/Shares.h"
#include "tools/session/Team.h"

namespace heddle::tools {

// The share that a member has of an argument, or of a result; nothing: a value of its own, or a program of one rank.
std::optional<Share> argumentShare(const Team &team, uint32_t member, uint32_t entryPoint, uint32_t argument);
std::optional<Share> resultShare(const Team &team, uint32_t member, uint32_t entryPoint, uint32_t result);

// The arguments of each member of this process. Owns the values; what is the same for all is there once.
class RankInputs {
public:
  // Throws as bindInputs(), and UsageError where a whole tensor cannot be dealt out.
  RankInputs(const Team &team, uint32_t entryPoint, std::span<const std::string> texts);
  // Borrowed.
  std::vector<Tensor> of(uint32_t member) const;

private:
  // A whole tensor; of a .npy file that is cut by rows only a member's own are read.
  void dealOut(const Team &team, uint32_t entryPoint, uint32_t argument, const std::string &text);

  std::vector<std::optional<HostTensor>> common_;           // by argument
  std::vector<std::vector<std::optional<HostTensor>>> own_; // by member and argument, where there is no common one
};

// The whole of a result of which each rank has a share; on the process of rank 0, nothing elsewhere. Collective. Throws
// Failure where ranks with the same share differ.
std::optional<HostTensor> gatherResult(const Team &team, uint32_t entryPoint, uint32_t result,
                                       const std::vector<std::vector<Tensor>> &results);

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_SESSION_RANKVALUES_H
