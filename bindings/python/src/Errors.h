// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Failures of the runtime as Python exceptions: heddle.Error and its subclasses, one per status code
// (heddle/_errors.py).
#ifndef HEDDLE_PYTHON_ERRORS_H
#define HEDDLE_PYTHON_ERRORS_H

#include "heddle/heddle.hpp"

#include <nanobind/nanobind.h>

#include <exception>
#include <string>

namespace heddle::python {

// Takes `status`; throws the exception of its code, with the same message and notes. NULL: nothing. Needs the GIL.
void check(heddle_status *status);
// Throws the exception of HEDDLE_INVALID_ARGUMENT.
[[noreturn]] void invalid(const std::string &message);
// What it says, without its type. Needs the GIL.
std::string messageOf(const std::exception &error);
// "; did you mean 'x'?" or "". `names`: an iterable of str.
std::string didYouMean(nanobind::handle word, nanobind::handle names);

} // namespace heddle::python

#endif // HEDDLE_PYTHON_ERRORS_H
