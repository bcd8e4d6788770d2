// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle.h and heddle.hpp through the shared library, as a user has them.
#include "TestModules.h"
#include "heddle/heddle.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

using heddle::fb::ModuleT;
using namespace heddle::test;

namespace {

// An artifact in a file of its own.
class Capi : public testing::Test {
protected:
  void SetUp() override {
    path_ = testing::TempDir() + "capi_test_" + std::to_string(getpid()) + ".heddle";
    ModuleT module = quadrupleModule();
    module.functions.push_back(heddle::contract::test::function("forever", "@loop br @loop", 0, 0));
    write(heddle::contract::test::build(module, kernelCode()));
  }
  void TearDown() override { std::remove(path_.c_str()); }
  void write(const std::vector<std::byte> &bytes) {
    std::ofstream(path_, std::ios::binary).write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  }
  // The text of the error that loading gives.
  std::string loadError(std::vector<std::string> devices = {"local://0"}) {
    try {
      heddle::Module module(path_, devices);
    } catch (const heddle::Error &error) {
      return error.what();
    }
    return "ok";
  }
  std::string path_;
};

TEST_F(Capi, CallInPlaceAndAllocated) {
  heddle::Module module(path_, {"local://0"});
  heddle::Invocation call(module, "main");
  std::vector<float> x = {1, 2, 3}, y(3);
  std::vector<heddle::Tensor> out = call({heddle::Tensor::borrow(x, {3})});
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].dims()[0], 3);
  EXPECT_EQ(out[0].values<float>()[2], 12);
  EXPECT_THROW(out[0].values<int>(), heddle::Error);
  heddle::Tensor in[] = {heddle::Tensor::borrow(x, {3})}, into[] = {heddle::Tensor::borrow(y, {3})};
  call.call(in, into);
  EXPECT_EQ(y, (std::vector<float>{4, 8, 12}));
  heddle_statistics statistics = call.statistics();
  EXPECT_EQ(statistics.calls, 2u);
  EXPECT_EQ(statistics.dispatches, 2u);
  EXPECT_EQ(statistics.allocations, 0u);
  EXPECT_GT(statistics.slab_bytes, 0u);
  EXPECT_EQ(statistics.profiled, 0u);
  call.setProfiling(true);
  call.call(in, into);
  statistics = call.statistics();
  EXPECT_GE(statistics.total_ns, statistics.kernel_ns);
  EXPECT_GT(statistics.kernel_ns, 0u);
}

TEST_F(Capi, OwnedTensorsAreCounted) {
  heddle_tensor a{}, b;
  int64_t dims[] = {2, 3};
  heddle::check(heddle_tensor_allocate(HEDDLE_F64, 2, dims, &a));
  EXPECT_EQ(a.bytes, 48u);
  b = a;
  heddle_tensor_retain(&b);
  heddle_tensor_reset(&a);
  EXPECT_EQ(a.data, nullptr);
  static_cast<double *>(b.data)[5] = 1; // still there
  heddle_tensor_reset(&b);
  heddle_tensor_reset(&b);
  int64_t bad[] = {-1};
  EXPECT_THROW(heddle::check(heddle_tensor_allocate(HEDDLE_F32, 1, bad, &a)), heddle::Error);
  EXPECT_THROW(heddle::check(heddle_tensor_allocate(HEDDLE_F32, 17, dims, &a)), heddle::Error);
  EXPECT_THROW(heddle::check(heddle_tensor_allocate(HEDDLE_NONE, 1, dims, &a)), heddle::Error);
}

