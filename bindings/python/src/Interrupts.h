// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ctrl-C in a call that waits without the GIL. Python notes the signal and raises KeyboardInterrupt when its main
// thread next runs Python, which would be after the call; so the call is cancelled.
//
// Only where the main thread calls and SIGINT would raise KeyboardInterrupt: a handler of the program's own is none of
// our business. A handler in C, put in front of Python's own, wakes a thread that cancels (which a handler must not do:
// it takes a lock). Python puts its handler back when a program sets another one; ours comes back by a look now and
// then.
//
//   {
//     Interruptible guard(invocation);     // with the GIL
//     nb::gil_scoped_release unlocked;
//     status = call();
//   }
//   checkCall(status);
#ifndef HEDDLE_PYTHON_INTERRUPTS_H
#define HEDDLE_PYTHON_INTERRUPTS_H

#include "heddle/heddle.h"

namespace heddle::python {

// While it lives, Ctrl-C cancels the invocation's call. With the GIL.
class Interruptible {
public:
  explicit Interruptible(heddle_invocation *invocation);
  ~Interruptible();
  Interruptible(const Interruptible &) = delete;

private:
  bool watched_;
};

// As check(); of a call that a signal cancelled what the signal raises (KeyboardInterrupt). With the GIL.
void checkCall(heddle_status *status);

} // namespace heddle::python

#endif // HEDDLE_PYTHON_INTERRUPTS_H
