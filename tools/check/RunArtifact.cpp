// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/check/Artifact.h"

#include "heddle/heddle.h"

#include "llvm/ADT/ScopeExit.h"

#include <cstring>

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::check;

static std::string take(heddle_status *status) {
  if (!status)
    return "";
  std::string text = heddle_status_message(status);
  for (uint32_t i = 0; i < heddle_status_note_count(status); ++i)
    text += std::string("; ") + heddle_status_note(status, i);
  heddle_status_release(status);
  return text;
}

static heddle_tensor borrow(const Tensor &tensor) {
  heddle_tensor borrowed{};
  borrowed.data = tensor.data;
  borrowed.bytes = tensor.byteCount();
  borrowed.type = static_cast<heddle_element_type>(tensor.type);
  borrowed.rank = tensor.shape.size();
  llvm::copy(tensor.shape, borrowed.dims);
  return borrowed;
}

static Tensor copyOf(const heddle_tensor &result) {
  Tensor tensor = Tensor::allocate(static_cast<reference::ElementType>(result.type), {result.dims, result.rank});
  std::memcpy(tensor.data, result.data, tensor.byteCount());
  return tensor;
}

std::string check::runArtifact(const std::string &path, const std::string &entryPoint, ArrayRef<std::string> devices,
                               ArrayRef<Tensor> inputs, std::vector<Tensor> &results) {
  heddle_module *module = nullptr;
  heddle_invocation *call = nullptr;
  std::vector<heddle_tensor> outputs;
  auto release = llvm::make_scope_exit([&] {
    for (heddle_tensor &output : outputs)
      heddle_tensor_reset(&output);
    heddle_invocation_release(call);
    heddle_module_release(module);
  });
  uint32_t index;
  auto uris = llvm::map_to_vector(devices, [](const std::string &uri) { return uri.c_str(); });
  heddle_load_options options{};
  options.struct_size = sizeof(options);
  options.device_count = uris.size();
  options.devices = uris.data();
  if (std::string error = take(heddle_module_load_file(path.c_str(), &options, &module)); !error.empty())
    return error;
  heddle_module_seed(module, 0); // as the reference
  if (std::string error = take(heddle_module_find_entry_point(module, entryPoint.c_str(), &index)); !error.empty())
    return error;
  if (std::string error = take(heddle_invocation_create(module, index, &call)); !error.empty())
    return error;
  std::vector<heddle_tensor> arguments;
  llvm::transform(inputs, std::back_inserter(arguments), borrow);
  outputs.resize(heddle_module_entry_point(module, index)->result_count);
  if (std::string error =
          take(heddle_invocation_call(call, arguments.data(), arguments.size(), outputs.data(), outputs.size()));
      !error.empty())
    return error;
  results.clear();
  llvm::transform(outputs, std::back_inserter(results), copyOf);
  return "";
}
