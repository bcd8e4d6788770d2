// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a device was given once, kept to find out whether later commands are the same: then what the driver made of them
// is handed over again. A program that is called again and again submits the same commands, perhaps with other sizes
// and other memory.
//
//   Recording recording(commands);
//   if (recording.match(later) == Recording::Match::Same) …
#ifndef HEDDLE_RUNTIME_DRIVERS_COMMON_RECORDING_H
#define HEDDLE_RUNTIME_DRIVERS_COMMON_RECORDING_H

#include "runtime/hal/Commands.h"

#include <vector>

namespace heddle::engines {

class Recording {
public:
  enum class Match : uint8_t { Other, Views, Constants, Same };

  // Commands that read or write nothing of the host's, at least `kLeast` of them: fewer are recorded as fast.
  static bool canKeep(const hal::CommandBuffer &commands);
  explicit Recording(const hal::CommandBuffer &commands);
  // Same: to the byte, in the same buffers. Constants, Views: the same kernels over as many workgroups, copies and
  // fills; other constants, or views too, of dispatches.
  Match match(const hal::CommandBuffer &commands) const;

private:
  static constexpr uint32_t kLeast = 4;
  hal::CommandBuffer commands_;
  std::vector<uint64_t> buffers_; // by view, the buffer's id
};

} // namespace heddle::engines

#endif // HEDDLE_RUNTIME_DRIVERS_COMMON_RECORDING_H
