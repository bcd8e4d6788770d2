// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libFuzzer target: any byte string is an artifact that loads on null devices and whose entry points can be called,
// or an error with a message.
#include "heddle/heddle.h"
#include "test/fuzz/ArtifactMutator.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace {

constexpr size_t kMemory = 1 << 13, kMostArguments = 16; // bytes of each: donated memory is no other argument's
constexpr uint64_t kTimeout = 20'000'000;

struct Free {
  void operator()(void *memory) const { std::free(memory); }
};

// Aborts unless a failure has words. Returns whether it was a success.
bool consume(heddle_status *status) {
  if (!status)
    return true;
  if (heddle_status_get_code(status) == HEDDLE_OK || heddle_status_message(status)[0] == '\0')
    std::abort();
  heddle_status_release(status);
  return false;
}

// Arguments of the smallest sizes that the entry point allows.
std::vector<heddle_tensor> makeArguments(const heddle_entry_point_info &info) {
  alignas(64) static char memory[kMostArguments][kMemory];
  std::vector<heddle_tensor> arguments(info.argument_count);
  for (uint32_t i = 0; i < info.argument_count; ++i) {
    const heddle_value_info &value = info.arguments[i];
    arguments[i] = {memory[i % kMostArguments], kMemory, value.type, value.rank, {}, nullptr};
    for (uint32_t d = 0; d < std::min<uint32_t>(value.rank, HEDDLE_MAX_RANK); ++d)
      arguments[i].dims[d] = value.dims[d].size >= 0 ? value.dims[d].size : std::max<int64_t>(value.dims[d].min, 3);
  }
  return arguments;
}

void call(heddle_module *module, uint32_t entryPoint) {
  heddle_invocation *invocation = nullptr;
  if (!consume(heddle_invocation_create(module, entryPoint, &invocation)))
    return;
  const heddle_entry_point_info &info = *heddle_module_entry_point(module, entryPoint);
  std::vector<heddle_tensor> arguments = makeArguments(info), results(info.result_count);
  heddle_invocation_set_timeout(invocation, kTimeout);
  for (int round = 0; round < 2; ++round)
    if (consume(heddle_invocation_call(invocation, arguments.data(), info.argument_count, results.data(),
                                       info.result_count)))
      for (heddle_tensor &result : results)
        heddle_tensor_reset(&result);
  heddle_invocation_release(invocation);
}

// On one device, or on two that share no memory. Returns how many the program has.
uint32_t load(heddle_artifact *artifact, uint32_t devices) {
  const char *null[] = {"null?memory=64m", "null?memory=64m&discrete=yes"};
  heddle_load_options options = {};
  options.struct_size = sizeof(options);
  options.device_count = devices;
  options.devices = null;
  char *plan = nullptr;
  if (consume(heddle_module_plan(artifact, &options, &plan)))
    heddle_string_release(plan);
  heddle_module *module = nullptr;
  if (!consume(heddle_module_load(artifact, &options, &module)))
    return 0;
  for (uint32_t i = 0; i < heddle_module_entry_point_count(module); ++i) {
    char *program = nullptr;
    if (consume(heddle_module_bound_program(module, i, &program)))
      heddle_string_release(program);
    call(module, i);
  }
  uint32_t count = heddle_module_device_count(module);
  heddle_module_release(module);
  return count;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  constexpr size_t alignment = 64;
  std::unique_ptr<void, Free> copy(std::aligned_alloc(alignment, (size + alignment) / alignment * alignment));
  std::memcpy(copy.get(), data, size);
  heddle_artifact *artifact = nullptr;
  if (!consume(heddle_artifact_open_memory(copy.get(), size, &artifact)))
    return 0;
  consume(heddle_artifact_verify_parameters(artifact));
  if (load(artifact, 1) > 1)
    load(artifact, 2);
  heddle_artifact_release(artifact);
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize, unsigned seed) {
  return heddle::fuzz::customMutator(data, size, maxSize, seed, heddle::fuzz::mutateArtifact);
}