TEST_F(Capi, AsynchronousWithEventsAndStream) {
  heddle::Module module(path_, {"local"});
  heddle::Invocation first(module, "main"), second(module, "main");
  heddle::Stream stream(module);
  std::vector<float> x(8, 1), y(8), z(8);
  heddle::Tensor a[] = {heddle::Tensor::borrow(x, {8})}, b[] = {heddle::Tensor::borrow(y, {8})},
                 c[] = {heddle::Tensor::borrow(z, {8})};
  heddle::Event gate;
  heddle::Event one = first.start(a, b, {&gate, 1}, &stream);
  heddle::Event two = second.start(b, c, {&one, 1}, &stream);
  EXPECT_FALSE(two.reached());
  EXPECT_THROW(one.signal(), heddle::Error); // a call's event is the call's
  gate.signal();
  EXPECT_THROW(gate.signal(), heddle::Error);
  stream.synchronize();
  two.wait();
  EXPECT_EQ(z[7], 16);
}

TEST_F(Capi, TimeoutAndFailedEvents) {
  heddle::Module module(path_, {"local://0"});
  heddle::Invocation call(module, "forever");
  heddle::Event done = call.start({}, {});
  EXPECT_THROW(done.wait(1'000'000), heddle::Error);
  call.cancel();
  try {
    done.wait();
    FAIL();
  } catch (const heddle::Error &error) {
    EXPECT_EQ(error.code(), HEDDLE_CANCELLED);
  }
  heddle::Event failed;
  failed.fail(HEDDLE_KERNEL_FAILED, "mine");
  try {
    call.start({}, {}, {&failed, 1}).wait();
    FAIL();
  } catch (const heddle::Error &error) {
    EXPECT_STREQ(error.what(), "mine");
  }
}

TEST_F(Capi, Devices) {
  heddle::DeviceList all, one("local://0?cpu=x86-64");
  ASSERT_GE(all.size(), 4u);
  bool hasLocal = false;
  for (size_t i = 0; i < all.size(); ++i) {
    hasLocal |= std::string_view(all[i].driver) == "local" && all[i].available;
    EXPECT_NE(all[i].available != 0, all[i].reason[0] != 0) << all[i].uri << ": who is absent says why";
  }
  EXPECT_TRUE(hasLocal);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].cores, 1u);
  EXPECT_STREQ(one[0].formats, "elf-x86_64");
  EXPECT_THROW(heddle::DeviceList("locla"), heddle::Error);
  heddle::Module module(path_, {"local://0"});
  ASSERT_EQ(module.devices(), 1u);
  EXPECT_STREQ(module.device(0).name, "device_0");
  EXPECT_STREQ(module.device(0).uri, "local://0");
}

TEST_F(Capi, PlanOpensNothing) {
  heddle_artifact *artifact;
  heddle::check(heddle_artifact_open_file(path_.c_str(), &artifact));
  heddle_load_options options{};
  options.struct_size = sizeof(options);
  char *text;
  heddle::check(heddle_module_plan(artifact, &options, &text));
  EXPECT_EQ(std::string(text).find("device_0 = local (alternative 0 of 1: local), variants: "), 0u) << text;
  heddle_string_release(text);
  EXPECT_EQ(heddle_artifact_verify_parameters(artifact), nullptr);
  heddle_artifact_release(artifact);
}

// The message of the refusal, "" when the module loads.
std::string loadWith(const std::string &path, heddle_load_options options) {
  const char *device = "null";
  options.device_count = 1;
  options.devices = &device;
  heddle_module *module = nullptr;
  heddle_status *status = heddle_module_load_file(path.c_str(), &options, &module);
  std::string message = status ? heddle_status_message(status) : "";
  heddle_status_release(status);
  heddle_module_release(module);
  return message;
}

