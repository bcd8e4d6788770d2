// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle._runtime: the runtime's public interface for Python. What is not about the runtime (compiling, explaining,
// asyncio) is Python, in heddle/*.py.
#include "Devices.h"
#include "Futures.h"
#include "Profiles.h"
#include "Ranks.h"
#include "Watches.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>

namespace nb = nanobind;

namespace heddle::python {
namespace {

struct LoadedModule {
  explicit LoadedModule(Module loaded) : module(std::move(loaded)) {
    for (uint32_t i = 0; i < module.entryPoints(); ++i) {
      functions.push_back(nb::cast(new Function(module, i), nb::rv_policy::take_ownership));
      byName[module.entryPoint(i).name] = functions.back();
    }
  }
  LoadedModule(const LoadedModule &) = delete;
  // "main", or the only one.
  Function &mainFunction() { return *nb::inst_ptr<Function>(mainHandle()); }
  nb::handle mainHandle() {
    if (!main_.is_valid()) {
      uint32_t index = 0;
      check(heddle_module_find_entry_point(module.raw(), nullptr, &index));
      main_ = functions[index];
    }
    return main_;
  }

  Module module;
  std::vector<nb::object> functions;
  nb::dict byName;

private:
  nb::handle main_; // invalid before it is asked for
};

void load(LoadedModule *self, const std::string &path, const std::vector<std::string> &devices, bool verify,
          bool fallBack, bool allowNative, bool copy, const World *world, uint32_t member, const std::string &mesh,
          uint32_t threads, bool checkProgram) {
  std::vector<const char *> uris;
  for (const std::string &device : devices)
    uris.push_back(device.c_str());
  heddle_load_options options{};
  options.struct_size = sizeof(options);
  options.device_count = static_cast<uint32_t>(uris.size());
  options.devices = uris.data();
  options.verify_hashes = verify;
  options.on_device_lost = fallBack ? HEDDLE_ON_DEVICE_LOST_FALLBACK : HEDDLE_ON_DEVICE_LOST_FAIL;
  options.allow_native = allowNative ? HEDDLE_ALLOW_NATIVE_ALWAYS : HEDDLE_ALLOW_NATIVE_NEVER;
  options.copy_file = copy;
  options.world = world ? world->raw() : nullptr;
  options.member = member;
  options.mesh = mesh.c_str();
  options.threads = threads;
  options.check_program = checkProgram;
  heddle_module *module = nullptr;
  heddle_status *status = nullptr;
  {
    nb::gil_scoped_release unlocked;
    status = heddle_module_load_file(path.c_str(), &options, &module);
  }
  check(status);
  new (self) LoadedModule(Module(module));
}

nb::object findFunction(const LoadedModule &self, nb::handle name) {
  if (self.byName.contains(name))
    return self.byName[name];
  std::string text =
      std::string("the module has no entry point '") + nb::str(name).c_str() + "'" + didYouMean(name, self.byName);
  throw nb::attribute_error(text.c_str());
}

// Text of a model's author, who may have written anything.
nb::object textOf(const char *text) {
  return nb::steal(PyUnicode_DecodeUTF8(text, static_cast<Py_ssize_t>(std::strlen(text)), "replace"));
}

nb::tuple shapeOf(const heddle_value_info &value) {
  nb::list shape;
  for (uint32_t i = 0; i < value.rank; ++i)
    if (value.dims[i].size >= 0)
      shape.append(value.dims[i].size);
    else
      shape.append(nb::str(value.dims[i].symbol));
  return nb::tuple(shape);
}

std::string textOf(const heddle_value_info &value) {
  std::string text = std::string(value.name) + ": ";
  for (uint32_t i = 0; i < value.rank; ++i)
    text +=
        (value.dims[i].size >= 0 ? std::to_string(value.dims[i].size) : "[" + std::string(value.dims[i].symbol) + "]") +
        "x";
  return text + heddle_element_type_name(value.type);
}

std::string textOf(const heddle_value_info *values, uint32_t count) {
  std::string text = "(";
  for (uint32_t i = 0; i < count; ++i)
    text += (i ? ", " : "") + textOf(values[i]);
  return text + ")";
}

std::string signature(const Function &function) {
  const heddle_entry_point_info &info = function.info();
  return info.name + textOf(info.arguments, info.argument_count) + " -> " + textOf(info.results, info.result_count);
}

// Names and dimensions copied: the object may outlive its module.
struct Value {
  Value(const heddle_value_info &info, bool hasDefault, nb::object sharding, nb::object cuts)
      : hasDefault(hasDefault), name(info.name), type(heddle_element_type_name(info.type)), text(textOf(info)),
        dtype(dtypeOf(info.type)), shape(shapeOf(info)), sharding(std::move(sharding)), cuts(std::move(cuts)) {}
  bool hasDefault;
  std::string name, type, text;
  nb::object dtype;
  nb::tuple shape;
  nb::object sharding, cuts;
};

using FindSharding = const heddle_sharding *(*)(const heddle_module *, uint32_t, uint32_t);

nb::list values(const Function &function, const heddle_value_info *infos, uint32_t count, FindSharding find) {
  nb::list out;
  const Module &module = function.module();
  for (uint32_t i = 0; i < count; ++i) {
    const heddle_sharding *sharding = find(module.raw(), function.index(), i);
    bool hasDefault = infos == function.info().arguments && heddle_module_default(module.raw(), function.index(), i);
    out.append(nb::cast(Value(infos[i], hasDefault, shardingOf(module, sharding), cutsOf(module, sharding))));
  }
  return out;
}

nb::list meshesOf(const Module &module) {
  nb::list out;
  for (uint32_t i = 0; i < heddle_module_mesh_count(module.raw()); ++i) {
    const heddle_mesh_info &mesh = *heddle_module_mesh(module.raw(), i);
    nb::dict sizes;
    for (uint32_t a = 0; a < mesh.axis_count; ++a)
      sizes[mesh.axes[a].name] = mesh.axes[a].size;
    out.append(nb::make_tuple(nb::str(mesh.name), sizes, mesh.first));
  }
  return out;
}

// Of the last call.
nb::dict statisticsOf(const Function &function) {
  heddle_statistics from = function.statistics();
  nb::dict out;
  out["dispatches"] = from.dispatches;
  out["slab_bytes"] = from.slab_bytes;
  out["allocations"] = from.allocations;
  out["copied_bytes"] = from.copied_bytes;
  out["boundary_bytes"] = from.boundary_bytes;
  out["collectives"] = from.collectives;
  out["collective_bytes"] = from.collective_bytes;
  return out;
}

nb::dict loadStatisticsOf(const Module &module) {
  heddle_load_statistics from{};
  from.struct_size = sizeof(from);
  heddle_module_get_load_statistics(module.raw(), &from);
  nb::dict out;
  out["parameters_packed"] = from.parameters_packed;
  out["parameters_cached"] = from.parameters_cached;
  out["uploaded_bytes"] = from.uploaded_bytes;
  return out;
}

nb::dict metadataOf(const Module &module) {
  nb::dict out;
  for (uint32_t i = 0; i < heddle_module_metadata_count(module.raw()); ++i) {
    const heddle_key_value &pair = *heddle_module_metadata(module.raw(), i);
    out[textOf(pair.key)] = textOf(pair.value);
  }
  return out;
}

void defineFunctions(nb::module_ &m) {
  nb::class_<Value>(m, "Value", "An argument or a result of an entry point.")
      .def_ro("name", &Value::name)
      .def_ro("type", &Value::type, "As MLIR spells it: 'f32'.")
      .def_ro("dtype", &Value::dtype, "The NumPy type of results.")
      .def_ro("shape", &Value::shape, "Sizes; a name for one that is known at the call.")
      .def_ro("has_default", &Value::hasDefault, "Of an argument: calls may leave it out.")
      .def_ro("sharding", &Value::sharding,
              "Of a program of many ranks: axes, number of parts and this rank's part, by dimension. None: each has "
              "its own.")
      .def_ro("cuts", &Value::cuts,
              "Where it has a sharding: sizes of the whole by dimension (None: not stated), granules that parts begin "
              "at multiples of, and of parts that are combined (reduction, axes, number of summands, this one's).")
      .def("__repr__", [](const Value &value) { return "<heddle.Value " + value.text + ">"; });
  nb::class_<Function>(m, "Function", "An entry point of a module.")
      .def("__call__", &Function::call)
      .def("start", [](nb::handle_t<Function> self, const nb::args &arguments,
                       const nb::kwargs &named) { return Future::start(self, arguments, named); })
      .def("refuse", &Function::refuse, nb::arg("why"),
           "In place of a call that this rank cannot make: those of the other ranks fail with `why`.")
      .def("is_option", &Function::isOption, nb::arg("name"), nb::arg("start") = false,
           "Whether calls take the keyword as an option.")
      .def(
          "_trace",
          [](Function &self, const nb::object &stop, uint32_t warmup, uint32_t calls, const nb::args &arguments,
             const nb::kwargs &named) { return traceCalls(self, stop, warmup, calls, arguments, named); },
          nb::arg("stop").none(), nb::arg("warmup"), nb::arg("calls"), nb::arg("args"), nb::arg("kwargs"))
      .def_prop_ro("name", [](const Function &self) { return self.info().name; })
      .def_prop_ro("statistics", &statisticsOf, "Figures of the last call that ended.")
      .def_prop_ro("arguments",
                   [](const Function &self) {
                     return values(self, self.info().arguments, self.info().argument_count,
                                   heddle_module_argument_sharding);
                   })
      .def_prop_ro("results",
                   [](const Function &self) {
                     return values(self, self.info().results, self.info().result_count, heddle_module_result_sharding);
                   })
      .def_prop_ro("boundary_bytes", &Function::boundaryBytes,
                   "Copied by the last call because arguments or results lay elsewhere than they were needed.")
      .def("__repr__", [](const Function &self) { return "<heddle.Function " + signature(self) + ">"; });
  nb::class_<Future>(m, "Future", "A call that was started.")
      .def("done", &Future::done)
      .def("result", &Future::result, nb::arg("timeout") = nb::none())
      .def("wait", &Future::wait)
      .def("cancel", &Future::cancel)
      .def("__await__", [](nb::handle_t<Future> self) {
        return nb::module_::import_("heddle._future").attr("wait")(self).attr("__await__")();
      });
}

void defineModule(nb::module_ &m) {
  nb::class_<ModuleState>(m, "State", "What a module keeps between calls: module(…, state=module.new_state()).")
      .def("reset", [](ModuleState &self) { resetState(self.state.raw()); });
  nb::class_<LoadedModule>(m, "Module", "An artifact on devices.")
      .def("__init__", &load, nb::arg("path"), nb::arg("devices") = std::vector<std::string>(),
           nb::arg("verify") = false, nb::arg("fall_back") = false, nb::arg("allow_native") = true,
           nb::arg("copy") = false, nb::arg("world").none() = nb::none(), nb::arg("member") = 0, nb::arg("mesh") = "",
           nb::arg("threads") = 0, nb::arg("check") = false)
      .def("__call__", [](LoadedModule &self, const nb::args &arguments,
                          const nb::kwargs &named) { return self.mainFunction().call(arguments, named); })
      .def("start", [](LoadedModule &self, const nb::args &arguments,
                       const nb::kwargs &named) { return Future::start(self.mainHandle(), arguments, named); })
      .def("__getattr__", [](const LoadedModule &self, nb::str name) { return findFunction(self, name); })
      .def(
          "seed", [](const LoadedModule &self, uint64_t seed) { heddle_module_seed(self.module.raw(), seed); },
          "Seeds the random numbers of calls, from the next call on.")
      .def(
          "to_device",
          [](const LoadedModule &self, nb::handle array, nb::handle device) {
            return toDevice(self.module, array, device);
          },
          nb::arg("array"), nb::arg("device") = 0, "A copy of an array in memory of a device.")
      .def(
          "empty",
          [](const LoadedModule &self, const std::vector<int64_t> &shape, nb::handle dtype, nb::handle device) {
            return emptyTensor(self.module, shape, dtype, device);
          },
          nb::arg("shape"), nb::arg("dtype"), nb::arg("device") = 0, "A tensor in memory of a device.")
      .def("new_state", [](const LoadedModule &self) { return new ModuleState(self.module); })
      .def("reset_state", [](const LoadedModule &self) { resetState(heddle_module_state(self.module.raw())); })
      .def_prop_ro("entry_points", [](const LoadedModule &self) { return self.byName.attr("copy")(); })
      .def_prop_ro("rank", [](const LoadedModule &self) { return heddle_module_rank(self.module.raw()); })
      .def_prop_ro(
          "meshes", [](const LoadedModule &self) { return meshesOf(self.module); }, "(name, sizes, first rank)")
      .def_prop_ro(
          "metadata", [](const LoadedModule &self) { return metadataOf(self.module); },
          "What the model's author wrote into the model's file: metadata_props of ONNX.")
      .def("_model_fact",
           [](const LoadedModule &self, const std::string &name) {
             return textOf(heddle_module_model_fact(self.module.raw(), name.c_str()));
           })
      .def_prop_ro("_load_statistics", [](const LoadedModule &self) { return loadStatisticsOf(self.module); })
      .def_prop_ro("warnings", [](const LoadedModule &self) { return self.module.warnings(); })
      .def_prop_ro("devices", [](nb::handle_t<LoadedModule> self) {
        const Module &module = nb::cast<LoadedModule &>(self).module;
        nb::list out;
        for (uint32_t i = 0; i < module.devices(); ++i)
          out.append(nb::cast(&module.device(i), nb::rv_policy::reference_internal, self));
        return out;
      });
}

} // namespace
} // namespace heddle::python

NB_MODULE(_runtime, m) {
  using namespace heddle::python;
  nb::set_leak_warnings(false); // what other libraries hold at exit (a compiled graph of PyTorch) is theirs
  importNumpy();
  m.attr("__version__") = heddle_version();
  defineDevices(m);
  defineTensors(m);
  defineRanks(m);
  defineFunctions(m);
  defineModule(m);
  defineWatches(m);
}
