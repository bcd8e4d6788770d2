// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/session/Session.h"

#include "tools/lib/Error.h"
#include "tools/lib/Suggest.h"

#include <algorithm>

namespace heddle::tools {
namespace {

std::vector<const char *> cStrings(std::span<const std::string> texts) {
  std::vector<const char *> out;
  for (const std::string &text : texts)
    out.push_back(text.c_str());
  return out;
}

heddle_load_options optionsFor(std::span<const char *const> uris, heddle_allow_native allowNative) {
  heddle_load_options options{};
  options.struct_size = sizeof(options);
  options.device_count = static_cast<uint32_t>(uris.size());
  options.devices = uris.data();
  options.allow_native = allowNative;
  return options;
}

} // namespace

uint32_t findEntryPoint(const Module &module, const std::string &name) {
  if (name.empty())
    return module.find(nullptr);
  std::vector<std::string> names;
  for (uint32_t i = 0; i < module.entryPoints(); ++i)
    names.emplace_back(module.entryPoint(i).name);
  auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw UsageError("--function: the artifact has no entry point '" + name + "'" + didYouMean(name, names) +
                     "\nit has: " + quotedList(names));
  return static_cast<uint32_t>(found - names.begin());
}

std::string Artifact::plan(std::span<const std::string> devices, heddle_allow_native allowNative,
                           uint32_t threads) const {
  std::vector<const char *> uris = cStrings(devices);
  heddle_load_options options = optionsFor(uris, allowNative);
  options.threads = threads;
  char *text = nullptr;
  check(heddle_module_plan(raw_, &options, &text));
  std::string out = takeString(text);
  return out.empty() || out.ends_with('\n') ? out : out + '\n';
}

std::string Artifact::planJson(std::span<const std::string> devices, heddle_allow_native allowNative,
                               uint32_t threads) const {
  std::vector<const char *> uris = cStrings(devices);
  heddle_load_options options = optionsFor(uris, allowNative);
  options.threads = threads;
  char *json = nullptr;
  check(heddle_module_plan_json(raw_, &options, &json));
  return takeString(json);
}

std::string takeString(char *text) {
  std::string out = text;
  heddle_string_release(text);
  return out;
}

std::vector<Tensor> borrow(std::span<const HostTensor> values) {
  std::vector<Tensor> out;
  for (const HostTensor &value : values)
    out.push_back(Tensor::borrow(static_cast<heddle_element_type>(value.type()), value.dims(), value.data().data(),
                                 value.data().size()));
  return out;
}

std::vector<const heddle_tensor *> defaultsOf(const Module &module, uint32_t entryPoint) {
  std::vector<const heddle_tensor *> out;
  for (uint32_t i = 0; i < module.entryPoint(entryPoint).argument_count; ++i)
    out.push_back(heddle_module_default(module.raw(), entryPoint, i));
  return out;
}

TensorView view(const Tensor &tensor) {
  return {static_cast<contract::ElementType>(tensor.type()),
          tensor.dims(),
          {static_cast<const std::byte *>(tensor.data()), tensor.bytes()}};
}

} // namespace heddle::tools
