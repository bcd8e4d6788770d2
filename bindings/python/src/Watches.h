// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors of PyTorch that are constants of an artifact: whether a call's are what they were (heddle/_torch/program.py).
#ifndef HEDDLE_PYTHON_WATCHES_H
#define HEDDLE_PYTHON_WATCHES_H

#include <nanobind/nanobind.h>

namespace heddle::python {

// The class Watch.
void defineWatches(nanobind::module_ &m);

} // namespace heddle::python

#endif // HEDDLE_PYTHON_WATCHES_H
