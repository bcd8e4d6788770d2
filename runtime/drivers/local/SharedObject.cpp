// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/drivers/local/LocalDriver.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace heddle::local {
namespace {

class FileDescriptor {
public:
  explicit FileDescriptor(int fd) : fd(fd) {}
  FileDescriptor(FileDescriptor &&other) : fd(std::exchange(other.fd, -1)) {}
  ~FileDescriptor() {
    if (fd >= 0)
      close(fd);
  }
  int fd;
};

// Keeps the file open: dlopen() knows an object by its path, here the descriptor's number, and would answer with this
// object again if the number came to stand for another file.
class SharedObject final : public hal::Executable {
public:
  explicit SharedObject(FileDescriptor file) : file_(std::move(file)) {}
  ~SharedObject() override {
    if (handle_)
      dlclose(handle_);
  }
  // The system's, or null.
  void *open(const std::string &path) { return handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL); }
  // False when there is no such symbol.
  bool add(const std::string &symbol) {
    void *address = dlsym(handle_, symbol.c_str());
    if (address)
      kernels_.push_back({address});
    return address;
  }

private:
  FileDescriptor file_;
  void *handle_ = nullptr;
};

bool writeAll(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    bytes = bytes.subspan(n);
  }
  return true;
}

// A path to the open file that no earlier call returned: dlopen() takes two equal names for one object, and descriptor
// numbers are used again. The count is written as `./` and `.//`, which lead nowhere.
std::string uniquePath(int fd) {
  static std::atomic<uint64_t> calls = 0;
  std::string path = "/proc/self/fd/";
  for (uint64_t rest = calls.fetch_add(1, std::memory_order_relaxed); rest; rest >>= 1)
    path += rest & 1 ? ".//" : "./";
  return path + std::to_string(fd);
}

// Maps the code now, in one system call, instead of by a fault or two when each kernel runs first. Advice only.
void populate(void *handle, std::span<const std::byte> file) {
  link_map *object = nullptr;
  ElfW(Ehdr) header;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &object) != 0)
    return;
  std::memcpy(&header, file.data(), sizeof(header));
  uintptr_t end = 0;
  for (size_t i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) segment;
    std::memcpy(&segment, file.data() + header.e_phoff + i * sizeof(segment), sizeof(segment));
    if (segment.p_type == PT_LOAD)
      end = std::max<uintptr_t>(end, segment.p_vaddr + segment.p_memsz);
  }
  (void)madvise(reinterpret_cast<void *>(object->l_addr), end, MADV_POPULATE_READ);
}

Status cannotLoad(const hal::ExecutableSource &source, const std::string &why) {
  return Status(StatusCode::Malformed, "the code of executable '" + source.name +
                                           "' must be a loadable shared object: " + why + "; compile the model again");
}

} // namespace

StatusOr<std::unique_ptr<hal::Executable>> loadSharedObject(const hal::ExecutableSource &source) {
  static constexpr char elf[] = {0x7f, 'E', 'L', 'F'};
  if (source.code.size() < sizeof(elf) || std::memcmp(source.code.data(), elf, sizeof(elf)) != 0)
    return cannotLoad(source, "it does not start as an ELF file");
  FileDescriptor file(memfd_create("heddle-executable", MFD_CLOEXEC));
  if (file.fd < 0 || !writeAll(file.fd, source.code))
    return Status(StatusCode::Io,
                  "cannot hand the code of executable '" + source.name + "' to the system: " + std::strerror(errno));
  std::string path = uniquePath(file.fd);
  auto object = std::make_unique<SharedObject>(std::move(file));
  void *handle = object->open(path);
  if (!handle) {
    const char *why = dlerror();
    return cannotLoad(source, why ? why : "unknown");
  }
  populate(handle, source.code);
  for (const std::string &symbol : source.symbols)
    if (!object->add(symbol))
      return cannotLoad(source, "it has no symbol '" + symbol + "'");
  return std::unique_ptr<hal::Executable>(std::move(object));
}

} // namespace heddle::local
