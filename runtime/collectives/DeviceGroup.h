// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One member's side of a group whose collectives run on a device's stream, on memory of the device: nothing goes
// through the host. The order of reductions is the library's: the same from run to run on the same machines, but not
// the order of ranks that Group promises.
//
// Threads: one at a time; abort() at any time, from any thread.
//
//   if (group->supports(request))
//     HEDDLE_RETURN_IF_ERROR(group->enqueue(request, stream)); // else through Group, with staging
#ifndef HEDDLE_RUNTIME_COLLECTIVES_DEVICEGROUP_H
#define HEDDLE_RUNTIME_COLLECTIVES_DEVICEGROUP_H

#include "runtime/collectives/Group.h"

namespace heddle::collectives {

class DeviceGroup {
public:
  virtual ~DeviceGroup() = default;
  // Whether enqueue() can do it. Depends on what is equal on all members, and on whether the source is the target; so
  // all must decide alike.
  virtual bool supports(const Request &request) const = 0;
  // Puts the collective on the stream of the device (a CUstream), behind what it holds, and returns. The memory is the
  // device's. What check() refuses aborts the group. Fails when an earlier collective has.
  virtual Status enqueue(const Request &request, void *stream) = 0;
  // Whether what was enqueued is on its stream: the library may take its time. Until then nothing else is put there or
  // enqueued, but for abort().
  virtual StatusOr<bool> isIssued() const = 0;
  // What has failed so far; asked while a stream is waited for.
  virtual Status failure() const = 0;
  // Ends what is on streams, here; the other members must be told by their Group.
  virtual void abort() = 0;
};

} // namespace heddle::collectives

#endif // HEDDLE_RUNTIME_COLLECTIVES_DEVICEGROUP_H
