// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compute pipelines of an opened device. The same code is compiled once while somebody holds it. Thread-safe.
#ifndef HEDDLE_RUNTIME_DRIVERS_VULKAN_PIPELINES_H
#define HEDDLE_RUNTIME_DRIVERS_VULKAN_PIPELINES_H

#include "runtime/drivers/vulkan/LogicalDevice.h"
#include "runtime/drivers/vulkan/SpirvModule.h"
#include "runtime/hal/Executable.h"

#include <map>

namespace heddle::vulkan {

class ShaderModule;

// What a hal::Kernel of this driver points to.
struct Pipeline {
  VkPipeline handle = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkDescriptorSetLayout setLayout = VK_NULL_HANDLE;
  uint32_t descriptors = 0;
  bool usesAddresses = false; // tensors have no descriptors
  // That of the same entry point for dispatches with a tensor that descriptors do not reach; null: there is none.
  ShaderModule *large = nullptr;
  std::string symbol;

  bool reachesAll() const { return usesAddresses || large; }
};

// The pipelines of one module, by entry point.
class ShaderModule {
public:
  static StatusOr<std::shared_ptr<ShaderModule>> create(std::shared_ptr<LogicalDevice> device, SpirvModule source,
                                                        VkPipelineCache cache);
  ~ShaderModule();
  // Null when there is no such entry point. Made when it is first asked for.
  StatusOr<const Pipeline *> pipeline(const std::string &symbol);

private:
  explicit ShaderModule(std::shared_ptr<LogicalDevice> device, VkPipelineCache cache)
      : device_(std::move(device)), cache_(cache) {}
  Status createLayout();

  std::shared_ptr<LogicalDevice> device_;
  VkPipelineCache cache_;
  SpirvModule source_;
  std::shared_ptr<ShaderModule> large_; // of source_.large, where the device can run it
  VkShaderModule handle_ = VK_NULL_HANDLE;
  VkDescriptorSetLayout setLayout_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  std::mutex mutex_;
  std::map<std::string, Pipeline> pipelines_;
};

class PipelineLibrary {
public:
  static StatusOr<std::unique_ptr<PipelineLibrary>> create(std::shared_ptr<LogicalDevice> device);
  ~PipelineLibrary();
  // Malformed or Unsupported, with the executable's name. `self` outlives the executable.
  StatusOr<std::unique_ptr<hal::Executable>> load(const hal::ExecutableSource &source,
                                                  std::shared_ptr<PipelineLibrary> self);

private:
  explicit PipelineLibrary(std::shared_ptr<LogicalDevice> device) : device_(std::move(device)) {}
  StatusOr<std::shared_ptr<ShaderModule>> module(const hal::ExecutableSource &source);

  std::shared_ptr<LogicalDevice> device_;
  VkPipelineCache cache_ = VK_NULL_HANDLE;
  std::mutex mutex_;
  std::map<std::pair<uint64_t, uint64_t>, std::weak_ptr<ShaderModule>> modules_; // by the code's hash
};

} // namespace heddle::vulkan

#endif // HEDDLE_RUNTIME_DRIVERS_VULKAN_PIPELINES_H