TEST_F(Capi, MachineCodeIsRefusedOnRequest) {
  heddle_load_options options{};
  options.struct_size = sizeof(options);
  EXPECT_EQ(loadWith(path_, options), "");
  options.allow_native = HEDDLE_ALLOW_NATIVE_NEVER;
  EXPECT_EQ(loadWith(path_, options),
            std::string("machine code is not allowed, got executable 'scale' with a variant of format '") +
                heddle::contract::test::kHostFormat +
                "'; allow it only for an artifact of someone you trust, or compile the model yourself");
  options.struct_size = offsetof(heddle_load_options, allow_native); // a caller that does not know of it
  EXPECT_EQ(loadWith(path_, options), "");
  options.struct_size = 0; // forgotten: nothing that it asks for is dropped silently
  EXPECT_EQ(loadWith(path_, options), "heddle_load_options.struct_size must be sizeof(heddle_load_options), got 0");
  options.struct_size = sizeof(options);
  options.allow_native = static_cast<heddle_allow_native>(7);
  EXPECT_EQ(loadWith(path_, options),
            "allow_native takes HEDDLE_ALLOW_NATIVE_ALWAYS (0) or HEDDLE_ALLOW_NATIVE_NEVER (1), got 7");

  ModuleT module = quadrupleModule();
  for (auto &executable : module.executables)
    executable->variants[0]->format = "spirv"; // a GPU's driver translates it
  write(heddle::contract::test::build(module, kernelCode()));
  options.allow_native = HEDDLE_ALLOW_NATIVE_NEVER;
  EXPECT_EQ(loadWith(path_, options), "");
}

TEST_F(Capi, HashesAreComparedOnRequest) {
  ModuleT module = quadrupleModule();
  std::vector<std::byte> bytes = heddle::contract::test::build(module, kernelCode());
  reinterpret_cast<heddle::contract::Header *>(bytes.data())->codeHash ^= 1;
  write(bytes);
  heddle_load_options options{};
  options.struct_size = sizeof(options);
  options.verify_parameters = 1;
  EXPECT_EQ(loadWith(path_, options), "");
  options.verify_hashes = 1;
  EXPECT_EQ(loadWith(path_, options),
            "the header does not match its hash; the file is damaged, copy or compile it again");
}

TEST_F(Capi, ProgramsAreCheckedOnRequest) {
  ModuleT module = quadrupleModule();
  heddle_load_options options{};
  options.struct_size = sizeof(options);
  options.check_program = 1;
  write(heddle::contract::test::build(module, kernelCode()));
  EXPECT_EQ(loadWith(path_, options), "the artifact has no certificate, so its host program cannot be checked; compile "
                                      "it again, or load it without the check");
  module.certificate = std::make_unique<heddle::fb::CertificateT>();
  module.certificate->hash = 1;
  module.certificate->version = 1;
  write(heddle::contract::test::build(module, kernelCode()));
  EXPECT_EQ(loadWith(path_, options).substr(0, 32), "the host program is not right: t");
  setenv("HEDDLE_CHECK_PROGRAMS", "1", 1);
  options.check_program = 0;
  EXPECT_NE(loadWith(path_, options), "");
  setenv("HEDDLE_CHECK_PROGRAMS", "0", 1);
  EXPECT_EQ(loadWith(path_, options), "");
  unsetenv("HEDDLE_CHECK_PROGRAMS");
}

