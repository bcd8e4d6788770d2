// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tensors.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace heddle::python {
namespace {

constexpr int kCpu = 1, kCuda = 2, kCudaHost = 3, kCudaManaged = 13; // of DLPack

// A capsule that consumers did not take frees its tensor; they rename it when they do. The tensor begins with nothing
// that is common to both forms, so each has its own deleter.
struct Managed { // the end of a DLTensor of 48 bytes, on machines of 64 bits
  char tensor[48];
  void *context;
  void (*release)(void *self);
};
struct Versioned {
  uint32_t major, minor;
  void *context;
  void (*release)(void *self);
};
constexpr const char *kOld = "dltensor", *kNew = "dltensor_versioned";

template <typename T> void dropCapsule(PyObject *capsule, const char *name) {
  if (!PyCapsule_IsValid(capsule, name))
    return;
  auto *tensor = static_cast<T *>(PyCapsule_GetPointer(capsule, name));
  tensor->release(tensor);
}

nb::object toDlpack(const DeviceTensor &self, nb::handle maxVersion) {
  bool versioned = !maxVersion.is_none() && nb::cast<int>(maxVersion[0]) >= 1;
  void *tensor = nullptr;
  check(heddle_view_to_dlpack(&self.view.raw(), versioned, &tensor));
  PyCapsule_Destructor drop = [](PyObject *capsule) { dropCapsule<Managed>(capsule, kOld); };
  if (versioned)
    drop = [](PyObject *capsule) { dropCapsule<Versioned>(capsule, kNew); };
  return nb::steal(PyCapsule_New(tensor, versioned ? kNew : kOld, drop));
}

heddle_buffer_info infoOf(const DeviceTensor &self) {
  heddle_buffer_info info{};
  info.struct_size = sizeof(info);
  heddle_buffer_get_info(self.view.raw().buffer, &info);
  return info;
}

std::string uriOf(const DeviceTensor &self) {
  const char *uri = infoOf(self).uri;
  return *uri ? uri : "host";
}

nb::object dlpackDevice(const DeviceTensor &self) {
  heddle_buffer_info info = infoOf(self);
  if (!info.dlpack_type)
    check(heddle_status_create(HEDDLE_UNSUPPORTED, ("DLPack has no device type for memory of the device '" +
                                                    uriOf(self) + "'; numpy() copies it to the host")
                                                       .c_str()));
  return nb::make_tuple(info.dlpack_type, info.dlpack_index);
}

nb::tuple shapeOf(const DeviceTensor &self) {
  nb::list shape;
  for (int64_t dim : self.view.dims())
    shape.append(dim);
  return nb::tuple(shape);
}

// A copy in memory of the host.
nb::object toNumpy(const DeviceTensor &self) {
  const heddle_view &view = self.view.raw();
  heddle_tensor tensor{};
  check(heddle_tensor_allocate(view.type, view.rank, view.dims, &tensor));
  heddle_status *status = nullptr;
  {
    nb::gil_scoped_release unlocked;
    status = heddle_buffer_read(view.buffer, view.offset, tensor.data, tensor.bytes);
  }
  nb::object array = takeResult(tensor, nb::handle());
  check(status);
  return array;
}

nb::object toArray(const DeviceTensor &self, nb::handle dtype, nb::handle copy) {
  if (!copy.is_none() && !nb::cast<bool>(copy)) {
    PyErr_SetString(PyExc_ValueError, "a heddle.Tensor becomes an array by a copy; numpy.from_dlpack() makes none "
                                      "where the host addresses its memory");
    throw nb::python_error();
  }
  nb::object array = toNumpy(self);
  return dtype.is_none() ? array : array.attr("astype")(dtype);
}

std::string reprOf(const DeviceTensor &self) {
  std::string text = "<heddle.Tensor ";
  for (int64_t dim : self.view.dims())
    text += std::to_string(dim) + "x";
  return text + heddle_element_type_name(self.view.type()) + " on " + uriOf(self) + ">";
}

// The capsule of an object in memory of a device. CUDA's default stream (1) is what the runtime waits for.
nb::object capsuleOf(nb::handle object, int32_t deviceType) {
  nb::dict named;
  if (deviceType == kCuda || deviceType == kCudaManaged)
    named["stream"] = 1;
  named["max_version"] = nb::make_tuple(1, 0);
  try {
    return object.attr("__dlpack__")(**named);
  } catch (nb::python_error &error) {
    if (!error.matches(PyExc_TypeError)) // it is older than versions
      throw;
  }
  nb::del(named["max_version"]);
  return object.attr("__dlpack__")(**named);
}

nb::object importDlpack(nb::handle object, const Module &module, int32_t deviceType) {
  nb::object capsule = capsuleOf(object, deviceType);
  bool versioned = PyCapsule_IsValid(capsule.ptr(), kNew);
  void *tensor = PyCapsule_GetPointer(capsule.ptr(), versioned ? kNew : kOld);
  if (!tensor)
    throw nb::python_error();
  heddle_view view{};
  check(heddle_view_from_dlpack(module.raw(), tensor, versioned, &view));
  PyCapsule_SetName(capsule.ptr(), versioned ? "used_dltensor_versioned" : "used_dltensor");
  return nb::cast(DeviceTensor(View(view)));
}

DeviceTensor allocate(const Module &module, heddle_element_type type, uint32_t rank, const int64_t *dims,
                      uint32_t device) {
  heddle_view view{};
  view.type = type;
  view.rank = rank;
  view.bytes = heddle_element_type_bytes(type);
  for (uint32_t d = 0; d < rank; ++d) {
    view.dims[d] = dims[d];
    if (dims[d] < 0 || __builtin_mul_overflow(view.bytes, static_cast<uint64_t>(dims[d]), &view.bytes))
      invalid("dimension " + std::to_string(d) + " has the size " + std::to_string(dims[d]));
  }
  check(heddle_buffer_allocate(module.raw(), device, view.bytes, 0, &view.buffer));
  heddle_buffer_info info{};
  info.struct_size = sizeof(info);
  heddle_buffer_get_info(view.buffer, &info);
  view.data = info.host;
  view.device = device;
  return DeviceTensor(View(view));
}

} // namespace

