// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine's devices as Python objects.
#ifndef HEDDLE_PYTHON_DEVICES_H
#define HEDDLE_PYTHON_DEVICES_H

#include "Errors.h"

namespace heddle::python {

// The classes Device and ModuleDevice, and devices().
void defineDevices(nanobind::module_ &m);

} // namespace heddle::python

#endif // HEDDLE_PYTHON_DEVICES_H
