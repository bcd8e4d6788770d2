// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Analysis/AlikeKey.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace mlir::heddle;

namespace {

// An op as words. Attributes and types are unique within a context, so their addresses stand for them.
class Words {
public:
  explicit Words(Operation *op) {
    for (NamedAttribute attribute : op->getAttrDictionary())
      if (attribute.getName() != SymbolTable::getSymbolAttrName()) {
        add(attribute.getName().getAsOpaquePointer());
        add(attribute.getValue().getAsOpaquePointer());
      }
    addInside(op);
  }

  AlikeKey key() const {
    llvm::XXH128_hash_t hash =
        llvm::xxh3_128bits(ArrayRef(reinterpret_cast<const uint8_t *>(words.data()), words.size() * sizeof(uint64_t)));
    return {hash.low64, hash.high64};
  }

private:
  void add(uint64_t word) { words.push_back(word); }
  void add(const void *pointer) { words.push_back(reinterpret_cast<uintptr_t>(pointer)); }

  template <typename T> static uint64_t numberOf(DenseMap<T, uint64_t> &numbers, T of) {
    return numbers.try_emplace(of, numbers.size()).first->second;
  }

  // What is made here is known by its place, all else by what it is.
  void define(Value value) {
    add(value.getType().getAsOpaquePointer());
    numberOf(values, value);
  }
  void use(Value value) {
    auto found = values.find(value);
    add(static_cast<uint64_t>(found != values.end()));
    if (found != values.end())
      add(found->second);
    else
      add(value.getAsOpaquePointer());
  }

  void addInside(Operation *op) {
    add(op->getName().getAsOpaquePointer());
    for (auto count : {op->getNumOperands(), op->getNumResults(), op->getNumSuccessors(), op->getNumRegions()})
      add(static_cast<uint64_t>(count));
    for (Value operand : op->getOperands())
      use(operand);
    for (Value result : op->getResults())
      define(result);
    for (Block *successor : op->getSuccessors())
      add(numberOf(blocks, successor));
    for (Region &region : op->getRegions()) {
      add(static_cast<uint64_t>(region.getBlocks().size()));
      for (Block &block : region)
        add(block);
    }
  }

  void add(Block &block) {
    add(numberOf(blocks, &block));
    add(static_cast<uint64_t>(block.getNumArguments()));
    for (BlockArgument argument : block.getArguments())
      define(argument);
    add(static_cast<uint64_t>(block.getOperations().size()));
    for (Operation &op : block) {
      add(op.getAttrDictionary().getAsOpaquePointer());
      addInside(&op);
    }
  }

  SmallVector<uint64_t, 0> words;
  DenseMap<Value, uint64_t> values;
  DenseMap<Block *, uint64_t> blocks;
};

} // namespace

AlikeKey mlir::heddle::alikeKeyOf(Operation *op) { return Words(op).key(); }
