// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cache/Identity.h"

#include "tools/cache/Digest.h"
#include "tools/lib/Error.h"
#include "tools/lib/Files.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <link.h>

namespace heddle::tools {
namespace {

constexpr uint64_t kMostNotes = 1 << 16; // bytes of a segment of notes that are looked at
constexpr uint64_t kMostSegments = 256;

template <typename T> T readAs(const InputFile &file, uint64_t offset) {
  T value;
  file.read(offset, std::as_writable_bytes(std::span(&value, 1)));
  return value;
}

std::string toHex(std::string_view bytes) {
  std::string text;
  for (char byte : bytes) {
    text += "0123456789abcdef"[static_cast<uint8_t>(byte) >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

// "" where there is none among the notes.
std::string findBuildId(std::string_view notes) {
  auto aligned = [](uint64_t bytes) { return (bytes + 3) / 4 * 4; };
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) head;
    std::memcpy(&head, notes.data(), sizeof(head));
    notes.remove_prefix(sizeof(head));
    uint64_t name = aligned(head.n_namesz), content = aligned(head.n_descsz);
    if (name > notes.size() || head.n_descsz > notes.size() - name)
      return "";
    if (head.n_type == NT_GNU_BUILD_ID && notes.substr(0, name) == std::string_view("GNU\0", 4))
      return toHex(notes.substr(name, head.n_descsz));
    notes.remove_prefix(std::min<uint64_t>(name + content, notes.size()));
  }
  return "";
}

std::string buildIdOf(const InputFile &file) {
  if (file.bytes() < sizeof(ElfW(Ehdr)))
    return "";
  auto head = readAs<ElfW(Ehdr)>(file, 0);
  if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_phentsize != sizeof(ElfW(Phdr)))
    return "";
  for (uint64_t i = 0; i < std::min<uint64_t>(head.e_phnum, kMostSegments); ++i) {
    uint64_t at = head.e_phoff + i * sizeof(ElfW(Phdr));
    if (at > file.bytes() || file.bytes() - at < sizeof(ElfW(Phdr)))
      return "";
    auto segment = readAs<ElfW(Phdr)>(file, at);
    if (segment.p_type != PT_NOTE || segment.p_filesz > kMostNotes || segment.p_offset > file.bytes() ||
        segment.p_filesz > file.bytes() - segment.p_offset)
      continue;
    std::string notes(segment.p_filesz, '\0');
    file.read(segment.p_offset, std::as_writable_bytes(std::span(notes)));
    if (std::string id = findBuildId(notes); !id.empty())
      return id;
  }
  return "";
}

} // namespace

std::string identifyBinary(const std::string &path) {
  std::string id = buildIdOf(InputFile(path));
  return id.empty() ? digestFile(path) : "build-id " + id;
}

std::vector<std::pair<std::string, std::string>> identifyLibraries() {
  std::vector<std::string> paths;
  auto visit = [](dl_phdr_info *info, size_t, void *to) {
    if (info->dlpi_name && info->dlpi_name[0] == '/')
      static_cast<std::vector<std::string> *>(to)->emplace_back(info->dlpi_name);
    return 0;
  };
  dl_iterate_phdr(visit, &paths);
  std::vector<std::pair<std::string, std::string>> libraries;
  for (const std::string &path : paths)
    libraries.emplace_back(path, identifyBinary(path));
  return libraries;
}

std::string identifyProcessor() {
  // What differs between two looks at the same processor, or between its cores.
  static constexpr const char *kVarying[] = {"processor", "cpu MHz",        "bogomips", "BogoMIPS",
                                             "apicid",    "initial apicid", "core id",  "cpu cores",
                                             "siblings",  "physical id",    "hart",     "microcode"};
  std::ifstream file("/proc/cpuinfo");
  std::string text;
  for (std::string line; std::getline(file, line) && !line.empty();) {
    std::string name = line.substr(0, line.find_first_of("\t:"));
    if (std::find(std::begin(kVarying), std::end(kVarying), name) == std::end(kVarying))
      text += line + "\n";
  }
  if (text.empty())
    throw Failure("the system does not say what processor this is");
  return text;
}

std::string identifyEnvironment() {
  std::string text;
  for (const char *name : {"LD_LIBRARY_PATH", "LD_PRELOAD", "GLIBC_TUNABLES"})
    if (const char *value = std::getenv(name))
      text += std::string(name) + "=" + value + "\n";
  return text;
}

} // namespace heddle::tools
