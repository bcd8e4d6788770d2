// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An artifact loaded on devices, with the arguments and results of one call: what `run` and `bench` share.
#ifndef HEDDLE_TOOLS_SESSION_SESSION_H
#define HEDDLE_TOOLS_SESSION_SESSION_H

#include "heddle/heddle.hpp"
#include "tools/lib/HostTensor.h"

#include <span>
#include <string>
#include <vector>

namespace heddle::tools {

// The entry point of this name; "": `main`, or the only one. Throws UsageError with the nearest name.
uint32_t findEntryPoint(const Module &module, const std::string &name);

// An artifact that is open, with devices chosen or not.
class Artifact {
public:
  explicit Artifact(const std::string &path) { check(heddle_artifact_open_file(path.c_str(), &raw_)); }
  ~Artifact() { heddle_artifact_release(raw_); }
  Artifact(const Artifact &) = delete;
  Artifact &operator=(const Artifact &) = delete;

  heddle_artifact *raw() const { return raw_; }
  // The plan that loading would act on, one line per device. Opens no device.
  std::string plan(std::span<const std::string> devices, heddle_allow_native allowNative = HEDDLE_ALLOW_NATIVE_ALWAYS,
                   uint32_t threads = 0) const;
  // The same as JSON (runtime/match/PlanText.h).
  std::string planJson(std::span<const std::string> devices,
                       heddle_allow_native allowNative = HEDDLE_ALLOW_NATIVE_ALWAYS, uint32_t threads = 0) const;

private:
  heddle_artifact *raw_ = nullptr;
};

// Takes a text of the library.
std::string takeString(char *text);

// Borrowed values for a call; `values` must outlive them.
std::vector<Tensor> borrow(std::span<const HostTensor> values);

// By argument: what stands for it where it is left out, or null. Lives as long as the module.
std::vector<const heddle_tensor *> defaultsOf(const Module &module, uint32_t entryPoint);

// A result as the tools print and compare it.
TensorView view(const Tensor &tensor);

inline std::span<const heddle_value_info> argumentsOf(const heddle_entry_point_info &entry) {
  return {entry.arguments, entry.argument_count};
}
inline std::span<const heddle_value_info> resultsOf(const heddle_entry_point_info &entry) {
  return {entry.results, entry.result_count};
}

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_SESSION_SESSION_H
