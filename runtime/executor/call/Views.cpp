// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/call/Views.h"

#include "runtime/executor/call/EntryChecks.h"

#include <algorithm>

namespace heddle {
namespace {

Place placeOf(const heddle_view &view) {
  return {reinterpret_cast<hal::Buffer *>(view.buffer), view.buffer ? view.offset : 0,
          static_cast<std::byte *>(view.data)};
}

heddle_tensor tensorOf(const heddle_view &view) {
  heddle_tensor tensor{};
  tensor.data = placeOf(view).name();
  tensor.bytes = view.bytes;
  tensor.type = view.type;
  tensor.rank = view.rank;
  std::copy_n(view.dims, HEDDLE_MAX_RANK, tensor.dims);
  tensor.owner = view.buffer;
  return tensor;
}

} // namespace

Status Views::begin(std::span<const heddle_view> arguments, std::span<const heddle_view> results) {
  release();
  auto take = [&](std::span<const heddle_view> views, std::vector<heddle_tensor> &tensors, std::vector<Place> &places) {
    tensors.clear();
    places.clear();
    for (const heddle_view &view : views) {
      tensors.push_back(tensorOf(view));
      places.push_back(placeOf(view));
      if (hal::Buffer *buffer = places.back().buffer) {
        held_.emplace_back();
        buffer->retain();
        held_.back() = hal::BufferRef(buffer);
      }
    }
  };
  take(arguments, arguments_, argumentPlaces_);
  take(results, results_, resultPlaces_);
  stays_.clear();
  for (const heddle_view &view : results)
    stays_.push_back(view.device);
  bool counted = arguments.size() == function_.info.argument_count && results.size() == function_.info.result_count;
  return counted ? check(results) : Status();
}

Status Views::check(std::span<const heddle_view> results) const {
  for (size_t i = 0; i < arguments_.size(); ++i)
    HEDDLE_RETURN_IF_ERROR(checkView({function_, /*isResult=*/false, i}, argumentPlaces_[i], arguments_[i].bytes));
  for (const Donation &donation : function_.donations)
    HEDDLE_RETURN_IF_ERROR(
        checkWritable({function_, /*isResult=*/false, donation.argument}, argumentPlaces_[donation.argument]));
  for (size_t i = 0; i < results_.size(); ++i) {
    ValueName name{function_, /*isResult=*/true, i};
    HEDDLE_RETURN_IF_ERROR(checkView(name, resultPlaces_[i], results_[i].bytes));
    HEDDLE_RETURN_IF_ERROR(checkWritable(name, resultPlaces_[i]));
    if (resultPlaces_[i].name() || results[i].device == HEDDLE_HOST)
      continue;
    bool exists = results[i].device < module_.devices().size();
    if (!exists || !module_.memory(results[i].device))
      return refuseDevice(name, results[i].device, exists);
  }
  return checkApart(function_, arguments_, results_);
}

// Of memory of the device, to this program; 0 for a device of others that the host cannot address either.
uint32_t Views::flagsOf(const DeviceMemory &device) const {
  std::span<const DeviceSlot> slots = module_.devices();
  for (uint32_t d = 0; d < slots.size(); ++d)
    if (slots[d].device.get() == &device.device())
      return access_.flags(d);
  return device.device().hostAddressable() ? kHostMemory : 0;
}

PlacedBuffer Views::placed(const Place &place, uint64_t bytes, uint32_t flags) const {
  std::byte *host = place.hostAddress();
  return {host ? host : reinterpret_cast<std::byte *>(static_cast<uintptr_t>(place.offset)),
          static_cast<int64_t>(bytes), flags, place.held()->memory()};
}

void Views::place(Frame &frame, Results &results, Boundary &boundary) const {
  for (uint32_t i = 0; i < argumentPlaces_.size(); ++i) {
    DeviceMemory *device = argumentPlaces_[i].device();
    if (!device)
      continue;
    BufferRegister &value = frame.buffers[i];
    value = {placed(argumentPlaces_[i], arguments_[i].bytes, kDefined | (value.flags & kWritable) | flagsOf(*device))};
    if (!(value.flags & kHostMemory))
      boundary.addForeign(i, *device);
  }
  for (uint32_t i = 0; i < resultPlaces_.size(); ++i) {
    DeviceMemory *device = resultPlaces_[i].device();
    if (device) {
      results.setHome(i, device, placed(resultPlaces_[i], results_[i].bytes, flagsOf(*device)));
    } else if (!resultPlaces_[i].name() && stays_[i] != HEDDLE_HOST) {
      device = module_.memory(stays_[i]).get();
      results.setHome(i, device, {.flags = flagsOf(*device)});
    }
  }
  for (const Donation &donation : function_.donations) {
    const Place &place = argumentPlaces_[donation.argument];
    if (DeviceMemory *device = place.device())
      results.setHome(donation.result, device, placed(place, arguments_[donation.argument].bytes, flagsOf(*device)));
    else
      results.setHome(donation.result, nullptr, {.flags = kHostMemory});
  }
}

void Views::finish(std::span<heddle_view> views) const {
  for (size_t i = 0; i < views.size(); ++i) {
    const heddle_tensor &tensor = results_[i];
    heddle_view &view = views[i];
    auto donation = std::find_if(function_.donations.begin(), function_.donations.end(), [&](const Donation &d) {
      return d.result == i && tensor.data == arguments_[d.argument].data;
    });
    bool isDonated = donation != function_.donations.end();
    if (!resultPlaces_[i].name()) {
      view.buffer = tensor.owner;
      view.data = tensor.data;
      view.offset = isDonated ? argumentPlaces_[donation->argument].offset : 0;
    } else if (isDonated && tensor.owner) { // the caller has its reference
      reinterpret_cast<hal::Buffer *>(tensor.owner)->release();
    }
    if (view.buffer)
      view.data = placeOf(view).hostAddress();
    view.bytes = tensor.bytes;
    view.type = tensor.type;
    view.rank = tensor.rank;
    std::copy_n(tensor.dims, HEDDLE_MAX_RANK, view.dims);
  }
}

} // namespace heddle
