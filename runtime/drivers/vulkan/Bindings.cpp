// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/drivers/vulkan/Bindings.h"

#include "heddle/contract/SpirvAbi.h"

#include <algorithm>
#include <cstring>

namespace heddle::vulkan {
namespace {

namespace spirv = contract::spirv;

// Where a descriptor of so many bytes ends: with a whole word, as narrow elements may be read by words.
uint64_t endOf(const Location &at, uint64_t bytes) {
  return std::min(at.bufferBytes, (at.offset + std::max<uint64_t>(bytes, 1) + 3) / 4 * 4);
}

} // namespace

StatusOr<const Pipeline *> choosePipeline(const hal::Dispatch &dispatch, const PhysicalDevice &physical) {
  const auto *pipeline = static_cast<const Pipeline *>(dispatch.kernel->native);
  bool isLarge = pipeline->large && std::any_of(dispatch.views.begin(), dispatch.views.end(), [&](auto &bound) {
                   return bound.view.bytes + spirv::kDescriptorAlignment > physical.maxStorageRange;
                 });
  return isLarge ? pipeline->large->pipeline(pipeline->symbol) : pipeline;
}

Status Bindings::describe(const hal::Dispatch &dispatch, const Pipeline &pipeline, const MemoryPool &pool,
                          const PhysicalDevice &physical) {
  auto n = static_cast<uint32_t>(dispatch.views.size());
  auto constants = static_cast<uint32_t>(dispatch.constants.size());
  words_.assign(spirv::argumentWords(n, constants), 0);
  words_[spirv::kWorkgroupsWord] = static_cast<uint32_t>(dispatch.workgroups);
  buffers_.clear();
  accesses_.clear();
  for (uint32_t i = 0; i < n; ++i) {
    const hal::View &view = dispatch.views[i].view;
    std::optional<Location> at = pool.find(view);
    if (!at)
      return Status(StatusCode::InvalidArgument, "binding " + std::to_string(i) + " of a dispatch must be memory of " +
                                                     physical.info.uri + ", got memory of another device");
    std::memcpy(&words_[spirv::addressWord(n, constants, i)], &at->address, sizeof(at->address));
    uint64_t start = at->offset / spirv::kDescriptorAlignment * spirv::kDescriptorAlignment;
    words_[spirv::offsetWord(i)] = static_cast<uint32_t>(at->offset - start);
    uint64_t end = endOf(*at, view.bytes);
    accesses_.push_back({at->buffer, start, end, dispatch.views[i].writes});
    if (!pipeline.usesAddresses)
      buffers_.push_back({at->buffer, start, std::min(end - start, physical.maxStorageRange)});
  }
  for (uint32_t c = 0; c < constants; ++c)
    std::memcpy(&words_[spirv::constantWord(n, c)], &dispatch.constants[c], sizeof(int64_t));
  return {};
}

void Bindings::writeArguments(const Piece &arguments) const {
  std::memcpy(arguments.mapped, words_.data(), words_.size() * 4);
}

void Bindings::writeSet(const LogicalDevice &device, const Piece &arguments, VkDescriptorSet set,
                        const Pipeline &pipeline) {
  buffers_.push_back({arguments.buffer, arguments.offset, words_.size() * 4});
  writes_.clear();
  for (uint32_t i = 0; i < std::min<size_t>(buffers_.size(), pipeline.descriptors); ++i) {
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = set;
    write.dstBinding = i;
    write.descriptorCount = 1;
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    write.pBufferInfo = &buffers_[i];
    writes_.push_back(write);
  }
  device.functions.UpdateDescriptorSets(device.handle, static_cast<uint32_t>(writes_.size()), writes_.data(), 0,
                                        nullptr);
}

} // namespace heddle::vulkan
