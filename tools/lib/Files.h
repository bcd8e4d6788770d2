// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files as the tools need them: read whole with a clear error, written so that an old file is never half replaced.
#ifndef HEDDLE_TOOLS_LIB_FILES_H
#define HEDDLE_TOOLS_LIB_FILES_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace heddle::tools {

// A regular file open for reading. Throws Failure naming the path and the system's reason.
class InputFile {
public:
  explicit InputFile(const std::string &path);
  ~InputFile();
  InputFile(const InputFile &) = delete;
  InputFile &operator=(const InputFile &) = delete;

  uint64_t bytes() const { return bytes_; }
  // Reads exactly to.size() bytes at `offset`; a shorter file is a failure.
  void read(uint64_t offset, std::span<std::byte> to) const;

private:
  std::string path_;
  int fd_ = -1;
  uint64_t bytes_ = 0;
};

std::string readText(const std::string &path);

// A folder of its own where the system keeps what is temporary ($TMPDIR, else /tmp), which goes with the object. Throws
// Failure naming the place, the system's reason and TMPDIR.
class ScratchFolder {
public:
  explicit ScratchFolder(const std::string &prefix);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder &) = delete;
  ScratchFolder &operator=(const ScratchFolder &) = delete;

  const std::string &path() const { return path_; }
  std::string at(const std::string &name) const { return path_ + "/" + name; }

private:
  std::string path_;
};

// A file to be written: the constructor proves that it can be (so that it can run before long work), commit() makes it
// visible under its name in one step. Without commit() nothing changes. A path that exists and is no regular file
// (/dev/stdout, a pipe) is written directly. A symbolic link is followed.
class OutputFile {
public:
  explicit OutputFile(const std::string &path);
  ~OutputFile();
  OutputFile(OutputFile &&other) noexcept;
  OutputFile &operator=(OutputFile &&) = delete;

  const std::string &path() const { return path_; }
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text.data(), text.size()))); }
  void commit();

private:
  std::string path_, target_, temporary_; // temporary_ empty: written directly, or done
  int fd_ = -1;
};

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_LIB_FILES_H
