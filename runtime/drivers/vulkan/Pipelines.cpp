// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/drivers/vulkan/Pipelines.h"

#include "heddle/contract/SpirvAbi.h"

#include <algorithm>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace heddle::vulkan {
namespace {

class VulkanExecutable final : public hal::Executable {
public:
  VulkanExecutable(std::shared_ptr<PipelineLibrary> library, std::shared_ptr<ShaderModule> module,
                   std::vector<hal::Kernel> kernels)
      : library_(std::move(library)), module_(std::move(module)) {
    kernels_ = std::move(kernels);
  }

private:
  std::shared_ptr<PipelineLibrary> library_;
  std::shared_ptr<ShaderModule> module_; // gone before its library
};

Status cannotLoad(const hal::ExecutableSource &source, const std::string &why) {
  return Status(StatusCode::Malformed, "the code of executable '" + source.name + "' must be a SPIR-V module: " + why +
                                           "; compile the model again");
}

// Whether the device runs code that reaches tensors by addresses, which are 64-bit integers.
bool runsByAddress(const LogicalDevice &device) {
  const std::vector<std::string> &features = device.physical.info.features;
  return device.hasAddresses() && std::find(features.begin(), features.end(), "shaderInt64") != features.end();
}

} // namespace

StatusOr<std::shared_ptr<ShaderModule>> ShaderModule::create(std::shared_ptr<LogicalDevice> device, SpirvModule source,
                                                             VkPipelineCache cache) {
  std::shared_ptr<ShaderModule> module(new ShaderModule(std::move(device), cache));
  module->source_ = std::move(source);
  HEDDLE_RETURN_IF_ERROR(module->createLayout());
  const LogicalDevice &d = *module->device_;
  if (std::shared_ptr<SpirvModule> large = std::move(module->source_.large); large && runsByAddress(d)) {
    StatusOr<std::shared_ptr<ShaderModule>> made = create(module->device_, std::move(*large), cache);
    if (!made.ok())
      return made;
    module->large_ = std::move(*made);
  }
  VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  std::vector<uint32_t> words = withFloatControls(module->source_.words, d.physical.floatControls);
  info.codeSize = words.size() * 4;
  info.pCode = words.data();
  HEDDLE_VK(d, CreateShaderModule, d.handle, &info, nullptr, &module->handle_);
  return module;
}

