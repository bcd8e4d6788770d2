// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All ranks of a program in one case. Each runs up to a collective; where all members of a group are at the same one,
// bytes change places and they go on. Since a rank's collectives are on one stream, ranks whose collectives differ here
// would wait for one another for ever, in whatever order they run.
#ifndef HEDDLE_CONTRACT_LIB_CHECK_WORLDRUN_H
#define HEDDLE_CONTRACT_LIB_CHECK_WORLDRUN_H

#include "RankRun.h"

#include <memory>

namespace heddle::contract::check {

struct Outcome {
  RankRun::State state = RankRun::State::Done; // Done: right in this case
  std::string why;                             // else; names the rank where there are several
  uint64_t dataflow = 0;                       // what the results of all ranks are computed from
  bool toldByData = false;
};

Outcome runWorld(const Program &program, const Code &entry, const Case &what);

// The ranks that the meshes need; nullopt: too many.
std::optional<int64_t> worldSize(const fb::Module &module, const std::vector<std::vector<int64_t>> &meshes);

} // namespace heddle::contract::check

#endif // HEDDLE_CONTRACT_LIB_CHECK_WORLDRUN_H
