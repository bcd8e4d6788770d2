// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A small good artifact in memory, and helpers to break it: shared by the tests of verifier and runtime.
#ifndef HEDDLE_CONTRACT_TEST_SAMPLEARTIFACT_H
#define HEDDLE_CONTRACT_TEST_SAMPLEARTIFACT_H

#include "heddle/contract/ArtifactBuilder.h"
#include "heddle/contract/ArtifactHash.h"
#include "heddle/contract/Assembler.h"
#include "heddle/contract/Collectives.h"
#include "heddle/contract/ElementType.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace heddle::contract::test {

// The format of test code: it runs where the test does.
#if defined(__aarch64__)
inline constexpr const char *kHostFormat = "elf-aarch64";
#elif defined(__riscv)
inline constexpr const char *kHostFormat = "elf-riscv64";
#else
inline constexpr const char *kHostFormat = "elf-x86_64";
#endif

// Bytes at a 64-byte boundary, as a mapping gives them.
class AlignedBytes {
public:
  explicit AlignedBytes(const std::vector<std::byte> &from)
      : size_(from.size()), data_(static_cast<std::byte *>(std::aligned_alloc(64, (from.size() + 64) / 64 * 64))) {
    std::memcpy(data_.get(), from.data(), from.size());
  }
  std::byte *data() { return data_.get(); }
  size_t size() const { return size_; }
  std::span<const std::byte> span(size_t first) const { return {data_.get(), first}; }
  operator std::span<const std::byte>() const { return {data_.get(), size_}; }
  Header &header() { return *reinterpret_cast<Header *>(data_.get()); }

private:
  struct Free {
    void operator()(std::byte *p) const { std::free(p); }
  };
  size_t size_;
  std::unique_ptr<std::byte, Free> data_;
};

// Makes the header's hashes right again after a change, if the sections still lie in the file.
inline void repairHash(AlignedBytes &bytes) { rehash({bytes.data(), bytes.size()}); }

inline std::unique_ptr<fb::ValueT> value(const char *name, ElementType type, std::vector<fb::Dim> dims) {
  auto out = std::make_unique<fb::ValueT>();
  out->name = name;
  out->type = static_cast<uint8_t>(type);
  out->dims = std::move(dims);
  return out;
}

// An executable whose exports all have `bindings` bindings (the last is written) and `constants` constants.
inline std::unique_ptr<fb::ExecutableT> executable(const char *name, std::vector<std::string> exports,
                                                   uint32_t bindings, uint32_t constants) {
  auto out = std::make_unique<fb::ExecutableT>();
  out->name = name;
  auto variant = std::make_unique<fb::VariantT>();
  variant->target = "x86_64";
  variant->format = kHostFormat;
  variant->symbols = exports;
  for (const std::string &symbol : exports) {
    auto entry = std::make_unique<fb::ExportT>();
    entry->name = symbol;
    entry->bindings = bindings;
    entry->constants = constants;
    entry->reads.assign(bindings, true);
    entry->writes.assign(bindings, false);
    if (bindings)
      entry->writes.back() = true;
    out->exports.push_back(std::move(entry));
  }
  out->variants.push_back(std::move(variant));
  return out;
}

inline std::unique_ptr<fb::DeviceT> device(const char *name, std::vector<const char *> drivers) {
  auto out = std::make_unique<fb::DeviceT>();
  out->name = name;
  for (const char *driver : drivers) {
    auto target = std::make_unique<fb::DeviceTargetT>();
    target->driver = driver;
    if (std::string_view(driver) == "local")
      target->formats = {kHostFormat};
    out->alternatives.push_back(std::move(target));
  }
  return out;
}

inline std::unique_ptr<fb::LocationT> location(const char *name) {
  auto out = std::make_unique<fb::LocationT>();
  out->name = name;
  return out;
}

// A function with code from text. Register files are as large as stated.
inline std::unique_ptr<fb::FunctionT> function(const char *name, std::string_view code, uint32_t scalars,
                                               uint32_t buffers, uint32_t streams = 1, uint32_t events = 0) {
  auto out = std::make_unique<fb::FunctionT>();
  out->name = name;
  out->scalars = scalars;
  out->buffers = buffers;
  out->streams = streams;
  out->events = events;
  if (std::string error = assemble(code, out->code); !error.empty())
    throw std::runtime_error(error); // a mistake in the test itself
  return out;
}

