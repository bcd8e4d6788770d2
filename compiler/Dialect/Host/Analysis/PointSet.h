// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sets of points of a host program: streams and events, by number.
//
//   PointNumbers numbers;
//   PointSet after;
//   after.insert(numbers.of(event));
//   if (after.contains(numbers.of(stream))) …
#ifndef HEDDLE_COMPILER_DIALECT_HOST_ANALYSIS_POINTSET_H
#define HEDDLE_COMPILER_DIALECT_HOST_ANALYSIS_POINTSET_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>

namespace mlir::heddle::host {

// A bit for each number; equal sets compare equal whatever was in them before.
class PointSet {
public:
  bool contains(unsigned point) const {
    return point / kBits < words.size() && (words[point / kBits] >> (point % kBits) & 1);
  }
  void insert(unsigned point) {
    if (point / kBits >= words.size())
      words.resize(point / kBits + 1, 0);
    words[point / kBits] |= uint64_t{1} << (point % kBits);
  }
  void erase(unsigned point) {
    if (!contains(point))
      return;
    words[point / kBits] &= ~(uint64_t{1} << (point % kBits));
    trim();
  }
  void eraseAll(const PointSet &other) {
    for (size_t i = 0, count = std::min(words.size(), other.words.size()); i < count; ++i)
      words[i] &= ~other.words[i];
    trim();
  }
  bool containsAll(const PointSet &other) const {
    if (other.words.size() > words.size())
      return false;
    for (size_t i = 0; i < other.words.size(); ++i)
      if (other.words[i] & ~words[i])
        return false;
    return true;
  }
  bool empty() const { return words.empty(); }
  void clear() { words.clear(); }
  bool operator<(const PointSet &other) const { return words < other.words; }
  bool operator==(const PointSet &other) const { return words == other.words; }

private:
  static constexpr unsigned kBits = 64;

  // The last word is never zero.
  void trim() {
    while (!words.empty() && words.back() == 0)
      words.pop_back();
  }

  llvm::SmallVector<uint64_t, 2> words;
};

// Gives values small numbers. A released number is given again, so sets stay as small as what is in use at one time.
class PointNumbers {
public:
  unsigned of(Value value) {
    auto [entry, isNew] = numbers.try_emplace(value, 0);
    if (!isNew)
      return entry->second;
    if (released.empty()) {
      values.push_back(value);
      return entry->second = values.size() - 1;
    }
    entry->second = released.pop_back_val();
    values[entry->second] = value;
    return entry->second;
  }
  // No set may have the number of `value` any more; that is the caller's to see to.
  void release(Value value) {
    auto entry = numbers.find(value);
    if (entry == numbers.end())
      return;
    values[entry->second] = Value();
    released.push_back(entry->second);
    numbers.erase(entry);
  }
  // The value of each number; null for a released one.
  llvm::ArrayRef<Value> getValues() const { return values; }

private:
  llvm::DenseMap<Value, unsigned> numbers;
  llvm::SmallVector<Value> values;
  llvm::SmallVector<unsigned> released;
};

} // namespace mlir::heddle::host

#endif // HEDDLE_COMPILER_DIALECT_HOST_ANALYSIS_POINTSET_H
