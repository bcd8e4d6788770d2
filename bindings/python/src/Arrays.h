// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Python objects as tensors of the runtime and back. Everything here needs the GIL; NumPy's C interface is used in
// Arrays.cpp only.
#ifndef HEDDLE_PYTHON_ARRAYS_H
#define HEDDLE_PYTHON_ARRAYS_H

#include "Errors.h"

namespace heddle::python {

// A NumPy array.
bool isArray(PyObject *object);

// Before anything else here; throws what importing NumPy throws.
void importNumpy();

// The NumPy type of results of an element type, a new reference: ml_dtypes' where NumPy has none of its own and the
// package is installed, else the unsigned integer of the same width.
nanobind::object dtypeOf(heddle_element_type type);

// The element type of what NumPy takes for a type; throws what NumPy throws, and for one that the runtime has not.
heddle_element_type typeOfDtype(nanobind::handle dtype);

// The memory of `object` as a tensor without a copy, if it is a NumPy array or speaks DLPack, lies in memory of the
// host, is dense, row-major and aligned to its elements; else a copy of it that is. `keep` is what must live as long as
// `tensor` is used, where that is not `object` itself. `type` is what the entry point takes: it decides what integers
// of the width of a type that NumPy lacks stand for; any other difference of types is left for the call to refuse. An
// array of complex numbers of one dimension less than `rank` is pairs of reals.
// `name`: for messages. With HEDDLE_NONE for `type` any type is taken.
void readArgument(nanobind::handle object, heddle_element_type type, uint32_t rank, const char *name,
                  heddle_tensor &tensor, nanobind::object &keep);

// A donated argument: a NumPy array whose memory the call may overwrite, writable, dense, row-major, of the entry
// point's type. Never a copy.
void readDonated(nanobind::handle object, heddle_element_type type, const char *name, heddle_tensor &tensor);

// A NumPy array as storage of a result: writable, dense, row-major, of the result's type. Never a copy.
void readStorage(nanobind::handle object, heddle_element_type type, const char *name, heddle_tensor &tensor);

// A tensor that the runtime allocated as a NumPy array that owns its memory; `tensor` is empty afterwards. One without
// an owner lies in the memory of `donor`, which the array keeps.
nanobind::object takeResult(heddle_tensor &tensor, nanobind::handle donor);
// What was written into the caller's `storage`: itself where the shape is the same, else an array on its memory.
nanobind::object resultIn(nanobind::handle storage, const heddle_tensor &tensor);

} // namespace heddle::python

#endif // HEDDLE_PYTHON_ARRAYS_H
