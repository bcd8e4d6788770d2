// libFuzzer target: any byte string is an artifact that loads on the null device, or an error with a message.
#include "heddle/heddle.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace {

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

void load(heddle_artifact *artifact) {
  const char *device = "null";
  heddle_load_options options = {};
  options.struct_size = sizeof(options);
  options.device_count = 1;
  options.devices = &device;
  char *plan = nullptr;
  if (consume(heddle_module_plan(artifact, &options, &plan)))
    heddle_string_release(plan);
  heddle_module *module = nullptr;
  if (!consume(heddle_module_load(artifact, &options, &module)))
    return;
  for (uint32_t i = 0; i < heddle_module_entry_point_count(module); ++i) {
    char *program = nullptr;
    if (consume(heddle_module_bound_program(module, i, &program)))
      heddle_string_release(program);
  }
  heddle_module_release(module);
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
  load(artifact);
  heddle_artifact_release(artifact);
  return 0;
}