TEST_F(Capi, BoundProgram) {
  heddle::Module module(path_, {"local://0"});
  char *json;
  heddle::check(heddle_module_bound_program(module.raw(), module.find("main"), &json));
  std::string text = json;
  heddle_string_release(json);
  EXPECT_NE(
      text.find(R"({"op": "dispatch", "operands": "t0 0.0 s6 s7 [b0 b4 b3] [s0]", "name": "scale", "device": "", )"
                R"("binding": "call"})"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find(R"("name": "factor")"), std::string::npos);
}

TEST_F(Capi, FileErrors) {
  EXPECT_EQ(loadError({"local://"}),
            "a device is driver[://which][?key=value[&key=value]…], got 'local://'; for example local://0-1");
  write({});
  EXPECT_EQ(loadError(), "'" + path_ +
                             "': an artifact has a header of 128 bytes, got 0 bytes in all; the file is cut "
                             "off or not an artifact");
  std::remove(path_.c_str());
  EXPECT_EQ(loadError(), "cannot open the artifact '" + path_ + "': No such file or directory");
  path_ += ".onnx";
  write({});
  EXPECT_EQ(loadError(), "'" + path_ + "' is a model, not an artifact; compile it first: heddle compile " + path_ +
                             " -o OUT.heddle");
  std::remove(path_.c_str());
  path_ = testing::TempDir();
  EXPECT_EQ(loadError(), "an artifact is a file, got '" + path_ + "'");
}

TEST_F(Capi, ElementTypes) {
  EXPECT_EQ(heddle_element_type_bytes(HEDDLE_BF16), 2u);
  EXPECT_STREQ(heddle_element_type_name(HEDDLE_U8), "ui8");
  EXPECT_EQ(heddle_element_type_parse("f16"), HEDDLE_F16);
  EXPECT_EQ(heddle_element_type_parse("f17"), HEDDLE_NONE);
  EXPECT_EQ(heddle_element_type_bytes(static_cast<heddle_element_type>(99)), 0u);
  EXPECT_STREQ(heddle_status_code_name(HEDDLE_KERNEL_FAILED), "kernel-failed");
  EXPECT_EQ(heddle_abi_version(), static_cast<uint32_t>(HEDDLE_ABI_VERSION));
}

TEST_F(Capi, WhatTheModelSaysOfItself) {
  heddle::Module plain(path_, {"null"});
  EXPECT_EQ(heddle_module_metadata_count(plain.raw()), 0u);
  EXPECT_EQ(heddle_module_metadata(plain.raw(), 0), nullptr);
  EXPECT_STREQ(heddle_module_model_fact(plain.raw(), "graph_name"), "");
  ModuleT module = quadrupleModule();
  auto add = [](auto &to, const char *key, const char *value) {
    auto &pair = *to.emplace_back(std::make_unique<heddle::fb::KeyValueT>());
    pair.key = key;
    pair.value = value;
  };
  add(module.model, "graph_name", "detector");
  add(module.metadata, "names", "cat");
  add(module.metadata, "", "");
  write(heddle::contract::test::build(module, kernelCode()));
  heddle::Module told(path_, {"null"});
  ASSERT_EQ(heddle_module_metadata_count(told.raw()), 2u);
  EXPECT_STREQ(heddle_module_metadata(told.raw(), 0)->key, "names");
  EXPECT_STREQ(heddle_module_metadata(told.raw(), 0)->value, "cat");
  EXPECT_STREQ(heddle_module_metadata(told.raw(), 1)->value, "");
  EXPECT_STREQ(heddle_module_model_fact(told.raw(), "graph_name"), "detector");
  EXPECT_STREQ(heddle_module_model_fact(told.raw(), "names"), "");
  EXPECT_STREQ(heddle_module_model_fact(told.raw(), nullptr), "");
}

TEST_F(Capi, Threads) {
  auto uri = [&](std::vector<std::string> devices, uint32_t threads) {
    heddle::Module module(path_, devices, HEDDLE_ON_DEVICE_LOST_FAIL, HEDDLE_ALLOW_NATIVE_ALWAYS, threads);
    return std::string(module.device(0).uri) + " " + std::to_string(module.device(0).cores);
  };
  EXPECT_EQ(uri({}, 3), "local?threads=3 3");
  EXPECT_EQ(uri({"cpu"}, 2), "local?threads=2 2");
  EXPECT_EQ(uri({"local://0"}, 2), "local://0?threads=2 2");
  EXPECT_EQ(uri({"local?threads=2"}, 5), "local?threads=2 2"); // the device says it itself
  EXPECT_EQ(uri({"null"}, 5), "null 1");
  EXPECT_THROW(uri({}, 5000), heddle::Error);
}

// Statistics of an older caller: only the bytes it has are written.
TEST_F(Capi, ShorterStatisticsStruct) {
  heddle::Module module(path_, {"null"});
  heddle::Invocation call(module, "main");
  struct {
    uint32_t size, profiled;
    uint64_t calls, guard;
  } old{16, 0, 7, 42};
  heddle_invocation_get_statistics(call.raw(), reinterpret_cast<heddle_statistics *>(&old));
  EXPECT_EQ(old.calls, 0u);
  EXPECT_EQ(old.guard, 42u);
}

} // namespace
