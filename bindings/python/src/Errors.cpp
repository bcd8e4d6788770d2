// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Errors.h"

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace heddle::python {
namespace {

[[noreturn]] void raise(int code, const std::string &message, const nb::list &notes) {
  nb::object error = nb::module_::import_("heddle._errors").attr("from_status")(code, message, notes);
  PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.ptr())), error.ptr());
  throw nb::python_error();
}

} // namespace

void check(heddle_status *status) {
  if (!status) [[likely]]
    return;
  int code = heddle_status_get_code(status);
  std::string message = heddle_status_message(status);
  nb::list notes;
  for (uint32_t i = 0, n = heddle_status_note_count(status); i < n; ++i)
    notes.append(nb::str(heddle_status_note(status, i)));
  heddle_status_release(status);
  raise(code, message, notes);
}

void invalid(const std::string &message) { raise(HEDDLE_INVALID_ARGUMENT, message, nb::list()); }

std::string messageOf(const std::exception &error) {
  const auto *raised = dynamic_cast<const nb::python_error *>(&error);
  return raised ? nb::str(raised->value()).c_str() : error.what();
}

std::string didYouMean(nb::handle word, nb::handle names) {
  return nb::cast<std::string>(nb::module_::import_("heddle._errors").attr("did_you_mean")(word, names));
}

} // namespace heddle::python