// main(x: ?xf32) -> ?xf32 by one dispatch of `scale` through a slab, with a parameter: a bit of everything.
inline fb::ModuleT sampleModule() {
  fb::ModuleT module;
  module.producer = "test";
  module.devices.push_back(device("device_0", {"local"}));
  module.executables.push_back(executable("scale", {"scale"}, 3, 1));
  module.messages = {"too long"};
  auto parameter = std::make_unique<fb::ParameterT>();
  parameter->key = "factor";
  parameter->type = static_cast<uint8_t>(ElementType::F32);
  parameter->shape = {1};
  parameter->bytes = 4;
  module.parameters.push_back(std::move(parameter));
  auto plan = std::make_unique<fb::PlanSpecT>();
  plan->intervals = {fb::Interval(0, 1), fb::Interval(1, 2)};
  module.plans.push_back(std::move(plan));
  auto main = function("main", R"(
      const s1 4
      mul s2 s0 s1
      plan s3 q0 [s2 s2] [s4 s5]
      slab b2 x0 s3
      view b3 b2 s4 s2
      const s6 16
      ceildiv_s s6 s0 s6
      const s7 0
      parameter b4 p0
      result b1 r0 x0 s2
      dispatch t0 0.0 s6 s7 [b0 b4 b3] [s0]
      dispatch t0 0.0 s6 s7 [b3 b4 b1] [s0]
      set_result r0 b1 [s0]
      cmp_lt s7 s0 s2
      check s7 m0
      return
    )",
                       8, 5);
  main->arguments.push_back(value("x", ElementType::F32, {fb::Dim(0, 0)}));
  main->results.push_back(value("y", ElementType::F32, {fb::Dim(0, 0)}));
  auto symbol = std::make_unique<fb::SymbolT>();
  symbol->name = "n";
  symbol->min = 1;
  symbol->max = 1000;
  main->symbols.push_back(std::move(symbol));
  main->code_locations = {0, 0};
  module.functions.push_back(std::move(main));
  module.locations.push_back(location("/Mul_3"));
  return module;
}

inline std::unique_ptr<fb::GlobalT> global(const char *name, ElementType type, std::vector<int64_t> dims,
                                           int32_t initial = -1) {
  auto out = std::make_unique<fb::GlobalT>();
  out->name = name;
  out->type = static_cast<uint8_t>(type);
  out->dims = std::move(dims);
  out->initial = initial;
  return out;
}

// An argument or result that is the global of this index.
inline std::unique_ptr<fb::ValueT> state(int32_t index, ElementType type, std::vector<fb::Dim> dims,
                                         bool writable = false) {
  auto out = value("state", type, std::move(dims));
  out->state = index;
  out->writable = writable;
  return out;
}

// Adds keep(d: 1xf32, donated) -> 1xf32 to a module with sampleModule()'s parameter: d becomes what global "kept" was
// (first the parameter), "kept", written in place, and "made", made anew, a new value.
inline void addState(fb::ModuleT &module) {
  module.globals.push_back(global("kept", ElementType::F32, {1}, 0));
  module.globals.push_back(global("made", ElementType::F32, {1}));
  auto keep = function("keep", R"(
      const s0 4
      const s1 0
      const s2 1
      copy t0 b0 s1 b1 s1 s0
      fill t0 b1 s1 s0 s2 4
      result b2 r2 x0 s0
      copy t0 b2 s1 b0 s1 s0
      set_result r0 b0 [s2]
      set_result r1 b1 [s2]
      set_result r2 b2 [s2]
      return
    )",
                       3, 3);
  keep->arguments.push_back(value("d", ElementType::F32, {fb::Dim(1, -1)}));
  keep->arguments[0]->donated = 0;
  keep->arguments[0]->writable = true;
  keep->arguments.push_back(state(0, ElementType::F32, {fb::Dim(1, -1)}, /*writable=*/true));
  keep->results.push_back(value("y", ElementType::F32, {fb::Dim(1, -1)}));
  for (int32_t index : {0, 1})
    keep->results.push_back(state(index, ElementType::F32, {fb::Dim(1, -1)}));
  module.functions.push_back(std::move(keep));
}

// Axes with their sizes.
inline std::unique_ptr<fb::MeshT> mesh(const char *name, std::vector<std::pair<const char *, int64_t>> axes) {
  auto out = std::make_unique<fb::MeshT>();
  out->name = name;
  for (auto [axis, size] : axes) {
    out->axes.push_back(std::make_unique<fb::MeshAxisT>());
    out->axes.back()->name = axis;
    out->axes.back()->size = size;
  }
  return out;
}

// Of f32, a sum where it reduces, over axes of mesh 0.
inline std::unique_ptr<fb::CollectiveT> collective(CollectiveKind kind, std::vector<uint32_t> axes) {
  auto out = std::make_unique<fb::CollectiveT>();
  out->kind = static_cast<uint8_t>(kind);
  out->type = static_cast<uint8_t>(ElementType::F32);
  out->axes = std::move(axes);
  return out;
}

// The module's file with `code` as the code of every variant and 2.0f as the value of every parameter.
inline std::vector<std::byte> build(fb::ModuleT &module, std::span<const std::byte> code) {
  static const float factor = 2;
  ArtifactBuilder builder;
  for (auto &executable : module.executables)
    for (auto &variant : executable->variants)
      builder.addCode(*variant, code);
  for (auto &parameter : module.parameters)
    builder.addParameter(*parameter, std::as_bytes(std::span(&factor, 1)));
  return builder.assemble(module);
}

} // namespace heddle::contract::test

#endif // HEDDLE_CONTRACT_TEST_SAMPLEARTIFACT_H