uint32_t deviceOf(const Module &module, nb::handle device) {
  uint32_t count = module.devices();
  if (PyLong_Check(device.ptr())) {
    long index = PyLong_AsLong(device.ptr());
    if (PyErr_Occurred())
      PyErr_Clear();
    else if (index >= 0 && index < static_cast<long>(count))
      return static_cast<uint32_t>(index);
  } else if (PyUnicode_Check(device.ptr())) {
    std::string name = nb::cast<std::string>(device);
    if (name == "host")
      return HEDDLE_HOST;
    for (uint32_t i = 0; i < count; ++i)
      if (name == module.device(i).name)
        return i;
  }
  std::string names;
  for (uint32_t i = 0; i < count; ++i)
    names += std::string(i ? ", '" : "'") + module.device(i).name + "'";
  invalid("a device of the module is 'host', an index below " + std::to_string(count) + " or a name (" + names +
          "), got " + nb::repr(device).c_str());
}

DeviceTensor toDevice(const Module &module, nb::handle array, nb::handle device) {
  uint32_t index = deviceOf(module, device);
  heddle_tensor tensor{};
  nb::object keep;
  readArgument(array, HEDDLE_NONE, 0, "array", tensor, keep);
  DeviceTensor out = allocate(module, tensor.type, tensor.rank, tensor.dims, index);
  heddle_status *status = nullptr;
  {
    nb::gil_scoped_release unlocked;
    status = heddle_buffer_write(out.view.raw().buffer, 0, tensor.data, out.view.bytes());
  }
  check(status);
  return out;
}

DeviceTensor emptyTensor(const Module &module, const std::vector<int64_t> &shape, nb::handle dtype, nb::handle device) {
  if (shape.size() > HEDDLE_MAX_RANK)
    invalid("a tensor has at most 16 dimensions, got " + std::to_string(shape.size()));
  return allocate(module, typeOfDtype(dtype), static_cast<uint32_t>(shape.size()), shape.data(),
                  deviceOf(module, device));
}

const DeviceTensor *findDeviceTensor(nb::handle object, const Module &module, const char *name, nb::object &keep) {
  if (nb::isinstance<DeviceTensor>(object))
    return &nb::cast<const DeviceTensor &>(object);
  if (!nb::hasattr(object, "__dlpack_device__"))
    return nullptr;
  nb::object place = object.attr("__dlpack_device__")();
  auto type = nb::cast<int32_t>(nb::int_(place[0]));
  if (type == kCpu || type == kCudaHost)
    return nullptr;
  try {
    keep = importDlpack(object, module, type);
  } catch (nb::python_error &error) {
    nb::object value = nb::borrow(error.value());
    if (!nb::hasattr(value, "message"))
      throw;
    invalid("'" + std::string(name) + "': " + nb::cast<std::string>(value.attr("message")));
  }
  return &nb::cast<const DeviceTensor &>(keep);
}

void defineTensors(nb::module_ &m) {
  nb::class_<DeviceTensor>(m, "Tensor", "A tensor in memory of a device, or of the host, that Heddle holds.")
      .def_prop_ro("shape", &shapeOf)
      .def_prop_ro(
          "dtype", [](const DeviceTensor &self) { return dtypeOf(self.view.type()); }, "Of numpy().")
      .def_prop_ro("type", [](const DeviceTensor &self) { return heddle_element_type_name(self.view.type()); })
      .def_prop_ro("nbytes", [](const DeviceTensor &self) { return self.view.bytes(); })
      .def_prop_ro("device", &uriOf, "The URI of its device, or 'host'.")
      .def("numpy", &toNumpy, "A copy in memory of the host.")
      .def("__array__", &toArray, nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none())
      .def(
          "__dlpack__",
          [](const DeviceTensor &self, nb::handle, nb::handle maxVersion, nb::handle, nb::handle) {
            return toDlpack(self, maxVersion);
          },
          nb::kw_only(), nb::arg("stream") = nb::none(), nb::arg("max_version") = nb::none(),
          nb::arg("dl_device") = nb::none(), nb::arg("copy") = nb::none())
      .def("__dlpack_device__", &dlpackDevice)
      .def("__len__",
           [](const DeviceTensor &self) {
             if (self.view.dims().empty()) {
               PyErr_SetString(PyExc_TypeError, "len() of a tensor without dimensions");
               throw nb::python_error();
             }
             return self.view.dims()[0];
           })
      .def("__repr__", &reprOf);
}

} // namespace heddle::python
