// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cache/Digest.h"

#include "tools/lib/Files.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <llvm-c/blake3.h>
#include <mutex>
#include <thread>
#include <vector>

namespace heddle::tools {
namespace {

constexpr uint64_t kPiece = 4 << 20;  // what one thread digests at a time
constexpr size_t kBuffer = 128 << 10; // stays in a core's own cache
constexpr unsigned kMostThreads = 4;  // memory is no faster for more

std::string toHex(const llvm_blake3_hasher &hasher) {
  uint8_t bytes[LLVM_BLAKE3_OUT_LEN];
  llvm_blake3_hasher_finalize(&hasher, bytes, sizeof(bytes));
  std::string text;
  for (uint8_t byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

std::string digestPiece(const InputFile &file, uint64_t begin, std::vector<std::byte> &buffer) {
  llvm_blake3_hasher hasher;
  llvm_blake3_hasher_init(&hasher);
  uint64_t end = std::min(begin + kPiece, file.bytes());
  while (begin < end) {
    std::span<std::byte> part(buffer.data(), std::min<uint64_t>(kBuffer, end - begin));
    file.read(begin, part);
    llvm_blake3_hasher_update(&hasher, part.data(), part.size());
    begin += part.size();
  }
  return toHex(hasher);
}

} // namespace

struct Digest::State {
  llvm_blake3_hasher hasher;
};

Digest::Digest() : state_(std::make_unique<State>()) { llvm_blake3_hasher_init(&state_->hasher); }
Digest::~Digest() = default;

void Digest::add(uint64_t number) {
  uint8_t bytes[8];
  for (int i = 0; i < 8; ++i)
    bytes[i] = static_cast<uint8_t>(number >> (8 * i));
  llvm_blake3_hasher_update(&state_->hasher, bytes, sizeof(bytes));
}

void Digest::add(std::string_view text) {
  add(static_cast<uint64_t>(text.size()));
  llvm_blake3_hasher_update(&state_->hasher, text.data(), text.size());
}

std::string Digest::hex() const { return toHex(state_->hasher); }

std::string digestText(std::string_view text) {
  Digest digest;
  digest.add(text);
  return digest.hex();
}

std::string digestFile(const std::string &path) {
  InputFile file(path);
  std::vector<std::string> pieces(static_cast<size_t>((file.bytes() + kPiece - 1) / kPiece));
  std::atomic<size_t> next = 0;
  std::exception_ptr failure;
  std::mutex mutex;
  auto work = [&] {
    try {
      std::vector<std::byte> buffer(kBuffer);
      for (size_t i = next++; i < pieces.size(); i = next++)
        pieces[i] = digestPiece(file, i * kPiece, buffer);
    } catch (...) {
      std::lock_guard lock(mutex);
      failure = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  size_t most = std::min<size_t>({kMostThreads, std::max(std::thread::hardware_concurrency(), 1u), pieces.size()});
  for (size_t i = 1; i < most; ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
  if (failure)
    std::rethrow_exception(failure);
  Digest whole;
  whole.add(file.bytes());
  for (const std::string &piece : pieces)
    whole.add(piece);
  return whole.hex();
}

} // namespace heddle::tools
