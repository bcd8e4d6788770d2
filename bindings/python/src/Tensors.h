// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle.Tensor: a tensor in memory of a device, or of the host, that the runtime holds. All here needs the GIL, which
// is given up while something is copied.
#ifndef HEDDLE_PYTHON_TENSORS_H
#define HEDDLE_PYTHON_TENSORS_H

#include "Arrays.h"
#include "heddle/buffers.hpp"

namespace heddle::python {

// Keeps its buffer, and that its device.
struct DeviceTensor {
  explicit DeviceTensor(View of) : view(std::move(of)) {}
  View view;
};

// The index of a device of the module that is named by its index or its name in the program.
uint32_t deviceOf(const Module &module, nanobind::handle device);

// `array` (as an argument of a call) in memory of the device; a copy.
DeviceTensor toDevice(const Module &module, nanobind::handle array, nanobind::handle device);
DeviceTensor emptyTensor(const Module &module, const std::vector<int64_t> &shape, nanobind::handle dtype,
                         nanobind::handle device);

// What is used where it lies: a heddle.Tensor, or what speaks DLPack in memory of a device, which becomes one in
// `keep`. Null: something else, for readArgument().
const DeviceTensor *findDeviceTensor(nanobind::handle object, const Module &module, const char *name,
                                     nanobind::object &keep);

// The class heddle.Tensor.
void defineTensors(nanobind::module_ &m);

} // namespace heddle::python

#endif // HEDDLE_PYTHON_TENSORS_H
