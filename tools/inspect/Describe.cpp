// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/inspect/Describe.h"

#include "heddle/contract/ElementType.h"
#include "tools/inspect/Certificates.h"
#include "tools/inspect/Meshes.h"
#include "tools/lib/Disassembler.h"
#include "tools/lib/Error.h"
#include "tools/lib/Print.h"

#include <cstdio>
#include <limits>

namespace heddle::tools {
namespace {

using contract::Opcode;

template <typename T> const T &at(const std::vector<T> &list, int64_t index, const char *what) {
  if (index < 0 || static_cast<uint64_t>(index) >= list.size())
    throw Failure(std::string("the artifact is malformed: ") + what + " " + std::to_string(index) + " of " +
                  std::to_string(list.size()));
  return list[static_cast<size_t>(index)];
}

std::string typeName(uint8_t type) { return std::string(contract::spelling(static_cast<contract::ElementType>(type))); }

Json valueJson(const fb::ValueT &value, const fb::FunctionT &function, const fb::ModuleT &module) {
  Json shape = Json::array();
  for (const fb::Dim &dim : value.dims) {
    std::string name; // "" also: a size that only the finished call knows
    if (dim.symbol() >= 0)
      name = at(function.symbols, dim.symbol(), "dimension")->name;
    if (dim.symbol() < 0 && dim.size() >= 0)
      shape.push_back(dim.size());
    else
      shape.push_back(name.empty() ? "?" : name);
  }
  Json out = {{"name", value.name}, {"type", typeName(value.type)}, {"shape", shape}};
  if (value.mesh >= 0)
    out["sharding"] = shardingJson(value, module);
  return out;
}

std::string deviceName(const fb::ModuleT &module, uint32_t device) {
  return module.devices.empty() ? "" : at(module.devices, device, "device")->name;
}

// What the function does with each global that it uses, in the order of arguments, then of results.
Json stateJson(const fb::FunctionT &function, const fb::ModuleT &module) {
  Json uses = Json::array();
  auto useOf = [&](int32_t global) -> Json & {
    std::string name = at(module.globals, global, "global")->name;
    for (Json &use : uses)
      if (use["global"] == name)
        return use;
    return uses.emplace_back(Json{{"global", name}, {"reads", false}, {"writes", false}, {"in_place", false}});
  };
  for (const auto &value : function.arguments)
    if (value->state >= 0) {
      useOf(value->state)["reads"] = true;
      useOf(value->state)["in_place"] = value->writable;
    }
  for (const auto &value : function.results)
    if (value->state >= 0)
      useOf(value->state)["writes"] = true;
  return uses;
}

// What stands for an argument that is left out: "[3 4]".
std::string defaultText(const fb::ValueT &value) {
  std::vector<int64_t> dims;
  for (const fb::Dim &dim : value.dims)
    dims.push_back(dim.size());
  std::span<const std::byte> bytes(reinterpret_cast<const std::byte *>(value.default_value.data()),
                                   value.default_value.size());
  std::string text = formatTensor({static_cast<contract::ElementType>(value.type), dims, bytes});
  return text.substr(text.find('=') + 1);
}

// What the caller gives and gets; state apart.
Json entryPointJson(const fb::FunctionT &function, const fb::ModuleT &module) {
  Json arguments = Json::array(), results = Json::array(), symbols = Json::array();
  for (const auto &value : function.arguments)
    if (value->state < 0) {
      arguments.push_back(valueJson(*value, function, module));
      if (value->donated >= 0)
        arguments.back()["donated_to"] = at(function.results, value->donated, "result")->name;
      if (!value->default_value.empty())
        arguments.back()["default"] = defaultText(*value);
    }
  for (const auto &value : function.results)
    if (value->state < 0)
      results.push_back(valueJson(*value, function, module));
  for (const auto &symbol : function.symbols) {
    Json json = {{"name", symbol->name}, {"min", symbol->min}, {"max", nullptr}};
    if (symbol->max != std::numeric_limits<int64_t>::max())
      json["max"] = symbol->max;
    symbols.push_back(json);
  }
  return {{"name", function.name},
          {"arguments", arguments},
          {"results", results},
          {"dimensions", symbols},
          {"state", stateJson(function, module)}};
}

Json globalJson(const fb::GlobalT &global, const fb::ModuleT &module) {
  Json shape = Json::array();
  for (int64_t size : global.dims)
    shape.push_back(size < 0 ? Json("?") : Json(size));
  return {
      {"name", global.name},
      {"type", typeName(global.type)},
      {"shape", shape},
      {"device", deviceName(module, global.device)},
      {"initial", global.initial < 0 ? Json(nullptr) : Json(at(module.parameters, global.initial, "parameter")->key)}};
}

Json variantJson(const fb::VariantT &variant) {
  Json json = {{"target", variant.target},
               {"format", variant.format},
               {"features", variant.features},
               {"bytes", variant.code_bytes}};
  for (const auto &launch : variant.launches) // of the exports, where code runs in workgroups of invocations
    json["launches"].push_back(
        {{"block", {launch->block_x, launch->block_y, launch->block_z}}, {"shared_bytes", launch->shared_bytes}});
  return json;
}

Json executableJson(const fb::ExecutableT &executable, const fb::ModuleT &module) {
  Json exports = Json::array(), variants = Json::array();
  for (const auto &entry : executable.exports) {
    std::string source;
    if (entry->location < module.locations.size())
      source = module.locations[entry->location]->name;
    exports.push_back(
        {{"name", entry->name}, {"bindings", entry->bindings}, {"constants", entry->constants}, {"source", source}});
  }
  for (const auto &variant : executable.variants)
    variants.push_back(variantJson(*variant));
  return {{"name", executable.name}, {"exports", exports}, {"variants", variants}};
}

Json parameterJson(const fb::ParameterT &parameter) {
  char hash[20];
  std::snprintf(hash, sizeof(hash), "%016llx", static_cast<unsigned long long>(parameter.hash));
  return {{"scope", parameter.scope},
          {"key", parameter.key},
          {"type", typeName(parameter.type)},
          {"shape", parameter.shape},
          {"layout", parameter.layout},
          {"bytes", parameter.bytes},
          {"hash", hash}};
}

Json deviceJson(const fb::DeviceT &device) {
  Json alternatives = Json::array();
  for (const auto &target : device.alternatives) {
    if (!target->fallback.empty()) {
      alternatives.push_back({{"fallback", target->fallback}});
      continue;
    }
    Json json = {{"driver", target->driver}, {"ordinal", nullptr}, {"formats", target->formats}};
    if (target->ordinal >= 0)
      json["ordinal"] = target->ordinal;
    if (target->given >= 0)
      json["given"] = target->given;
    alternatives.push_back(json);
  }
  return {{"name", device.name}, {"alternatives", alternatives}};
}

// What an instruction speaks of, for people.
std::string nameOf(const HostInstruction &instruction, const fb::FunctionT &function, const fb::ModuleT &module) {
  switch (instruction.opcode) {
  case Opcode::Dispatch: {
    const auto &executable = at(module.executables, instruction.operand('o'), "executable");
    return at(executable->exports, instruction.operand('O'), "export")->name;
  }
  case Opcode::Collective:
  case Opcode::CollectiveCut: return at(module.collectives, instruction.operand('j'), "collective")->name;
  case Opcode::Parameter: return at(module.parameters, instruction.operand('p'), "parameter")->key;
  case Opcode::Result:
  case Opcode::SetResult: return at(function.results, instruction.operand('r'), "result")->name;
  case Opcode::Check:
  case Opcode::Fail: return at(module.messages, instruction.operand('m'), "message");
  default: return "";
  }
}

void appendHost(const fb::FunctionT &function, const fb::ModuleT &module, Json &host) {
  std::vector<HostInstruction> program = disassemble(function.code);
  std::vector<BindingTime> times = bindingTimes(program, static_cast<uint32_t>(function.symbols.size()));
  std::vector<int64_t> devices = instructionDevices(program);
  for (size_t i = 0; i < program.size(); ++i)
    host.push_back({{"op", program[i].mnemonic()},
                    {"name", nameOf(program[i], function, module)},
                    {"device", devices[i] < 0 ? "" : deviceName(module, static_cast<uint32_t>(devices[i]))},
                    {"binding", spelling(times[i])},
                    {"function", function.name}});
}

template <typename T, typename F> Json listOf(const std::vector<T> &list, F &&toJson) {
  Json out = Json::array();
  for (const T &element : list)
    out.push_back(toJson(*element));
  return out;
}

Json pairsJson(const std::vector<std::unique_ptr<fb::KeyValueT>> &pairs) {
  Json out = Json::object();
  for (const auto &pair : pairs)
    out[pair->key] = pair->value;
  return out;
}

} // namespace

Json describe(const fb::ModuleT &module, const contract::Header &header) {
  Json entryPoints = Json::array(), host = Json::array();
  for (const auto &function : module.functions) {
    if (!function->bind)
      entryPoints.push_back(entryPointJson(*function, module));
    appendHost(*function, module, host);
  }
  Json report = Json::parse(module.report, nullptr, /*allow_exceptions=*/false);
  return {{"format",
           {{"version", header.formatVersion},
            {"instruction_set", header.instructionSet},
            {"kernel_abi", header.kernelAbi}}},
          {"producer", module.producer},
          {"model", pairsJson(module.model)},
          {"metadata", pairsJson(module.metadata)},
          {"file_bytes", header.fileBytes},
          {"entry_points", entryPoints},
          {"devices", listOf(module.devices, deviceJson)},
          {"executables", listOf(module.executables, [&](auto &e) { return executableJson(e, module); })},
          {"parameters", listOf(module.parameters, parameterJson)},
          {"globals", listOf(module.globals, [&](auto &g) { return globalJson(g, module); })},
          {"meshes", listOf(module.meshes, [&](auto &m) { return meshJson(m, deviceName(module, m.device)); })},
          {"collectives", listOf(module.collectives, [&](auto &c) { return collectiveJson(c, module); })},
          {"overlaps", listOf(module.overlaps, [&](auto &o) { return overlapJson(o, module); })},
          {"certificate", certificateJson(module)},
          {"host", host},
          {"report", report.is_discarded() ? Json(nullptr) : report}};
}

} // namespace heddle::tools