Status ShaderModule::createLayout() {
  const LogicalDevice &d = *device_;
  std::vector<VkDescriptorSetLayoutBinding> bindings(source_.descriptors);
  for (uint32_t i = 0; i < source_.descriptors; ++i)
    bindings[i] = {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
  VkDescriptorSetLayoutCreateInfo set{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
  set.bindingCount = source_.descriptors;
  set.pBindings = bindings.data();
  std::vector<VkDescriptorBindingFlags> changing(source_.descriptors, VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT);
  VkDescriptorSetLayoutBindingFlagsCreateInfo flags{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO};
  flags.bindingCount = source_.descriptors;
  flags.pBindingFlags = changing.data();
  if (d.changesDescriptors()) {
    set.pNext = &flags;
    set.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT;
  }
  HEDDLE_VK(d, CreateDescriptorSetLayout, d.handle, &set, nullptr, &setLayout_);
  VkPipelineLayoutCreateInfo layout{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  layout.setLayoutCount = 1;
  layout.pSetLayouts = &setLayout_;
  HEDDLE_VK(d, CreatePipelineLayout, d.handle, &layout, nullptr, &layout_);
  return {};
}

ShaderModule::~ShaderModule() {
  const LogicalDevice &d = *device_;
  for (auto &[name, pipeline] : pipelines_)
    d.functions.DestroyPipeline(d.handle, pipeline.handle, nullptr);
  d.functions.DestroyShaderModule(d.handle, handle_, nullptr);
  d.functions.DestroyPipelineLayout(d.handle, layout_, nullptr);
  d.functions.DestroyDescriptorSetLayout(d.handle, setLayout_, nullptr);
}

StatusOr<const Pipeline *> ShaderModule::pipeline(const std::string &symbol) {
  if (std::find(source_.entryPoints.begin(), source_.entryPoints.end(), symbol) == source_.entryPoints.end())
    return static_cast<const Pipeline *>(nullptr);
  std::lock_guard lock(mutex_);
  if (auto known = pipelines_.find(symbol); known != pipelines_.end())
    return static_cast<const Pipeline *>(&known->second);
  const LogicalDevice &d = *device_;
  VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = handle_;
  info.stage.pName = symbol.c_str();
  info.layout = layout_;
  VkPipeline handle = VK_NULL_HANDLE;
  HEDDLE_VK(d, CreateComputePipelines, d.handle, cache_, 1, &info, nullptr, &handle);
  auto &made = pipelines_[symbol];
  made = {handle, layout_, setLayout_, source_.descriptors, source_.usesAddresses, large_.get(), symbol};
  return static_cast<const Pipeline *>(&made);
}

StatusOr<std::unique_ptr<PipelineLibrary>> PipelineLibrary::create(std::shared_ptr<LogicalDevice> device) {
  std::unique_ptr<PipelineLibrary> library(new PipelineLibrary(std::move(device)));
  const LogicalDevice &d = *library->device_;
  VkPipelineCacheCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  HEDDLE_VK(d, CreatePipelineCache, d.handle, &info, nullptr, &library->cache_);
  return library;
}

PipelineLibrary::~PipelineLibrary() { device_->functions.DestroyPipelineCache(device_->handle, cache_, nullptr); }

StatusOr<std::shared_ptr<ShaderModule>> PipelineLibrary::module(const hal::ExecutableSource &source) {
  XXH128_hash_t hash = XXH3_128bits(source.code.data(), source.code.size());
  std::lock_guard lock(mutex_);
  std::weak_ptr<ShaderModule> &slot = modules_[{hash.high64, hash.low64}];
  if (std::shared_ptr<ShaderModule> known = slot.lock())
    return known;
  StatusOr<SpirvModule> parsed = SpirvModule::parse(source.code);
  if (!parsed.ok())
    return cannotLoad(source, parsed.status().message());
  if (parsed->usesAddresses && !device_->hasAddresses())
    return Status(StatusCode::Unsupported, "executable '" + source.name + "' reaches memory by addresses, and " +
                                               device_->physical.info.uri + " has no bufferDeviceAddress");
  if (parsed->descriptors > device_->physical.maxStorageBuffers)
    return Status(StatusCode::Unsupported,
                  "executable '" + source.name + "' binds " + std::to_string(parsed->descriptors) + " buffers, and " +
                      device_->physical.info.uri + " takes " + std::to_string(device_->physical.maxStorageBuffers));
  StatusOr<std::shared_ptr<ShaderModule>> made = ShaderModule::create(device_, std::move(*parsed), cache_);
  if (made.ok())
    slot = *made;
  return made;
}

StatusOr<std::unique_ptr<hal::Executable>> PipelineLibrary::load(const hal::ExecutableSource &source,
                                                                 std::shared_ptr<PipelineLibrary> self) {
  if (source.format != contract::spirv::kFormat)
    return Status(StatusCode::Unsupported, device_->physical.info.uri + " loads spirv, got executable '" + source.name +
                                               "' of format " + source.format);
  HEDDLE_RETURN_IF_ERROR(hal::checkLaunches(source, device_->physical.info, "maxComputeWorkGroupInvocations",
                                            "maxComputeSharedMemorySize"));
  StatusOr<std::shared_ptr<ShaderModule>> shader = module(source);
  if (!shader.ok())
    return shader.takeStatus();
  std::vector<hal::Kernel> kernels;
  for (const std::string &symbol : source.symbols) {
    StatusOr<const Pipeline *> pipeline = (*shader)->pipeline(symbol);
    if (!pipeline.ok())
      return pipeline.takeStatus().prefix("executable '" + source.name + "': ");
    if (!*pipeline)
      return cannotLoad(source, "it has no entry point '" + symbol + "'");
    kernels.push_back({const_cast<Pipeline *>(*pipeline), (*pipeline)->reachesAll()});
  }
  return std::unique_ptr<hal::Executable>(
      std::make_unique<VulkanExecutable>(std::move(self), std::move(*shader), std::move(kernels)));
}

} // namespace heddle::vulkan
