// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// BLAKE3, by which the caches know things: who finds two inputs with one digest has broken it. The code is LLVM's,
// linked by itself. Pure but for digestFile(); any thread.
#ifndef HEDDLE_TOOLS_CACHE_DIGEST_H
#define HEDDLE_TOOLS_CACHE_DIGEST_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace heddle::tools {

// Of a sequence of texts and numbers. Each goes in with its length, so that no two sequences are alike.
class Digest {
public:
  Digest();
  ~Digest();
  Digest(const Digest &) = delete;
  Digest &operator=(const Digest &) = delete;

  void add(std::string_view text);
  void add(uint64_t number);
  // 64 hexadecimal digits.
  std::string hex() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

// Of one text.
std::string digestText(std::string_view text);

// Of a file's size and content, read by up to four threads. Throws Failure.
std::string digestFile(const std::string &path);

} // namespace heddle::tools

#endif // HEDDLE_TOOLS_CACHE_DIGEST_H
