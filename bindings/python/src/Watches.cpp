// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Watches.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace nb = nanobind;

namespace heddle::python {
namespace {

// One tensor: which argument it is, its address and version, and `count` of its bytes, `step` apart from `first` on.
struct Watched {
  Py_ssize_t place;
  PyObject *tensor; // for comparing only: whoever watches holds it and its memory
  uintptr_t address;
  std::optional<int64_t> version; // none: it has none
  const uint8_t *first;
  size_t step;
  std::vector<uint8_t> bytes; // as they were

  bool isSame(nb::handle now, nb::handle dataPtr, nb::handle versionName) const {
    if (now.ptr() != tensor || nb::cast<uintptr_t>(now.attr(dataPtr)()) != address)
      return false;
    if (version && nb::cast<int64_t>(now.attr(versionName)) != *version)
      return false;
    for (size_t i = 0; i < bytes.size(); ++i)
      if (first[i * step] != bytes[i])
        return false;
    return true;
  }
};

class Watch {
public:
  void add(Py_ssize_t place, nb::handle tensor, uintptr_t address, std::optional<int64_t> version, uintptr_t first,
           size_t step, size_t count) {
    Watched one{place, tensor.ptr(), address, version, reinterpret_cast<const uint8_t *>(first), step, {}};
    for (size_t i = 0; i < count; ++i)
      one.bytes.push_back(one.first[i * step]);
    each.push_back(std::move(one));
  }

  nb::list changed(const nb::list &arguments) const {
    nb::list places;
    for (const Watched &one : each)
      if (!one.isSame(arguments[one.place], dataPtr, versionName))
        places.append(one.place);
    return places;
  }

private:
  std::vector<Watched> each;
  nb::str dataPtr{"data_ptr"}, versionName{"_version"};
};

} // namespace

void defineWatches(nb::module_ &m) {
  nb::class_<Watch>(m, "Watch", "Arguments that are constants of an artifact.")
      .def(nb::init<>())
      .def("add", &Watch::add, nb::arg("place"), nb::arg("tensor"), nb::arg("address"), nb::arg("version").none(),
           nb::arg("first"), nb::arg("step"), nb::arg("count"),
           "Watches a tensor from now on. The caller keeps it and its memory; `first`, `step` and `count` say which of "
           "its bytes are looked at.")
      .def("changed", &Watch::changed, nb::arg("arguments"), "The places of arguments that are not what they were.");
}

} // namespace heddle::python
