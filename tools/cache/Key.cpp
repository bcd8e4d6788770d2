// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cache/Key.h"

#include "tools/cache/Digest.h"
#include "tools/cache/ExternalFiles.h"
#include "tools/cache/Identity.h"
#include "tools/lib/Error.h"
#include "tools/lib/Files.h"

#include <fcntl.h>
#include <filesystem>
#include <sys/mman.h>
#include <unistd.h>

namespace heddle::tools {
namespace {

// Changes when this program means something else by its keys or entries.
constexpr const char *kVersion = "heddle compilation 1";

// The bytes of a file, while it lives.
class Mapped {
public:
  explicit Mapped(const std::string &path) : bytes_(InputFile(path).bytes()) {
    int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && bytes_)
      data_ = mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, fd, 0);
    if (fd >= 0)
      close(fd);
    if (bytes_ && data_ == MAP_FAILED)
      throw Failure("cannot map '" + path + "'");
  }
  ~Mapped() {
    if (bytes_)
      munmap(data_, bytes_);
  }
  Mapped(const Mapped &) = delete;
  Mapped &operator=(const Mapped &) = delete;
  std::span<const std::byte> view() const { return {static_cast<const std::byte *>(bytes_ ? data_ : nullptr), bytes_}; }

private:
  uint64_t bytes_;
  void *data_ = MAP_FAILED;
};

void addModel(Digest &digest, const std::string &path) {
  digest.add(digestFile(path));
  if (!path.ends_with(".onnx"))
    return;
  std::optional<std::set<std::string>> files = findExternalFiles(Mapped(path).view());
  if (!files)
    throw Failure("'" + path + "' is not an ONNX model");
  digest.add(static_cast<uint64_t>(files->size()));
  for (const std::string &name : *files) {
    digest.add(name);
    digest.add(digestFile((std::filesystem::path(path).parent_path() / name).string()));
  }
}

} // namespace

std::string makeKey(const KeyInputs &inputs) {
  Digest digest;
  digest.add(kVersion);
  digest.add(identifyBinary(inputs.compiler));
  digest.add(identifyProcessor());
  digest.add(identifyEnvironment());
  digest.add(static_cast<uint64_t>(inputs.flags.size()));
  for (const auto &[name, values] : inputs.flags) {
    digest.add(name);
    digest.add(static_cast<uint64_t>(values.size()));
    for (const std::string &value : values)
      digest.add(value);
  }
  digest.add(static_cast<uint64_t>(inputs.files.size()));
  for (const std::string &path : inputs.files)
    digest.add(digestFile(path));
  digest.add(static_cast<uint64_t>(inputs.models.size()));
  digest.add(inputs.content);
  for (size_t i = 0; i < inputs.models.size(); ++i) {
    digest.add(std::filesystem::path(inputs.models[i]).filename().string());
    if (i > 0 || inputs.content.empty())
      addModel(digest, inputs.models[i]);
  }
  return digest.hex();
}

} // namespace heddle::tools
