// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One malformed artifact per rule, with the exact message.
#include "SampleArtifact.h"
#include "heddle/contract/Launch.h"

#include <gtest/gtest.h>

#include <functional>

using namespace heddle;
using namespace heddle::contract;
using namespace heddle::contract::test;

namespace {

std::string errorOf(std::span<const std::byte> bytes) {
  auto error = verifyArtifact(bytes);
  return error ? error->message : "";
}

// The message for the sample with its metadata changed by `change` before it is written.
std::string errorOfModule(const std::function<void(fb::ModuleT &)> &change) {
  fb::ModuleT module = sampleModule();
  std::vector<std::byte> code(100);
  build(module, code);
  change(module);
  ArtifactBuilder builder;
  fb::VariantT variant;
  fb::ParameterT parameter;
  float factor = 2;
  builder.addCode(variant, code);
  builder.addParameter(parameter, std::as_bytes(std::span(&factor, 1)));
  return errorOf(AlignedBytes(builder.assemble(module)));
}

std::string errorOfHeader(const std::function<void(Header &)> &change) {
  fb::ModuleT module = sampleModule();
  AlignedBytes bytes(build(module, std::vector<std::byte>(100)));
  change(bytes.header());
  return errorOf(bytes);
}

// The message for main's code replaced.
std::string errorOfCode(const char *text) {
  return errorOfModule([&](fb::ModuleT &m) {
    m.functions[0]->code.clear();
    ASSERT_EQ(assemble(text, m.functions[0]->code), "");
  });
}

TEST(VerifierErrors, Container) {
  EXPECT_EQ(errorOf({}), "an artifact has a header of 128 bytes, got 0 bytes in all; the file is cut off or not an "
                         "artifact");
  EXPECT_EQ(errorOfHeader([](Header &h) { std::memcpy(h.magic, "\x08\x07pytorch", 8); }),
            "an artifact starts with 'HEDDLE', got bytes 08 07 70 79; compile the model with `heddle compile` first");
  EXPECT_EQ(errorOfHeader([](Header &h) { h.formatVersion = 99; }),
            "this runtime reads artifact formats 1 to 2, got 99; compile the model again, or update the runtime");
  EXPECT_EQ(errorOfHeader([](Header &h) { h.instructionSet = 9; }),
            "this runtime runs instruction sets 1 to 8, got 9; update the runtime");
  EXPECT_EQ(errorOfHeader([](Header &h) { h.kernelAbi = 2; }),
            "this runtime calls kernels by ABI 1, got 2; compile the model again");
  EXPECT_EQ(errorOfHeader([](Header &h) { h.featureBits = 16; }),
            "the artifact needs features this runtime does not have (bits 16); update the runtime");
  EXPECT_EQ(errorOfHeader([](Header &h) { h.fileBytes += 1; }),
            "the header says 8197 bytes, got 8196; the file is cut off or has bytes appended");
  EXPECT_EQ(errorOfHeader([](Header &h) { h.metaHash ^= 1; }),
            "the content does not match its hash; the file is damaged, copy or compile it again");
  EXPECT_EQ(errorOfHeader([](Header &h) { h.code.offset += 64; }),
            "the code section must start at a multiple of 4096, got 4160; the file is damaged");
  EXPECT_EQ(errorOfHeader([](Header &h) { h.data.bytes = UINT64_MAX; }),
            "the data section must lie between byte 4196 and the end of the file at 8196, got 18446744073709551615 "
            "bytes at 8192; the file is damaged");
  EXPECT_EQ(errorOfHeader([](Header &h) {
              h.formatVersion = 1;
              h.metadataHash = h.codeHash = h.headerHash = 0;
              h.dataHash = 5;
            }),
            "reserved header words must be zero, got 5; the file is damaged");
}

TEST(VerifierErrors, Tables) {
  EXPECT_EQ(errorOfModule([](fb::ModuleT &m) { m.parameters[0]->offset = 32; }),
            "parameter 'factor' must start at a multiple of 64 in the data section, got 32");
  EXPECT_EQ(errorOfModule([](fb::ModuleT &m) { m.parameters[0]->offset = 64; }),
            "parameter 'factor' must lie in the data section of 4 bytes, got 4 at 64");
  EXPECT_EQ(errorOfModule([](fb::ModuleT &m) { m.parameters[0]->shape = {3}; }),
            "parameter 'factor' must have 12 bytes by its type and shape, got 4");
  EXPECT_EQ(errorOfModule([](fb::ModuleT &m) { m.parameters[0]->shape = {3, 0}; }),
            "parameter 'factor' must have 0 bytes by its type and shape, got 4");
  EXPECT_EQ(errorOfModule([](fb::ModuleT &m) { m.parameters[0]->shape = {INT64_MAX, 8}; }),
            "parameter 'factor' has a negative dimension, or more bytes than 64 bits count");
  EXPECT_EQ(errorOfModule([](fb::ModuleT &m) { m.executables[0]->variants[0]->code_bytes = 101; }),
            "executable 'scale', variant 'x86_64' must lie in the code section of 100 bytes, got 101 at 0");
  EXPECT_EQ(errorOfModule([](fb::ModuleT &m) { m.executables[0]->variants[0]->symbols.clear(); }),
            "executable 'scale', variant 'x86_64' must name one symbol per export (1), got 0");
  EXPECT_EQ(errorOfModule([](fb::ModuleT &m) { m.executables[0]->exports[0]->location = 9; }),
            "executable 'scale', export 'scale': location 9 of 1");
  EXPECT_EQ(errorOfModule([](fb::ModuleT &m) { m.executables[0]->exports[0]->writes.pop_back(); }),
            "executable 'scale', export 'scale' must say of each of its 3 bindings whether it is read and written, got "
            "2 flags");
  EXPECT_EQ(errorOfModule([](fb::ModuleT &m) { m.plans[0]->intervals[1] = fb::Interval(3, 2); }),
            "plan 0, interval 1 must end after it starts, got 3 to 2");
  EXPECT_EQ(errorOfModule([](fb::ModuleT &m) { m.devices[0]->alternatives.clear(); }),
            "device 'device_0' must have at least one alternative, got none");
  EXPECT_EQ(errorOfModule([](fb::ModuleT &m) {
              while (m.devices.size() < 4097)
                m.devices.push_back(device("more", {"local"}));
            }),
            "an artifact may name 4096 devices, got 4097");
  for (size_t count : {64, 65})
    EXPECT_EQ(errorOfModule([&](fb::ModuleT &m) {
                auto &executables = m.devices[0]->alternatives[0]->executables;
                executables.clear();
                while (executables.size() < count) {
                  executables.push_back(std::make_unique<fb::ExecutableTargetT>());
                  executables.back()->format = "elf-x86_64";
                }
              }),
              count == 64 ? "" : "device 'device_0': an alternative may list 64 executable targets, got 65");
}

TEST(VerifierErrors, Functions) {
  EXPECT_EQ(errorOfModule([](fb::ModuleT &m) { m.functions[0]->scalars = 1u << 30; }),
            "function 'main': the number of scalar registers must be between 1 and 1107, got 1073741824");
  EXPECT_EQ(errorOfModule([](fb::ModuleT &m) { m.functions[0]->streams = 0; }),
            "function 'main': the number of stream registers must be between 1 and 1107, got 0");
  EXPECT_EQ(errorOfModule([](fb::ModuleT &m) { m.functions[0]->arguments[0]->dims = {fb::Dim(4, -1)}; }),
            "function 'main': dimension 'n' must be a dimension of an argument");
  EXPECT_EQ(errorOfModule([](fb::ModuleT &m) { m.functions[0]->symbols[0]->drawn = true; }),
            "function 'main': argument 0, dimension 0: symbol 0 is a number that calls draw, no size");
  EXPECT_EQ(errorOfModule([](fb::ModuleT &m) {
              m.functions[0]->symbols[0]->drawn = true;
              m.functions[0]->arguments[0]->dims = {fb::Dim(4, -1)};
            }),
            "function 'main': result 0, dimension 0: symbol 0 is a number that calls draw, no size");
  EXPECT_EQ(errorOfModule([](fb::ModuleT &m) { m.functions[0]->results[0]->type = 200; }),
            "function 'main': result 0 has the unknown element type 200");
  EXPECT_EQ(errorOfModule([](fb::ModuleT &m) { m.functions[0]->results[0]->dims.assign(17, fb::Dim(1, -1)); }),
            "function 'main': result 0 may have 16 dimensions, got 17");
  EXPECT_EQ(errorOfModule([](fb::ModuleT &m) { m.functions[0]->symbols[0]->min = 2000; }),
            "function 'main': dimension 'n' must have bounds 0 <= min <= max, got 2000 to 1000");
  EXPECT_EQ(errorOfModule([](fb::ModuleT &m) { m.functions[0]->code_locations = {1, 0}; }),
            "function 'main': code location 0 is not at an instruction, or not after the one before");
  EXPECT_EQ(errorOfModule([](fb::ModuleT &m) { m.functions[0]->bind = true; }),
            "function 'main': a bind function has neither arguments nor results");
  EXPECT_EQ(errorOfModule([](fb::ModuleT &m) { m.functions.push_back(function("main", "return", 0, 0)); }),
            "two functions are named 'main'");
}

TEST(VerifierErrors, StreamsAndEvents) {
  EXPECT_EQ(errorOfCode("move_stream t9 t0\nreturn"),
            "function 'main': instruction at word 0 (move_stream): stream register 9 of 1");
  EXPECT_EQ(errorOfCode("move_event e0 e0\nreturn"),
            "function 'main': instruction at word 0 (move_event): event register 0 of 0");
  EXPECT_EQ(errorOfCode("follow t0 t1\nreturn"),
            "function 'main': instruction at word 0 (follow): stream register 1 of 1");
  EXPECT_EQ(errorOfCode("stream_at t0 x9 s0\nreturn"),
            "function 'main': instruction at word 0 (stream_at): device 9 of 1");
  EXPECT_EQ(errorOfCode("query s0 x0 3\nreturn"), "function 'main': instruction at word 0 (query): question 3 of 3");
}

TEST(VerifierErrors, Code) {
  EXPECT_EQ(errorOfCode(""), "function 'main': it has no code");
  EXPECT_EQ(errorOfCode("const s1 4"),
            "function 'main': instruction at word 0 (const): the last instruction must be br, return or fail");
  EXPECT_EQ(errorOfCode("move s0 s8\nreturn"), "function 'main': instruction at word 0 (move): scalar register 8 of 8");
  EXPECT_EQ(errorOfCode("move_buffer b5 b0\nreturn"),
            "function 'main': instruction at word 0 (move_buffer): buffer register 5 of 5");
  EXPECT_EQ(errorOfCode("dispatch t0 0.1 s1 s1 [] []\nreturn"),
            "function 'main': instruction at word 0 (dispatch): export 1 of 1");
  EXPECT_EQ(errorOfCode("dispatch t0 0.0 s1 s1 [b0] [s0]\nreturn"),
            "function 'main': instruction at word 0 (dispatch): it must have 3 bindings, got 1");
  EXPECT_EQ(errorOfCode("dispatch_variant t0 0.0 [s1 s1] [s1 s1] [b0] [s0]\nreturn"),
            "function 'main': instruction at word 0 (dispatch_variant): it must have 1 workgroups, got 2");
  EXPECT_EQ(errorOfCode("dispatch_variant t0 0.0 [s1] [] [b0] [s0]\nreturn"),
            "function 'main': instruction at word 0 (dispatch_variant): it must have 1 scratch sizes, got 0");
  EXPECT_EQ(errorOfCode("plan s0 q0 [s1] [s1]\nreturn"),
            "function 'main': instruction at word 0 (plan): it must have 2 sizes, got 1");
  EXPECT_EQ(errorOfCode("fill t0 b0 s0 s0 s0 3\nreturn"),
            "function 'main': instruction at word 0 (fill): a pattern has 1, 2, 4 or 8 bytes, got 3");
  EXPECT_EQ(errorOfCode("read s0 t0 b0 s0 12\nreturn"),
            "function 'main': instruction at word 0 (read): only an integer can be read, got element type 12");
  EXPECT_EQ(errorOfCode("stream t0 x0 64\nreturn"), "function 'main': instruction at word 0 (stream): stream 64 of 64");
  EXPECT_EQ(errorOfModule([](fb::ModuleT &m) { m.functions[0]->code = {0x0001ffff}; }),
            "function 'main': instruction at word 0 (?): unknown opcode 65535");
  EXPECT_EQ(errorOfModule([](fb::ModuleT &m) { m.functions[0]->code[0] = 0; }),
            "function 'main': instruction at word 0 (const): it has 0 words, 83 are left");
  EXPECT_EQ(errorOfModule([](fb::ModuleT &m) {
              uint32_t branch = static_cast<uint32_t>(Opcode::Branch) | 2u << 16;
              m.functions[0]->code = {branch, 1};
            }),
            "function 'main': instruction at word 0 (br): label 1 is not the start of an instruction");
}

TEST(VerifierErrors, Launches) {
  auto launch = [](uint32_t x, uint32_t y, uint32_t z, uint32_t shared) {
    return [=](fb::ModuleT &m) {
      auto record = std::make_unique<fb::LaunchT>();
      record->block_x = x, record->block_y = y, record->block_z = z, record->shared_bytes = shared;
      m.executables[0]->variants[0]->launches.push_back(std::move(record));
    };
  };
  std::string scale = "executable 'scale', variant 'x86_64'";
  EXPECT_EQ(errorOfModule(launch(1024, 1, 1, kMaxSharedBytes)), "");
  EXPECT_EQ(errorOfModule(launch(4, 8, 32, 0)), "");
  EXPECT_EQ(errorOfModule([&](fb::ModuleT &m) {
              launch(1, 1, 1, 0)(m);
              launch(1, 1, 1, 0)(m);
            }),
            scale + " must have one launch record per export (1) or none, got 2");
  EXPECT_EQ(errorOfModule(launch(8, 8, 17, 0)),
            scale + ": the workgroup of export 0 must have from 1 to 1024 invocations, got 8 x 8 x 17");
  EXPECT_EQ(errorOfModule(launch(8, 0, 8, 0)),
            scale + ": the workgroup of export 0 must have from 1 to 1024 invocations, got 8 x 0 x 8");
  EXPECT_EQ(errorOfModule(launch(UINT32_MAX, UINT32_MAX, UINT32_MAX, 0)),
            scale + ": the workgroup of export 0 must have from 1 to 1024 invocations, got 4294967295 x 4294967295 x "
                    "4294967295");
  EXPECT_EQ(errorOfModule(launch(1, 1, 1, kMaxSharedBytes + 1)),
            scale + ": the workgroup of export 0 must share at most 1048576 bytes, got 1048577");
}

std::unique_ptr<fb::DeviceTargetT> fallsBackTo(const std::string &name) {
  auto target = std::make_unique<fb::DeviceTargetT>();
  target->fallback = name;
  return target;
}

TEST(VerifierErrors, FallbacksThroughAllDevices) {
  // The last one ends it, or does not.
  auto chain = [&](fb::ModuleT &m) {
    for (uint32_t i = 1; i < kMaxDevices; ++i) {
      m.devices.push_back(device(("gpu_" + std::to_string(i)).c_str(), {}));
      m.devices[i]->alternatives.push_back(
          fallsBackTo(i + 1 < kMaxDevices ? "gpu_" + std::to_string(i + 1) : "device_0"));
    }
  };
  EXPECT_EQ(errorOfModule(chain), "");
  EXPECT_EQ(errorOfModule([&](fb::ModuleT &m) {
              chain(m);
              m.devices[0]->alternatives.push_back(fallsBackTo("gpu_1"));
            }),
            "device 'device_0' falls back to itself in the end");
}

TEST(VerifierErrors, Devices) {
  auto two = [&](fb::ModuleT &m) {
    m.devices.push_back(device("gpu", {"cuda"}));
    m.devices[1]->alternatives.push_back(fallsBackTo("device_0"));
  };
  EXPECT_EQ(errorOfModule(two), "");
  EXPECT_EQ(errorOfModule([&](fb::ModuleT &m) {
              two(m);
              m.devices[1]->alternatives[1]->fallback = "cpu";
            }),
            "device 'gpu' falls back to the unknown device 'cpu'");
  EXPECT_EQ(errorOfModule([&](fb::ModuleT &m) {
              two(m);
              m.devices[0]->alternatives.push_back(fallsBackTo("gpu"));
            }),
            "device 'device_0' falls back to itself in the end");
  EXPECT_EQ(errorOfModule([&](fb::ModuleT &m) {
              two(m);
              m.devices[1]->alternatives[1]->driver = "local";
            }),
            "device 'gpu' has an alternative that is a target and a fallback");
  EXPECT_EQ(errorOfModule([&](fb::ModuleT &m) { m.devices[0]->alternatives[0]->given = 1; }), "");
  EXPECT_EQ(errorOfModule([&](fb::ModuleT &m) { m.devices[0]->alternatives[0]->given = -2; }),
            "device 'device_0': a position is -1 (any) or more, got -2");
  EXPECT_EQ(errorOfModule([&](fb::ModuleT &m) {
              m.devices[0]->alternatives[0]->given = 0;
              m.devices[0]->alternatives[0]->ordinal = 0;
            }),
            "device 'device_0' has an alternative with a position among the devices given and an ordinal");
  EXPECT_EQ(errorOfModule([&](fb::ModuleT &m) {
              two(m);
              m.devices[1]->alternatives[1]->given = 0;
            }),
            "device 'gpu' has an alternative with a position among the devices given and a fallback");
  EXPECT_EQ(errorOfModule([&](fb::ModuleT &m) { m.devices[0]->alternatives[0]->driver.clear(); }),
            "device 'device_0' has an alternative without a driver");
  EXPECT_EQ(errorOfModule([&](fb::ModuleT &m) {
              m.devices[0]->alternatives[0]->executables.push_back(std::make_unique<fb::ExecutableTargetT>());
            }),
            "device 'device_0': executable target 0 has no format");
  EXPECT_EQ(errorOfModule([&](fb::ModuleT &m) { m.functions[0]->device = 1; }),
            "function 'main': the call's stream is on device 1 of 1");
  EXPECT_EQ(errorOfModule([&](fb::ModuleT &m) { m.functions[0]->results[0]->device = 7; }),
            "function 'main': result 0 is on device 7 of 1");
}

// A module with a scalar and a buffer to bind, a parameter of 4x4 and layouts of two ranks; `code` is main's or
// __bind's.
std::string errorOfBound(const char *code, bool bind, const std::function<void(fb::ModuleT &)> &change = {}) {
  return errorOfModule([&](fb::ModuleT &m) {
    for (bool buffer : {false, true}) {
      m.bounds.push_back(std::make_unique<fb::BoundT>());
      m.bounds.back()->buffer = buffer;
    }
    m.parameters[0]->shape = {1, 1};
    m.layouts.push_back(std::make_unique<fb::LayoutT>());
    m.layouts[0]->perm = {1, 0};
    m.layouts[0]->inner_dims = {1};
    m.layouts[0]->inner_tiles = {16};
    m.layouts.push_back(std::make_unique<fb::LayoutT>());
    m.layouts[1]->perm = {0};
    m.functions[0] = function(bind ? "__bind" : "main", code, 2, 2);
    m.functions[0]->bind = bind;
    if (change)
      change(m);
  });
}

// Every layout is fair; all together are more work than the data justifies.
TEST(VerifierErrors, PackingIsBoundedForTheModule) {
  for (int count : {60, 65}) {
    std::string code;
    for (int i = 0; i < count; ++i)
      code += "pack_parameter b0 p0 x0 y0\n";
    EXPECT_EQ(
        errorOfBound((code + "return").c_str(), true, [](fb::ModuleT &m) { m.layouts[0]->inner_tiles = {65000}; }),
        count == 60 ? ""
                    : "function '__bind': instruction at word 320 (pack_parameter): the module packs many times the "
                      "bytes of its data section");
  }
}

TEST(VerifierErrors, BindTime) {
  const char *at0 = "function '__bind': instruction at word 0 ";
  EXPECT_EQ(errorOfBound("pack_parameter b0 p0 x0 y0\nbind_buffer n1 b0\nbind_scalar n0 s0\nreturn", true), "");
  EXPECT_EQ(errorOfBound("bound_scalar s0 n0\nbound_buffer b0 n1\nparameter_on b1 p0 x0\nreturn", false), "");
  EXPECT_EQ(errorOfBound("bound_scalar s0 n0\nreturn", true),
            std::string(at0) + "(bound_scalar): a bind function has no bound values");
  EXPECT_EQ(errorOfBound("bind_scalar n0 s0\nreturn", false),
            "function 'main': instruction at word 0 (bind_scalar): it is for bind functions only");
  EXPECT_EQ(errorOfBound("pack_parameter b0 p0 x0 y0\nreturn", false),
            "function 'main': instruction at word 0 (pack_parameter): it is for bind functions only");
  EXPECT_EQ(errorOfBound("bind_scalar n1 s0\nreturn", true),
            std::string(at0) + "(bind_scalar): bound value 1 is a buffer");
  EXPECT_EQ(errorOfBound("bind_buffer n2 b0\nreturn", true), std::string(at0) + "(bind_buffer): bound value 2 of 2");
  EXPECT_EQ(errorOfBound("parameter_on b0 p0 x1\nreturn", true), std::string(at0) + "(parameter_on): device 1 of 1");
  EXPECT_EQ(errorOfBound("pack_parameter b0 p0 x0 y1\nreturn", true),
            std::string(at0) + "(pack_parameter): the layout is for 1 dimensions, parameter 'factor' has 2");
  EXPECT_EQ(errorOfBound("pack_parameter b0 p0 x0 y0\nreturn", true,
                         [](fb::ModuleT &m) { m.parameters[0]->layout = "panels"; }),
            std::string(at0) + "(pack_parameter): only rows can be packed, parameter 'factor' has a layout");
  EXPECT_EQ(errorOfBound("pack_parameter b0 p0 x0 y0\nreturn", true,
                         [](fb::ModuleT &m) { m.layouts[0]->inner_tiles = {INT64_MAX / 8}; }),
            std::string(at0) + "(pack_parameter): the layout has many times the bytes of parameter 'factor'");
  EXPECT_EQ(errorOfBound("return", true, [](fb::ModuleT &m) { m.layouts[0]->perm = {1, 1}; }),
            "layout 0: perm is a permutation of the tensor's 2 dimensions");
}

// The message for main with a second argument and result of state, all changed by `change`.
std::string errorOfState(const std::function<void(fb::ModuleT &)> &change) {
  return errorOfModule([&](fb::ModuleT &m) {
    auto global = std::make_unique<fb::GlobalT>();
    global->name = "n";
    global->type = static_cast<uint8_t>(ElementType::I64);
    global->dims = {4};
    m.globals.push_back(std::move(global));
    fb::FunctionT &main = *m.functions[0];
    for (auto *values : {&main.arguments, &main.results}) {
      values->push_back(value("n", ElementType::I64, {fb::Dim(4, -1)}));
      values->back()->state = 0;
    }
    main.buffers += 1;
    change(m);
  });
}

TEST(VerifierErrors, State) {
  EXPECT_EQ(errorOfState([](fb::ModuleT &) {}), "");
  EXPECT_EQ(errorOfState([](fb::ModuleT &m) { m.functions[0]->arguments[1]->state = 1; }),
            "function 'main': argument 1: global 1 of 1");
  EXPECT_EQ(errorOfState([](fb::ModuleT &m) { std::swap(m.functions[0]->results[0], m.functions[0]->results[1]); }),
            "function 'main': result 1 stands behind state; state is last");
  EXPECT_EQ(errorOfState([](fb::ModuleT &m) {
              m.functions[0]->results.push_back(std::make_unique<fb::ValueT>(*m.functions[0]->results[1]));
            }),
            "function 'main': result 2: global 'n' is given twice");
  EXPECT_EQ(errorOfState([](fb::ModuleT &m) { m.functions[0]->arguments[1]->type = 3; }),
            "function 'main': argument 1 must have type, rank and device of global 'n'");
  EXPECT_EQ(errorOfState([](fb::ModuleT &m) { m.functions[0]->arguments[1]->dims = {fb::Dim(1, -1)}; }),
            "function 'main': argument 1: dimension 0 of global 'n' is 4, got 1");
  EXPECT_EQ(errorOfState([](fb::ModuleT &m) { m.functions[0]->arguments[1]->dims = {fb::Dim(0, 0)}; }),
            "function 'main': argument 1: dimension 0 of global 'n' is 4, got -1");
  EXPECT_EQ(errorOfState([](fb::ModuleT &m) { m.globals[0]->dims = {-1}; }),
            "function 'main': argument 1: dimension 0 of global 'n' is -1, got 4");
  EXPECT_EQ(errorOfState([](fb::ModuleT &m) { m.functions[0]->results[1]->dims = {fb::Dim(5, -1)}; }),
            "function 'main': result 1: dimension 0 of global 'n' is 4, got 5");
  EXPECT_EQ(errorOfState([](fb::ModuleT &m) { m.functions[0]->results[1]->dims = {fb::Dim(-1, -1)}; }), "");
  EXPECT_EQ(errorOfState([](fb::ModuleT &m) { m.functions[0]->arguments[1]->writable = true; }), "");
  EXPECT_EQ(errorOfState([](fb::ModuleT &m) {
              m.functions[0]->arguments[1]->writable = true;
              m.functions[0]->results.pop_back();
            }),
            "function 'main': argument 1 is written, but no result is global 'n'");
  EXPECT_EQ(errorOfState([](fb::ModuleT &m) {
              m.devices.push_back(device("gpu", {"cuda"}));
              m.functions[0]->code = function("", "const s0 32\nresult b0 r1 x1 s0\nreturn", 1, 1)->code;
            }),
            "function 'main': instruction at word 4 (result): result 1 is kept on device 0, got device 1");
  EXPECT_EQ(errorOfState([](fb::ModuleT &m) { m.functions[0]->arguments[0]->writable = true; }),
            "function 'main': argument 0 is the caller's and only read");
  EXPECT_EQ(errorOfState([](fb::ModuleT &m) { m.functions[0]->arguments[0]->donated = 2; }),
            "function 'main': argument 0 is donated to result 2 of 2");
  EXPECT_EQ(errorOfState([](fb::ModuleT &m) { m.functions[0]->arguments[0]->donated = 1; }),
            "function 'main': argument 0 is donated to a result of its type that nothing else is donated to");
  EXPECT_EQ(errorOfState([](fb::ModuleT &m) { m.globals[0]->initial = 0; }),
            "global 'n' begins as a parameter of another type or rank, or one that is laid out");
  EXPECT_EQ(errorOfState([](fb::ModuleT &m) {
              m.globals[0]->initial = 0;
              m.parameters[0]->shape = {1};
              for (uint8_t *type :
                   {&m.globals[0]->type, &m.functions[0]->arguments[1]->type, &m.functions[0]->results[1]->type})
                *type = static_cast<uint8_t>(ElementType::F32);
            }),
            "function 'main': argument 1: global 'n' begins as a parameter of other sizes than those of the whole, or "
            "of a part");
  EXPECT_EQ(errorOfState([](fb::ModuleT &m) { m.globals[0]->initial = 9; }), "global 'n' begins as parameter 9 of 1");
  EXPECT_EQ(errorOfState([](fb::ModuleT &m) { m.globals[0]->device = 3; }), "global 'n' is on device 3 of 1");
  EXPECT_EQ(errorOfState([](fb::ModuleT &m) { m.globals[0]->dims = {-4}; }),
            "global 'n' has a negative dimension, or more bytes than 64 bits count");
}

TEST(VerifierErrors, Defaults) {
  std::vector<uint8_t> default32(32);
  auto errorOfDefault = [](size_t bytes, int32_t donated) {
    return errorOfState([&](fb::ModuleT &m) {
      fb::FunctionT &main = *m.functions[0];
      main.symbols[0]->drawn = true;
      main.arguments[0]->dims = main.results[0]->dims = {fb::Dim(8, -1)};
      main.arguments[0]->donated = donated;
      main.arguments[0]->default_value.assign(bytes, 0);
    });
  };
  EXPECT_EQ(errorOfDefault(32, -1), "");
  EXPECT_EQ(errorOfDefault(7, -1), "function 'main': argument 0 has 32 bytes, its default 7");
  EXPECT_EQ(errorOfDefault(33, -1), "function 'main': argument 0 has 32 bytes, its default 33");
  std::string misplaced = " may not have a default: only the caller's, of fixed sizes, which is only read";
  EXPECT_EQ(errorOfDefault(32, 0), "function 'main': argument 0" + misplaced);
  for (size_t i : {0, 1}) // of a free size, and state
    EXPECT_EQ(errorOfState([&](fb::ModuleT &m) { m.functions[0]->arguments[i]->default_value = default32; }),
              "function 'main': argument " + std::to_string(i) + misplaced);
  EXPECT_EQ(errorOfState([&](fb::ModuleT &m) { m.functions[0]->results[0]->default_value = default32; }),
            "function 'main': result 0 has a default");
}

} // namespace
