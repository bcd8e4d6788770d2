// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a launch that failed says. Pure: what was seen goes in, a text comes out.
#ifndef HEDDLE_TOOLS_LAUNCH_REPORT_H
#define HEDDLE_TOOLS_LAUNCH_REPORT_H

#include "tools/launch/RankPage.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle::tools {

// How a rank ended by itself, before the launcher ended the others.
struct RankEnd {
  uint32_t rank = 0;
  int status = 0; // as waitpid() gives it
  uint64_t timeNs = 0;
};

// "0", "0 and 2", "0-3, 5 and 7": of ranks in ascending order. `last`: what stands in front of the last piece.
std::string formatRanks(const std::vector<uint32_t> &ranks, const char *last = " and ");

// "in all_reduce 'psum', its 3rd collective (dense_1)", "after …", "before its first collective".
std::string formatPlace(const RankPlace &place);

// The failure, then where each other rank was. `ends`: ranks that ended badly, the first of them in front; `places`: of
// all ranks, read when the first one ended; places are left out where no rank has come to a collective.
std::string describeFailure(const std::vector<RankEnd> &ends, const std::vector<RankPlace> &places, uint64_t nowNs);

// The exit status of the launch: that of the first rank that failed, kFailed where a signal ended it.
int statusOf(const std::vector<RankEnd> &ends);

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_LAUNCH_REPORT_H
