// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Devices.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <string_view>

namespace nb = nanobind;

namespace heddle::python {
namespace {

struct Device {
  std::string uri, driver, description, reason;
  bool available, isDefault;
  uint32_t cores;
  uint64_t memoryBytes;
  std::vector<std::string> features, formats;
};

std::vector<std::string> words(const char *text) {
  std::vector<std::string> out;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find(','));
    out.emplace_back(word);
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
  }
  return out;
}

std::vector<Device> devices(const std::optional<std::string> &uri) {
  heddle_device_list *list = nullptr;
  heddle_status *status = nullptr;
  {
    nb::gil_scoped_release unlocked; // a driver may take its time
    status = uri ? heddle_device_list_create_for(uri->c_str(), &list) : heddle_device_list_create(&list);
  }
  check(status);
  std::vector<Device> out;
  for (uint32_t i = 0, n = heddle_device_list_count(list); i < n; ++i) {
    const heddle_device_info &info = *heddle_device_list_get(list, i);
    out.push_back({info.uri, info.driver, info.description, info.reason, info.available != 0, info.is_default != 0,
                   info.cores, info.memory_bytes, words(info.features), words(info.formats)});
  }
  heddle_device_list_release(list);
  return out;
}

std::string repr(const Device &device) {
  return "<heddle.Device " + device.uri + ": " + (device.available ? device.description : "absent, " + device.reason) +
         ">";
}

std::string reprOfModuleDevice(const heddle_module_device_info &device) {
  return std::string("<heddle.ModuleDevice ") + device.name + " = " + device.uri + ">";
}

} // namespace

void defineDevices(nb::module_ &m) {
  nb::class_<Device>(m, "Device", "A device of this machine, or why it is absent.")
      .def_ro("uri", &Device::uri, "What load(devices=…) takes.")
      .def_ro("driver", &Device::driver)
      .def_ro("description", &Device::description)
      .def_ro("available", &Device::available)
      .def_ro("reason", &Device::reason, "Why it is absent and what to do; '' when it is available.")
      .def_ro("is_default", &Device::isDefault, "Tried for every program.")
      .def_ro("cores", &Device::cores)
      .def_ro("memory_bytes", &Device::memoryBytes, "0: unknown.")
      .def_ro("features", &Device::features)
      .def_ro("formats", &Device::formats, "Of executables that it loads.")
      .def("__repr__", &repr);
  nb::class_<heddle_module_device_info>(m, "ModuleDevice", "The device that one of the program's devices got.")
      .def_prop_ro("name", [](const heddle_module_device_info &d) { return d.name; })
      .def_prop_ro("uri", [](const heddle_module_device_info &d) { return d.uri; })
      .def_prop_ro("alternative", [](const heddle_module_device_info &d) { return d.alternative; })
      .def_prop_ro("note", [](const heddle_module_device_info &d) { return d.note; })
      .def_prop_ro("cores", [](const heddle_module_device_info &d) { return d.cores; })
      .def("__repr__", &reprOfModuleDevice);
  m.def("devices", &devices, nb::arg("uri") = nb::none(),
        "The devices of this machine, absent ones too, or those that one URI names.");
}

} // namespace heddle::python
