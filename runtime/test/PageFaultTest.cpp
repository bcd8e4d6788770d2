// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that a first call would fault in page by page is mapped before: parameters at load, buffers when allocated.
#include "ExecutorFixture.h"

#include <cstdio>
#include <filesystem>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace heddle;
using namespace heddle::test;

namespace {

constexpr size_t kPage = 4096;

long faultsOf(const std::function<void()> &run) {
  rusage before{}, after{};
  getrusage(RUSAGE_THREAD, &before);
  run();
  getrusage(RUSAGE_THREAD, &after);
  return after.ru_minflt - before.ru_minflt;
}

// Linux 5.14 and later, and no sanitizer's shadow memory in between. An emulator may accept the advice and do nothing.
bool systemPopulates() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return false;
#endif
  constexpr size_t kPages = 64;
  void *memory = mmap(nullptr, kPages * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || sysconf(_SC_PAGESIZE) != kPage)
    return false;
  bool works = madvise(memory, kPages * kPage, MADV_POPULATE_WRITE) == 0;
  long faults = faultsOf([&] {
    for (size_t page = 0; page < kPages; ++page)
      static_cast<volatile char *>(memory)[page * kPage] = 1;
  });
  munmap(memory, kPages * kPage);
  return works && faults < static_cast<long>(kPages) / 2;
}

// Written page by page: the file cache of larger writes has larger pages, which would hide what is tested.
class File {
public:
  explicit File(std::span<const std::byte> bytes)
      : path((std::filesystem::temp_directory_path() / ("heddle-faults-" + std::to_string(getpid()))).string()) {
    std::ofstream out(path, std::ios::binary);
    for (; !bytes.empty(); bytes = bytes.subspan(std::min(kPage, bytes.size())))
      out.write(reinterpret_cast<const char *>(bytes.data()), std::min(kPage, bytes.size())).flush();
  }
  ~File() { std::filesystem::remove(path); }
  const std::string path;
};

// A program whose only parameter, read in place, has 16 MiB.
AlignedBytes largeParameter() {
  fb::ModuleT module = emptyModule();
  module.functions.push_back(contract::test::function("main", "parameter b0 p0\nreturn", 1, 1));
  contract::ArtifactBuilder builder;
  std::vector<std::byte> values(16 << 20, std::byte{1}), code = kernelCode();
  for (auto &executable : module.executables)
    for (auto &variant : executable->variants)
      builder.addCode(*variant, code);
  auto parameter = std::make_unique<fb::ParameterT>();
  parameter->key = "weights";
  parameter->type = static_cast<uint8_t>(ElementType::I8);
  parameter->shape = {static_cast<int64_t>(values.size())};
  builder.addParameter(*parameter, values);
  module.parameters.push_back(std::move(parameter));
  return AlignedBytes(builder.assemble(module));
}

TEST(PageFault, ParametersAreMappedAtLoad) {
  if (!systemPopulates())
    GTEST_SKIP() << "MADV_POPULATE_READ needs Linux 5.14 and a build without sanitizers";
  File file(largeParameter());
  auto artifact = Artifact::openFile(file.path);
  ASSERT_TRUE(artifact.ok()) << artifact.status().text();
  auto module = Module::load(*artifact, std::vector<std::string>{"local://0"}, runBindFunction);
  ASSERT_TRUE(module.ok()) << module.status().text();
  std::span<const std::byte> data = (*artifact)->view().data;
  int sum = 0;
  long faults = faultsOf([&] {
    for (size_t at = 0; at < data.size(); at += kPage)
      sum += static_cast<int>(data[at]);
  });
  EXPECT_EQ(sum, 4096);
  EXPECT_LT(faults, 16); // 256 with 16 pages to a fault, the system's habit
}

TEST(PageFault, BuffersAreMappedWhenAllocated) {
  if (!systemPopulates())
    GTEST_SKIP() << "MADV_POPULATE_WRITE needs Linux 5.14 and a build without sanitizers";
  auto buffer = hal::allocateHostBuffer(1 << 20);
  ASSERT_TRUE(buffer.ok());
  long faults = faultsOf([&] {
    for (size_t at = 0; at < (*buffer)->bytes(); at += kPage)
      (*buffer)->address()[at] = std::byte{1};
  });
  EXPECT_LT(faults, 16); // of 256 pages
}

} // namespace
