// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/check/Artifact.h"

#include "heddle/ranks.h"

#include "llvm/ADT/ScopeExit.h"

#include <cstring>
#include <thread>

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

namespace {

// A rank of an artifact, or one that has no ranks (no world).
struct Place {
  heddle_world *world = nullptr;
  uint32_t member = 0;
};

} // namespace

// `code`: of the failure that is returned as a text.
static std::string runAt(Place place, const std::string &path, const std::string &entryPoint,
                         ArrayRef<std::string> devices, ArrayRef<Tensor> inputs, std::vector<Tensor> &results,
                         heddle_status_code &code) {
  heddle_module *module = nullptr;
  heddle_invocation *call = nullptr;
  std::vector<heddle_tensor> outputs;
  auto release = llvm::make_scope_exit([&] {
    for (heddle_tensor &output : outputs)
      heddle_tensor_reset(&output);
    heddle_invocation_release(call);
    heddle_module_release(module);
  });
  auto failed = [&](heddle_status *status, std::string &text) {
    code = heddle_status_get_code(status);
    text = take(status);
    return !text.empty();
  };
  uint32_t index;
  std::string error;
  auto uris = llvm::map_to_vector(devices, [](const std::string &uri) { return uri.c_str(); });
  heddle_load_options options{};
  options.struct_size = sizeof(options);
  options.device_count = uris.size();
  options.devices = uris.data();
  options.world = place.world;
  options.member = place.member;
  if (failed(heddle_module_load_file(path.c_str(), &options, &module), error))
    return error;
  heddle_module_seed(module, 0); // as the reference
  if (failed(heddle_module_find_entry_point(module, entryPoint.c_str(), &index), error) ||
      failed(heddle_invocation_create(module, index, &call), error))
    return error;
  std::vector<heddle_tensor> arguments;
  llvm::transform(inputs, std::back_inserter(arguments), borrow);
  outputs.resize(heddle_module_entry_point(module, index)->result_count);
  if (failed(heddle_invocation_call(call, arguments.data(), arguments.size(), outputs.data(), outputs.size()), error))
    return error;
  results.clear();
  llvm::transform(outputs, std::back_inserter(results), copyOf);
  return "";
}

std::string check::runArtifact(const std::string &path, const std::string &entryPoint, ArrayRef<std::string> devices,
                               ArrayRef<Tensor> inputs, std::vector<Tensor> &results) {
  heddle_status_code code;
  return runAt({}, path, entryPoint, devices, inputs, results, code);
}

std::string check::runArtifactRanks(const std::string &path, const std::string &entryPoint,
                                    ArrayRef<std::string> devices, ArrayRef<std::vector<Tensor>> inputs,
                                    std::vector<std::vector<Tensor>> &results) {
  heddle_world_options options{sizeof(options), static_cast<uint32_t>(inputs.size()), "local", 0};
  heddle_world *world = nullptr;
  if (std::string error = take(heddle_world_create(&options, &world)); !error.empty())
    return error;
  auto release = llvm::make_scope_exit([&] { heddle_world_release(world); });
  std::vector<std::vector<Tensor>> own(inputs.size());
  std::vector<std::string> errors(inputs.size());
  std::vector<heddle_status_code> codes(inputs.size(), HEDDLE_OK);
  std::vector<std::thread> threads;
  for (uint32_t rank = 0; rank < inputs.size(); ++rank)
    threads.emplace_back([&, rank] {
      errors[rank] = runAt({world, rank}, path, entryPoint, devices, inputs[rank], own[rank], codes[rank]);
      if (!errors[rank].empty()) // nobody waits for a rank that fails where the runtime does not see it
        heddle_world_abort(world, rank, heddle_status_create(HEDDLE_CANCELLED, errors[rank].c_str()));
    });
  for (std::thread &thread : threads)
    thread.join();
  std::string echo; // of another rank's failure
  for (auto [rank, error] : llvm::enumerate(errors)) {
    if (!error.empty() && codes[rank] != HEDDLE_RANK_FAILED)
      return "rank " + std::to_string(rank) + ": " + error;
    echo = echo.empty() ? error : echo;
  }
  if (!echo.empty())
    return echo;
  results = std::move(own);
  return "";
}
