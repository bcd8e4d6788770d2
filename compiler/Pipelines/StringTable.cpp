// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Pipelines/StringTable.h"

#include <algorithm>
#include <numeric>

using namespace mlir::heddle;

int64_t StringTable::add(llvm::StringRef text) {
  std::string valid = llvm::json::fixUTF8(text);
  auto [entry, isNew] = numbers.try_emplace(valid, texts.size());
  if (isNew)
    texts.push_back(std::move(valid));
  return entry->second;
}

llvm::json::Array StringTable::finish() {
  std::vector<int64_t> order(texts.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return texts[a] < texts[b]; });
  positions.resize(texts.size());
  llvm::json::Array out;
  llvm::StringRef last;
  for (size_t i = 0; i < order.size(); ++i) {
    llvm::StringRef text = texts[order[i]];
    size_t shared = 0;
    while (shared < std::min(last.size(), text.size()) && last[shared] == text[shared])
      ++shared;
    while (shared && shared < text.size() && (text[shared] & 0xC0) == 0x80) // never within a character
      --shared;
    out.push_back(static_cast<int64_t>(shared));
    out.push_back(text.drop_front(shared).str());
    positions[order[i]] = static_cast<int64_t>(i);
    last = text;
  }
  return out;
}
